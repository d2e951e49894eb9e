"""When each frame of a video is shown: the table from which frame numbers are computed."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core import InputError
from fastvbench.core._atomic import write_atomic

if TYPE_CHECKING:
    import os

__all__ = ["Damage", "FrameIndex"]

_FORMAT = 2
_UNREADABLE = (
    OSError, EOFError, ValueError, TypeError, KeyError, zipfile.BadZipFile, zlib.error
)  # fmt: skip
_ARRAYS = ("pts_ticks", "is_key")


@dataclass(frozen=True, slots=True)
class Damage:
    """What a scan met that a sound file does not have; all zero there.

    Args:
        unreadable_packets: places where the container could not be read on.
        corrupt_packets: packets that the container itself knows to be damaged.
        untimed_packets: packets that say nothing about when they are shown.
        time_resets: places where time jumps back.
        repeated_times: packets dropped because another is shown at the very same time.
        missing_seconds: how much earlier the last frame ends than the container says.
    """

    unreadable_packets: int = 0
    corrupt_packets: int = 0
    untimed_packets: int = 0
    time_resets: int = 0
    repeated_times: int = 0
    missing_seconds: float = 0.0

    def __bool__(self) -> bool:
        return any(getattr(self, name.name) for name in fields(self))

    def notes(self) -> list[str]:
        """One phrase per kind of damage found."""
        said = {
            "unreadable_packets": "places where the container is unreadable",
            "corrupt_packets": "damaged packets",
            "untimed_packets": "packets without a time",
            "time_resets": "jumps back in time",
            "repeated_times": "packets at the time of another",
        }
        notes = [
            f"{getattr(self, name)} {what}" for name, what in said.items() if getattr(self, name)
        ]
        if self.missing_seconds:
            notes.append(f"{self.missing_seconds:.1f} s of what the container promises are missing")
        return notes


@dataclass(frozen=True, eq=False)
class FrameIndex:
    """The frames of one video in display order, from its packets alone.

    Times are integers in units of the stream's time base, so two scanners agree to the bit; ``pts``
    has them in seconds. Everything else about when a frame is shown follows from here, and never
    from the container's header, which may be wrong about rate, count and duration.

    Args:
        pts_ticks: int64[n], when each frame is shown; strictly ascending.
        is_key: bool[n], whether decoding can start there.
        last_duration_ticks: how long the last frame is shown. A scan takes what is usual in the
            video (the median): what packets say about it differs between versions of FFmpeg.
        time_base_numerator: one tick is numerator / denominator seconds.
        time_base_denominator: see above.
        width: pixels of a frame as it is displayed, after rotation.
        height: see ``width``.
        rotation_degrees: counter-clockwise turn applied to the coded picture: 0, 90, 180, -90.
        codec: FFmpeg's name of the codec.
        header_rate: frames per second that the container claims; None where it claims none.
        header_seconds: duration that the container claims; None where it claims none.
        repair: how times were made where the file's own don't serve: ``""`` (they do),
            ``"unwrapped"`` (time was made to run on over jumps back), ``"numbered"`` (frame k is
            shown at k / rate). A repaired index is decoded from the first packet on.
        scanned_by: which library read the packets.
        damage: what was wrong.
        damaged_frames: numbers of the frames whose packets the container knows to be damaged.
    """

    pts_ticks: npt.NDArray[np.int64]
    is_key: npt.NDArray[np.bool_]
    last_duration_ticks: int
    time_base_numerator: int
    time_base_denominator: int
    width: int
    height: int
    rotation_degrees: int = 0
    codec: str = ""
    header_rate: float | None = None
    header_seconds: float | None = None
    repair: str = ""
    scanned_by: str = ""
    damage: Damage = field(default_factory=Damage)
    damaged_frames: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.pts_ticks) != len(self.is_key):
            raise InputError("columns of a frame index differ in length", value=len(self.is_key))
        if len(self.pts_ticks) == 0:
            raise InputError("a frame index has no frames", expected="one or more")
        if (np.diff(self.pts_ticks) <= 0).any():
            raise InputError("times of a frame index do not ascend", field="pts_ticks")
        for name in _ARRAYS:
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.pts_ticks)

    def __repr__(self) -> str:
        rate = f"{self.average_rate:.3f} fps, {'constant' if self.is_constant_rate else 'variable'}"
        return (
            f"FrameIndex({len(self)} frames, {self.begin_seconds:.3f} to {self.end_seconds:.3f} s, "
            f"{rate}, {self.width}x{self.height}, {self.codec})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether both list the same frames; who scanned them makes no difference."""
        if not isinstance(other, FrameIndex):
            return NotImplemented
        if not all(np.array_equal(getattr(self, n), getattr(other, n)) for n in _ARRAYS):
            return False
        rest = [f.name for f in fields(self) if f.name not in (*_ARRAYS, "scanned_by")]
        return all(getattr(self, name) == getattr(other, name) for name in rest)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def pts(self) -> npt.NDArray[np.float64]:
        """float64[n]: seconds at which each frame is shown."""
        return self.seconds(self.pts_ticks)

    @property
    def begin_seconds(self) -> float:
        """When the first frame is shown; not always 0."""
        return float(self.pts[0])

    @cached_property
    def end_seconds(self) -> float:
        """When the last frame stops being shown."""
        return float(self.seconds(self.pts_ticks[-1:] + self.last_duration_ticks)[0])

    @cached_property
    def duration_seconds(self) -> float:
        """From the first frame's begin to the last one's end.

        Taken in ticks: a difference of seconds rounds, and may let one frame too many in.
        """
        ticks = self.pts_ticks[-1:] + self.last_duration_ticks - self.pts_ticks[0]
        return float(self.seconds(ticks)[0])

    @property
    def average_rate(self) -> float:
        """Frames per second over the whole length."""
        return len(self) / self.duration_seconds if self.duration_seconds > 0 else 0.0

    @cached_property
    def is_constant_rate(self) -> bool:
        """Whether every frame is where an even spacing puts it, to the tick of the time base."""
        count = len(self)
        if count < 3:
            return True
        first, last = int(self.pts_ticks[0]), int(self.pts_ticks[-1])
        even = first + np.arange(count) * ((last - first) / (count - 1))
        return bool(np.abs(self.pts_ticks - even).max() <= 1.0)

    @cached_property
    def key_frames(self) -> npt.NDArray[np.int64]:
        """Numbers of the frames at which decoding can start, ascending."""
        return np.flatnonzero(self.is_key)

    def seconds(self, ticks: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Ticks of the time base in seconds, rounded as FFmpeg's tools round them."""
        return ticks.astype(np.float64) * self.time_base_numerator / self.time_base_denominator

    def frame_at(self, times: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Numbers of the frames on screen at ``times``: the last one that began by then.

        Args:
            times: seconds, any shape. Before the first frame it is the first, after the end the
                last.

        Returns:
            int64, the shape of ``times``.

        Raises:
            InputError: a time is NaN.
        """
        at = np.asarray(times, dtype=np.float64)
        if np.isnan(at).any():
            raise InputError("a time is not a number", field="times", expected="seconds")
        found = np.searchsorted(self.pts, at, side="right") - 1
        return np.clip(found, 0, len(self) - 1).astype(np.int64)

    def key_frame_before(self, frames: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Numbers of the frames at which decoding of ``frames`` starts; -1: the first packet."""
        position = np.searchsorted(self.key_frames, np.asarray(frames), side="right") - 1
        if not len(self.key_frames):
            return np.full(np.shape(frames), -1, dtype=np.int64)
        return np.where(position >= 0, self.key_frames[np.maximum(position, 0)], -1)

    def is_doubtful(self, frame: int) -> bool:
        """Whether damaged data lies in what a frame is decoded from, or just before that.

        Decoders show something there, and mark the first such frame at best. A container marks the
        packet in which the damage begins and not what is lost behind it, so doubt ends at the
        second key frame.
        """
        key = int(self.key_frame_before(frame))
        before = int(self.key_frame_before(key - 1)) if key > 0 else key
        return any(before <= damaged <= frame for damaged in self.damaged_frames)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index as .npz, in one step; an hour of video takes some ten kilobytes."""
        rest = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _ARRAYS}
        rest["damage"] = {f.name: getattr(self.damage, f.name) for f in fields(self.damage)}
        head = json.dumps({"format": _FORMAT, **rest}).encode()
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            head=np.frombuffer(head, dtype=np.uint8),
            first_tick=self.pts_ticks[:1],
            steps=np.diff(self.pts_ticks),  # nearly all alike, so they compress to nothing
            is_key=np.packbits(self.is_key),
        )
        write_atomic(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FrameIndex:
        """Read what ``save`` wrote.

        Raises:
            InputError: the file is missing, damaged or of another version.
        """
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
                head: dict[str, Any] = json.loads(stored["head"].tobytes())
                if head.pop("format") != _FORMAT:
                    raise InputError("is a frame index of another version", path=path)
                steps = stored["steps"]
                count = len(steps) + 1
                return cls(
                    pts_ticks=np.concatenate([stored["first_tick"], steps]).cumsum(),
                    is_key=np.unpackbits(stored["is_key"], count=count).astype(np.bool_),
                    damage=Damage(**head.pop("damage")),
                    damaged_frames=tuple(head.pop("damaged_frames")),
                    **head,
                )
        except InputError:
            raise
        except _UNREADABLE as error:
            raise InputError(f"is no saved frame index ({error})", path=path) from None
