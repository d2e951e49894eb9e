"""What goes into a model and what comes out: frames with their times, requests, responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from fastvbench.core._errors import FastvbenchError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = [
    "Embedded",
    "Embedder",
    "FinishReason",
    "Frames",
    "GenerationSettings",
    "Generator",
    "ModelLostError",
    "Request",
    "Response",
]

FinishReason = Literal["stop", "length", "content_filter", "other"]


class ModelLostError(FastvbenchError):
    """The model cannot answer any more requests in this process; a new one may go on."""


@dataclass(frozen=True, eq=False)
class Frames:
    """Frames of one video as they were decoded, each with its true time.

    Attributes:
        pixels: uint8 [n, 3, height, width], RGB; a torch tensor or a numpy array.
        seconds: float64 [n], presentation times in the video, ascending.
        indices: int64 [n], frame numbers in the video.
        source_rate: average frames a second of the video.
        duration_seconds: length of the whole video.

    Raises:
        InputError: shapes or lengths that do not agree.
    """

    pixels: Any
    seconds: NDArray[np.float64]
    indices: NDArray[np.int64]
    source_rate: float
    duration_seconds: float

    def __post_init__(self) -> None:
        shape = tuple(self.pixels.shape)
        if len(shape) != 4 or shape[1] != 3 or str(self.pixels.dtype).split(".")[-1] != "uint8":
            raise InputError(
                "not frames",
                field="pixels",
                value=f"{self.pixels.dtype} {shape}",
                expected="uint8 [n, 3, height, width]",
            )
        for name in ("seconds", "indices"):
            column = np.asarray(getattr(self, name))
            if column.shape != shape[:1]:
                raise InputError(
                    "not one entry a frame",
                    field=name,
                    value=column.shape,
                    expected=f"({shape[0]},)",
                )

    def __len__(self) -> int:
        return int(self.pixels.shape[0])


@dataclass(frozen=True, eq=False)
class Request:
    """One question to a model, with everything that the model sees.

    The order in which a model is shown them is frames, images, prompt.

    Attributes:
        id: comes back with the response.
        prompt: the text, complete.
        frames: frames of the video; None for a question about images, or about nothing.
        images: pictures beside the frames or instead of them: PIL images, or uint8 arrays or
            tensors [3, height, width].
        system: the system message; None leaves it to the model's own template.
        answer_prefix: how the model's answer begins, where a benchmark says so; the model goes on
            from there, and the response holds what follows.
        video_path: the video's file, for servers that are asked to decode it themselves.
    """

    id: str
    prompt: str
    frames: Frames | None = None
    images: Sequence[Any] = ()
    system: str | None = None
    answer_prefix: str | None = None
    video_path: str | None = None


@dataclass(frozen=True)
class GenerationSettings:
    """How text is generated. The defaults are those of published evaluations: greedy.

    Attributes:
        temperature: 0 takes the likeliest token, without sampling.
        top_p: the mass of tokens that are sampled from; None leaves it to the model's defaults.
        top_k: the number of tokens that are sampled from; None likewise.
        max_new_tokens: where an answer is cut; its finish reason is then ``length``.
        seed: of sampling. Rows have seeds of their own, derived from it and their id, so that an
            answer does not depend on which rows are run together.
        stop: texts that end an answer.
        thinking_tokens: budget for thinking of models that can be told: 0 turns it off, None leaves
            it to the model's own template.
    """

    temperature: float = 0.0
    top_p: float | None = None
    top_k: int | None = None
    max_new_tokens: int = 1024
    seed: int = 0
    stop: tuple[str, ...] = ()
    thinking_tokens: int | None = None

    def __post_init__(self) -> None:
        _check("temperature", self.temperature, self.temperature >= 0, "a number from 0")
        _check("top_p", self.top_p, self.top_p is None or 0 < self.top_p <= 1, "above 0, at most 1")
        _check("top_k", self.top_k, self.top_k is None or self.top_k >= 1, "a number from 1")
        _check("max_new_tokens", self.max_new_tokens, self.max_new_tokens >= 1, "a number from 1")
        thinking = self.thinking_tokens
        _check("thinking_tokens", thinking, thinking is None or thinking >= 0, "a number from 0")

    @property
    def samples(self) -> bool:
        """Whether answers are drawn at random."""
        return self.temperature > 0

    def as_dict(self) -> dict[str, Any]:
        """The settings as JSON values, for a run's record."""
        return asdict(self) | {"stop": list(self.stop)}


