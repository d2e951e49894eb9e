"""What a pipeline is asked for and what it hands over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable

    import numpy as np
    import torch
    from numpy.typing import NDArray

    from fastvbench.video._backend import BackendInfo
    from fastvbench.video._policy import FramePolicy

__all__ = ["DecodedFrames", "FailedVideo", "FrameChunk", "FrameRequest", "VideoFacts"]


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """Frames of one video for one question.

    Args:
        key: whatever tells requests apart, such as a question's id; handed back untouched.
        path: the video.
        policy: which frames, as a policy or its text.
        begin_seconds: start of the part to look at, from the first frame on; the video's where
            None.
        end_seconds: its end; the video's where None.
    """

    key: Hashable
    path: str | os.PathLike[str]
    policy: FramePolicy | str
    begin_seconds: float | None = None
    end_seconds: float | None = None


class VideoFacts(NamedTuple):
    """What the record of a run says about a video beside its frames."""

    source_rate: float
    begin_seconds: float
    duration_seconds: float
    width: int
    height: int
    backend: BackendInfo


@dataclass(frozen=True, slots=True, eq=False)
class DecodedFrames:
    """The frames of one request, in the order of its policy.

    Requests that pick the same frames of a video are given the same tensor: don't write to it.

    Args:
        key: of the request.
        path: the video.
        policy: the policy's canonical name.
        frames: torch [n, 3, h, w], uint8 RGB where no transform made something else of it.
        pts: float64[n], when each is shown on the file's own clock, seconds.
        indices: int64[n], their numbers in the video.
        source_rate: average frames per second of the video.
        begin_seconds: when its first frame is shown on the file's own clock.
        duration_seconds: from its first frame on to the end of its last.
        backend: which decoder made them.
    """

    key: Hashable
    path: str
    policy: str
    frames: torch.Tensor
    pts: NDArray[np.float64]
    indices: NDArray[np.int64]
    source_rate: float
    begin_seconds: float
    duration_seconds: float
    backend: BackendInfo

    @property
    def seconds(self) -> NDArray[np.float64]:
        """float64[n]: when each frame is shown, from the first frame of the video on."""
        return self.pts - self.begin_seconds


@dataclass(frozen=True, slots=True, eq=False)
class FailedVideo:
    """A request without frames, and why; the run goes on.

    Args:
        key: of the request.
        path: the video.
        error: what was wrong.
    """

    key: Hashable
    path: str
    error: Exception


@dataclass(frozen=True, slots=True, eq=False)
class FrameChunk:
    """Some of the frames that one or several requests share, while a video is being decoded.

    Args:
        keys: of the requests that pick these frames.
        path: the video.
        places: int64[k], their places among the distinct frames of those requests, ascending.
        total: how many distinct frames those requests have.
        frames: torch [k, 3, h, w], after the transform.
        pts: float64[k], when each is shown on the file's own clock, seconds.
        indices: int64[k], their numbers in the video.
        facts: about the video.
    """

    keys: tuple[Hashable, ...]
    path: str
    places: NDArray[np.int64]
    total: int
    frames: torch.Tensor
    pts: NDArray[np.float64]
    indices: NDArray[np.int64]
    facts: VideoFacts
