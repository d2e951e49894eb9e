"""Several runs of one model: spread over runs, and what k tries are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.protocols._derived import reported_metrics
from fastvbench.results._metrics import ACCURACY
from fastvbench.results._summary import overall_value

if TYPE_CHECKING:
    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._rule import Rule
    from fastvbench.protocols._run_columns import RuleColumns, RunTable

__all__ = ["majority_letters", "pass_at_k", "repeat_summary"]


def pass_at_k(
    tries: npt.NDArray[np.int64], correct: npt.NDArray[np.int64], k: int
) -> npt.NDArray[np.float64]:
    """Unbiased chance that at least one of k tries is right, per row (Chen et al., 2021).

    1 - C(n - c, k) / C(n, k) for n tries of which c are right, computed as a product so that no
    binomial overflows.

    Args:
        tries: int64[n] tries of each row.
        correct: int64[n] right ones.
        k: tries that count.

    Returns:
        float64[n]; NaN where a row has fewer than k tries.
    """
    misses = np.ones(len(tries))
    for i in range(k):
        with np.errstate(invalid="ignore", divide="ignore"):
            misses *= np.clip(tries - correct - i, 0, None) / (tries - i)
    return np.where(tries >= k, 1.0 - misses, np.nan)


def majority_letters(letters: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Letter that most runs gave, per row; ties go to the letter given first.

    Args:
        letters: int8[runs, n], -1 where a run gave none.

    Returns:
        int8[n], -1 where no run gave one.
    """
    run_count, row_count = letters.shape
    votes = np.zeros((26, row_count), dtype=np.int64)
    for run in range(run_count):
        given = np.flatnonzero(letters[run] >= 0)
        # Earlier runs weigh a little more, less than one vote in total: they break ties.
        votes[letters[run, given], given] += 2 * run_count * run_count + (run_count - run)
    winner = votes.argmax(axis=0).astype(np.int8)
    return np.where(votes.max(axis=0) > 0, winner, -1).astype(np.int8)


def repeat_summary(rules: tuple[Rule, ...], table: RunTable, gold: Gold) -> dict[str, Any]:
    """Mean and standard deviation over runs of every metric; avg@k, pass@k and maj@k of letters."""
    report: dict[str, Any] = {"runs": len(table), "names": list(table.names), "rules": {}}
    for rule in rules:
        entry: dict[str, Any] = {}
        metrics = {metric.key: metric for metric in reported_metrics(rule, gold)}
        for key, scores in table.rules[rule.name].scores.items():
            runs = (overall_value(metrics[key], of_run, gold.strata) for of_run in scores)
            values = np.array([value for value in runs if value is not None])
            if len(values):
                spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
                entry[key] = {"mean": float(values.mean()), "std": spread, "runs": values.tolist()}
        if gold.letters is not None and ACCURACY.key in entry:
            entry.update(_k_metrics(table.rules[rule.name], gold.letters))
        report["rules"][rule.name] = entry
    return report


def _k_metrics(columns: RuleColumns, gold_letters: npt.NDArray[np.int8]) -> dict[str, float]:
    """A try that the rule set counts is one that has a score.

    So an absent answer is a wrong try, or none where the rule set drops absent rows, and avg@k is
    the accuracy.
    """
    correct = columns.scores[ACCURACY.key]
    tries = (~np.isnan(correct)).sum(axis=0)
    counted = tries > 0
    if not counted.any():
        return {}
    right = np.nansum(correct, axis=0).astype(np.int64)
    most = int(tries[counted].max())
    report = {f"avg@{most}": float((right[counted] / tries[counted]).mean())}
    for k in [*(k for k in (1, 2, 4, 8, 16, 32, 64, 128) if k < most), most]:
        values = pass_at_k(tries, right, k)[counted]
        if not np.isnan(values).all():
            report[f"pass@{k}"] = float(np.nanmean(values))
    majority = majority_letters(columns.letters)
    report[f"maj@{most}"] = float((majority == gold_letters)[counted].mean())
    return report
