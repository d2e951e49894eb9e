"""Requests as a conversation with pictures and video, for processors of transformers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastvbench.models._frame_clock import video_metadata
from fastvbench.models._pictures import as_picture, frame_pictures
from fastvbench.models._types import Frames, Request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "FramesAs",
    "MediaShape",
    "media_shape",
    "prepare",
    "sees_frame_times",
    "shows_frames_as",
    "time_marker",
]

FramesAs = Literal["auto", "video", "images"]


@dataclass(frozen=True)
class MediaShape:
    """What requests must have in common to be run together.

    Processors pad videos of several lengths and sizes to one, and some let the padding into the
    prompt (SmolVLM writes the padded number of frames). Rows of one shape are not padded.

    Attributes:
        frames: shape of the frames; None without any.
        image_count: pictures.
        is_continued: whether the answer has a given beginning.
    """

    frames: tuple[int, ...] | None
    image_count: int
    is_continued: bool


def media_shape(request: Request) -> MediaShape:
    """What a request can be run together with."""
    frames = None if not _has_frames(request) else tuple(request.frames.pixels.shape)  # type: ignore[union-attr]
    return MediaShape(frames, len(request.images), request.answer_prefix is not None)


def _has_frames(request: Request) -> bool:
    return request.frames is not None and len(request.frames) > 0


def time_marker(seconds: float) -> str:
    """The text that stands before a frame that is shown as a picture."""
    return f"<{seconds:.1f} seconds>"


def shows_frames_as(processor: Any, wanted: FramesAs, shape: MediaShape) -> str:
    """Whether frames go to a model as a video or as pictures with their times before them.

    A processor without a video part can take pictures only. One whose video part and image part
    give arrays of the same name (SmolVLM) cannot take a video beside pictures: the second would
    replace the first.
    """
    if wanted != "auto":
        return wanted
    video_part = getattr(processor, "video_processor", None)
    if video_part is None:
        return "images"
    image_part = getattr(processor, "image_processor", None)
    if shape.image_count and image_part is not None:
        shared = set(video_part.model_input_names) & set(image_part.model_input_names)
        if shared:
            return "images"
    return "video"


def sees_frame_times(processor: Any) -> bool | None:
    """Whether a model is told when the frames of a video are shown.

    Found out by trial: the same frames at other times, and whether anything comes out different.
    Models that are not told cannot place events in time, however right the times are.

    Args:
        processor: of the model.

    Returns:
        None where it takes no video, or not one as plain as this.
    """
    if getattr(processor, "video_processor", None) is None:
        return None
    pixels = np.zeros((4, 3, 64, 64), np.uint8)
    numbers = np.arange(4, dtype=np.int64)
    shown = []
    for rate in (1.0, 0.1):
        frames = Frames(pixels, numbers / rate, numbers, rate, 4 / rate)
        request = Request("trial", "When?", frames)
        try:
            shown.append(prepare(processor, [request], media_shape(request), "video", {}))
        except (RuntimeError, ValueError, IndexError, KeyError, TypeError):
            return None
    return any(not _same(shown[0][name], shown[1][name]) for name in shown[0])


def _same(first: Any, second: Any) -> bool:
    """Whether two outputs of a processor hold the same, be they arrays or lists."""
    one, other = np.asarray(first), np.asarray(second)
    return one.shape == other.shape and bool((one == other).all())


def prepare(
    processor: Any,
    requests: Sequence[Request],
    shape: MediaShape,
    frames_as: str,
    template_options: Mapping[str, Any],
) -> Any:
    """Token ids and pixels of requests of one shape, padded on the left.

    Args:
        processor: of the model.
        requests: all of this shape.
        shape: what they have in common.
        frames_as: ``video`` or ``images``.
        template_options: variables of the chat template, such as ``enable_thinking``.

    Returns:
        What the model takes, as the processor gives it.
    """
    conversations = [_conversation(request, frames_as) for request in requests]
    ending: dict[str, Any] = {"add_generation_prompt": not shape.is_continued}
    if shape.is_continued:
        ending["continue_final_message"] = True
    texts = processor.apply_chat_template(
        conversations, tokenize=False, **ending, **template_options
    )
    media: dict[str, Any] = {}
    pictures = [_pictures(request, frames_as) for request in requests]
    if any(pictures):
        media["images"] = pictures
    if shape.frames is not None and frames_as == "video":
        shown = [_video(processor, request.frames) for request in requests]  # type: ignore[arg-type]
        media["videos"] = [[pixels] for pixels, _ in shown]
        media["video_metadata"] = [[metadata] for _, metadata in shown]
        media["do_sample_frames"] = False
    elif shape.frames is not None and hasattr(processor.image_processor, "do_image_splitting"):
        media["do_image_splitting"] = False  # a frame is one picture, as in a video
    start = processor.tokenizer.bos_token
    if start is not None and texts[0].startswith(start):
        media["add_special_tokens"] = False  # the template has written it already
    return processor(text=texts, padding=True, return_tensors="pt", **media)


def _conversation(request: Request, frames_as: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if request.system is not None:
        messages.append({"role": "system", "content": [_text(request.system)]})
    content: list[dict[str, Any]] = []
    if _has_frames(request) and frames_as == "video":
        content.append({"type": "video"})
    elif _has_frames(request):
        for instant in request.frames.seconds:  # type: ignore[union-attr]
            content += [_text(time_marker(float(instant))), {"type": "image"}]
    content += [{"type": "image"} for _ in request.images]
    content.append(_text(request.prompt))
    messages.append({"role": "user", "content": content})
    if request.answer_prefix is not None:
        messages.append({"role": "assistant", "content": [_text(request.answer_prefix)]})
    return messages


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _pictures(request: Request, frames_as: str) -> list[Any]:
    shown = []
    if _has_frames(request) and frames_as == "images":
        shown += list(frame_pictures(request.frames.pixels))  # type: ignore[union-attr]
    return shown + [as_picture(image) for image in request.images]


def _video(processor: Any, frames: Frames) -> tuple[Any, dict[str, Any]]:
    """Frames as a tensor, and their times; a lone frame is repeated where patches span several."""
    import torch  # noqa: PLC0415 - an optional dependency

    pixels = torch.as_tensor(frames.pixels)
    metadata = video_metadata(frames)
    least = int(getattr(processor.video_processor, "temporal_patch_size", None) or 1)
    missing = least - len(frames)
    if missing > 0:
        pixels = torch.cat([pixels, pixels[-1:].expand(missing, -1, -1, -1)])
        metadata["frames_indices"] += metadata["frames_indices"][-1:] * missing
    return pixels, metadata
