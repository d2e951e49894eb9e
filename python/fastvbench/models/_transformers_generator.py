"""``hf:PATH-or-NAME``: an image-text-to-text model of transformers, in this process."""

from __future__ import annotations

import copy
import hashlib
import json
import time
from typing import TYPE_CHECKING, Any, get_args

from fastvbench.core._errors import FastvbenchError, InputError
from fastvbench.models._chat import (
    FramesAs,
    MediaShape,
    media_shape,
    prepare,
    sees_frame_times,
    shows_frames_as,
)
from fastvbench.models._closing import Closing
from fastvbench.models._loading import (
    LOAD_FAULTS,
    device_options,
    import_transformers,
    load_weights,
    model_identity,
    one_line,
)
from fastvbench.models._types import FinishReason, ModelLostError, Response

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.models._types import GenerationSettings, Request

__all__ = ["TransformersGenerator"]

# What a request that a processor or a model cannot take makes them raise.
_ROW_FAULTS = (RuntimeError, ValueError, IndexError, KeyError, TypeError, InputError)


class TransformersGenerator(Closing):
    """Answers with a model that ``AutoModelForImageTextToText`` loads.

    Requests are run together where their media have one shape, so that nothing is padded but text,
    on the left. A batch that fails is run again in halves, down to the row that cannot be run,
    which becomes an error of its own: too many tokens, too little memory, a broken picture.

    Args:
        path: a folder, or a name that transformers knows.
        revision: of a name: branch, tag or commit.
        batch_size: the most requests that are run together.
        dtype: ``auto``, ``float32``, ``bfloat16`` or ``float16``.
        device: where the model runs; None takes the GPUs there are, else the CPU.
        attention: which implementation of attention; None leaves it to transformers.
        frames_as: ``video``, ``images`` (each with its time before it) or ``auto``: a video where
            the model can take one beside the other media of the request.
        processor_options: further arguments for the whole processor.
        image_options: settings of its part for pictures, such as
            ``{"size": {"shortest_edge": ..., "longest_edge": ...}}``.
        video_options: settings of its part for videos, likewise.
        template_options: further variables for the chat template.
        trust_remote_code: whether code that comes with the model may be run.

    Raises:
        InputError: it cannot be loaded; says why.
        MissingExtraError: transformers is not installed.
    """

    def __init__(
        self,
        path: str,
        *,
        revision: str | None = None,
        batch_size: int = 1,
        dtype: str = "auto",
        device: str | None = None,
        attention: str | None = None,
        frames_as: FramesAs = "auto",
        processor_options: Mapping[str, Any] | None = None,
        image_options: Mapping[str, Any] | None = None,
        video_options: Mapping[str, Any] | None = None,
        template_options: Mapping[str, Any] | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        transformers = import_transformers("running a transformers model")
        if batch_size < 1:
            raise InputError(
                "not a batch size", field="batch_size", value=batch_size, expected="a number from 1"
            )
        if frames_as not in get_args(FramesAs):
            expected = ", ".join(get_args(FramesAs))
            raise InputError(
                "not a way to show frames", field="frames_as", value=frames_as, expected=expected
            )
        self.name = f"hf:{path}"
        self.batch_size = batch_size
        self._path, self._frames_as = path, frames_as
        self._template_options = dict(template_options or {})
        self._processor_options = dict(processor_options or {})
        source: dict[str, Any] = {"revision": revision, "trust_remote_code": trust_remote_code}
        try:
            self._processor = transformers.AutoProcessor.from_pretrained(
                path, **source, **self._processor_options
            )
            self._model = load_weights(
                transformers.AutoModelForImageTextToText,
                path,
                **source,
                **device_options(device, dtype, attention),
            )
        except LOAD_FAULTS as error:
            if isinstance(error, FastvbenchError):
                raise
            raise InputError(f"cannot be loaded ({one_line(error)})", path=path) from error
        if not hasattr(self._processor, "tokenizer"):
            raise InputError("has no processor for text and pictures", path=path)
        if not self._processor.chat_template:
            raise InputError(
                "has no chat template, so that nobody knows how it is asked",
                path=path,
                expected="a model that was trained to answer",
            )
        _change_part(self._processor, "image_processor", image_options)
        _change_part(self._processor, "video_processor", video_options)
        self._processor.tokenizer.padding_side = "left"
        if self._processor.tokenizer.pad_token is None:
            self._processor.tokenizer.pad_token = self._processor.tokenizer.eos_token
        video_part: Any = getattr(self._processor, "video_processor", None)
        if getattr(video_part, "cap_pixels_per_frame", ...) is None:
            # Unset, it spends the whole budget on few frames, which the models' own code does not.
            video_part.cap_pixels_per_frame = True
        self._shown_as: dict[str, str] = {}

    def describe(self) -> Mapping[str, Any]:
        """Model, revision or fingerprint, types, sizes, templates, versions."""
        template = self._processor.chat_template
        return {
            "kind": "transformers",
            **model_identity(self._path, self._model),
            "context_tokens": self._context_tokens(),
            "batch_size": self.batch_size,
            "frames_as": self._shown_as or self._frames_as,
            "media_order": ["frames", "images", "prompt"],
            "sees_frame_times": sees_frame_times(self._processor),
            "processor": type(self._processor).__name__,
            "image_processor": _part(self._processor, "image_processor"),
            "video_processor": _part(self._processor, "video_processor"),
            "processor_options": self._processor_options,
            "template_options": self._template_options,
            "template_sha256": hashlib.sha256(str(template).encode()).hexdigest(),
            "generation_defaults": self._model.generation_config.to_diff_dict(),
        }

    def close(self) -> None:
        """Let go of the model's memory."""
        self.__dict__.pop("_model", None)
        import torch  # noqa: PLC0415 - loaded already

        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def generate(self, requests: Sequence[Request], settings: GenerationSettings) -> list[Response]:
        """Answer requests.

        Raises:
            ModelLostError: the GPU refuses every further call.
        """
        together: dict[MediaShape, list[int]] = {}
        for place, request in enumerate(requests):
            together.setdefault(media_shape(request), []).append(place)
        size = 1 if settings.samples else self.batch_size  # rows have random seeds of their own
        answers: dict[int, Response] = {}
        for shape, places in together.items():
            for first in range(0, len(places), size):
                chunk = places[first : first + size]
                given = self._answer([requests[place] for place in chunk], shape, settings)
                answers.update(zip(chunk, given, strict=True))
        return [answers[place] for place in range(len(requests))]

    def _answer(
        self,
        requests: Sequence[Request],
        shape: MediaShape,
        settings: GenerationSettings,
        attempts: int = 1,
    ) -> list[Response]:
        """Answer requests of one shape together; in halves where that fails."""
        begin = time.perf_counter()
        try:
            return self._answer_together(requests, shape, settings, attempts)
        except _ROW_FAULTS as error:
            self._check_alive(error)
            if len(requests) == 1:
                seconds = time.perf_counter() - begin
                failed = Response.failed(
                    requests[0].id, one_line(error), latency_seconds=seconds, attempts=attempts
                )
                return [failed]
        middle = len(requests) // 2
        halves = (requests[:middle], requests[middle:])
        return [
            response
            for half in halves
            for response in self._answer(half, shape, settings, attempts + 1)
        ]

    def _check_alive(self, error: BaseException) -> None:
        """Free memory after a failure; refuse to go on where the GPU is in a broken state."""
        import torch  # noqa: PLC0415 - loaded already

        if isinstance(error, torch.OutOfMemoryError):
            torch.cuda.empty_cache()
        elif isinstance(error, RuntimeError) and "CUDA error" in str(error):
            raise ModelLostError(f"{self.name} is lost: {one_line(error)}") from error

    def _answer_together(
        self,
        requests: Sequence[Request],
        shape: MediaShape,
        settings: GenerationSettings,
        attempts: int,
    ) -> list[Response]:
        import torch  # noqa: PLC0415 - loaded already

        begin = time.perf_counter()
        frames_as = shows_frames_as(self._processor, self._frames_as, shape)
        if shape.frames is not None:
            self._shown_as["frames beside images" if shape.image_count else "frames"] = frames_as
        options = self._template_options | _thinking_options(settings)
        inputs = prepare(self._processor, requests, shape, frames_as, options)
        prompt_tokens = inputs["attention_mask"].sum(dim=1).tolist()
        room = self._room(max(prompt_tokens))
        if room < settings.max_new_tokens and len(requests) > 1:
            raise ValueError("a prompt near the model's limit is run alone")
        inputs = inputs.to(self._model.device, dtype=self._model.dtype)
        config = self._generation_config(settings, min(room, settings.max_new_tokens))
        stop = {"stop_strings": list(settings.stop), "tokenizer": self._processor.tokenizer}
        with torch.inference_mode(), torch.random.fork_rng(enabled=settings.samples):
            if settings.samples:
                torch.manual_seed(_row_seed(settings.seed, requests[0].id))
            tokens = self._model.generate(
                **inputs, generation_config=config, **(stop if settings.stop else {})
            )
        new_tokens = _without_prompt(tokens, inputs["input_ids"]).tolist()
        visual_tokens = self._visual_tokens(inputs["input_ids"])
        seconds = time.perf_counter() - begin
        responses = []
        for row, request in enumerate(requests):
            text, reason, count = self._read(new_tokens[row], config, settings.stop)
            responses.append(
                Response(
                    request.id,
                    text,
                    reason,
                    prompt_tokens=int(prompt_tokens[row]),
                    completion_tokens=count,
                    visual_tokens=visual_tokens[row],
                    latency_seconds=seconds,
                    attempts=attempts,
                    batch_size=len(requests),
                )
            )
        return responses

    def _context_tokens(self) -> int | None:
        text_config = self._model.config.get_text_config()
        limit = getattr(text_config, "max_position_embeddings", None)
        return None if limit is None else int(limit)

    def _room(self, prompt_tokens: int) -> int:
        """How many tokens may follow the prompt."""
        limit = self._context_tokens()
        if limit is None:
            return 1 << 30
        if prompt_tokens >= limit:
            raise ValueError(
                f"the prompt has {prompt_tokens:,} tokens, the model takes fewer than {limit:,}: "
                "show fewer or smaller frames"
            )
        return limit - prompt_tokens

    def _generation_config(self, settings: GenerationSettings, max_new_tokens: int) -> Any:
        """The model's own defaults, with what is asked for in place of its way of choosing."""
        config = copy.deepcopy(self._model.generation_config)
        config.do_sample = settings.samples
        config.max_length, config.max_new_tokens = None, max_new_tokens
        if settings.samples:
            config.temperature = settings.temperature
            config.top_p = config.top_p if settings.top_p is None else settings.top_p
            config.top_k = config.top_k if settings.top_k is None else settings.top_k
        else:
            config.temperature = config.top_p = config.top_k = None
        if config.pad_token_id is None:
            config.pad_token_id = self._processor.tokenizer.pad_token_id
        return config

    def _visual_tokens(self, input_ids: Any) -> list[int]:
        names = ("image_token_id", "video_token_id")
        marks = {getattr(self._processor, name, None) for name in names}
        marks |= {getattr(self._model.config, name, None) for name in names}
        kept = [mark for mark in marks if mark is not None]
        counts: list[int] = sum((input_ids == mark).sum(dim=1) for mark in kept).tolist()
        return counts if kept else [0] * len(input_ids)

    def _read(
        self, tokens: list[int], config: Any, stop: Sequence[str]
    ) -> tuple[str, FinishReason, int]:
        """Text, finish reason and number of tokens of one row, without what pads it."""
        ends = config.eos_token_id
        ends = set(ends) if isinstance(ends, list) else {ends}
        reason: FinishReason = "length"
        for place, token in enumerate(tokens):
            if token in ends:
                tokens, reason = tokens[: place + 1], "stop"
                break
        text = self._processor.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        places = [place for place in (text.find(mark) for mark in stop) if place >= 0]
        if places:
            while tokens and tokens[-1] == config.pad_token_id:
                tokens = tokens[:-1]
            text, reason = text[: min(places)], "stop"
        return text, reason, len(tokens)


def _without_prompt(tokens: Any, prompt: Any) -> Any:
    """What was generated: most models give it behind the prompt, a few alone."""
    length = prompt.shape[1]
    begins_with_it = tokens.shape[1] >= length and bool((tokens[:, :length] == prompt).all())
    return tokens[:, length:] if begins_with_it else tokens


def _change_part(processor: Any, name: str, options: Mapping[str, Any] | None) -> None:
    """Give a part of a processor other settings.

    Raises:
        InputError: there is no such part, or it has no such setting.
    """
    if not options:
        return
    part: Any = getattr(processor, name, None)
    settings = {} if part is None else json.loads(part.to_json_string())
    for option, value in options.items():
        if option not in settings:
            raise InputError(
                f"a setting that its {name} does not have",
                field=option,
                value=value,
                expected=f"one of {', '.join(sorted(settings))}" if settings else "no options",
            )
    setattr(processor, name, type(part).from_dict({**settings, **options}))


def _part(processor: Any, name: str) -> dict[str, Any] | None:
    """What decides how large pictures are, and a hash of all settings of a part."""
    part = getattr(processor, name, None)
    if part is None:
        return None
    settings = json.loads(part.to_json_string())
    telling = ("size", "max_image_size", "do_image_splitting", "cap_pixels_per_frame")
    shown = {key: settings[key] for key in telling if key in settings}
    text = json.dumps(settings, sort_keys=True).encode()
    return {"class": type(part).__name__, **shown, "sha256": hashlib.sha256(text).hexdigest()}


def _thinking_options(settings: GenerationSettings) -> dict[str, Any]:
    if settings.thinking_tokens is None:
        return {}
    options: dict[str, Any] = {"enable_thinking": settings.thinking_tokens > 0}
    if settings.thinking_tokens:
        options["thinking_budget"] = settings.thinking_tokens
    return options


def _row_seed(seed: int, request_id: str) -> int:
    text = f"{seed}\0{request_id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")
