"""Memory of a whole run, measured: two hours of 1080p, 180 frames, several questions a video."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.python.runs.conftest import ROOT
from tests.python.video.videos import missing_tool

MEBIBYTE = 1 << 20
FRAMES = 180
QUESTIONS, VIDEOS, WORKERS = 9, 3, 2
MOST_IN_FLIGHT = 300 * MEBIBYTE  # what one decoding thread may take, beside what was handed over

# In a process of its own, whose peak is then the run's.
MEASURE = """
import json, sys
from pathlib import Path
import torch
from fastvbench.runs._options import RunOptions
from fastvbench.runs._run import carry_out
from tests.python.runs.made_up import MadeUpModel, questions

torch.set_num_threads(1)
folder, out, count, videos, workers = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])


def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024


class Watching(MadeUpModel):
    most = 0
    def generate(self, requests, settings):
        held = {id(r.frames): r.frames.pixels.numel() for r in requests}
        self.most = max(self.most, sum(held.values()))
        assert all(len(r.frames) == 180 for r in requests)
        return super().generate(requests, settings)


def go(name, frames, model, gold):
    return carry_out(RunOptions(
        protocol="lvbench", model=model, annotations=gold, out=Path(out, name), rules=["robust"],
        media=Path(folder), frames=frames, decode_workers=workers,
    ))


go("warm", "2", MadeUpModel(), questions(1, videos=1))
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = status("VmRSS")
model = Watching(batch_size=2)
outcome = go("run", "uniform:180", model, questions(count, videos=videos))
print(json.dumps({
    "complete": outcome.complete, "opened": outcome.progress.videos, "held": model.most,
    "peak": status("VmHWM"), "before": before,
}))
"""


@pytest.fixture(scope="module")
def two_hours(tmp_path_factory):
    """216,000 frames of 1920 x 1080, 30 a second: ten seconds, copied 720 times."""
    for name in ("torch", "av", "torchcodec"):
        pytest.importorskip(name, reason=f"{name} comes with the extra [video]")
    reason = missing_tool()
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("hours")
    part, whole = folder / "part.mp4", folder / "v0.mp4"
    picture = "color=gray:s=1920x1080:r=30:d=10,drawbox=x=mod(t*100\\,1800):y=400:w=99:h=99:t=fill"
    coded = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "35", "-g", "30"]
    coded += ["-pix_fmt", "yuv420p"]
    quiet = ["ffmpeg", "-nostdin", "-loglevel", "error"]
    subprocess.run([*quiet, "-f", "lavfi", "-i", picture, *coded, part], check=True)
    again = ["-stream_loop", "719", "-i", str(part), "-c", "copy", str(whole)]
    subprocess.run([*quiet, *again], check=True)
    part.unlink()
    for number in range(1, VIDEOS):
        (folder / f"v{number}.mp4").symlink_to(whole)
    return folder


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from Linux's /proc")
def test_two_hours_are_asked_about_within_a_bound(two_hours, tmp_path):
    numbers = [str(number) for number in (QUESTIONS, VIDEOS, WORKERS)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(two_hours), str(tmp_path), *numbers],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    measured = json.loads(done.stdout)
    assert measured["complete"]
    assert measured["opened"] == VIDEOS  # once each, for three questions each
    one_video = FRAMES * 1920 * 1080 * 3 // 3  # scaled down to less than a third of the pixels
    in_flight = measured["peak"] - measured["before"] - measured["held"]
    print(
        f"{FRAMES} frames of two hours of 1080p: {measured['held'] / MEBIBYTE:.0f} MiB of frames "
        f"with the model, {in_flight / MEBIBYTE:.0f} MiB beside them"
    )
    assert 0 < measured["held"] <= 2 * one_video
    assert in_flight < one_video + WORKERS * MOST_IN_FLIGHT
