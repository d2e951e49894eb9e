"""Each kind of broken file has one stated outcome, and none of them hangs or leaks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.python.video import broken
from tests.python.video.videos import number_in

from fastvbench.video import (
    DecodeTimeout,
    FrameDecodeError,
    NoVideoStream,
    VideoError,
    VideoOpenError,
    open_video,
    scan_index,
)
from fastvbench.video._pyav_scan import scan_with_pyav
from fastvbench.video._source import VideoFile
from fastvbench.video._time_limit import LimitedCaller
from fastvbench.video._torchcodec_scan import scan_with_torchcodec

BACKENDS = ("auto", "torchcodec", "pyav")


def shown(video, frames) -> dict[int, int | str]:
    """The number that each frame shows, or the name of the error."""
    found: dict[int, int | str] = {}
    for frame in frames:
        try:
            found[frame] = number_in(next(video.frames([frame])).frames[0].numpy())
        except VideoError as error:  # noqa: PERF203 - each frame by itself is the point
            found[frame] = type(error).__name__
    return found


CANNOT_BE_OPENED = {
    broken.without_header: (VideoOpenError, "cannot be opened as video"),
    broken.text: (VideoOpenError, "cannot be opened as video"),
    broken.without_frames: (VideoOpenError, "cannot be opened as video"),
    broken.empty: (VideoOpenError, "is empty"),
    broken.pipe: (VideoOpenError, "is a pipe"),
    broken.audio_only: (NoVideoStream, re.escape("has no video stream (audio)")),
    broken.cover_picture: (NoVideoStream, "a cover picture only"),
}


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("make", CANNOT_BE_OPENED, ids=lambda make: make.__name__)
def test_cannot_be_opened(studio, make, tolerant):
    path = make(studio)
    error, words = CANNOT_BE_OPENED[make]
    for backend in BACKENDS if not tolerant else ("auto", "pyav"):
        with pytest.raises(error, match=words) as raised:
            open_video(path, backend=backend, tolerant=tolerant)
        assert str(raised.value).startswith(str(path))
        assert "\n" not in str(raised.value)
        assert len(str(raised.value)) < len(str(path)) + 200
    with pytest.raises(error, match=words):
        scan_index(path, tolerant=tolerant)


def test_paths_that_lead_nowhere(studio):
    folder = studio.folder
    for path, words in (
        (folder / "missing.mp4", "does not exist"),
        (folder, "is a folder"),
        (folder / ("n" * 300), "cannot be reached"),
        (f"{folder}/nul\0.mp4", "cannot be reached"),
        ("/dev/zero", "is a device"),
    ):
        with pytest.raises(VideoOpenError, match=words):
            open_video(path)


def test_unusual_names(studio):
    content = studio.path("h264.mp4").read_bytes()
    for name in ("фильм 映画 🎬.mp4", "n" * 251 + ".mp4", "a:b?c=d%20#e.mp4", "-i.mp4", "file"):
        path = studio.folder / name
        path.write_bytes(content)
        for backend in ("torchcodec", "pyav"):
            with open_video(path, backend=backend) as video:
                assert shown(video, [42]) == {42: 42}
    at_the_end_of_time = os.fsencode(studio.folder) + b"/\xff\xfe.mp4"  # no text in any encoding
    with open(at_the_end_of_time, "wb") as file:
        file.write(content)
    with open_video(os.fsdecode(at_the_end_of_time)) as video:
        assert shown(video, [42]) == {42: 42}


def test_truncated(studio):
    """The index ends where the pictures do, and says how much is missing."""
    for backend in ("torchcodec", "pyav"):
        with open_video(broken.truncated(studio), backend=backend) as video:
            index = video.index
            assert 40 < len(index) < 60
            assert index.damage.missing_seconds == pytest.approx(4.0 - index.end_seconds)
            whole = range(len(index) - 4)
            assert shown(video, whole) == {frame: frame for frame in whole}
            last = len(index) - 1
            assert shown(video, [last]) == {last: "FrameDecodeError"}
            with pytest.raises(FrameDecodeError, match=rf"frame {last} at {index.pts[last]:.3f} s"):
                next(video.frames([last]))


def test_truncated_tolerant(studio):
    with open_video(broken.truncated(studio), tolerant=True) as video:
        last = len(video.index) - 1
        batch = next(video.frames([0, last]))
        assert batch.indices[0] == 0
        assert last - 3 < batch.indices[1] < last
        assert number_in(batch.frames[1].numpy()) == batch.indices[1]
        assert video.index.pts[batch.indices[1]] == batch.pts[1]
        assert video.recovery.replaced_frames == 1
        assert video.recovery.bad_packets == 1
        assert video.backend.name == "pyav"


@pytest.mark.parametrize("backend", BACKENDS)
def test_corrupt(studio, backend):
    """Frames from damaged data are errors; all others are right, also those behind the damage."""
    with open_video(broken.corrupt(studio), backend=backend) as video:
        found = shown(video, range(100))
        lost = [frame for frame, number in found.items() if number == "FrameDecodeError"]
        assert {frame: number for frame, number in found.items() if frame not in lost} == {
            frame: frame for frame in range(100) if frame not in lost
        }
        assert 5 < len(lost) < 40
        assert not [frame for frame in lost if frame < 30 or frame >= 72]
        with pytest.raises(FrameDecodeError) as raised:
            list(video.frames([0, lost[0], 99]))
        assert raised.value.index == lost[0]
        assert raised.value.seconds == pytest.approx(lost[0] / 25)


def test_corrupt_tolerant(studio):
    with open_video(broken.corrupt(studio), tolerant=True) as video:
        batches = list(video.frames(range(100)))
        indices = np.concatenate([batch.indices for batch in batches])
        numbers = [number_in(frame.numpy()) for batch in batches for frame in batch.frames]
        assert len(numbers) == 100
        assert (np.diff(indices) >= 0).all()
        assert (indices <= np.arange(100)).all()
        recovery = video.recovery
        assert recovery.replaced_frames == (indices != np.arange(100)).sum()
        right = (np.array(numbers) == np.arange(100)).sum()
        assert right >= 100 - recovery.replaced_frames - recovery.damaged_frames
        assert right > 75
        assert recovery.bad_packets > 5
        assert video.backend.fallback_reason.startswith("TorchCodec failed: ")


def test_corrupt_transport_stream(studio):
    path = broken.corrupt_stream(studio)
    with open_video(path) as video:
        index = video.index
        assert index.damage.corrupt_packets > 0
        assert len(index) < 100
        right = np.round((index.pts - index.begin_seconds) * 25).astype(int)
        found = shown(video, range(len(index)))
        lost = [frame for frame, number in found.items() if number == "FrameDecodeError"]
        assert 1 <= len(lost) < 30
        assert all(found[frame] == right[frame] for frame in found if frame not in lost)
        assert video.backend.name == "pyav"
        assert "damaged packets" in video.backend.fallback_reason
    with open_video(path, tolerant=True) as video:
        assert len(shown(video, range(len(index)))) == len(index)
        assert video.recovery.damaged_frames + video.recovery.replaced_frames >= len(lost)


def test_time_that_starts_again(studio):
    path = broken.time_reset(studio)
    with pytest.raises(VideoOpenError, match="time jumps back 1 times, first at packet 100"):
        open_video(path)
    with open_video(path, tolerant=True) as video:
        assert video.index.damage.time_resets == 1
        assert video.index.repair == "unwrapped"
        assert len(video.index) == 200
        assert video.index.is_constant_rate
        wanted = [0, 99, 100, 199, 150, 3]
        assert shown(video, wanted) == {frame: frame % 100 for frame in wanted}


def test_packets_without_times(studio):
    path = studio.path("raw.h264")
    with pytest.raises(VideoOpenError, match="100 of 100 frames have no time"):
        open_video(path)
    with open_video(path, tolerant=True) as video:
        assert video.index.repair == "numbered"
        assert video.index.damage.untimed_packets == 100
        assert video.index.pts[50] == 2.0
        wanted = [0, 50, 99, 7]
        assert shown(video, wanted) == {frame: frame for frame in wanted}


def test_times_that_contradict_the_pictures(studio):
    """Nothing tells that these times are wrong; whatever comes is the frame of that time."""
    path = broken.shuffled_times(studio)
    for backend in ("torchcodec", "pyav"):
        with open_video(path, backend=backend) as video:
            index = video.index
            moved = np.arange(100) * 0.04 + np.where(np.arange(100) % 7 == 3, 0.5, 0.0)
            number_at = np.argsort(moved, kind="stable")
            for frame, number in shown(video, range(0, 100, 3)).items():
                assert number in (number_at[frame], "FrameDecodeError"), index.pts[frame]


def test_replaced_while_open(studio):
    """A cached index belongs to one version of a file."""
    path = studio.folder / "changing.mp4"
    cache = studio.folder / "cache"
    path.write_bytes(studio.path("h264.mp4").read_bytes())
    assert len(scan_index(path, cache=cache)) == 100
    path.write_bytes(studio.path("slides.mp4").read_bytes())
    assert len(scan_index(path, cache=cache)) == 20
    with open_video(path, index=scan_index(studio.path("h264.mp4"))) as video:
        assert set(shown(video, [30, 99]).values()) == {"FrameDecodeError"}


# ---- decoders that don't come back ---------------------------------------------------------------


@pytest.mark.parametrize("scan", [scan_with_pyav, scan_with_torchcodec])
def test_a_decoder_that_hangs_is_left_behind(studio, scan):
    """A pipe would make any decoder wait for ever, so one is smuggled past the check."""
    fifo = VideoFile(broken.pipe(studio), 1, 1)
    caller = LimitedCaller(fifo.path, 0.3)
    begin = time.monotonic()
    with pytest.raises(DecodeTimeout, match=r"scanning took more than 0\.3 s"):
        caller.call("scanning", lambda: scan(fifo))
    assert time.monotonic() - begin < 30  # the pipe alone would take for ever
    with pytest.raises(DecodeTimeout):
        caller.call("scanning again", lambda: 1)
    caller.close()
    # Let the thread go: a writer that comes and goes ends its wait.
    os.close(os.open(fifo.path, os.O_WRONLY))
    with open_video(studio.path("h264.mp4"), time_limit_seconds=60) as video:
        assert shown(video, [7]) == {7: 7}


HANG = """
import os, sys, threading
from fastvbench.video import DecodeTimeout
from fastvbench.video._pyav_scan import scan_with_pyav
from fastvbench.video._source import VideoFile
from fastvbench.video._time_limit import LimitedCaller
from pathlib import Path

