"""Every policy on every kind of file, by both decoders: the picture says which frame it is."""

from __future__ import annotations

import subprocess
import threading
import time

import numpy as np
import pytest
from tests.python.video.test_right_frame import FIRST_NUMBER, SOUND
from tests.python.video.videos import HEIGHT, RATE, WIDTH, number_in

from fastvbench.video import (
    DecodedFrames,
    DecodeTimeout,
    FailedVideo,
    FramePipeline,
    FrameRequest,
    clip_preprocessing,
    parse_policy,
    scan_index,
)
from fastvbench.video._pyav_backend import PyavSource

POLICIES = (
    "1fps",
    "fps:7,max=12",
    "fps-videollama3:2",
    "8",
    "uniform-interior:5",
    "uniform-floor:6",
    "every:10",
    "keyframes:6",
)


@pytest.mark.parametrize("backend", ["torchcodec", "pyav"])
@pytest.mark.parametrize("name", SOUND)
def test_every_policy_shows_the_frame_of_its_time(studio, name, backend):
    path = studio.path(name)
    index = scan_index(path)
    length = index.duration_seconds
    asked = [FrameRequest(policy, path, policy) for policy in POLICIES]
    asked.append(FrameRequest("part", path, "4", length * 0.3, length * 0.7))
    asked.append(FrameRequest("times", path, f"times:{length * 0.9},{length * 0.2}"))
    asked.append(FrameRequest("clips", path, f"clips:0-{length / 4}x3,{length / 2}-{length}x3"))
    first = FIRST_NUMBER.get(name, 0)
    for request, result in zip(asked, FramePipeline(asked, backend=backend), strict=True):
        assert isinstance(result, DecodedFrames), result.error
        assert result.backend.name == backend
        expected = parse_policy(request.policy).pick(
            index, request.begin_seconds, request.end_seconds
        )
        shown = [number_in(frame.numpy(), index.rotation_degrees) for frame in result.frames]
        assert shown == (expected + first).tolist(), request.key
        assert result.indices.tolist() == expected.tolist()
        assert result.pts.tolist() == index.pts[expected].tolist()
        # what the result says about time leads back to the very frame
        assert index.frame_at(result.seconds + index.begin_seconds).tolist() == expected.tolist()


def test_one_frame_a_second_of_an_uneven_video_is_what_is_on_screen(studio):
    path = studio.path("slides.mp4")
    index = scan_index(path)
    (result,) = FramePipeline([FrameRequest(0, path, "fps:1,max=none")])
    on_screen = [
        max(k for k in range(len(index)) if index.pts[k] - index.begin_seconds <= second)
        for second in range(int(np.ceil(index.duration_seconds)))
    ]
    assert result.indices.tolist() == sorted(set(on_screen))


@pytest.mark.parametrize("rate", [1, 2, 5])
@pytest.mark.parametrize("name", ["h264.mp4", "uneven.mkv", "vp9.webm"])
def test_videollama3_frames_are_those_of_ffmpegs_filter(studio, name, rate):
    path = studio.path(name)
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(path)]
    command += ["-vf", f"fps=fps={rate}:round=down", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    frames = np.frombuffer(done.stdout, np.uint8).reshape(-1, HEIGHT, WIDTH, 3)
    theirs = [number_in(np.moveaxis(frame, -1, 0)) for frame in frames]
    policy = parse_policy(f"fps-videollama3:{rate},max=none")
    ours = policy.pick(scan_index(path)).tolist()
    assert ours == sorted(set(theirs))


def test_a_pipeline_over_good_and_bad_files(studio, tmp_path):
    good = studio.path("h264.mp4")
    whole = good.read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) // 3])
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "text.mp4").write_text("not a video")
    paths = [good, *(tmp_path / f"{n}.mp4" for n in ("cut", "empty", "text", "absent")), tmp_path]
    asked = [FrameRequest(path.name, path, "1fps") for path in [*paths, good]]
    results = list(FramePipeline(asked, workers=3, transform=clip_preprocessing(32)))
    assert [result.key for result in results] == [request.key for request in asked]
    for result in (results[0], results[-1]):
        assert result.frames.shape == (4, 3, 32, 32)
        assert result.indices.tolist() == [0, RATE, 2 * RATE, 3 * RATE]
    bad = [result for result in results if isinstance(result, FailedVideo)]
    assert [result.key for result in bad][-4:] == [path.name for path in paths[2:]]
    for result in bad:
        assert result.path in str(result.error)


def test_a_decoder_that_hangs_costs_its_own_requests(studio, tmp_path, monkeypatch):
    good, stuck = studio.path("h264.mp4"), tmp_path / "stuck.mp4"
    stuck.write_bytes(good.read_bytes())
    release = threading.Event()
    decode = PyavSource.decode

    def hang(self, numbers):
        if self._file.path.name == "stuck.mp4":
            release.wait(60)
        return decode(self, numbers)

    monkeypatch.setattr(PyavSource, "decode", hang)
    asked = [FrameRequest(k, path, "8") for k, path in enumerate([good, stuck, good, stuck])]
    began = time.monotonic()
    options = {"backend": "pyav", "time_limit_seconds": 1.0, "order": "video"}
    results = {result.key: result for result in FramePipeline(asked, **options)}
    assert time.monotonic() - began < 30
    release.set()
    assert isinstance(results[0], DecodedFrames)
    assert isinstance(results[2], DecodedFrames)
    for key in (1, 3):
        assert isinstance(results[key].error, DecodeTimeout)
        assert "stuck.mp4" in str(results[key].error)


def test_an_index_that_is_kept_is_used_again(studio, tmp_path):
    asked = [FrameRequest(0, studio.path("h264.mp4"), "1fps")]
    (first,) = FramePipeline(asked, cache=tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert kept
    (second,) = FramePipeline(asked, cache=tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == kept
    np.testing.assert_array_equal(first.frames.numpy(), second.frames.numpy())
