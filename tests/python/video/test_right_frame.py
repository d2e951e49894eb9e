"""The frame returned is the one on screen at that time: every container, codec and backend."""

from __future__ import annotations

import numpy as np
import pytest
from tests.python.video.videos import RECIPES, number_in

from fastvbench.video import open_video, scan_index
from fastvbench.video._packets import index_of_packets
from fastvbench.video._pyav_scan import scan_with_pyav
from fastvbench.video._source import look_at
from fastvbench.video._torchcodec_scan import scan_with_torchcodec

SOUND = [name for name in RECIPES if name != "raw.h264"]
FIRST_NUMBER = {"edit_list.mp4": 33}  # it begins at 1.3 s of a file of 25 frames a second


def numbers(video, frames, **options) -> list[int]:
    shown = []
    for batch in video.frames(frames, **options):
        assert batch.frames.dtype.is_floating_point is False
        assert tuple(batch.frames.shape[1:]) == (3, video.index.height, video.index.width)
        turn = video.index.rotation_degrees
        shown += [number_in(frame.numpy(), turn) for frame in batch.frames]
    return shown


@pytest.mark.parametrize("backend", ["torchcodec", "pyav"])
@pytest.mark.parametrize("name", SOUND)
def test_frame_on_screen(studio, name, backend):
    generator = np.random.default_rng(len(name))
    with open_video(studio.path(name), backend=backend) as video:
        assert video.backend.name == backend
        assert video.backend.fallback_reason == ""
        index = video.index
        times = generator.uniform(index.begin_seconds - 0.1, index.end_seconds + 0.1, size=14)
        at_borders = index.pts[generator.integers(len(index), size=4)]
        wanted = index.frame_at(np.concatenate([times, at_borders, [-1.0, 1e9]]))
        first = FIRST_NUMBER.get(name, 0)
        assert numbers(video, wanted) == (wanted + first).tolist()
        last = len(index) - 1
        assert numbers(video, [last, last - 1] if last else [0])[0] == last + first


@pytest.mark.parametrize("name", SOUND)
def test_backends_give_the_same_bytes(studio, name):
    path = studio.path(name)
    index = scan_index(path)
    wanted = np.unique(np.linspace(0, len(index) - 1, 8).astype(int))
    with (
        open_video(path, backend="torchcodec", index=index) as one,
        open_video(path, backend="pyav", index=index) as other,
    ):
        for ours, theirs in zip(one.frames(wanted), other.frames(wanted), strict=True):
            np.testing.assert_array_equal(ours.pts, theirs.pts)
            np.testing.assert_array_equal(ours.frames.numpy(), theirs.frames.numpy())


@pytest.mark.parametrize("name", SOUND)
def test_scanners_agree_to_the_bit(studio, name):
    file = look_at(studio.path(name))
    tables = [scan_with_torchcodec(file), scan_with_pyav(file)]
    ours, theirs = (index_of_packets(table, name, tolerant=False) for table in tables)
    assert ours == theirs
    assert ours.scanned_by != theirs.scanned_by
    assert not ours.damage
    if RECIPES[name].source is None:
        assert len(ours) == RECIPES[name].frames


def test_rates_and_sizes(studio):
    assert scan_index(studio.path("h264.mp4")).is_constant_rate
    assert scan_index(studio.path("vp9.webm")).is_constant_rate  # milliseconds, 40 and 40
    for name in ("uneven.mp4", "uneven.mkv", "slides.mp4"):
        assert not scan_index(studio.path(name)).is_constant_rate
    turned = scan_index(studio.path("turned_90.mp4"))
    assert (turned.width, turned.height, turned.rotation_degrees) == (64, 96, 90)
    assert scan_index(studio.path("fragmented.mp4")).begin_seconds == pytest.approx(0.08)
    assert scan_index(studio.path("late_start.ts")).begin_seconds == pytest.approx(5001.4)


def test_request_order_repeats_and_chunks(studio):
    wanted = [70, 3, 3, 99, 0, 3, 41, 70, 42]
    with open_video(studio.path("h264.mp4")) as video:
        for chunk in (1, 2, 8, 100):
            batches = list(video.frames(wanted, chunk=chunk))
            assert np.concatenate([b.indices for b in batches]).tolist() == wanted
            assert np.concatenate([b.positions for b in batches]).tolist() == list(range(9))
            assert max(len(b.pts) for b in batches) <= chunk
            assert numbers(video, wanted, chunk=chunk) == wanted
        in_order = list(video.frames(wanted, chunk=4, order="display"))
        shown = np.concatenate([b.indices for b in in_order])
        places = np.concatenate([b.positions for b in in_order])
        assert shown.tolist() == sorted(wanted)
        assert [wanted[place] for place in places] == shown.tolist()
        assert list(video.frames([])) == []


def test_what_a_decoder_alone_gets_wrong(studio):
    """Why times never go to a decoder: asked for one time, TorchCodec gives the frame after."""
    from torchcodec.decoders import VideoDecoder

    path = studio.path("uneven.mp4")
    index = scan_index(path)
    decoder = VideoDecoder(str(path))
    stated = [decoder.get_frame_at(number).duration_seconds for number in range(len(index))]
    end_as_stated = index.pts + stated
    gaps = np.flatnonzero(index.pts[1:] > end_as_stated[:-1] + 1e-6)
    assert len(gaps) > 5, "the file has no frame that stays on screen longer than it says"
    in_gap = (index.pts[gaps + 1] + end_as_stated[gaps]) / 2
    right = index.frame_at(in_gap)
    assert right.tolist() == gaps.tolist()
    theirs = [number_in(decoder.get_frame_played_at(t).data.numpy()) for t in in_gap.tolist()]
    with open_video(path, backend="torchcodec", index=index) as video:
        ours = numbers(video, right)
    assert ours == right.tolist()
    assert theirs == (right + 1).tolist(), "TorchCodec now answers single times rightly"


@pytest.mark.parametrize("device", ["cuda", "cuda:0"])
def test_cuda_falls_back_with_a_reason(studio, device):
    import torch

    if torch.cuda.is_available():
        pytest.skip("a CUDA device is here: tests/gpu covers it")
    with open_video(studio.path("h264.mp4"), device=device) as video:
        assert video.backend.device == "cpu"
        assert "cuda" in video.backend.fallback_reason.lower()
        assert numbers(video, [5, 50]) == [5, 50]
    with open_video(studio.path("h264.mp4"), backend="pyav", device=device) as video:
        assert video.backend.fallback_reason == "PyAV decodes on the CPU"