content = open(sys.argv[2], "rb").read()

def feed(path):
    with open(path, "wb", buffering=0) as pipe:
        while True:
            pipe.write(content)

threading.Thread(target=feed, args=(sys.argv[1],), daemon=True).start()
fifo = VideoFile(Path(sys.argv[1]), 1, 1)
try:
    LimitedCaller(fifo.path, 1.0).call("scanning", lambda: scan_with_pyav(fifo))
except DecodeTimeout as error:
    print("left behind")
"""


def test_the_process_ends_although_a_decoder_reads_on(studio):
    """A pipe that never ends: the thread is busy in native code when the interpreter exits."""
    fifo = studio.folder / "endless.ts"
    os.mkfifo(fifo)
    command = [sys.executable, "-c", HANG, str(fifo), str(studio.path("h264.ts"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "left behind\n"), done.stderr


def test_errors_cross_the_time_limit(studio):
    with pytest.raises(VideoOpenError, match="does not exist"):
        open_video(studio.folder / "missing.mp4", time_limit_seconds=30)
    with pytest.raises(VideoOpenError, match="cannot be opened as video"):
        open_video(broken.text(studio), time_limit_seconds=30)
    video = open_video(studio.path("h264.mp4"), time_limit_seconds=30)
    video.close()
    video.close()
    with pytest.raises(ValueError, match="was closed"):
        next(video.frames([1]))


# ---- leaks ---------------------------------------------------------------------------------------


def resident_bytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts what /proc lists")
@pytest.mark.parametrize("backend", ["torchcodec", "pyav"])
def test_two_hundred_opens_leak_nothing(studio, backend):
    import threading

    sound, bad = studio.path("h264.mp4"), broken.corrupt(studio)

    def once():
        for path, frame in ((sound, 50), (bad, 40)):
            with open_video(path, backend=backend, time_limit_seconds=60) as video:
                shown(video, [frame])

    for _ in range(20):
        once()
    files, threads, memory = (
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        resident_bytes(),
    )
    for _ in range(100):
        once()
    assert len(os.listdir("/proc/self/fd")) <= files
    for _ in range(100):  # a thread that was told to end takes a moment to
        if threading.active_count() <= threads:
            break
        time.sleep(0.05)
    assert threading.active_count() <= threads
    grown = resident_bytes() - memory
    assert grown < 16_000_000, f"200 opens took {grown / 1e6:.1f} MB"