def _check(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise InputError("not a setting", field=name, value=value, expected=expected)


@dataclass(frozen=True)
class Response:
    """What came back for one request: text, or the reason why there is none.

    Attributes:
        id: the request's.
        text: untouched model text; empty where there is an error.
        finish_reason: ``stop`` (the model ended), ``length`` (cut at ``max_new_tokens``),
            ``content_filter``, ``other``; None where nobody says.
        prompt_tokens: tokens of the prompt, visual ones included, where known.
        completion_tokens: generated tokens, where known.
        visual_tokens: how many of the prompt's tokens stand for frames and pictures, where known.
        latency_seconds: from the start of the (last) attempt to the complete answer. Rows that were
            run as a batch all have the batch's.
        error: why there is no text, one line; None where there is one.
        reasoning: what the model thought before it answered, where a server tells it apart.
        attempts: how often it was tried.
        batch_size: how many rows were run together.
    """

    id: str
    text: str
    finish_reason: FinishReason | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    visual_tokens: int | None = None
    latency_seconds: float = 0.0
    error: str | None = None
    reasoning: str | None = None
    attempts: int = 1
    batch_size: int = 1

    @classmethod
    def failed(
        cls, request_id: str, error: str, *, latency_seconds: float = 0.0, attempts: int = 1
    ) -> Response:
        """A row without an answer."""
        reason = " ".join(error.split()) or "failed without a reason"
        return cls(
            request_id,
            "",
            error=reason[:500],
            latency_seconds=latency_seconds,
            attempts=attempts,
        )


@runtime_checkable
class Generator(Protocol):
    """Answers requests. Made by `load_generator`; a context manager that closes itself.

    Attributes:
        name: the specification that it was made from, without secrets.
        batch_size: how many requests it can use at once; more may be handed over.
    """

    name: str
    batch_size: int

    def describe(self) -> Mapping[str, Any]:
        """What a run's record says of the model: revision, types, versions; JSON values only."""

    def generate(self, requests: Sequence[Request], settings: GenerationSettings) -> list[Response]:
        """Answer requests, in their order: one response for each, whatever happens to it.

        Raises:
            ModelLostError: nothing more can be answered in this process.
        """

    def close(self) -> None:
        """Let go of memory, connections and processes."""

    def __enter__(self) -> Generator: ...

    def __exit__(self, *exception: object) -> None: ...


@dataclass(frozen=True, eq=False)
class Embedded:
    """Embeddings of texts.

    Attributes:
        vectors: float32 [n, d], each of length one.
        token_counts: int64 [n], tokens of each text before any was cut.
        truncated: int, how many texts were longer than the model can read, and were cut.
    """

    vectors: NDArray[np.float32]
    token_counts: NDArray[np.int64]
    truncated: int


@runtime_checkable
class Embedder(Protocol):
    """Turns texts and frames into vectors. Made by `load_embedder`.

    Attributes:
        name: the specification that it was made from.
        dimension: values a vector.
        has_vision: whether it embeds frames; models of text alone do not.
        frames_per_unit: frames that one vector of `embed_frames` is made of.
        text_limit_tokens: the most tokens of a text that it reads; None without a limit.
    """

    name: str
    dimension: int
    has_vision: bool
    frames_per_unit: int
    text_limit_tokens: int | None

    def describe(self) -> Mapping[str, Any]:
        """As `Generator.describe`."""

    def embed_texts(self, texts: Sequence[str]) -> Embedded:
        """Embed texts, each in full where the model allows."""

    def embed_frames(self, pixels: Any) -> NDArray[np.float32]:
        """Embed frames, uint8 [n, 3, height, width]: float32 [m, d], each of length one."""

    def close(self) -> None:
        """Let go of memory."""

    def __enter__(self) -> Embedder: ...

    def __exit__(self, *exception: object) -> None: ...
