"""One video decoded once for all requests that look at it: the work of a pipeline's thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from fastvbench.core import InputError
from fastvbench.video._channel import Abandoned, Channel
from fastvbench.video._policy import parse_policy
from fastvbench.video._requests import FrameRequest, VideoFacts
from fastvbench.video._video import Video, open_video

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    import torch
    from numpy.typing import NDArray

    from fastvbench.video._backend import BackendInfo
    from fastvbench.video._video import BackendName

    Transform: TypeAlias = Callable[[torch.Tensor], torch.Tensor]

__all__ = ["Failure", "Opened", "Piece", "Selection", "Settings", "VideoTransform", "decode_unit"]


@runtime_checkable
class VideoTransform(Protocol):
    """A transform that depends on how many frames a request has, as budgets of pixels do."""

    def for_video(self, frame_count: int, height: int, width: int) -> Transform:
        """The transform of one request's frames.

        Args:
            frame_count: frames of the request.
            height: of the decoded frames.
            width: see ``height``.
        """


@dataclass(frozen=True)
class Settings:
    """How videos are opened and what is made of their frames; see `FramePipeline`."""

    chunk: int
    transform: Transform | VideoTransform | None
    backend: BackendName
    device: str
    cache: str | os.PathLike[str] | None
    tolerant: bool
    time_limit_seconds: float | None


@dataclass(frozen=True, eq=False)
class Selection:
    """The frames that one or several requests pick.

    Args:
        positions: of those requests in the run.
        numbers: int64[n] distinct frame numbers, ascending.
        order: int64[k], for each frame of the requests its place in ``numbers``.
        policy: canonical name of each request's policy.
    """

    positions: list[int]
    numbers: NDArray[np.int64]
    order: NDArray[np.int64]
    policies: dict[int, str] = field(default_factory=dict)


class Opened(NamedTuple):
    """The first message of a unit: what will be decoded."""

    facts: VideoFacts
    selections: list[Selection]
    refused: dict[int, InputError]  # requests whose policy does not fit the video


class Piece(NamedTuple):
    """Some frames of one selection."""

    selection: int
    places: NDArray[np.int64]
    frames: torch.Tensor
    pts: NDArray[np.float64]
    indices: NDArray[np.int64]
    backend: BackendInfo  # another one may have taken over since the video was opened


class Failure(NamedTuple):
    """The last message of a unit whose video could not be opened, or not be decoded to the end."""

    error: Exception


Message: TypeAlias = "Opened | Piece | Failure"


def decode_unit(
    path: str,
    requests: Sequence[tuple[int, FrameRequest]],
    settings: Settings,
    channel: Channel[Message],
) -> None:
    """Decode the frames of all requests for one video, in display order, into a channel.

    Args:
        path: the video.
        requests: with their positions in the run.
        settings: of the pipeline.
        channel: takes one `Opened`, then pieces; or a `Failure` at any point.
    """
    try:
        with open_video(
            path,
            backend=settings.backend,
            device=settings.device,
            cache=settings.cache,
            tolerant=settings.tolerant,
            time_limit_seconds=settings.time_limit_seconds,
        ) as video:
            _decode(video, requests, settings, channel)
    except Abandoned:
        pass
    except (InputError, OSError) as error:
        _tell(channel, Failure(error))
    finally:
        channel.finish()


def _decode(
    video: Video,
    requests: Sequence[tuple[int, FrameRequest]],
    settings: Settings,
    channel: Channel[Message],
) -> None:
    opened = _plan(video, requests)
    channel.put(opened, 0)
    if not opened.selections:
        return
    transforms = [
        _transform_of(settings.transform, selection, video) for selection in opened.selections
    ]
    wanted = np.unique(np.concatenate([selection.numbers for selection in opened.selections]))
    for batch in video.frames(wanted, chunk=settings.chunk):
        frames = on_device(batch.frames, settings.device)
        numbers = wanted[batch.positions]
        for which, (selection, transform) in enumerate(
            zip(opened.selections, transforms, strict=True)
        ):
            rows = np.flatnonzero(np.isin(numbers, selection.numbers, assume_unique=True))
            if len(rows) == 0:
                continue
            chosen = frames if len(rows) == len(numbers) else frames[rows.tolist()]
            made = chosen if transform is None else transform(chosen)
            piece = Piece(
                which,
                np.searchsorted(selection.numbers, numbers[rows]),
                made,
                batch.pts[rows],
                batch.indices[rows],
                video.backend,
            )
            channel.put(piece, made.numel() * made.element_size())


def _plan(video: Video, requests: Sequence[tuple[int, FrameRequest]]) -> Opened:
    """Which frames each request picks; requests that pick the same ones share a selection."""
    index = video.index
    facts = VideoFacts(
        source_rate=index.average_rate,
        begin_seconds=index.begin_seconds,
        duration_seconds=index.duration_seconds,
        width=index.width,
        height=index.height,
        backend=video.backend,
    )
    selections: dict[bytes, Selection] = {}
    refused: dict[int, InputError] = {}
    for position, request in requests:
        policy = parse_policy(request.policy)
        try:
            picked = policy.pick(index, request.begin_seconds, request.end_seconds)
        except InputError as error:
            refused[position] = error
            continue
        selection = selections.get(picked.tobytes())
        if selection is None:
            numbers, order = np.unique(picked, return_inverse=True)
            selection = Selection([], numbers, order)
            selections[picked.tobytes()] = selection
        selection.positions.append(position)
        selection.policies[position] = policy.name
    return Opened(facts, list(selections.values()), refused)


def _transform_of(
    transform: Transform | VideoTransform | None, selection: Selection, video: Video
) -> Transform | None:
    if isinstance(transform, VideoTransform):
        count = len(selection.order)
        return transform.for_video(count, video.index.height, video.index.width)
    return transform


def on_device(frames: torch.Tensor, device: str) -> torch.Tensor:
    """Frames on the device asked for.

    A decoder that stays on the CPU hands frames to a GPU through pinned memory, so that the copy
    runs beside the next chunk's decoding.

    Args:
        frames: torch uint8[k, 3, h, w].
        device: ``cpu``, ``cuda`` or ``cuda:1``.
    """
    if device == "cpu" or frames.device.type != "cpu":
        return frames
    return frames.pin_memory().to(device, non_blocking=True)


def _tell(channel: Channel[Message], message: Message) -> None:
    try:
        channel.put(message, 0)
    except Abandoned:
        return
