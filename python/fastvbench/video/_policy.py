"""Frame policies: a short text that says which frames are taken, and what results call it."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.video._sampling import (
    Clip,
    FpsConvention,
    UniformConvention,
    sample_clips,
    sample_every_nth,
    sample_fps,
    sample_keyframes,
    sample_times,
    sample_uniform,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._sampling import FrameNumbers

__all__ = [
    "POLICY_FORMS",
    "ClipsPolicy",
    "EveryNthPolicy",
    "FpsPolicy",
    "FramePolicy",
    "KeyframesPolicy",
    "NoFramesPolicy",
    "TimesPolicy",
    "UniformPolicy",
    "parse_policy",
]

POLICY_FORMS = (
    "1fps | fps:RATE[,max=N|none] | fps-videollama3:RATE[,max=N|none] | N | uniform:N | "
    "uniform-interior:N | uniform-floor:N | every:N[,max=N] | keyframes[:N] | times:S,S | "
    "clips:S-SxN,S-SxN | 0"
)


class FramePolicy(abc.ABC):
    """Which frames of a video are taken; compares and hashes by value."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The one text of this policy, which `parse_policy` reads back."""

    @abc.abstractmethod
    def pick(
        self,
        index: FrameIndex,
        begin_seconds: float | None = None,
        end_seconds: float | None = None,
    ) -> FrameNumbers:
        """Frame numbers to take from a video, or from a part of it.

        Args:
            index: frames of the video.
            begin_seconds: start of the part; the video's where None.
            end_seconds: its end; the video's where None.

        Returns:
            int64[k] frame numbers.

        Raises:
            InputError: a part that is outside the video, or a policy that names its own times and
                is given a part.
        """

    def __str__(self) -> str:
        return self.name


class _PartPolicy(FramePolicy):
    """A policy that takes from a part of a video as from a whole one."""

    @abc.abstractmethod
    def _sampler(self) -> Callable[..., FrameNumbers]:
        """What takes an index and a part, with this policy's settings."""

    def pick(
        self,
        index: FrameIndex,
        begin_seconds: float | None = None,
        end_seconds: float | None = None,
    ) -> FrameNumbers:
        """See `FramePolicy.pick`."""
        sample = self._sampler()
        return sample(index, begin_seconds=begin_seconds, end_seconds=end_seconds)


@dataclass(frozen=True)
class NoFramesPolicy(FramePolicy):
    """No frame at all: the baseline that a question's text alone gives."""

    @property
    def name(self) -> str:
        """``0``."""
        return "0"

    def pick(
        self,
        index: FrameIndex,
        begin_seconds: float | None = None,
        end_seconds: float | None = None,
    ) -> FrameNumbers:
        """Nothing."""
        del index, begin_seconds, end_seconds
        return np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class FpsPolicy(_PartPolicy):
    """A fixed rate with a cap; see `sample_fps`."""

    rate: float = 1.0
    max_frames: int | None = 180
    convention: FpsConvention = "shown"

    @property
    def name(self) -> str:
        """For instance ``fps:1,max=180``."""
        kind = "fps" if self.convention == "shown" else f"fps-{self.convention}"
        most = "none" if self.max_frames is None else self.max_frames
        return f"{kind}:{_number(self.rate)},max={most}"

    def _sampler(self) -> Callable[..., FrameNumbers]:
        """Frames at the ticks of the rate."""
        return partial(
            sample_fps, rate=self.rate, max_frames=self.max_frames, convention=self.convention
        )


@dataclass(frozen=True)
class UniformPolicy(_PartPolicy):
    """A fixed number of frames; see `sample_uniform`."""

    count: int
    convention: UniformConvention = "linspace"

    @property
    def name(self) -> str:
        """For instance ``uniform-linspace:50``: results always name the convention."""
        return f"uniform-{self.convention}:{self.count}"

    def _sampler(self) -> Callable[..., FrameNumbers]:
        """Evenly spread frames, each once."""
        return partial(sample_uniform, count=self.count, convention=self.convention)


@dataclass(frozen=True)
class EveryNthPolicy(_PartPolicy):
    """Every n-th frame; see `sample_every_nth`."""

    step: int
    max_frames: int | None = None

    @property
    def name(self) -> str:
        """For instance ``every:10``."""
        return f"every:{self.step}" + ("" if self.max_frames is None else f",max={self.max_frames}")

    def _sampler(self) -> Callable[..., FrameNumbers]:
        """Every n-th frame of the part."""
        return partial(sample_every_nth, step=self.step, max_frames=self.max_frames)


@dataclass(frozen=True)
class KeyframesPolicy(_PartPolicy):
    """Key frames with a cap; see `sample_keyframes`."""

    max_frames: int | None = 64

    @property
    def name(self) -> str:
        """For instance ``keyframes:64``."""
        return f"keyframes:{'none' if self.max_frames is None else self.max_frames}"

    def _sampler(self) -> Callable[..., FrameNumbers]:
        """Key frames of the part."""
        return partial(sample_keyframes, max_frames=self.max_frames)


