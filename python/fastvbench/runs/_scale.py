"""Frames scaled down to a number of pixels, so that memory does not depend on the video's size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

__all__ = ["ScaledDown"]


@dataclass(frozen=True, slots=True)
class ScaledDown:
    """A transform of a frame pipeline: bicubic with anti-aliasing, shape kept, never enlarged.

    Attributes:
        most_pixels: of a frame.
    """

    most_pixels: int

    def size(self, height: int, width: int) -> tuple[int, int]:
        """Height and width of what comes out.

        Example:
            >>> ScaledDown(100).size(40, 10), ScaledDown(100).size(5, 8)
            ((20, 5), (5, 8))
        """
        if height * width <= self.most_pixels:
            return height, width
        scale = math.sqrt(self.most_pixels / (height * width))
        return max(1, math.floor(height * scale)), max(1, math.floor(width * scale))

    def for_video(
        self, frame_count: int, height: int, width: int
    ) -> Callable[[torch.Tensor], torch.Tensor]:
        """The transform of one request's frames."""
        del frame_count
        size = self.size(height, width)

        def scaled(frames: torch.Tensor) -> torch.Tensor:
            if tuple(frames.shape[2:]) == size:
                return frames
            from torch.nn.functional import interpolate  # noqa: PLC0415 - an extra

            large = interpolate(frames.float(), size=size, mode="bicubic", antialias=True)
            return large.round_().clamp_(0, 255).to(frames.dtype)

        return scaled
