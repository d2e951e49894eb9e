"""What a scan reads from the packets of a stream, and how that becomes a frame index."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.video._errors import VideoOpenError
from fastvbench.video._frame_index import Damage, FrameIndex

if TYPE_CHECKING:
    import os

__all__ = [
    "UNTIMED",
    "PacketTable",
    "StreamHeader",
    "index_of_packets",
    "looks_suspicious",
    "repaired_times",
    "turned",
]

UNTIMED = int(np.iinfo(np.int64).min)
"""Stands for a time that a packet does not have; FFmpeg's AV_NOPTS_VALUE is the same number."""

_DEFAULT_RATE = 25.0
_MOST_REORDERED = 17  # frames: H.264 and HEVC hold back 16 at most
_LEAST_MISSING_SECONDS = 0.5
_LEAST_MISSING_SHARE = 0.02


@dataclass(frozen=True)
class StreamHeader:
    """What the container says about its video stream; only sizes and time base are relied on.

    Args:
        time_base: seconds per tick.
        width: of a displayed frame, after rotation.
        height: see ``width``.
        rotation_degrees: counter-clockwise.
        codec: FFmpeg's name.
        rate: frames per second; None where not given.
        seconds: duration of the stream, else of the file; None where not given.
        numbering_rate: frames per second to number frames by where they have no time.
    """

    time_base: Fraction
    width: int
    height: int
    rotation_degrees: int
    codec: str
    rate: float | None
    seconds: float | None
    numbering_rate: float | None = None


@dataclass(frozen=True)
class PacketTable:
    """The packets of one video stream, those left out that an edit list hides.

    Args:
        pts: int64[n], when the frame is shown, else when it is decoded, else ``UNTIMED``.
        dts: int64[n] in the order of the file, when it is decoded; None from a scanner that sorts.
        duration: int64[n] in ticks; relied on where there is one frame only.
        is_key: bool[n].
        header: the stream's.
        unreadable: how often the container could not be read on.
        is_corrupt: bool[n], packets that the container knows to be damaged.
        scanned_by: the library.
    """

    pts: npt.NDArray[np.int64]
    dts: npt.NDArray[np.int64] | None
    duration: npt.NDArray[np.int64]
    is_key: npt.NDArray[np.bool_]
    header: StreamHeader
    unreadable: int
    is_corrupt: npt.NDArray[np.bool_]
    scanned_by: str


def looks_suspicious(table: PacketTable) -> bool:
    """Whether packets sorted by time may hide that they were not in order in the file.

    A sorting scanner cannot see that time jumped back. What then lies in the table is two pieces
    shuffled into each other: times met twice, or an uneven spacing. True also for sound files of
    variable rate: they are merely read once more by the slower scanner.
    """
    if len(table.pts) < 2 or (table.pts == UNTIMED).any():
        return True
    steps = np.diff(np.sort(table.pts))
    if steps.max() - steps.min() > 1:
        return True
    expected = table.header.rate
    if not expected:
        return False
    found = 1.0 / (float(steps.mean()) * float(table.header.time_base))
    return not 0.9 < found / expected < 1.1


def index_of_packets(
    table: PacketTable, path: str | os.PathLike[str], *, tolerant: bool
) -> FrameIndex:
    """Turn packets into frames in display order.

    Args:
        table: the packets.
        path: the file, for messages.
        tolerant: make times where the file has none or jumps back, instead of refusing it.

    Raises:
        VideoOpenError: no packet; or times missing or jumping back, unless ``tolerant``.
    """
    if len(table.pts) == 0:
        raise VideoOpenError("has a video stream without frames", path=path)
    untimed = int((table.pts == UNTIMED).sum())
    resets = _reset_positions(table)
    if untimed and not tolerant:
        raise VideoOpenError(
            f"{untimed} of {len(table.pts)} frames have no time",
            path=path,
            expected="times, or tolerant mode, which numbers frames at the stream's rate",
        )
    if len(resets) and not tolerant:
        at = int(resets[0])
        raise VideoOpenError(
            f"time jumps back {len(resets)} times, first at packet {at}",
            path=path,
            expected="times that ascend, or tolerant mode, which lets them run on",
        )
    if untimed:
        return _numbered(table, untimed)
    pts = _unwrapped(table, resets) if len(resets) else table.pts
    order = np.argsort(pts, kind="stable")
    ticks, is_key = pts[order], table.is_key[order]
    kept = np.concatenate([[True], np.diff(ticks) > 0])
    return _index(
        table,
        ticks[kept],
        # Two packets of one picture (a pair of fields) can be entered where either can.
        np.logical_or.reduceat(is_key, np.flatnonzero(kept)),
        damaged=np.logical_or.reduceat(table.is_corrupt[order], np.flatnonzero(kept)),
        repair="unwrapped" if len(resets) else "",
        damage=Damage(
            unreadable_packets=table.unreadable,
            corrupt_packets=int(table.is_corrupt.sum()),
            time_resets=len(resets),
            repeated_times=int((~kept).sum()),
            missing_seconds=_missing_seconds(table, ticks),
        ),
    )


