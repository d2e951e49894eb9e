"""The pipeline's bound on memory, measured on two hours of 1080p."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.python.video.videos import missing_tool

MEBIBYTE = 1 << 20
MOST_IN_FLIGHT = 300 * MEBIBYTE  # a worker, beside what has been handed over
FULL_FRAME = 1920 * 1080 * 3
PICTURE = "color=gray:s=1920x1080:r=30:d=2,drawbox=x=mod(t*900\\,1800):w=99:h=99:t=fill"
CODED = "-c:v libx264 -preset ultrafast -crf 35 -g 30 -pix_fmt yuv420p"

# Runs in a process of its own, whose peak is then the pipeline's. What is in flight is the peak
# over what was there before (libraries, a decoder that was warmed up) and what the reader holds.
MEASURE = """
import json, sys, time
import torch
from fastvbench.video import FramePipeline, FrameRequest, clip_preprocessing, parse_policy

torch.set_num_threads(1)
path, mode, workers, backend = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
MEBIBYTE = 1 << 20


def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024


def requests(policy):
    return [FrameRequest(k, link, policy) for k, link in enumerate(sys.argv[5:])]


small = {"workers": 1, "backend": backend, "chunk": 1}
for _ in FramePipeline([FrameRequest(0, path, "2")], transform=clip_preprocessing(), **small):
    pass
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = status("VmRSS")
options = {"workers": workers, "backend": backend}
frames = held = 0
if mode == "small":
    for result in FramePipeline(requests("1fps"), transform=clip_preprocessing(), **options):
        held = max(held, result.frames.numel() * 4)
        frames += len(result.frames)
        time.sleep(1)  # a model at work, while the threads run ahead
        del result
else:  # full frames in chunks, read slowly at first
    for chunk in FramePipeline(requests("keyframes:40"), **options).chunks():
        held = max(held, chunk.frames.numel())
        if frames < 20:
            time.sleep(0.5)
        frames += len(chunk.frames)
        del chunk
print(json.dumps({"frames": frames, "held": held, "peak": status("VmHWM"), "before": before}))
"""


@pytest.fixture(scope="module")
def two_hours(decoders, tmp_path_factory):
    """216,000 frames of 1920 x 1080, 30 a second: two seconds, copied 3600 times."""
    reason = missing_tool()
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("long")
    two_seconds, whole = folder / "two_seconds.mp4", folder / "two_hours.mp4"
    quiet = ["ffmpeg", "-nostdin", "-loglevel", "error"]
    subprocess.run([*quiet, "-f", "lavfi", "-i", PICTURE, *CODED.split(), two_seconds], check=True)
    loop = ["-stream_loop", "3599", "-i", str(two_seconds), "-c", "copy", str(whole)]
    subprocess.run([*quiet, *loop], check=True)
    two_seconds.unlink()
    for name in "abc":  # the same file under several names is several videos to a pipeline
        (folder / f"{name}.mp4").symlink_to(whole)
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from Linux's /proc")
@pytest.mark.parametrize(
    ("mode", "backend", "workers"),
    [
        ("full", "torchcodec", 2),
        pytest.param("full", "pyav", 1, marks=pytest.mark.long),
        pytest.param("small", "torchcodec", 1, marks=pytest.mark.long),
        pytest.param("small", "pyav", 2, marks=pytest.mark.long),
    ],
)
def test_two_hours_of_1080p_stay_within_their_bound(two_hours, mode, backend, workers):
    links = [str(two_hours / f"{name}.mp4") for name in "abc"[: workers + 1]]
    command = [sys.executable, "-c", MEASURE, str(two_hours / "two_hours.mp4")]
    command += [mode, str(workers), backend, *links]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    measured = json.loads(done.stdout)
    assert measured["frames"] == len(links) * (180 if mode == "small" else 40)
    in_flight = measured["peak"] - measured["before"] - measured["held"]
    print(
        f"{mode} frames, {backend}, {workers} workers: {in_flight / MEBIBYTE:.0f} MiB in flight, "
        f"{measured['held'] / MEBIBYTE:.0f} MiB handed over"
    )
    assert in_flight < workers * MOST_IN_FLIGHT
    if mode == "full":  # and the measurement sees memory: the queue alone holds some of it
        assert in_flight > 3 * FULL_FRAME
