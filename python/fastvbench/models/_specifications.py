"""From a specification such as ``hf:PATH`` to the generator or embedder that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from fastvbench.models._types import Embedder, Generator

__all__ = ["load_embedder", "load_generator"]

_GENERATORS = "hf:PATH-or-NAME, openai:URL#model or answers:FILE"


def load_generator(specification: str, **options: Any) -> Generator:
    """Make what answers questions.

    Args:
        specification: ``hf:PATH-or-NAME`` for a transformers model in this process,
            ``openai:URL#model`` for a server that speaks OpenAI's protocol, ``answers:FILE`` for
            saved text.
        **options: those of `TransformersGenerator`, `OpenAiGenerator` or `SavedAnswers`.

    Raises:
        InputError: a specification that names none of them, an option that it does not have, a
            model or file that cannot be read.
        MissingExtraError: an optional part is not installed.
    """
    kind, rest = _parts(specification, _GENERATORS)
    if kind == "answers":
        from fastvbench.models._saved_answers import SavedAnswers  # noqa: PLC0415

        saved: SavedAnswers = _made(SavedAnswers, rest, options)
        return saved
    if kind == "hf":
        from fastvbench.models._transformers_generator import TransformersGenerator  # noqa: PLC0415

        local: TransformersGenerator = _made(TransformersGenerator, rest, options)
        return local
    if kind == "openai":
        from fastvbench.models._openai_generator import OpenAiGenerator  # noqa: PLC0415

        remote: OpenAiGenerator = _made(OpenAiGenerator, rest, options)
        return remote
    raise InputError("no such kind of model", field="model", value=kind, expected=_GENERATORS)


def load_embedder(specification: str, **options: Any) -> Embedder:
    """Make what embeds captions and frames.

    Args:
        specification: ``hf:PATH-or-NAME`` for a transformers model: CLIP, SigLIP, SigLIP2, X-CLIP
            and their kin, or a model of text alone.
        **options: those of the embedders.

    Raises:
        InputError: as `load_generator`.
        MissingExtraError: likewise.
    """
    kind, rest = _parts(specification, "hf:PATH-or-NAME")
    if kind == "hf":
        from fastvbench.models._transformers_embedders import open_embedder  # noqa: PLC0415

        embedder: Embedder = _made(open_embedder, rest, options)
        return embedder
    raise InputError("no such kind of model", field="model", value=kind, expected="hf:PATH-or-NAME")


def _parts(specification: str, expected: str) -> tuple[str, str]:
    kind, colon, rest = specification.partition(":")
    if not colon or not rest:
        raise InputError("names no model", field="model", value=specification, expected=expected)
    return kind, rest


def _made(maker: Any, rest: str, options: dict[str, Any]) -> Any:
    """Call a maker, and say which options it has where one is none of them."""
    import inspect  # noqa: PLC0415 - needs a while to load

    known = [
        p.name for p in inspect.signature(maker).parameters.values() if p.kind == p.KEYWORD_ONLY
    ]
    for name, value in options.items():
        if name not in known:
            raise InputError(
                "an option that this kind of model does not have",
                field=name,
                value=value,
                expected=f"one of {', '.join(known)}",
            )
    return maker(rest, **options)
