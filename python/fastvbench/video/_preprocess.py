"""Frames as vision models expect them: resized, cropped and normalised where the frames lie.

torchvision's v2 functions run on the frames' own device. Each recipe gives the numbers that the
processor of the same model in transformers gives for the same frames, which a test holds it to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fastvbench.core import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    Transform: TypeAlias = Callable[[torch.Tensor], torch.Tensor]

__all__ = [
    "ExactSize",
    "PixelBudget",
    "Preprocessing",
    "ShortestEdge",
    "Size",
    "clip_preprocessing",
    "qwen2_5_vl_preprocessing",
    "siglip_preprocessing",
    "to_patches",
    "videollama3_preprocessing",
]

# Of the images that the encoders were trained on: OpenAI's, and the plain halves of SigLIP.
CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
CLIP_STD = (0.26862954, 0.26130258, 0.27577711)
HALVES = (0.5, 0.5, 0.5)
MOST_ASPECT_RATIO = 200  # beyond it, the processors refuse an image


class Size(NamedTuple):
    """Of a picture, in pixels."""

    height: int
    width: int


@dataclass(frozen=True)
class ExactSize:
    """One size for all pictures, whatever their shape: SigLIP."""

    height: int
    width: int

    def of(self, height: int, width: int, frame_count: int) -> Size:
        """The size itself."""
        del height, width, frame_count
        return Size(self.height, self.width)


@dataclass(frozen=True)
class ShortestEdge:
    """The shorter side gets this length, the shape stays: CLIP."""

    edge: int

    def of(self, height: int, width: int, frame_count: int) -> Size:
        """The longer side is rounded down, as torchvision does."""
        del frame_count
        if height <= width:
            return Size(self.edge, int(self.edge * width / height))
        return Size(int(self.edge * height / width), self.edge)


@dataclass(frozen=True)
class PixelBudget:
    """Pixels within limits, sides a multiple, the shape about kept: Qwen, VideoLLaMA3.

    Args:
        minimum: pixels of a frame.
        maximum: pixels of a frame.
        multiple: of both sides; the model's patch times the patches that it merges.
        shared: ``maximum`` is what all frames of a video have together (VideoLLaMA3).
        most_of_video: pixels that all frames have together, beside ``maximum``; a frame's share
            never falls below 1.05 ``minimum`` (qwen-vl-utils). None sets no such bound.
        frames_merged: neighbouring frames that share their tokens.
    """

    minimum: int
    maximum: int
    multiple: int = 28
    shared: bool = False
    most_of_video: int | None = None
    frames_merged: int = 1

    def of(self, height: int, width: int, frame_count: int) -> Size:
        """The size of each frame of a video.

        Raises:
            InputError: one side is more than 200 times the other, or there is no frame.
        """
        if max(height, width) > MOST_ASPECT_RATIO * min(height, width):
            raise InputError(
                "too long and narrow for this model",
                value=[height, width],
                expected=f"an aspect ratio of at most {MOST_ASPECT_RATIO}",
            )
        if frame_count < 1:
            raise InputError("no frames to share a budget of pixels", value=frame_count)
        maximum = self.maximum // frame_count if self.shared else self.maximum
        if self.most_of_video is not None:
            share = self.most_of_video * self.frames_merged // frame_count
            maximum = max(min(maximum, share), int(self.minimum * 1.05))
        step = self.multiple
        nearest = Size(round(height / step) * step, round(width / step) * step)
        if nearest.height * nearest.width > maximum:
            shrink = math.sqrt(height * width / maximum)
            return Size(
                max(step, math.floor(height / shrink / step) * step),
                max(step, math.floor(width / shrink / step) * step),
            )
        if nearest.height * nearest.width < self.minimum:
            grow = math.sqrt(self.minimum / (height * width))
            return Size(
                math.ceil(height * grow / step) * step, math.ceil(width * grow / step) * step
            )
        return nearest


@dataclass(frozen=True)
class Preprocessing:
    """What is done to the frames of one request; a `FramePipeline` takes it as its transform.

    Args:
        name: of the recipe, for the record of a run.
        size: how large frames become, by bicubic interpolation with antialiasing.
        mean: of red, green and blue, of a range from 0 to 1.
        std: see ``mean``.
        crop: side of the square that is cut from the middle; None cuts nothing.
        normalise: False leaves uint8 pixels: a quarter of the memory, for a model that normalises
            by itself.
    """

    name: str
    size: ExactSize | ShortestEdge | PixelBudget
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    crop: int | None = None
    normalise: bool = True

    def for_video(self, frame_count: int, height: int, width: int) -> Transform:
        """The function for the frames of one request.

        Args:
            frame_count: frames of the request, among which a budget of pixels is shared.
            height: of the decoded frames.
            width: see ``height``.

        Returns:
            torch uint8[k, 3, height, width] -> float32[k, 3, h, w] on the same device (uint8 where
            not normalised).

        Raises:
            MissingExtraError: torchvision is not installed.
            InputError: a shape that the model doesn't take.
        """
        try:
            from torchvision.transforms.v2 import InterpolationMode  # noqa: PLC0415
            from torchvision.transforms.v2 import functional as v2  # noqa: PLC0415
        except ImportError:
            raise MissingExtraError("resizing frames", "video") from None
        import torch  # noqa: PLC0415

        size = list(self.size.of(height, width, max(frame_count, 1)))
        # One pass over the pixels: (x / 255 - mean) / std as (x - 255 mean) / (255 std).
        mean = (torch.tensor(self.mean) * 255.0).tolist()
        std = (torch.tensor(self.std) * 255.0).tolist()

        def transform(frames: torch.Tensor) -> torch.Tensor:
            resized = v2.resize(
                frames, size, interpolation=InterpolationMode.BICUBIC, antialias=True
            )
            if self.crop is not None:
                resized = v2.center_crop(resized, [self.crop, self.crop])
            if not self.normalise:
                return resized
            normalised: torch.Tensor = v2.normalize(resized.to(torch.float32), mean, std)
            return normalised

        return transform

    def __call__(self, frames: torch.Tensor) -> torch.Tensor:
        """Preprocess all frames of one request at once.

        Args:
            frames: torch uint8[n, 3, height, width].
        """
        count, _, height, width = frames.shape
        return self.for_video(count, height, width)(frames)


def clip_preprocessing(edge: int = 224, *, normalise: bool = True) -> Preprocessing:
    """CLIP: the shorter side to ``edge``, the square in the middle."""
    return Preprocessing("clip", ShortestEdge(edge), CLIP_MEAN, CLIP_STD, edge, normalise)


def siglip_preprocessing(edge: int = 224, *, normalise: bool = True) -> Preprocessing:
    """SigLIP: both sides to ``edge``, the shape is not kept; 384 for so400m-patch14-384."""
    size = ExactSize(edge, edge)
    return Preprocessing("siglip", size, HALVES, HALVES, normalise=normalise)


def qwen2_5_vl_preprocessing(
    *,
    least_pixels: int = 128 * 28 * 28,
    most_pixels: int = 768 * 28 * 28,
    most_video_tokens: int | None = 128_000,
    normalise: bool = True,
) -> Preprocessing:
    """Qwen2.5-VL's video input: multiples of 28, the limits of its own utilities.

    Args:
        least_pixels: of a frame.
        most_pixels: of a frame.
        most_video_tokens: context that the published code assumes; a video gets 90 % of it, two
            frames a token, which bounds frames of long videos. None: no such bound, as transformers
            does unless told ``cap_pixels_per_frame``.
        normalise: see `Preprocessing`.
    """
    bound = None if most_video_tokens is None else int(most_video_tokens * 28 * 28 * 0.9)
    size = PixelBudget(least_pixels, most_pixels, multiple=28, most_of_video=bound, frames_merged=2)
    return Preprocessing("qwen2.5-vl", size, CLIP_MEAN, CLIP_STD, normalise=normalise)


def videollama3_preprocessing(
    *,
    least_pixels: int = 16 * 28 * 28,
    most_video_pixels: int = 16_384 * 28 * 28,
    normalise: bool = True,
) -> Preprocessing:
    """VideoLLaMA3's video input: multiples of 28, 16,384 tokens shared by the frames.

    Args:
        least_pixels: of a frame.
        most_video_pixels: of all frames together.
        normalise: see `Preprocessing`.
    """
    size = PixelBudget(least_pixels, most_video_pixels, multiple=28, shared=True)
    return Preprocessing("videollama3", size, HALVES, HALVES, normalise=normalise)


def to_patches(
    frames: torch.Tensor, *, patch: int = 14, merged: int = 2, frames_merged: int = 1
) -> torch.Tensor:
    """The flat patches that Qwen2.5-VL and VideoLLaMA3 take as ``pixel_values_videos``.

    Args:
        frames: torch [n, 3, h, w], sides multiples of ``patch * merged``.
        patch: side of a patch.
        merged: patches a side that the model merges into one token; they follow each other.
        frames_merged: frames in one patch, 2 for Qwen2.5-VL; the last frame is repeated to fill up.

    Returns:
        torch [n' / frames_merged * h / patch * w / patch, 3 * frames_merged * patch * patch].

    Raises:
        InputError: sides that are no multiple.
    """
    import torch  # noqa: PLC0415

    count, channels, height, width = frames.shape
    step = patch * merged
    if height % step or width % step or count == 0:
        raise InputError(
            "frames that cannot be cut into patches",
            value=[count, height, width],
            expected=f"one frame or more, sides a multiple of {step}",
        )
    missing = -count % frames_merged
    if missing:
        frames = torch.cat([frames, frames[-1:].expand(missing, -1, -1, -1)])
    rows, columns = height // step, width // step
    cut = frames.reshape(-1, frames_merged, channels, rows, merged, patch, columns, merged, patch)
    #        time, row, column, row in token, column in token, channel, frame, y, x
    return cut.permute(0, 3, 6, 4, 7, 2, 1, 5, 8).reshape(
        -1, channels * frames_merged * patch * patch
    )
