"""One vector of a video's frames, which come a few at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastvbench.models._types import Embedder

__all__ = ["FrameMean"]


class FrameMean:
    """The mean of a video's frame vectors, of length one, made to length one again.

    That is LoVR's own rule: https://github.com/TechNomad-ds/LoVR-benchmark. Frames are held only
    until there are enough for a batch. Batches are cut by their number alone, wherever
    the decoder cuts its own, so that the vector is the same to the last bit however they come.

    Args:
        embedder: makes the vectors.
        batch_frames: frames a batch; rounded up to whole units of the embedder.
    """

    def __init__(self, embedder: Embedder, batch_frames: int) -> None:
        self._embedder = embedder
        unit = embedder.frames_per_unit
        self._batch_frames = max(1, -(-batch_frames // unit)) * unit
        self._waiting: list[Any] = []
        self._sum: NDArray[np.float64] = np.zeros(embedder.dimension)
        self._units = 0
        self.frame_count = 0

    def add(self, pixels: Any) -> None:
        """Take the next frames, uint8 [k, 3, height, width]."""
        self._waiting += list(pixels)
        self.frame_count += len(pixels)
        while len(self._waiting) >= self._batch_frames:
            self._embed(self._waiting[: self._batch_frames])
            del self._waiting[: self._batch_frames]

    def vector(self) -> NDArray[np.float32] | None:
        """The video's vector; None where there was no frame, or no direction in their mean."""
        if self._waiting:
            self._embed(self._waiting)
            self._waiting = []
        length = float(np.linalg.norm(self._sum))
        if self._units == 0 or length == 0:
            return None
        unit: NDArray[np.float32] = (self._sum / length).astype(np.float32)
        return unit

    def _embed(self, frames: list[Any]) -> None:
        import torch  # noqa: PLC0415 - an optional dependency

        vectors = self._embedder.embed_frames(torch.stack(frames))
        for vector in vectors:
            self._sum += vector
        self._units += len(vectors)
