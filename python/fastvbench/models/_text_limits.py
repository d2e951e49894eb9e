"""How much of a text a model can read, and how its vectors of tokens become one."""

from __future__ import annotations

import json
from typing import Any, Literal, get_args

from fastvbench.core._errors import InputError

__all__ = ["Pooling", "pool", "pooling_of", "text_limit_tokens"]

Pooling = Literal["auto", "mean", "cls", "last"]

_LARGEST_TRUE_LIMIT = 10_000_000  # tokenizers without a limit say 10**30
_POOLING_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
}
_MODULES_DONE_HERE = {"Transformer", "Pooling", "Normalize"}


def text_limit_tokens(model: Any, tokenizer: Any) -> int | None:
    """The most tokens of a text that a model can read, special ones included.

    Where positions are learned, there are only so many of them (fewer than the table has rows
    in models that number from behind the padding id, as RoBERTa and MPNet do). Else it is what the
    configuration says; the tokenizer's own limit counts only where nothing else says anything,
    since it is often set lower than what the model can do.

    Args:
        model: the model, or its text part.
        tokenizer: of the model.
    """
    for name, module in model.named_modules():
        learned = name.rpartition(".")[2] in {
            "position_embedding",
            "position_embeddings",
            "embed_positions",
            "wpe",
        }
        if learned and hasattr(module, "num_embeddings"):
            skipped = 0 if module.padding_idx is None else module.padding_idx + 1
            return int(module.num_embeddings) - int(skipped)
    limit = getattr(model.config, "max_position_embeddings", None)
    if limit is None and tokenizer.model_max_length < _LARGEST_TRUE_LIMIT:
        limit = tokenizer.model_max_length
    return None if limit is None else int(limit)


def pooling_of(path: str, wanted: Pooling) -> str:
    """How a model of text makes one vector of a text's tokens.

    Models of the sentence-transformers family say so in files of their own; others get the mean.

    Args:
        path: folder or name of the model.
        wanted: ``auto`` looks; anything else is taken.

    Raises:
        InputError: no such way, or a model with further layers, which are not run here.
    """
    if wanted not in get_args(Pooling):
        expected = ", ".join(get_args(Pooling))
        raise InputError("not a pooling", field="pooling", value=wanted, expected=expected)
    modules = _json_file(path, "modules.json")
    for module in modules or []:
        kind = str(module.get("type", "")).rpartition(".")[2]
        if kind not in _MODULES_DONE_HERE:
            raise InputError(
                "has a layer after the transformer that is not run here",
                path=path,
                value=kind,
                expected=", ".join(sorted(_MODULES_DONE_HERE)),
            )
    if wanted != "auto":
        return wanted
    modes = _json_file(path, "1_Pooling/config.json") or {}
    asked = [kind for mode, kind in _POOLING_MODES.items() if modes.get(mode)]
    if len(asked) > 1 or (modes and not asked):
        raise InputError(
            "pools in a way that is not known here",
            path=path,
            value=", ".join(mode for mode, on in modes.items() if on is True),
            expected=", ".join(_POOLING_MODES),
        )
    return asked[0] if asked else "mean"


def _json_file(path: str, name: str) -> Any:
    """A JSON file that comes with a model; None where there is none."""
    from transformers.utils import cached_file  # noqa: PLC0415 - loaded already

    found = cached_file(
        path,
        name,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    if found is None:
        return None
    with open(found, "rb") as file:
        return json.loads(file.read())


def pool(states: Any, mask: Any, pooling: str) -> Any:
    """One vector of a text's token vectors.

    Args:
        states: [n, t, d].
        mask: [n, t], 1 for tokens, 0 for padding, which stands on the right.
        pooling: ``mean``, ``cls`` or ``last``.

    Returns:
        [n, d].
    """
    if pooling == "cls":
        return states[:, 0]
    if pooling == "last":
        last = mask.sum(dim=1) - 1
        return states[range(len(states)), last]
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1)
