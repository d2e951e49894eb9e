"""A file is read through once; from then on its kept index says where to look."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

# Bytes are counted in a process of its own, where nobody else reads.
COUNT = """
import sys
import numpy as np
from fastvbench.video import open_video

path, cache, backend = sys.argv[1:]

def bytes_read():
    with open("/proc/self/io") as counters:
        return int(counters.readline().split()[1])

def read_by(work):
    before = bytes_read()
    work()
    return bytes_read() - before

def once(cache):
    with open_video(path, backend=backend, cache=cache) as video:
        wanted = np.linspace(0, len(video.index) - 1, 3).astype(int)
        for batch in video.frames(wanted):
            assert len(batch.pts) == 3

once(None)  # libraries load
print(read_by(lambda: once(cache)), read_by(lambda: once(cache)))
"""


@pytest.fixture(scope="module")
def large_video(studio):
    """Some 12 MB: noise, which doesn't compress."""
    path = studio.folder / "large.mp4"
    noise = np.random.default_rng(0).integers(0, 256, (120, 240, 320), dtype=np.uint8)
    command = "ffmpeg -loglevel error -f rawvideo -pix_fmt gray -s 320x240 -r 25 -i - -c:v mpeg4 "
    subprocess.run(
        [*f"{command} -q:v 2 -g 12".split(), str(path)], input=noise.tobytes(), check=True
    )
    assert path.stat().st_size > 8_000_000
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="/proc counts the bytes that are read")
@pytest.mark.parametrize("backend", ["torchcodec", "pyav"])
def test_second_open_reads_a_tenth_at_most(large_video, tmp_path, backend):
    command = [sys.executable, "-c", COUNT, str(large_video), str(tmp_path / "cache"), backend]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    first, second = map(int, done.stdout.split())
    size = large_video.stat().st_size
    print(f"{backend}: file {size:,} bytes, first open {first:,}, second {second:,}")
    assert first > size
    assert second * 10 < first
    assert second < 1_000_000
