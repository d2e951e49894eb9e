"""An hour of moving test pictures, made once; that takes a minute or two."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np

FOLDER = Path("build/bench/video")
SECONDS, RATE = 3600, 24
KEY_FRAME_EVERY = 250
SIZE = "192x108"
FRAMES = 180
CLIPS, CLIP_FRAMES = 40, 8


def an_hour() -> Path:
    """H.264 in mp4, 86,400 frames in order, a key frame at least every 250 as x264 has it."""
    path = FOLDER / "hour.mp4"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        unfinished = FOLDER / "unfinished.mp4"
        source = f"testsrc2=size={SIZE}:rate={RATE}:duration={SECONDS}"
        encoder = f"-c:v libx264 -preset veryfast -pix_fmt yuv420p -g {KEY_FRAME_EVERY} -bf 3"
        _ffmpeg(f"-f lavfi -i {source} {encoder} -movflags +faststart {unfinished}")
        unfinished.rename(path)
    return path


def missing_tool() -> str | None:
    """Why the video cannot be made here, if it cannot."""
    return None if shutil.which("ffmpeg") else "no ffmpeg command to make a video with"


def evenly(count: int = SECONDS * RATE, frames: int = FRAMES) -> np.ndarray:
    """Frame numbers spread over the whole length, as a model is fed with them."""
    return np.linspace(0, count - 1, frames).astype(np.int64)


def clips(count: int = SECONDS * RATE, seed: int = 0) -> np.ndarray:
    """int64[40, 8]: short clips in no order, two frames apart, many in one group of pictures."""
    generator = np.random.default_rng(seed)
    scenes = generator.integers(0, count - KEY_FRAME_EVERY, size=CLIPS // 8)
    starts = (scenes[:, None] + generator.integers(0, 200, size=(len(scenes), 8))).ravel()
    generator.shuffle(starts)
    return starts[:, None] + 2 * np.arange(CLIP_FRAMES)


def _ffmpeg(options: str) -> None:
    command = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y", *options.split()]
    subprocess.run(command, check=True)
