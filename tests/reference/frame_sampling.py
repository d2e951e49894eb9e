"""What each frame policy means, in plain Python: one frame and one tick at a time.

A video is the list of the times at which its frames come up, ascending, and the time at which the
last one goes, all in seconds after the first. Frame k is on screen from ``times[k]`` until
``times[k + 1]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Part = tuple[float, float]  # begin and end, seconds after the first frame


def on_screen(times: Sequence[float], at: float) -> int:
    """The last frame that came up by then; the first one before that."""
    shown = 0
    for number, time in enumerate(times):
        if time <= at:
            shown = number
    return shown


def in_part(times: Sequence[float], part: Part) -> list[int]:
    """The frames that are on screen at some moment of [begin, end)."""
    begin, end = part
    numbers = [on_screen(times, begin)]
    numbers += [k for k, time in enumerate(times) if k > numbers[0] and time < end]
    return numbers


def spread(numbers: Sequence[int], count: int) -> list[int]:
    """``count`` of them from the first to the last; each place is rounded down."""
    if count == 1:
        return [numbers[0]]
    step = (len(numbers) - 1) / (count - 1)
    places = [int(i * step) for i in range(count - 1)]
    return [numbers[place] for place in [*places, len(numbers) - 1]]


def capped(numbers: Sequence[int], most: int | None) -> list[int]:
    """All of them, or as many as are allowed, spread."""
    return list(numbers) if most is None or len(numbers) <= most else spread(numbers, most)


def fps(
    times: Sequence[float], part: Part, rate: float, most: int | None, convention: str
) -> list[int]:
    """The frames of the ticks ``begin + k / rate``, thinned to the cap; every frame once."""
    begin, end = part
    ticks = [0]
    if convention == "shown":  # every tick before the end
        while begin + len(ticks) / rate < end:
            ticks.append(len(ticks))
    else:  # every tick that a whole period follows
        while begin + (len(ticks) + 1) / rate <= end:
            ticks.append(len(ticks))
    shown = in_part(times, part)
    chosen = []
    for tick in capped(ticks, most):
        if convention == "shown":
            number = on_screen(times, begin + tick / rate)
        else:
            earlier = [k for k, time in enumerate(times) if time < begin + (tick + 1) / rate]
            number = earlier[-1] if earlier else 0
        chosen.append(min(max(number, shown[0]), shown[-1]))
    return sorted(set(chosen))


def uniform(
    times: Sequence[float], part: Part, count: int, convention: str, pad: bool
) -> list[int]:
    """A fixed number of frames of the part, under one of three conventions."""
    shown = in_part(times, part)
    if count == 0 or (len(shown) <= count and not pad):
        return shown if count else []
    if convention == "linspace":
        return spread(shown, count)
    if convention == "interior":
        step = len(shown) / (count + 1)
        return [shown[int((i + 1) * step)] for i in range(count)]
    return [shown[i * len(shown) // count] for i in range(count)]


def every_nth(times: Sequence[float], part: Part, step: int, most: int | None) -> list[int]:
    """Every n-th frame of the part, from its first on."""
    return capped([k for i, k in enumerate(in_part(times, part)) if i % step == 0], most)


def keyframes(
    times: Sequence[float], keys: Sequence[bool], part: Part, most: int | None
) -> list[int]:
    """The key frames of the part; its first frame where it has none."""
    shown = in_part(times, part)
    return capped([k for k in shown if keys[k]] or shown[:1], most)
