"""Columns that are made from others once every answer was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import Status
from fastvbench.results._metrics import ACCURACY, CIRCULAR_ACCURACY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._rule import Rule
    from fastvbench.results._metrics import Metric

__all__ = ["circular_scores", "derived_scores", "if_all_right", "reported_metrics"]

FloatArray = npt.NDArray[np.float64]


def reported_metrics(rule: Rule, gold: Gold) -> tuple[Metric, ...]:
    """What a rule set reports of these annotations.

    Questions that stand in several orders of their options add circular accuracy to the accuracy
    of letters.
    """
    if (
        gold.groups is None
        or gold.letters is None
        or ACCURACY not in rule.metrics
        or CIRCULAR_ACCURACY in rule.metrics
    ):
        return rule.metrics
    after = rule.metrics.index(ACCURACY) + 1
    return (*rule.metrics[:after], CIRCULAR_ACCURACY, *rule.metrics[after:])


def derived_scores(
    metrics: Sequence[Metric], scores: Mapping[str, FloatArray], gold: Gold
) -> dict[str, FloatArray]:
    """A column for every metric, in their order.

    Args:
        metrics: what is reported.
        scores: float64[runs, n] by key, of metrics that take their numbers from no other.
        gold: the annotations.
    """
    columns: dict[str, FloatArray] = {}
    for metric in metrics:
        if CIRCULAR_ACCURACY.key in (metric.base, metric.key):
            accuracy = scores[CIRCULAR_ACCURACY.base]
            columns[metric.key] = (
                np.full(accuracy.shape, np.nan)
                if gold.groups is None
                else circular_scores(accuracy, gold.groups)
            )
        else:
            columns[metric.key] = scores[metric.base]
    return columns


def if_all_right(
    metrics: Sequence[Metric],
    scores: Mapping[str, FloatArray],
    status: npt.NDArray[np.uint8],
    gold: Gold,
) -> dict[str, FloatArray] | None:
    """The columns with every row that waits for a judge counted as right.

    A waiting row is right in each metric that is a share of rows, the share of readable answers
    included: a judge would have read it. None where no row of the denominator waits.

    Args:
        metrics: what is reported.
        scores: float64[runs, n] by key.
        status: uint8[runs, n].
        gold: the annotations.
    """
    first = metrics[0].base
    counted = scores[CIRCULAR_ACCURACY.base if first == CIRCULAR_ACCURACY.key else first]
    waits = (status == Status.NEEDS_JUDGE) & ~np.isnan(counted)
    if not waits.any():
        return None
    upper = {
        metric.key: np.where(waits, 1.0, scores[metric.key])
        if metric.unit == "fraction"
        else scores[metric.key]
        for metric in metrics
        if metric.base == metric.key
    }
    return derived_scores(metrics, upper, gold)


def circular_scores(
    accuracy: npt.NDArray[np.float64], groups: Sequence[str]
) -> npt.NDArray[np.float64]:
    """Right in all orders: 1 or 0 on the first counted row of each group, NaN on the others.

    A row that is in no denominator (NaN) does not count: it neither breaks its group nor carries
    its score.

    Args:
        accuracy: float64[runs, n], 1 where a row is right.
        groups: n names, equal for the orders of one question.

    Returns:
        float64[runs, n].
    """
    numbers: dict[str, int] = {}
    group = np.array([numbers.setdefault(g, len(numbers)) for g in groups], dtype=np.int64)
    circular = np.full(accuracy.shape, np.nan)
    for run, scores in enumerate(accuracy):
        counted = np.flatnonzero(~np.isnan(scores))
        worst = np.full(len(numbers), np.inf)
        np.minimum.at(worst, group[counted], scores[counted])
        present, first = np.unique(group[counted], return_index=True)
        circular[run, counted[first]] = worst[present] >= 1.0
    return circular
