"""What is worth knowing about a video before a model sees it: index, rate, gaps, picks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._policy import FramePolicy

__all__ = ["describe_index", "describe_pick"]

GAP_RATIO = 2.0  # of the usual step; below it, rates that alternate would look like gaps
MOST_GAPS = 10


def describe_index(index: FrameIndex) -> dict[str, Any]:
    """An index as JSON values.

    Args:
        index: frames of a video.

    Returns:
        Size, codec, times, rates, key frames, what is wrong with the file, and ``gaps``: places
        where a frame stays on screen for more than twice the usual time, the longest first.
        Seconds count from the first frame on; ``begins_at_seconds`` is that frame's time on the
        file's own clock.
    """
    shown_from = index.seconds(index.pts_ticks - index.pts_ticks[0])
    steps = np.diff(shown_from)
    usual = float(np.median(steps)) if len(steps) else 0.0
    wide = np.flatnonzero(steps > GAP_RATIO * usual) if usual > 0 else np.empty(0, dtype=np.int64)
    longest = wide[np.argsort(-steps[wide], kind="stable")][:MOST_GAPS]
    key_frames = np.flatnonzero(index.is_key)
    key_steps = np.diff(shown_from[key_frames])
    return {
        "codec": index.codec,
        "width": index.width,
        "height": index.height,
        "rotation_degrees": index.rotation_degrees,
        "frames": len(index),
        "begins_at_seconds": index.begin_seconds,
        "duration_seconds": index.duration_seconds,
        "header_seconds": index.header_seconds,
        "average_rate": index.average_rate,
        "header_rate": index.header_rate,
        "is_constant_rate": index.is_constant_rate,
        "usual_step_seconds": usual,
        "shortest_step_seconds": float(steps.min()) if len(steps) else 0.0,
        "longest_step_seconds": float(steps.max()) if len(steps) else 0.0,
        "key_frames": len(key_frames),
        "longest_key_step_seconds": float(key_steps.max()) if len(key_steps) else 0.0,
        "gap_count": len(wide),
        "gaps": [
            {
                "after_frame": int(k),
                "at_seconds": float(shown_from[k]),
                "seconds": float(steps[k]),
            }
            for k in longest
        ],
        "repair": index.repair,
        "damage": index.damage.notes(),
        "scanned_by": index.scanned_by,
    }


def describe_pick(
    index: FrameIndex,
    policy: FramePolicy,
    begin_seconds: float | None = None,
    end_seconds: float | None = None,
) -> dict[str, Any]:
    """What a policy picks from a video, as JSON values.

    Args:
        index: frames of the video.
        policy: which frames.
        begin_seconds: start of the part to look at; the video's where None.
        end_seconds: its end; the video's where None.

    Returns:
        ``policy`` (its name), ``count``, ``indices``, ``seconds`` (of each, from the first frame
        on), ``longest_step_seconds`` between two neighbours, and ``decoded_frames``: how many
        frames a decoder has to go through for them, from the key frames before.

    Raises:
        InputError: a part outside the video.
    """
    numbers = policy.pick(index, begin_seconds, end_seconds)
    seconds = index.seconds(index.pts_ticks[numbers] - index.pts_ticks[0])
    steps = np.diff(np.sort(seconds))
    return {
        "policy": policy.name,
        "count": len(numbers),
        "longest_step_seconds": float(steps.max()) if len(steps) else 0.0,
        "decoded_frames": _decoded_frames(index, np.unique(numbers)),
        "indices": numbers.tolist(),
        "seconds": seconds.tolist(),
    }


def _decoded_frames(index: FrameIndex, numbers: Sequence[int] | np.ndarray) -> int:
    """Frames between each group's key frame and the last one wanted of that group."""
    last_of_group: dict[int, int] = {}
    for number, key in zip(numbers, index.key_frame_before(numbers), strict=True):
        last_of_group[int(key)] = int(number)
    return sum(last - max(key, 0) + 1 for key, last in last_of_group.items())