@dataclass(frozen=True)
class TimesPolicy(FramePolicy):
    """The frames shown at given times; see `sample_times`."""

    times_seconds: tuple[float, ...]

    @property
    def name(self) -> str:
        """For instance ``times:1.5,20``."""
        return f"times:{','.join(map(_number, self.times_seconds))}"

    def pick(
        self,
        index: FrameIndex,
        begin_seconds: float | None = None,
        end_seconds: float | None = None,
    ) -> FrameNumbers:
        """The frame of each time, in their order."""
        _refuse_part(self, begin_seconds, end_seconds)
        return sample_times(index, self.times_seconds)


@dataclass(frozen=True)
class ClipsPolicy(FramePolicy):
    """Evenly spread frames of several parts; see `sample_clips`."""

    clips: tuple[Clip, ...]

    @property
    def name(self) -> str:
        """For instance ``clips:0-10x4,60-90x8``."""
        parts = (
            f"{_number(clip.begin_seconds)}-{_number(clip.end_seconds)}x{clip.frame_count}"
            for clip in self.clips
        )
        return f"clips:{','.join(parts)}"

    def pick(
        self,
        index: FrameIndex,
        begin_seconds: float | None = None,
        end_seconds: float | None = None,
    ) -> FrameNumbers:
        """Frames of one clip after the other."""
        _refuse_part(self, begin_seconds, end_seconds)
        return sample_clips(index, self.clips)


def parse_policy(text: str | FramePolicy) -> FramePolicy:
    """Read a policy from its text.

    Args:
        text: ``1fps``, ``fps:1,max=180`` (the cap is 180 where none is given, ``max=none`` lifts
            it), ``fps-videollama3:1``, ``uniform:50`` or just ``50``, ``uniform-interior:32``,
            ``uniform-floor:8``, ``every:10``, ``keyframes:64``, ``times:1.5,20``,
            ``clips:0-10x4,60-90x8`` or ``0`` for no frames. A policy is handed back as it is.

    Returns:
        The policy; its ``name`` is the canonical text.

    Raises:
        InputError: a text that is none of these.

    Example:
        >>> parse_policy("1fps").name
        'fps:1,max=180'
        >>> parse_policy("50").name
        'uniform-linspace:50'
    """
    if isinstance(text, FramePolicy):
        return text
    plain = text.strip().lower()
    try:
        return _parse(plain)
    except ValueError:
        raise InputError("not a frame policy", value=text, expected=POLICY_FORMS) from None


def _parse(text: str) -> FramePolicy:
    """Read a policy; any ValueError means that the text is none."""
    if text.isdecimal():
        return UniformPolicy(int(text)) if int(text) else NoFramesPolicy()
    if text.endswith("fps"):
        return FpsPolicy(rate=_positive(text.removesuffix("fps")))
    kind, _, rest = text.partition(":")
    family, _, convention = kind.partition("-")
    if family == "fps":
        rate, most = _with_cap(rest, default=180)
        named = _known(convention or "shown", get_args(FpsConvention))
        return FpsPolicy(_positive(rate), most, named)  # type: ignore[arg-type]
    if family == "uniform":
        named = _known(convention or "linspace", get_args(UniformConvention))
        return UniformPolicy(_count(rest), named)  # type: ignore[arg-type]
    if kind == "every":
        step, most = _with_cap(rest, default=None)
        return EveryNthPolicy(_count(step), most)
    if kind == "keyframes":
        return KeyframesPolicy(_cap(rest) if rest else 64)
    if kind == "times":
        return TimesPolicy(tuple(_seconds(part) for part in rest.split(",")))
    if kind == "clips":
        return ClipsPolicy(tuple(_clip(part) for part in rest.split(",")))
    raise ValueError(kind)


def _with_cap(text: str, default: int | None) -> tuple[str, int | None]:
    """Split ``VALUE,max=N`` into its value and its cap."""
    value, comma, option = text.partition(",")
    if not comma:
        return value, default
    key, _, most = option.partition("=")
    if key.strip() != "max":
        raise ValueError(option)
    return value, _cap(most)


def _cap(text: str) -> int | None:
    return None if text.strip() == "none" else _count(text)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1000:
        raise ValueError(text)
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value


def _clip(text: str) -> Clip:
    """Read ``BEGIN-ENDxCOUNT``; times are not negative, so that the first ``-`` parts them."""
    part, _, count = text.partition("x")
    begin, _, end = part.partition("-")
    clip = Clip(_seconds(begin), _seconds(end), _count(count))
    if clip.end_seconds <= clip.begin_seconds:
        raise ValueError(text)
    return clip


def _known(name: str, names: tuple[str, ...]) -> str:
    if name not in names:
        raise ValueError(name)
    return name


def _number(value: float) -> str:
    """The shortest text that reads back as the same number, without a trailing ``.0``."""
    return repr(float(value)).removesuffix(".0")


def _refuse_part(
    policy: FramePolicy, begin_seconds: float | None, end_seconds: float | None
) -> None:
    if begin_seconds is not None or end_seconds is not None:
        raise InputError(
            "a policy that names its own times takes no part of a video", value=policy.name
        )
