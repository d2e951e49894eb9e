"""Frames from an hour of video: ours against what people decode with today."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.rivals import video_rival
from benchmarks.rivals.video_data import an_hour, clips, evenly, missing_tool
from benchmarks.rules import Isolated

from fastvbench.video import open_video, scan_index


@pytest.fixture(scope="module")
def hour(tmp_path_factory):
    """The video and a folder in which its index is kept."""
    for name in ("torch", "torchcodec", "av"):
        pytest.importorskip(name, reason=f"{name} comes with the extra [video]")
    reason = missing_tool()
    if reason:
        pytest.skip(reason)
    import torch

    torch.set_num_threads(1)
    path, cache = an_hour(), tmp_path_factory.mktemp("indexes")
    scan_index(path, cache=cache)
    return path, cache


def frames(hour, wanted, backend="auto", order="request"):
    """Opens the video with its kept index and decodes; uint8[k, height, width, 3]."""
    path, cache = hour
    with open_video(path, cache=cache, backend=backend) as video:
        index = video.index
        found = np.empty((len(wanted), index.height, index.width, 3), dtype=np.uint8)
        for batch in video.frames(wanted, order=order):
            found[batch.positions] = batch.frames.permute(0, 2, 3, 1).numpy()
    return found


def same(name, ours, theirs):
    np.testing.assert_array_equal(ours, theirs, err_msg=name)


def bench_180_frames_of_an_hour(compare, hour):
    """As a model is fed: 180 frames over the whole length, a key frame every ten seconds or so."""
    wanted = evenly()
    compare(
        lambda: frames(hour, wanted),
        {
            "torchcodec": Isolated(video_rival.prepare_torchcodec),
            "torchcodec-scanning": Isolated(video_rival.prepare_torchcodec_scanning),
            "pyav-sequential": Isolated(video_rival.prepare_pyav_sequential),
        },
        same,
        case="video/180 frames of an hour",
        rounds=5,
        warmup=1,
    )


def bench_180_frames_of_an_hour_by_pyav(compare, hour):
    """The same by the backend that always installs."""
    wanted = evenly()
    compare(
        lambda: frames(hour, wanted, backend="pyav"),
        {"torchcodec": Isolated(video_rival.prepare_torchcodec)},
        same,
        case="video/180 frames of an hour, by PyAV",
        rounds=5,
        warmup=1,
    )


def bench_clips_grouped_by_key_frame(compare, hour):
    """40 clips of 8 frames in no order, several of them in one group of pictures."""
    wanted = clips().ravel()
    compare(
        lambda: frames(hour, wanted, order="display"),
        {"torchcodec": Isolated(video_rival.prepare_torchcodec_clips)},
        same,
        case="video/40 clips in no order",
        rounds=5,
        warmup=1,
    )
