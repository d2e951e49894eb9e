"""Embedders of transformers: dual encoders of text and pictures, and models of text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import FastvbenchError, InputError
from fastvbench.models._closing import Closing
from fastvbench.models._loading import (
    LOAD_FAULTS,
    device_options,
    import_transformers,
    load_weights,
    model_identity,
    one_line,
)
from fastvbench.models._text_limits import Pooling, pool, pooling_of, text_limit_tokens
from fastvbench.models._types import Embedded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["DualEncoder", "TextEncoder", "open_embedder"]

# Families that were trained on texts padded to the limit and without a mask: a text's vector is
# that of the last place, whatever stands there.
_PADDED_TO_LIMIT = {"siglip", "siglip2"}

# Weights that models of text are often saved without, since their vectors are pooled otherwise.
_UNUSED_WEIGHTS = ("pooler.",)


def open_embedder(
    path: str,
    *,
    revision: str | None = None,
    batch_size: int = 32,
    dtype: str = "auto",
    device: str | None = None,
    attention: str | None = None,
    text_prefix: str = "",
    pooling: Pooling = "auto",
    trust_remote_code: bool = False,
) -> DualEncoder | TextEncoder:
    """Load a model that embeds.

    Args:
        path: a folder, or a name that transformers knows.
        revision: of a name: branch, tag or commit.
        batch_size: texts or frames that are run together.
        dtype: ``auto``, ``float32``, ``bfloat16`` or ``float16``; vectors are float32 always.
        device: where it runs; None takes the GPUs there are, else the CPU.
        attention: which implementation of attention; None leaves it to transformers.
        text_prefix: what goes before every text, for models that were trained with it.
        pooling: of models of text: ``mean``, ``cls``, ``last``, or ``auto`` as the model says.
        trust_remote_code: whether code that comes with the model may be run.

    Raises:
        InputError: it cannot be loaded, or embeds neither text nor pictures.
        MissingExtraError: transformers is not installed.
    """
    transformers = import_transformers("embedding with a transformers model")
    if batch_size < 1:
        raise InputError(
            "not a batch size", field="batch_size", value=batch_size, expected="a number from 1"
        )
    source: dict[str, Any] = {"revision": revision, "trust_remote_code": trust_remote_code}
    try:
        placed = device_options(device, dtype, attention)
        config = transformers.AutoConfig.from_pretrained(path, **source)
        # Of models that read and write, the half that reads.
        auto = transformers.AutoModelForTextEncoding if _writes(config) else transformers.AutoModel
        model = load_weights(auto, path, unused=_UNUSED_WEIGHTS, **source, **placed)
        sees = hasattr(model, "get_image_features") or hasattr(model, "get_video_features")
        auto = transformers.AutoProcessor if sees else transformers.AutoTokenizer
        processor = auto.from_pretrained(path, **source)
    except LOAD_FAULTS as error:
        if isinstance(error, FastvbenchError):
            raise
        raise InputError(f"cannot be loaded ({one_line(error)})", path=path) from error
    if sees and hasattr(model, "get_text_features"):
        return DualEncoder(path, model, processor, batch_size, text_prefix)
    if sees:
        raise InputError("embeds pictures and no text", path=path, value=type(model).__name__)
    return TextEncoder(
        path, model, processor, batch_size, text_prefix, pooling=pooling_of(path, pooling)
    )


def _writes(config: Any) -> bool:
    return bool(config.is_encoder_decoder) or config.model_type in {"t5", "mt5", "umt5"}


class _Encoder(Closing):
    """What both kinds share: how texts are cut into tokens and run."""

    has_vision = False
    frames_per_unit = 1

    def __init__(
        self, path: str, model: Any, tokenizer: Any, batch_size: int, text_prefix: str
    ) -> None:
        self.name = f"hf:{path}"
        self.batch_size = batch_size
        self._path, self._model, self._tokenizer = path, model, tokenizer
        self._text_prefix = text_prefix
        text_part = getattr(model, "text_model", model)
        self.text_limit_tokens = text_limit_tokens(text_part, tokenizer)
        self._pads_to_limit = model.config.model_type in _PADDED_TO_LIMIT
        self.dimension = int(self.embed_texts(["a"]).vectors.shape[1])

    def describe(self) -> Mapping[str, Any]:
        """Model, revision or fingerprint, types, limits, versions."""
        return {
            "kind": "transformers",
            **model_identity(self._path, self._model),
            "dimension": self.dimension,
            "text_limit_tokens": self.text_limit_tokens,
            "text_prefix": self._text_prefix,
            "frames_per_unit": self.frames_per_unit if self.has_vision else None,
            "batch_size": self.batch_size,
        }

    def close(self) -> None:
        """Let go of the model's memory."""
        self.__dict__.pop("_model", None)

    def embed_texts(self, texts: Sequence[str]) -> Embedded:
        """Embed texts, in full as far as the model can read; the rest of a longer one is cut."""
        import torch  # noqa: PLC0415 - loaded already

        vectors: list[NDArray[np.float32]] = []
        counts: list[int] = []
        for first in range(0, len(texts), self.batch_size):
            chunk = [self._text_prefix + text for text in texts[first : first + self.batch_size]]
            with torch.inference_mode():
                tokens, lengths = self._tokens(chunk)
                vectors.append(_unit_rows(self._text_vectors(tokens)))
            counts += lengths
        token_counts = np.array(counts, np.int64)
        limit = self.text_limit_tokens
        truncated = 0 if limit is None else int((token_counts > limit).sum())
        matrix = np.concatenate(vectors) if vectors else np.empty((0, self.dimension), np.float32)
        return Embedded(matrix, token_counts, truncated)

    def _tokens(self, texts: Sequence[str]) -> tuple[Any, list[int]]:
        """Token ids as the model takes them, and how many each text has before it is cut."""
        whole = self._tokenizer(list(texts), truncation=False, padding=False, verbose=False)
        lengths = [len(ids) for ids in whole["input_ids"]]
        options: dict[str, Any] = {"padding": "max_length" if self._pads_to_limit else True}
        if self.text_limit_tokens is not None:
            options |= {"truncation": True, "max_length": self.text_limit_tokens}
        tokens = self._tokenizer(list(texts), return_tensors="pt", **options)
        return tokens.to(self._model.device), lengths

    def _text_vectors(self, tokens: Any) -> Any:
        raise NotImplementedError