def repaired_times(table: PacketTable) -> npt.NDArray[np.int64]:
    """int64[n] in file order: the times that ``index_of_packets`` gave to unwrapped packets."""
    return _unwrapped(table, _reset_positions(table))


def _reset_positions(table: PacketTable) -> npt.NDArray[np.int64]:
    """Packets at which decoding time falls further back than reordering explains.

    Matroska keeps no decoding times, and FFmpeg's guess of them wavers by a few frames.
    """
    dts = _decoding_times(table)
    if table.dts is None or (dts == UNTIMED).any():
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.diff(dts) < -_MOST_REORDERED * _usual_step(dts)) + 1


def _only_duration(table: PacketTable, time_base: Fraction) -> int:
    """How long a lone frame is shown: as it says, else as the rate has it."""
    if table.duration[0] > 0 and time_base == table.header.time_base:
        return int(table.duration[0])
    return round(1 / (table.header.rate * float(time_base))) if table.header.rate else 0


def _usual_step(ticks: npt.NDArray[np.int64]) -> int:
    steps = np.diff(ticks)
    forward = steps[steps > 0]
    return max(1, int(np.median(forward))) if len(forward) else 1


def _decoding_times(table: PacketTable) -> npt.NDArray[np.int64]:
    if table.dts is None:
        return table.pts
    return np.where(table.dts == UNTIMED, table.pts, table.dts)


def _unwrapped(table: PacketTable, resets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    dts = _decoding_times(table)
    usual = _usual_step(dts)
    shift_of_piece = [0]
    for at in resets:
        before = int(dts[at - 1]) + shift_of_piece[-1]
        shift_of_piece.append(before + usual - int(dts[at]))
    piece = np.searchsorted(resets, np.arange(len(dts)), side="right")
    shifted: npt.NDArray[np.int64] = table.pts + np.asarray(shift_of_piece, dtype=np.int64)[piece]
    return shifted


def _missing_seconds(table: PacketTable, ticks: npt.NDArray[np.int64]) -> float:
    """How much of what the header claims no packet covers; 0 where it is next to nothing."""
    claimed = table.header.seconds
    if not claimed:
        return 0.0
    covered = float((int(ticks[-1]) + _usual_step(ticks) - int(ticks[0])) * table.header.time_base)
    missing = claimed - covered
    return missing if missing > max(_LEAST_MISSING_SECONDS, _LEAST_MISSING_SHARE * claimed) else 0.0


def _numbered(table: PacketTable, untimed: int) -> FrameIndex:
    """Frame k at k / rate: all that can be said where packets carry no time."""
    count = len(table.pts)
    rate = Fraction(table.header.numbering_rate or _DEFAULT_RATE).limit_denominator(1001)
    is_key = np.zeros(count, dtype=np.bool_)
    is_key[0] = True  # where others lie in display order is not known
    ticks = np.arange(count, dtype=np.int64)
    return _index(
        table,
        ticks,
        is_key,
        time_base=1 / rate,
        repair="numbered",
        damage=Damage(
            unreadable_packets=table.unreadable,
            corrupt_packets=int(table.is_corrupt.sum()),
            untimed_packets=untimed,
        ),
    )


def _index(
    table: PacketTable,
    ticks: npt.NDArray[np.int64],
    is_key: npt.NDArray[np.bool_],
    *,
    repair: str,
    damage: Damage,
    damaged: npt.NDArray[np.bool_] | None = None,
    time_base: Fraction | None = None,
) -> FrameIndex:
    header = table.header
    base = header.time_base if time_base is None else time_base
    return FrameIndex(
        pts_ticks=ticks,
        is_key=is_key,
        last_duration_ticks=_usual_step(ticks) if len(ticks) > 1 else _only_duration(table, base),
        time_base_numerator=base.numerator,
        time_base_denominator=base.denominator,
        width=header.width,
        height=header.height,
        rotation_degrees=header.rotation_degrees,
        codec=header.codec,
        header_rate=header.rate,
        header_seconds=header.seconds,
        repair=repair,
        scanned_by=table.scanned_by,
        damage=damage,
        damaged_frames=() if damaged is None else tuple(np.flatnonzero(damaged).tolist()),
    )


def turned(degrees: float) -> int:
    """A counter-clockwise turn as the nearest of 0, 90, 180 and -90 degrees."""
    quarter = round(degrees / 90) % 4
    return (0, 90, 180, -90)[quarter]
