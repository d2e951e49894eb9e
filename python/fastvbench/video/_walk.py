"""Decoding forward from a key frame until the wanted frame comes: the way that always works."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.video._frame_index import FrameIndex

__all__ = ["Found", "FrameWalker"]

_MOST_REORDERED = 16  # frames that H.264 and HEVC may hold back; a seek throws as many away
_MOST_STARTS = 4


class Found(NamedTuple):
    """A decoded frame, as the library has it, and its number; -1 where there is none."""

    frame: Any
    number: int


class FrameWalker(abc.ABC):
    """A position in a video that moves forward frame by frame, or is set back to a key frame.

    Args:
        index: the video's frames.
        can_seek: False where times in the file mean nothing, so every way begins at the start.
    """

    def __init__(self, index: FrameIndex, *, can_seek: bool = True) -> None:
        self._index, self._can_seek = index, can_seek
        self._at = Found(None, -1)
        self._ahead: Found | None = None  # the one after it, once decoded
        self._frames: Iterator[Found] = iter(())
        self._begun_at = -1  # the key frame sought last, -1 for the first packet
        self._first = -1  # the first frame that came since

    @abc.abstractmethod
    def _from_first_packet(self) -> Iterator[Found]:
        """Frames from the start of the file, each with its number."""

    @abc.abstractmethod
    def _from_key_frame(self, start: int) -> Iterator[Found]:
        """Frames from about key frame ``start`` on; a container may seek past it."""

    def walk_to(self, target: int, *, insist: bool = True) -> Found:
        """Decode frame ``target``.

        Args:
            target: its number.
            insist: where the frame doesn't come, try once more from an earlier key frame.

        Returns:
            It; where the video doesn't show it, the frame before it (-1, where there is none).

        Raises:
            Exception: whatever the library raises for a packet that cannot be decoded.
        """
        key = start = int(self._index.key_frame_before(target))
        if not self._reaches(target, start):
            self.restart(start)
        for tries_left in reversed(range(_MOST_STARTS)):
            self._advance(target)
            if self._is_sound(key):
                if self._at.number == target or not insist:
                    break
                insist = False
            if self._begun_at < 0:
                break
            start = int(self._index.key_frame_before(start - 1)) if start and tries_left > 1 else -1
            self.restart(start)
        return self._at

    def _is_sound(self, key: int) -> bool:
        """Whether key frame ``key`` went through the decoder since the last restart.

        Some containers only nearly seek. Where decoding begins inside a group of pictures, some
        decoders hand out what they make of the rest, and nothing marks those frames as wrong.
        """
        return self._begun_at < 0 or 0 <= self._first <= key

    def step_over_loss(self) -> Found:
        """Move on to the next frame that can be decoded, where none before it could be."""
        if self._ahead is not None:
            self._at, self._ahead = self._ahead, None
        return self._at

    def restart(self, start: int) -> None:
        """Go to key frame ``start``; -1: to the first packet."""
        self._at, self._ahead, self._first = Found(None, -1), None, -1
        self._begun_at = start if start > 0 and self._can_seek else -1
        if self._begun_at < 0:
            self._frames = self._from_first_packet()
        else:
            self._frames = self._from_key_frame(start)

    def _reaches(self, target: int, start: int) -> bool:
        """Whether decoding on is no dearer than a seek to frame ``start``."""
        if self._at.number < 0 or target <= self._at.number:
            return False
        return not self._can_seek or start <= self._at.number + _MOST_REORDERED

    def _advance(self, target: int) -> None:
        while True:
            if self._ahead is None:
                self._ahead = next(self._frames, None)
                if self._first < 0 and self._ahead is not None:
                    self._first = self._ahead.number
            if self._ahead is None or self._ahead.number > target:
                return
            if self._ahead.number > self._at.number:  # decoders of damaged data may look back
                self._at = self._ahead
            self._ahead = None
            if self._at.number == target:
                return
