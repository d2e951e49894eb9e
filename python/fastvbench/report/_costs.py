"""What a question cost: frames, tokens, seconds, and money where prices are given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError
from fastvbench.formats import read_json

if TYPE_CHECKING:
    import os

__all__ = ["Costs", "Prices", "costs_of", "read_prices"]

_RATES = {
    "prompt_per_million": "prompt_tokens",
    "completion_per_million": "completion_tokens",
    "per_hour": "latency_seconds",
}
_UNITS = {"prompt_per_million": 1e6, "completion_per_million": 1e6, "per_hour": 3600.0}
_EXPECTED = (
    '{"currency": "USD", "models": {"name": {"prompt_per_million": 0.3, '
    '"completion_per_million": 2.5, "per_hour": 2.0}}}'
)


@dataclass(frozen=True, slots=True)
class Prices:
    """What models charge.

    Attributes:
        currency: of all prices.
        rates: by model, price by kind: a million prompt tokens, a million completion tokens, an
            hour of a machine (of the time that answers took, one after the other).
    """

    currency: str = ""
    rates: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Costs:
    """Per question, None where the run's record does not say.

    Attributes:
        frames: that the model saw.
        prompt_tokens: that it read, those of frames included.
        completion_tokens: that it wrote.
        seconds: until the answer was there.
        money: in the currency of the prices; None without a price for the model.
    """

    frames: float | None
    prompt_tokens: float | None
    completion_tokens: float | None
    seconds: float | None
    money: float | None


def read_prices(path: str | os.PathLike[str] | None) -> Prices:
    """Read a file of prices.

    Raises:
        InputError: no such file, or none of prices; the message names model and field.
    """
    if path is None:
        return Prices()
    held = read_json(path)
    models = held.get("models") if isinstance(held, dict) else None
    if not isinstance(models, dict) or not isinstance(held.get("currency"), str):
        raise InputError("not a file of prices", path=path, value=held, expected=_EXPECTED)
    for name, rates in models.items():
        if not isinstance(rates, dict) or not rates:
            raise InputError("no prices", path=path, field=name, value=rates, expected=_EXPECTED)
        for kind, price in rates.items():
            if kind not in _RATES:
                raise InputError(
                    "not a kind of price",
                    path=path,
                    field=name,
                    value=kind,
                    expected=", ".join(_RATES),
                )
            if (
                isinstance(price, bool)
                or not isinstance(price, int | float)
                or not (math.isfinite(price) and price >= 0)
            ):
                raise InputError(
                    "not a price",
                    path=path,
                    field=f"{name}.{kind}",
                    value=price,
                    expected="a number from 0",
                )
    return Prices(held["currency"], models)


def costs_of(data: Mapping[str, Any], model: str, prices: Prices) -> Costs | None:
    """What a question of a result cost; None where no run's record is in it.

    Args:
        data: the content of result.json, kind ``score``.
        model: the model's name, as prices have it.
        prices: what models charge.
    """
    run = data.get("run")
    if not isinstance(run, Mapping) or not isinstance(run.get("cost"), Mapping):
        return None
    sums, asked = run["cost"], run.get("answered")
    if not isinstance(asked, int) or asked < 1:
        return None
    per_question = {
        name: float(value) / asked
        for name, value in sums.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    rates = prices.rates.get(model, {})
    known = all(_RATES[kind] in per_question for kind in rates)
    money = None
    if rates and known:
        parts = (p / _UNITS[kind] * per_question[_RATES[kind]] for kind, p in rates.items())
        money = math.fsum(parts)
    return Costs(
        per_question.get("frames"),
        per_question.get("prompt_tokens"),
        per_question.get("completion_tokens"),
        per_question.get("latency_seconds"),
        money,
    )