class TextEncoder(_Encoder):
    """A model of text alone: captions become vectors, frames don't."""

    def __init__(
        self,
        path: str,
        model: Any,
        tokenizer: Any,
        batch_size: int,
        text_prefix: str,
        *,
        pooling: str,
    ) -> None:
        self._pooling = pooling
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        tokenizer.padding_side = "right"  # so that a text's first token is the first of its row
        super().__init__(path, model, tokenizer, batch_size, text_prefix)

    def describe(self) -> Mapping[str, Any]:
        """As any, and how its tokens become one vector."""
        return {**super().describe(), "pooling": self._pooling}

    def embed_frames(self, pixels: Any) -> NDArray[np.float32]:
        """Refused.

        Raises:
            InputError: always.
        """
        del pixels
        raise InputError(
            "a model of text embeds no frames", field="model", value=self.name, expected="captions"
        )

    def _text_vectors(self, tokens: Any) -> Any:
        states = self._model(**tokens).last_hidden_state
        return pool(states, tokens["attention_mask"], self._pooling)


class DualEncoder(_Encoder):
    """A model with one space for text and pictures, or for text and short videos.

    CLIP, SigLIP and SigLIP2 see pictures; X-CLIP sees videos of a fixed number of frames.
    """

    has_vision = True

    def __init__(
        self, path: str, model: Any, processor: Any, batch_size: int, text_prefix: str
    ) -> None:
        self._image_processor = processor.image_processor
        self._sees_videos = hasattr(model, "get_video_features")
        if self._sees_videos:
            self.frames_per_unit = int(model.config.vision_config.num_frames)
        super().__init__(path, model, processor.tokenizer, batch_size, text_prefix)

    def embed_frames(self, pixels: Any) -> NDArray[np.float32]:
        """Embed frames in their order.

        Args:
            pixels: uint8 [n, 3, height, width], a torch tensor or a numpy array.

        Returns:
            float32 [m, d], each of length one: one a frame; or, of models that see short videos,
            one for each run of `frames_per_unit` frames. A last run that is too short is spread:
            its frames are repeated evenly.
        """
        import torch  # noqa: PLC0415 - loaded already

        frames = torch.as_tensor(pixels)
        units = _runs(len(frames), self.frames_per_unit)
        a_time = max(1, self.batch_size // self.frames_per_unit)
        vectors = []
        for first in range(0, len(units), a_time):
            chosen = units[first : first + a_time]
            with torch.inference_mode():
                features = self._frame_vectors(frames, chosen)
                vectors.append(_unit_rows(features))
        return np.concatenate(vectors) if vectors else np.empty((0, self.dimension), np.float32)

    def _frame_vectors(self, frames: Any, units: NDArray[np.int64]) -> Any:
        pictures = [frames[place] for place in units.reshape(-1).tolist()]
        inputs = self._image_processor(
            images=pictures, return_tensors="pt", input_data_format="channels_first"
        )
        inputs = inputs.to(self._model.device, dtype=self._model.dtype)
        if not self._sees_videos:
            return _features(self._model.get_image_features(**inputs))
        values = inputs["pixel_values"]
        shaped = values.reshape(*units.shape, *values.shape[-3:])
        return _features(self._model.get_video_features(pixel_values=shaped))

    def _text_vectors(self, tokens: Any) -> Any:
        names = ["input_ids"] if self._pads_to_limit else ["input_ids", "attention_mask"]
        known = {name: tokens[name] for name in names if name in tokens}
        return _features(self._model.get_text_features(**known))


def _features(output: Any) -> Any:
    """The vectors of ``get_*_features``: a tensor in transformers 4, in 5 a field of an output."""
    return getattr(output, "pooler_output", output)


def _runs(count: int, length: int) -> NDArray[np.int64]:
    """Frame numbers in runs of one length: int64 [m, length]."""
    whole = count // length
    runs = np.arange(whole * length, dtype=np.int64).reshape(whole, length)
    left = count - whole * length
    if left:
        spread = whole * length + np.arange(length, dtype=np.int64) * left // length
        runs = np.concatenate([runs, spread[None]])
    return runs


def _unit_rows(vectors: Any) -> NDArray[np.float32]:
    """Vectors of length one, computed in float64 so that their length is as good as float32 has it.

    A vector of zeros stays one: it has no direction, and retrieval counts it as invalid.
    """
    matrix = vectors.float().cpu().numpy().astype(np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (matrix / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)
    return unit
