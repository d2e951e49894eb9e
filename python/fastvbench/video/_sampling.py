"""Which frames of a video are taken: pure functions from a frame index to frame numbers.

No decoder takes part, so that every backend is asked for the same frames. Times are seconds from
the first frame on, as players show them: most files begin at 0 on their own clock, transport
streams and cut files don't. A frame is on screen from its time until the next frame's, the last
one until the end.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from fastvbench.video._frame_index import FrameIndex

    FrameNumbers: TypeAlias = NDArray[np.int64]

__all__ = [
    "Clip",
    "FpsConvention",
    "UniformConvention",
    "round_to_multiple",
    "sample_clips",
    "sample_every_nth",
    "sample_fps",
    "sample_keyframes",
    "sample_times",
    "sample_uniform",
]

FpsConvention = Literal["shown", "videollama3"]
UniformConvention = Literal["linspace", "interior", "floor"]

MOST_TICKS_A_SECOND = 1000.0  # a higher rate is a slip of the pen, and its grid would fill memory


class Clip(NamedTuple):
    """A part of a video and how many frames to take from it."""

    begin_seconds: float
    end_seconds: float
    frame_count: int


class _Span(NamedTuple):
    """A part of a video, and the frames on screen in it: numbers first .. stop - 1."""

    begin_seconds: float
    end_seconds: float
    first: int
    stop: int


def sample_fps(
    index: FrameIndex,
    rate: float = 1.0,
    max_frames: int | None = 180,
    *,
    convention: FpsConvention = "shown",
    begin_seconds: float | None = None,
    end_seconds: float | None = None,
    keep_repeats: bool = False,
) -> FrameNumbers:
    """Frames at a fixed rate: those of the ticks ``begin + k / rate`` before the end.

    Over the cap, ``max_frames`` ticks are kept, evenly spread from the first to the last: the rule
    of VideoLLaMA3, whose evaluation takes 1 frame a second and at most 180.

    Args:
        index: frames of the video.
        rate: ticks a second, at most 1000.
        max_frames: most ticks to keep; None keeps all.
        convention: ``shown`` takes the frame on screen at the tick. ``videollama3`` takes the last
            frame *before the next tick*, and only ticks that a whole period follows: what FFmpeg's
            ``fps=...:round=down`` hands on, as VideoLLaMA3 reads videos. Its labels say the tick,
            so they are early by almost a period; ours are the frame's true time.
        begin_seconds: start of the part to look at; the video's where None.
        end_seconds: its end; the video's where None.
        keep_repeats: keep a frame that several ticks show as often as they do. Otherwise once.

    Returns:
        int64[k] ascending frame numbers, at least one.

    Raises:
        InputError: a rate that is not in (0, 1000], a cap below 1, or a part outside the video.
    """
    if not (math.isfinite(rate) and 0 < rate <= MOST_TICKS_A_SECOND):
        raise InputError(
            "bad frame rate",
            field="rate",
            value=rate,
            expected=f"0 < rate <= {MOST_TICKS_A_SECOND:g}",
        )
    _check_cap(max_frames)
    if convention not in get_args(FpsConvention):
        raise _bad_convention(convention, get_args(FpsConvention))
    span = _span(index, begin_seconds, end_seconds)
    late = convention == "videollama3"
    tick_count = _tick_count(span, rate, whole_periods=late)
    kept = tick_count if max_frames is None else min(tick_count, max_frames)
    ticks = _linspace_numbers(tick_count, kept)
    if late:
        times = span.begin_seconds + (ticks + 1) / rate
        found = np.searchsorted(_shown_from(index), times, side="left") - 1
    else:
        times = span.begin_seconds + ticks / rate
        found = np.searchsorted(_shown_from(index), times, side="right") - 1
    numbers = np.clip(found, span.first, span.stop - 1).astype(np.int64)
    return numbers if keep_repeats else np.unique(numbers)


def sample_uniform(
    index: FrameIndex,
    count: int,
    convention: UniformConvention = "linspace",
    *,
    begin_seconds: float | None = None,
    end_seconds: float | None = None,
    pad: bool = False,
) -> FrameNumbers:
    """A fixed number of frames, evenly spread by frame number.

    Three conventions are in use and give different frames, so a result has to name its own. With N
    frames in the part, the i-th of n is ``linspace``: ``int(i * ((N - 1) / (n - 1)))``, first and
    last included (lmms-eval, LVBench); ``interior``: ``int((i + 1) * (N / (n + 1)))``, neither of
    them (VLMEvalKit); ``floor``: ``i * N // n``, the first but not the last (transformers, whose
    float32 steps can be one frame off beyond 2^17 frames).

    Args:
        index: frames of the video.
        count: how many; 0 gives none.
        convention: how they are spread.
        begin_seconds: start of the part to look at; the video's where None.
        end_seconds: its end; the video's where None.
        pad: where the part has fewer frames than asked for, repeat frames as the public scripts do.
            Otherwise such a part gives each of its frames once.

    Returns:
        int64[k] ascending frame numbers.

    Raises:
        InputError: a negative count, an unknown convention, or a part outside the video.
    """
    if count < 0:
        raise InputError("bad frame count", field="count", value=count, expected="0 or more")
    if convention not in get_args(UniformConvention):
        raise _bad_convention(convention, get_args(UniformConvention))
    span = _span(index, begin_seconds, end_seconds)
    available = span.stop - span.first
    if count == 0:
        return _nothing()
    if available <= count and not pad:
        return np.arange(span.first, span.stop, dtype=np.int64)
    order = np.arange(count, dtype=np.int64)
    if convention == "linspace":
        numbers = _linspace_numbers(available, count)
    elif convention == "interior":
        numbers = ((order + 1) * (available / (count + 1))).astype(np.int64)
    else:
        numbers = order * available // count
    return span.first + numbers


def sample_clips(
    index: FrameIndex,
    clips: Iterable[Clip | tuple[float, float, int]],
    convention: UniformConvention = "linspace",
) -> FrameNumbers:
    """Evenly spread frames of several parts, one part after the other.

    Args:
        index: frames of the video.
        clips: (begin, end, count) of each part, seconds.
        convention: as in `sample_uniform`.

    Returns:
        int64[k] frame numbers in the order of the clips; ascending within each.

    Raises:
        InputError: a clip that is outside the video, ends before it begins, or has a bad count.
    """
    taken = [
        sample_uniform(index, clip[2], convention, begin_seconds=clip[0], end_seconds=clip[1])
        for clip in clips
    ]
    return np.concatenate(taken) if taken else _nothing()


def sample_times(
    index: FrameIndex,
    times: Sequence[float] | NDArray[np.float64],
    *,
    outside: Literal["raise", "nearest"] = "raise",
) -> FrameNumbers:
    """The frame that is on screen at each time.

    Args:
        index: frames of the video.
        times: seconds, in any order; repeats are kept. The end itself shows the last frame.
        outside: what a time before the first frame or after the end does: raise, or take the
            nearest frame.

    Returns:
        int64[len(times)] frame numbers in the order of the times.

    Raises:
        InputError: a time that is not finite, or outside the video where that raises.
    """
    wanted = np.asarray(times, dtype=np.float64).reshape(-1)
    bad = ~np.isfinite(wanted)
    if outside == "raise":
        bad |= (wanted < 0) | (wanted > index.duration_seconds)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            "time outside the video",
            field=f"times[{row}]",
            value=float(wanted[row]),
            expected=f"0 to {index.duration_seconds:g} s",
        )
    found = np.searchsorted(_shown_from(index), wanted, side="right") - 1
    return np.clip(found, 0, len(index) - 1).astype(np.int64)


def sample_every_nth(
    index: FrameIndex,
    step: int,
    max_frames: int | None = None,
    *,
    begin_seconds: float | None = None,
    end_seconds: float | None = None,
) -> FrameNumbers:
    """Every n-th frame, the first included; LoVR's encoders take every 10th.

    Args:
        index: frames of the video.
        step: 1 takes every frame.
        max_frames: over it, that many of them, evenly spread; None keeps all.
        begin_seconds: start of the part to look at; the video's where None.
        end_seconds: its end; the video's where None.

    Returns:
        int64[k] ascending frame numbers.

    Raises:
        InputError: a step or a cap below 1, or a part outside the video.
    """
    if step < 1:
        raise InputError("bad step", field="step", value=step, expected="1 or more")
    span = _span(index, begin_seconds, end_seconds)
    return _capped(np.arange(span.first, span.stop, step, dtype=np.int64), max_frames)


def sample_keyframes(
    index: FrameIndex,
    max_frames: int | None = 64,
    *,
    begin_seconds: float | None = None,
    end_seconds: float | None = None,
) -> FrameNumbers:
    """Key frames, which need no other frame to be decoded: the cheapest frames of a video.

    Args:
        index: frames of the video.
        max_frames: over it, that many of them, evenly spread; None keeps all.
        begin_seconds: start of the part to look at; the video's where None.
        end_seconds: its end; the video's where None.

    Returns:
        int64[k] ascending frame numbers; where the part has no key frame, its first frame.

    Raises:
        InputError: a cap below 1, or a part outside the video.
    """
    span = _span(index, begin_seconds, end_seconds)
    keys = span.first + np.flatnonzero(index.is_key[span.first : span.stop])
    if len(keys) == 0:
        keys = np.array([span.first])
    return _capped(keys.astype(np.int64), max_frames)


def round_to_multiple(
    numbers: FrameNumbers, multiple: int, *, fill: Literal["drop", "repeat"] = "repeat"
) -> FrameNumbers:
    """Make the number of frames a multiple, as models that merge frames in time need it.

    Args:
        numbers: int64[k] frame numbers.
        multiple: 2 for Qwen2.5-VL.
        fill: ``repeat`` the last frame, as processors do, or ``drop`` frames from the end; at least
            one multiple is kept where there is any frame.

    Returns:
        int64[m] frame numbers, m a multiple.

    Raises:
        InputError: a multiple below 1.
    """
    if multiple < 1:
        raise InputError("bad multiple", field="multiple", value=multiple, expected="1 or more")
    missing = -len(numbers) % multiple
    if missing == 0:
        return numbers
    if fill == "drop" and len(numbers) > multiple:
        return numbers[: missing - multiple]
    return np.concatenate([numbers, np.repeat(numbers[-1:], missing)])


def _span(index: FrameIndex, begin_seconds: float | None, end_seconds: float | None) -> _Span:
    """The frames on screen in [begin, end), cut to the video.

    The frame on screen at the beginning counts, though it came up earlier.
    """
    length = index.duration_seconds
    if begin_seconds is None and end_seconds is None:
        return _Span(0.0, length, 0, len(index))
    begin = 0.0 if begin_seconds is None else float(begin_seconds)
    end = max(begin, length) if end_seconds is None else float(end_seconds)
    ordered = begin < end or end_seconds is None
    if not (math.isfinite(begin) and math.isfinite(end) and ordered):
        raise InputError(
            "bad part of a video", value=[begin, end], expected="finite seconds, begin before end"
        )
    if begin >= length or end <= 0:
        raise InputError(
            "part outside the video", value=[begin, end], expected=f"within 0 to {length:g} s"
        )
    begin, end = max(begin, 0.0), min(end, length)
    shown_from = _shown_from(index)
    first = max(0, int(np.searchsorted(shown_from, begin, side="right")) - 1)
    stop = max(first + 1, int(np.searchsorted(shown_from, end, side="left")))
    return _Span(begin, end, first, stop)


def _shown_from(index: FrameIndex) -> NDArray[np.float64]:
    """Seconds after the first frame at which each comes up.

    The difference is taken in ticks: in seconds it rounds, and a frame that comes up at a tick of
    the rate would be missed by one.
    """
    return index.seconds(index.pts_ticks - index.pts_ticks[0])


def _tick_count(span: _Span, rate: float, *, whole_periods: bool) -> int:
    """How many ticks ``begin + k / rate`` are before the end, or have their period end by then.

    The product of length and rate may round past a whole number, so the ticks themselves decide.
    """
    count = math.ceil((span.end_seconds - span.begin_seconds) * rate) + 1
    if whole_periods:
        while count > 1 and span.begin_seconds + count / rate > span.end_seconds:
            count -= 1
    else:
        while count > 1 and span.begin_seconds + (count - 1) / rate >= span.end_seconds:
            count -= 1
    return count


def _linspace_numbers(available: int, count: int) -> FrameNumbers:
    """``count`` of the numbers 0 .. available - 1, first and last included, as numpy spreads them.

    numpy's own rounding is the public convention, one frame off the exact quotient here and there.
    """
    return np.linspace(0, available - 1, count, dtype=np.int64)


def _capped(numbers: FrameNumbers, max_frames: int | None) -> FrameNumbers:
    _check_cap(max_frames)
    if max_frames is None or len(numbers) <= max_frames:
        return numbers
    kept: FrameNumbers = numbers[_linspace_numbers(len(numbers), max_frames)]
    return kept


def _check_cap(max_frames: int | None) -> None:
    if max_frames is not None and max_frames < 1:
        raise InputError(
            "bad frame cap", field="max_frames", value=max_frames, expected="1 or more, or None"
        )


def _bad_convention(convention: str, known: tuple[str, ...]) -> InputError:
    return InputError(
        "unknown convention", field="convention", value=convention, expected=" or ".join(known)
    )


def _nothing() -> FrameNumbers:
    return np.empty(0, dtype=np.int64)
