"""What a decoder has to offer, whichever library does the work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

__all__ = ["BackendInfo", "Decoded", "FrameBatch", "FrameSource", "Recovery"]


@dataclass(frozen=True, slots=True)
class BackendInfo:
    """Which decoder made the frames; part of every result.

    Args:
        name: ``torchcodec`` or ``pyav``.
        version: of the library and of the FFmpeg that it runs on.
        device: where frames are decoded and lie: ``cpu``, ``cuda``, ``cuda:1``.
        fallback_reason: why it is not the decoder or device asked for; empty where it is.
    """

    name: str
    version: str
    device: str
    fallback_reason: str = ""

    def as_dict(self) -> dict[str, str]:
        """The same as JSON values."""
        return {
            "name": self.name,
            "version": self.version,
            "device": self.device,
            "fallback_reason": self.fallback_reason,
        }


@dataclass(frozen=True, slots=True, eq=False)
class FrameBatch:
    """Some frames of one video.

    Args:
        frames: torch uint8[k, 3, height, width], RGB, on the backend's device.
        pts: float64[k], seconds at which each is shown.
        indices: int64[k], their numbers in the video. In tolerant mode that may be an earlier
            frame than the one asked for, where that one is lost.
        positions: int64[k], their places in the list of frames asked for.
    """

    frames: torch.Tensor
    pts: npt.NDArray[np.float64]
    indices: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]


class Decoded(NamedTuple):
    """What a backend hands over: torch uint8[k, 3, height, width] and int64[k] frame numbers."""

    frames: torch.Tensor
    indices: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Recovery:
    """What tolerant decoding had to put up with so far.

    Args:
        bad_packets: packets that the decoder refused.
        damaged_frames: frames handed over that the decoder marked as damaged.
        replaced_frames: frames asked for that are lost, each replaced by the last one before it.
    """

    bad_packets: int = 0
    damaged_frames: int = 0
    replaced_frames: int = 0


class FrameSource(Protocol):
    """One open video in one library. Not shared between threads."""

    @property
    def info(self) -> BackendInfo:
        """Which decoder this is."""

    @property
    def recovery(self) -> Recovery:
        """What went wrong and was passed over; all zero in strict decoding."""

    def prepare(self, indices: npt.NDArray[np.int64]) -> None:
        """Learn which frames will be asked for, in any order; others may be asked for too."""

    def decode(self, indices: npt.NDArray[np.int64]) -> Decoded:
        """Decode frames.

        Args:
            indices: int64[k], strictly ascending frame numbers.

        Returns:
            The frames, and which they are: those asked for, unless decoding is tolerant.

        Raises:
            FrameDecodeError: one of them cannot be decoded, or is not shown when it should be.
        """

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
