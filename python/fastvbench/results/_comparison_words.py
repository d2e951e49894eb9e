"""What a comparison says, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.results._metrics import Metric

__all__ = ["group_words", "pair_words", "spread_words"]


def pair_words(entry: dict[str, Any], metric: Metric, *, comparisons: int) -> str:
    """One pair in one sentence or two.

    Args:
        entry: an entry of ``pairs``.
        metric: the metric that decides.
        comparisons: how many pairs were compared, which p-values are corrected for.
    """
    found = entry["metrics"][metric.key]
    a, b, difference = entry["a"], entry["b"], found["difference"]
    name = metric.title.removesuffix(" %")
    if difference is None:
        return f"{a} and {b} have no question in common that counts in {name}."
    values = f"{metric.shown(found['a'])} against {metric.shown(found['b'])}"
    where = f"{found['n']:,} questions of {entry['videos']:,} videos"
    if found["interval"] is None:
        return (
            f"Whether {a} or {b} is better in {name} cannot be told: {values} on {where}, and an "
            "interval needs two videos."
        )
    low, high = found["interval"]
    if low == high == difference == 0:
        return f"{a} and {b} score the same in {name} on each of {where}: {values}."
    shown, ends = _signed(difference, metric), _ends(low, high, metric)
    unit = " points" if metric.scale == 100 else ""
    p = _p_words(found["p_holm"], comparisons)
    if found["tied"]:
        smallest = (high - low) / 2 * metric.scale
        return (
            f"{a} and {b} are statistically tied in {name}: {values}, a difference of "
            f"{shown}{unit} {ends} on {where}, no more than chance may make ({p}). On these rows a "
            f"difference below about {smallest:.1f}{unit} cannot be told from none."
        )
    ahead, behind = (a, b) if difference > 0 else (b, a)
    if difference < 0:
        values = f"{metric.shown(found['b'])} against {metric.shown(found['a'])}"
        shown, ends = _signed(-difference, metric), _ends(-high, -low, metric)
    return (
        f"{ahead} is ahead of {behind} in {name}: {values}, a difference of {shown}{unit} {ends} "
        f"on {where}, rare by chance ({p})."
    )


def _signed(value: float, metric: Metric) -> str:
    return f"{value * metric.scale:+.{metric.decimals}f}"


def _ends(low: float, high: float, metric: Metric) -> str:
    return f"[{low * metric.scale:+.1f}, {high * metric.scale:+.1f}]"


def _p_words(p: float, comparisons: int) -> str:
    text = "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"
    return text if comparisons == 1 else f"{text} after Holm's correction for {comparisons} pairs"


def spread_words(models: Sequence[dict[str, Any]], metric: Metric) -> list[str]:
    """How far the runs of a model lie apart, for models with several."""
    sentences = []
    for model in models:
        spread = model.get("runs", {}).get(metric.key)
        if spread is None:
            continue
        values = " and ".join(
            metric.shown(v) for v in (min(spread["values"]), max(spread["values"]))
        )
        sentences.append(
            f"{model['name']}: {metric.shown(spread['mean'])} ± {metric.shown(spread['std'])} over "
            f"{len(spread['values'])} runs, between {values}."
        )
    return sentences


def group_words(groups: Sequence[Sequence[str]], metric: Metric) -> list[str]:
    """The ranking, models that are tied with the best of their group side by side."""
    parts = [
        f"{place}. {group[0]}" + (f" (tied with it: {', '.join(group[1:])})" if group[1:] else "")
        for place, group in enumerate(groups, 1)
    ]
    return [f"Ranked by {metric.title.removesuffix(' %')}: {'; '.join(parts)}."]
