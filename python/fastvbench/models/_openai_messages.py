"""A request as the JSON that OpenAI's chat protocol has for it, and the reply as a response."""

from __future__ import annotations

import base64
import mimetypes
import pathlib
import threading
import weakref
from typing import TYPE_CHECKING, Any, Literal

import orjson

from fastvbench.core._errors import InputError
from fastvbench.models._chat import time_marker
from fastvbench.models._pictures import as_picture, frame_pictures, jpeg_data_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastvbench.models._types import FinishReason, Frames, GenerationSettings, Request

__all__ = ["MessageWriter", "ServerFrames", "UnreadableReplyError", "read_reply"]

ServerFrames = Literal["image_url", "video_url", "video_data"]

_FINISH_REASONS: dict[object, FinishReason | None] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    None: None,
}


class UnreadableReplyError(Exception):
    """A reply that is no answer: damaged JSON, or JSON of another shape."""


class MessageWriter:
    """Writes the body of a chat completion.

    Args:
        model: its name on the server.
        frames_as: ``image_url`` (a JPEG a frame), ``video_url`` (a ``file://`` URL that the server
            opens) or ``video_data`` (the whole file inside the request).
        time_markers: whether each frame has its time before it.
        jpeg_quality: of frames and pictures.
        tokens_field: the field for the most new tokens.
        body: further fields of every request.
    """

    def __init__(
        self,
        model: str,
        *,
        frames_as: ServerFrames,
        time_markers: bool,
        jpeg_quality: int,
        tokens_field: str,
        body: Mapping[str, Any],
    ) -> None:
        self._model, self._frames_as, self._time_markers = model, frames_as, time_markers
        self._jpeg_quality, self._tokens_field, self._body = jpeg_quality, tokens_field, body
        # The questions of one video share its frames, which are packed once.
        self._packed: weakref.WeakKeyDictionary[Frames, list[str]] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def write(self, request: Request, settings: GenerationSettings) -> bytes:
        """The body, as JSON bytes.

        Raises:
            InputError: a picture that is none, a video whose file is not named.
        """
        messages: list[dict[str, Any]] = []
        if request.system is not None:
            messages.append({"role": "system", "content": request.system})
        content = self._media(request)
        shown: Any = [*content, _text(request.prompt)] if content else request.prompt
        messages.append({"role": "user", "content": shown})
        body: dict[str, Any] = {
            "model": self._model,
            "messages": messages,
            "temperature": settings.temperature,
            "seed": settings.seed,
            self._tokens_field: settings.max_new_tokens,
        }
        if request.answer_prefix is not None:
            messages.append({"role": "assistant", "content": request.answer_prefix})
            body |= {"add_generation_prompt": False, "continue_final_message": True}
        optional = {"top_p": settings.top_p, "top_k": settings.top_k, "stop": list(settings.stop)}
        body |= {name: value for name, value in optional.items() if value}
        if settings.thinking_tokens is not None:
            thinking: dict[str, Any] = {"enable_thinking": settings.thinking_tokens > 0}
            if settings.thinking_tokens:
                thinking["thinking_budget"] = settings.thinking_tokens
            body["chat_template_kwargs"] = thinking
        return orjson.dumps(body | dict(self._body))

    def _media(self, request: Request) -> list[dict[str, Any]]:
        content: list[dict[str, Any]] = []
        if self._frames_as == "image_url":
            if request.frames is not None and len(request.frames):
                content += self._frames(request.frames)
        elif request.frames is not None or request.video_path is not None:
            content.append({"type": "video_url", "video_url": {"url": self._video(request)}})
        for image in request.images:
            url = jpeg_data_url(as_picture(image), self._jpeg_quality)
            content.append({"type": "image_url", "image_url": {"url": url}})
        return content

    def _frames(self, frames: Frames) -> list[dict[str, Any]]:
        with self._lock:
            urls = self._packed.get(frames)
            if urls is None:
                pictures = frame_pictures(frames.pixels)
                urls = [jpeg_data_url(picture, self._jpeg_quality) for picture in pictures]
                self._packed[frames] = urls
        content: list[dict[str, Any]] = []
        for instant, url in zip(frames.seconds, urls, strict=True):
            if self._time_markers:
                content.append(_text(time_marker(float(instant))))
            content.append({"type": "image_url", "image_url": {"url": url}})
        return content

    def _video(self, request: Request) -> str:
        if request.video_path is None:
            raise InputError(
                "no file to send", field="video_path", expected="the video's file for video_url"
            )
        path = pathlib.Path(request.video_path)
        if self._frames_as == "video_url":
            return path.resolve().as_uri()
        kind = mimetypes.guess_type(path.name)[0] or "video/mp4"
        packed = base64.b64encode(path.read_bytes()).decode("ascii")
        return f"data:{kind};base64,{packed}"


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def read_reply(body: bytes) -> dict[str, Any]:
    """The fields of a `Response` that a reply has.

    Raises:
        UnreadableReplyError: damaged, or no chat completion; says what it is.
    """
    try:
        reply = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise UnreadableReplyError(f"a reply of {len(body):,} bytes that is no JSON") from None
    choices = reply.get("choices") if isinstance(reply, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        told = reply.get("error") if isinstance(reply, dict) else None
        raise UnreadableReplyError(f"a reply without an answer: {str(told or reply)[:200]}")
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return {
        "text": _content(message),
        "finish_reason": _FINISH_REASONS.get(choice.get("finish_reason"), "other"),
        "prompt_tokens": _count(usage.get("prompt_tokens")),
        "completion_tokens": _count(usage.get("completion_tokens")),
        "reasoning": _string(message.get("reasoning_content") or message.get("reasoning")),
    }


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return _string(content) or _string(message.get("refusal")) or ""


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
