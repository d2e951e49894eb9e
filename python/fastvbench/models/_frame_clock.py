"""True frame times in the form that processors of transformers compute times from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from fastvbench.models._types import Frames

__all__ = ["video_metadata"]

_MILLISECONDS_A_SECOND = 1000.0
_TOLERANCE_SECONDS = 0.0015  # containers round times to a millisecond


def video_metadata(frames: Frames) -> dict[str, Any]:
    """The entry of ``video_metadata`` for one video.

    Processors take a frame's time for frame number / rate. Where that is its true time, they get
    the video's own numbers and rate. Where it is not (a variable rate, a stream that does not begin
    at 0), they get milliseconds for numbers and 1000 for the rate. Some take the time between
    frames for (total frames / rate) / frames shown; the total is given such that this is the true
    mean time between them, also where they are of a part of the video only.

    Args:
        frames: at least one frame.
    """
    rate, numbers = _clock(frames)
    count = len(frames)
    span_seconds = float(frames.seconds[-1] - frames.seconds[0])
    if count > 1 and span_seconds > 0:
        covered_seconds = span_seconds * count / (count - 1)
    else:
        covered_seconds = frames.duration_seconds
    height, width = (int(length) for length in frames.pixels.shape[2:])
    return {
        "total_num_frames": max(1, round(covered_seconds * rate)),
        "fps": rate,
        "duration": float(frames.duration_seconds),
        "frames_indices": numbers,
        "width": width,
        "height": height,
    }


def _clock(frames: Frames) -> tuple[float, list[int]]:
    rate = float(frames.source_rate)
    seconds = np.asarray(frames.seconds, np.float64)
    indices = np.asarray(frames.indices)
    if math.isfinite(rate) and rate > 0:
        off = np.abs(indices / rate - seconds)
        if off.max() <= _TOLERANCE_SECONDS:
            return rate, [int(index) for index in indices]
    milliseconds = np.rint(seconds * _MILLISECONDS_A_SECOND)
    return _MILLISECONDS_A_SECOND, [int(instant) for instant in milliseconds]
