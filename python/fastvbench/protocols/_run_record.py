"""What a run's own record says of each answer: length limits and frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from fastvbench.protocols._rule import LENGTH_REASONS

if TYPE_CHECKING:
    from fastvbench.protocols._rule import RuleBatch

__all__ = ["FramesSeen", "frame_count", "frames_seen", "length_limited"]


def length_limited(batch: RuleBatch) -> npt.NDArray[np.int8]:
    """int8[k]: whether each generation hit its length limit, -1 where the file does not say."""
    reasons = batch.fields.get("finish_reason")
    if reasons is None:
        return np.full(len(batch), -1, dtype=np.int8)
    return np.array(
        [-1 if reason is None else reason in LENGTH_REASONS for reason in reasons], dtype=np.int8
    )


class FramesSeen(NamedTuple):
    """What a model saw of each video.

    Attributes:
        counts: float64[k] frames, NaN where the file does not say.
        seconds: float64[k] length of the video as it was decoded, NaN where not said.
    """

    counts: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]


def frame_count(value: object) -> int | float | None:
    """How many frames a ``frames`` field says: a number, a list of them, or a record with count."""
    if isinstance(value, dict):
        value = value.get("count")
    if isinstance(value, list):
        return len(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def frames_seen(batch: RuleBatch) -> FramesSeen:
    """Frames and video lengths, from the ``frames`` field of a run's rows."""
    held = batch.fields.get("frames")
    unknown = np.full(len(batch), np.nan)
    if held is None:
        return FramesSeen(unknown, unknown)
    lengths = [each.get("duration_seconds") if isinstance(each, dict) else None for each in held]
    return FramesSeen(
        np.array([np.nan if n is None else n for n in map(frame_count, held)], np.float64),
        np.array([x if isinstance(x, int | float) else np.nan for x in lengths], np.float64),
    )
