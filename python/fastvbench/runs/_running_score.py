"""The score of the answers so far, while a run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.protocols._rule import RuleBatch
from fastvbench.results._metrics import ACCURACY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._rule import Rule
    from fastvbench.results._metrics import Metric

__all__ = ["RunningScore"]

FloatArray = npt.NDArray[np.float64]


def _column(scores: Mapping[str, FloatArray], metric: Metric) -> FloatArray | None:
    """The column that a metric is about; that of accuracy where it needs several rows at once."""
    return next((scores[key] for key in (metric.base, ACCURACY.key) if key in scores), None)


class RunningScore:
    """Mean of the main rule's first metric over the rows that have been answered.

    Args:
        rule: the main rule set.
        gold: the annotations.
    """

    def __init__(self, rule: Rule, gold: Gold) -> None:
        self.metric = rule.metrics[0]
        self._rule = rule
        self._gold = gold
        self._total = 0.0
        self._count = 0

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Score some rows of a responses file; failed ones count for nothing here."""
        answered = [row for row in rows if not row.get("error")]
        places = [self._gold.row_of_id.get(row["id"], -1) for row in answered]
        known = [(row, place) for row, place in zip(answered, places, strict=True) if place >= 0]
        if not known:
            return
        batch = RuleBatch(
            texts=[row["text"] for row, _ in known],
            fields={"finish_reason": [row.get("finish_reason") for row, _ in known]},
            rows=np.array([place for _, place in known], dtype=np.int64),
            gold=self._gold,
        )
        scores = _column(self._rule.read(batch).scores, self.metric)
        if scores is None:
            return
        counted = scores[~np.isnan(scores)]
        self._total += float(counted.sum())
        self._count += len(counted)

    @property
    def value(self) -> float | None:
        """The mean so far; None before the first row."""
        return self._total / self._count if self._count else None
