"""Frames, pictures and requests of noise, which every model tells apart."""

from __future__ import annotations

import numpy as np

from fastvbench.models import Frames, Request


def noise_frames(seed, count=4, height=40, width=56, *, rate=25.0, step=25, seconds=None):
    """Frames of noise, `step` frame numbers apart; or at other times than those numbers say."""
    draw = np.random.default_rng(seed)
    indices = np.arange(count, dtype=np.int64) * step
    times = indices / rate if seconds is None else np.asarray(seconds, np.float64)
    pixels = draw.integers(0, 256, (count, 3, height, width), dtype=np.uint8)
    return Frames(pixels, times, indices, rate, float(times.max(initial=0.0)) + 1.0)


def noise_picture(seed, height=40, width=56):
    draw = np.random.default_rng(1000 + seed)
    return draw.integers(0, 256, (3, height, width), dtype=np.uint8)


def kinds_of_requests(count=4):
    """Requests about a video, about pictures, and about a video beside a reference picture."""
    prompts = [f"What happens{' next' * i}?" for i in range(count)]
    asked = [Request(f"video-{i}", prompts[i], noise_frames(i)) for i in range(count)]
    asked += [
        Request(f"image-{i}", prompts[i], images=[noise_picture(i, height=40 + 16 * i)])
        for i in range(count)
    ]
    return asked + [
        Request(f"both-{i}", prompts[i], noise_frames(i), images=[noise_picture(i)])
        for i in range(count)
    ]
