"""Puts the pieces of one video together, for each request that waits for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastvbench.video._channel import Channel
from fastvbench.video._decode_unit import Failure, Message, Opened, Piece, Selection
from fastvbench.video._requests import DecodedFrames, FailedVideo, FrameChunk, VideoFacts

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

    from fastvbench.video._backend import BackendInfo
    from fastvbench.video._requests import FrameRequest

__all__ = ["UnitReader"]

NOTHING = -1


@dataclass(eq=False)
class _Assembly:
    """The frames of one selection, as far as they have come."""

    selection: Selection
    waiting: set[int]  # positions of requests that have not been handed these frames
    frames: torch.Tensor | None
    pts: NDArray[np.float64]
    indices: NDArray[np.int64]
    backend: BackendInfo | None = None
    filled: int = 0
    dropped: bool = False

    @classmethod
    def empty(cls, selection: Selection) -> _Assembly:
        count = len(selection.numbers)
        return cls(
            selection,
            set(selection.positions),
            None,
            np.empty(count, dtype=np.float64),
            np.empty(count, dtype=np.int64),
        )

    @property
    def is_complete(self) -> bool:
        return self.filled == len(self.selection.numbers)

    @property
    def kept_bytes(self) -> int:
        return 0 if self.frames is None else self.frames.numel() * self.frames.element_size()

    def add(self, piece: Piece) -> None:
        if self.dropped:
            return
        if self.frames is None:
            shape = (len(self.selection.numbers), *piece.frames.shape[1:])
            self.frames = piece.frames.new_empty(shape)
        places = piece.places
        if int(places[-1]) - int(places[0]) + 1 == len(places):
            self.frames[int(places[0]) : int(places[-1]) + 1] = piece.frames
        else:
            self.frames[places.tolist()] = piece.frames
        self.pts[places] = piece.pts
        self.indices[places] = piece.indices
        self.backend = piece.backend
        self.filled += len(places)

    def drop(self) -> None:
        self.frames, self.dropped = None, True


class UnitReader:
    """One video of a run: its requests, the channel it comes through, and what has come.

    Args:
        path: the video.
        requests: by their positions in the run.
        channel: of the thread that decodes it.

    Attributes:
        positions: of its requests in the run, ascending.
    """

    def __init__(
        self, path: str, requests: dict[int, FrameRequest], channel: Channel[Message]
    ) -> None:
        self.path, self.channel = path, channel
        self.positions = list(requests)
        self._requests = requests
        self._facts: VideoFacts | None = None
        self._assemblies: list[_Assembly] = []
        self._assembly_of: dict[int, _Assembly] = {}
        self._refused: dict[int, Exception] = {}
        self._error: Exception | None = None

    def add(self, message: Message) -> None:
        """Take in one message."""
        if isinstance(message, Opened):
            self._facts = message.facts
            self._refused.update(message.refused)
            self._assemblies = [_Assembly.empty(selection) for selection in message.selections]
            self._assembly_of = {
                position: assembly
                for assembly in self._assemblies
                for position in assembly.selection.positions
            }
        elif isinstance(message, Failure):
            self._error = message.error
        else:
            self._assemblies[message.selection].add(message)

    def chunk_of(self, message: Message) -> FrameChunk | None:
        """Take in one message without keeping frames; what it is to a reader of chunks."""
        if not isinstance(message, Piece):
            self.add(message)
            return None
        assembly = self._assemblies[message.selection]
        assembly.filled += len(message.places)
        assert self._facts is not None  # the first message of a unit that has pieces
        return FrameChunk(
            keys=tuple(self._requests[p].key for p in assembly.selection.positions),
            path=self.path,
            places=message.places,
            total=len(assembly.selection.numbers),
            frames=message.frames,
            pts=message.pts,
            indices=message.indices,
            facts=self._facts._replace(backend=message.backend),
        )

    def is_settled(self, position: int) -> bool:
        """Whether a request's outcome is known: its frames are whole, dropped, or won't come."""
        if self._error is not None or position in self._refused:
            return True
        assembly = self._assembly_of.get(position)
        return assembly is not None and (assembly.is_complete or assembly.dropped)

    def was_dropped(self, position: int) -> bool:
        """Whether its frames had come but could not be kept."""
        assembly = self._assembly_of.get(position)
        return assembly is not None and assembly.dropped

    def failure(self, position: int) -> FailedVideo | None:
        """Why a request has no frames; None where it has all."""
        assembly = self._assembly_of.get(position)
        if assembly is not None and assembly.is_complete:
            return None
        error = self._refused.get(position, self._error)
        assert error is not None  # a unit ends with all its pieces or with the reason
        return FailedVideo(self._requests[position].key, self.path, error)

    def take(self, position: int) -> DecodedFrames | FailedVideo:
        """The outcome of one request; its frames are let go with the last request that has them."""
        failed = self.failure(position)
        if failed is not None:
            return failed
        assembly, facts = self._assembly_of.pop(position), self._facts
        assert facts is not None
        frames = _no_frames(facts) if assembly.frames is None else assembly.frames
        pts, indices = assembly.pts, assembly.indices
        order = assembly.selection.order
        if len(order) != len(indices) or (order[1:] < order[:-1]).any():
            frames, pts, indices = frames[order.tolist()], pts[order], indices[order]
        assembly.waiting.discard(position)
        if not assembly.waiting:
            assembly.frames = None
        return DecodedFrames(
            key=self._requests[position].key,
            path=self.path,
            policy=assembly.selection.policies[position],
            frames=frames,
            pts=pts,
            indices=indices,
            source_rate=facts.source_rate,
            begin_seconds=facts.begin_seconds,
            duration_seconds=facts.duration_seconds,
            backend=assembly.backend or facts.backend,
        )

    def kept_bytes(self, current: int) -> int:
        """Bytes of frames that no request up to the current one waits for."""
        return sum(assembly.kept_bytes for assembly in self._kept(current))

    def farthest_kept(self, current: int) -> int:
        """The farthest position whose frames are only kept for it or later; -1 if there is none."""
        return max((min(a.waiting) for a in self._kept(current)), default=NOTHING)

    def drop(self, position: int) -> None:
        """Drop the frames of a request, and of all that share them."""
        self._assembly_of[position].drop()

    def _kept(self, current: int) -> list[_Assembly]:
        return [
            assembly
            for assembly in self._assemblies
            if assembly.frames is not None and min(assembly.waiting) > current
        ]


def _no_frames(facts: VideoFacts) -> torch.Tensor:
    import torch  # noqa: PLC0415

    return torch.empty((0, 3, facts.height, facts.width), dtype=torch.uint8)
