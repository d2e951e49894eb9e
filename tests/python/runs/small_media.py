"""Small videos and images, made where a test needs them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

RATE = 8


def write_video(path: Path, seconds: float, *, seed: int = 0, width: int = 64, height: int = 48):
    """Moving noise: every frame differs from every other."""
    import av

    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.time_base = Fraction(1, RATE)
        for number in range(int(seconds * RATE)):
            picture = np.roll(noise, 3 * number, axis=1)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def write_image(path: Path, *, seed: int = 0, size: tuple[int, int] = (60, 40)):
    from PIL import Image

    width, height = size
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    Image.fromarray(noise).save(path)
    return path
