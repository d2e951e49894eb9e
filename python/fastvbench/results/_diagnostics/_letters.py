"""Does a model prefer a letter to an answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.results._diagnostics._entry import Entry, entry
from fastvbench.results._significance import goodness_of_fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.results._diagnostics._columns import DiagnosticColumns

__all__ = ["letter_diagnostics"]

MOST_P = 0.01
MOST_EXCESS_SHARE = 0.10
MOST_BIAS_GAIN = 0.03
LEAST_OF_A_LETTER = 10
LEAST_CONSISTENT_SHARE = 0.5
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter_diagnostics(columns: DiagnosticColumns) -> Iterator[Entry]:
    """Response bias, what one letter for all would score, accuracy without bias, circularity."""
    if columns.letters is None or columns.gold_letters is None or columns.correct is None:
        return
    asked = (columns.gold_letters >= 0) & ~np.isnan(columns.correct)
    if not asked.any():
        return
    gold, given = columns.gold_letters[asked], columns.letters[asked]
    right = columns.correct[asked] > 0
    width = int(max(gold.max(), given.max())) + 1
    gold_counts = np.bincount(gold, minlength=width).astype(np.float64)
    read = given >= 0
    given_counts = np.bincount(given[read], minlength=width).astype(np.float64)
    yield _response_bias(given_counts, gold_counts)
    yield _always_one_letter(gold_counts, float(right.mean()))
    yield _adjusted(gold.astype(np.int64), right, width)
    if columns.groups is not None:
        yield from _circular(columns)


def _response_bias(given: np.ndarray, gold: np.ndarray) -> Entry:
    rows = int(given.sum())
    test = goodness_of_fit(given, gold)
    shares = given / max(given.sum(), 1.0)
    excess = shares - gold / gold.sum()
    most = int(excess.argmax())
    letter = ALPHABET[most]
    alarm = test.p is not None and test.p < MOST_P and excess[most] > MOST_EXCESS_SHARE
    p = "none" if test.p is None else "< 0.001" if test.p < 0.001 else f"{test.p:.3f}"
    return entry(
        "response_bias",
        float(excess[most]),
        "Largest excess of a letter's share among the letters given over its share among the right "
        "ones; chi-square tests the letters given against the shares of the right ones, letters "
        f"expected fewer than 5 times taken together. Alarm: more than {MOST_EXCESS_SHARE:.0%} too "
        f"often, with p below {MOST_P}.",
        alarm=bool(alarm),
        says=f"{letter} was given {shares[most]:.1%} of the time and is right "
        f"{gold[most] / gold.sum():.1%} of the time (chi-square p {p})",
        rows=rows,
        letter=letter,
        chi_square=test.statistic,
        degrees=test.degrees,
        p=test.p,
    )


def _always_one_letter(gold: np.ndarray, accuracy: float) -> Entry:
    shares = gold / gold.sum()
    best = int(shares.argmax())
    alarm = accuracy <= shares[best]
    return entry(
        "always_one_letter",
        float(shares[best]),
        "Accuracy of the best answer that is one letter for all questions; by_letter has every "
        "letter's. Alarm: the model is no better.",
        alarm=bool(alarm),
        says=f"always {ALPHABET[best]} would score {shares[best]:.1%}, the model scores "
        f"{accuracy:.1%}",
        rows=int(gold.sum()),
        by_letter={ALPHABET[k]: float(share) for k, share in enumerate(shares) if share},
    )


def _adjusted(gold: np.ndarray, right: np.ndarray, width: int) -> Entry:
    asked = np.bincount(gold, minlength=width)
    hits = np.bincount(gold, weights=right, minlength=width)
    recalls = {ALPHABET[k]: float(hits[k] / asked[k]) for k in np.flatnonzero(asked).tolist()}
    adjusted, accuracy = float(np.mean(list(recalls.values()))), float(right.mean())
    # A letter that hardly any question has would decide alone.
    usual = np.flatnonzero(asked >= LEAST_OF_A_LETTER)
    gain = 0.0
    if len(usual) > 1:
        gain = float(hits[usual].sum() / asked[usual].sum() - (hits[usual] / asked[usual]).mean())
    return entry(
        "bias_adjusted_accuracy",
        adjusted,
        "Mean over right letters of the share of their questions that the model has right, so that "
        "a preferred letter gains nothing by being right more often than others. Alarm: over the "
        f"letters that are right in {LEAST_OF_A_LETTER} questions or more, the plain accuracy is "
        f"more than {MOST_BIAS_GAIN:.0%} higher.",
        alarm=gain > MOST_BIAS_GAIN,
        says=f"{adjusted:.1%} where each letter weighs the same, {accuracy:.1%} as it stands",
        rows=len(gold),
        accuracy=accuracy,
        recall_by_letter=recalls,
    )


def _circular(columns: DiagnosticColumns) -> Iterator[Entry]:
    assert columns.groups is not None
    assert columns.correct is not None
    counted = ~np.isnan(columns.correct)
    numbers, group = np.unique(columns.groups[counted], return_inverse=True)
    right = columns.correct[counted] > 0
    orders = np.bincount(group, minlength=len(numbers))
    hits = np.bincount(group, weights=right, minlength=len(numbers))
    several = orders > 1
    if not several.any():
        return
    ever, always = several & (hits > 0), several & (hits == orders)
    share = float(always.sum() / ever.sum()) if ever.any() else None
    beside: dict[str, float] = {}
    same = _same_option(columns, counted, group, several)
    if same is not None:
        beside["same_option_share"] = same
    yield entry(
        "circular_consistency",
        share,
        "Of the questions that are right in at least one order of their options, the share that is "
        "right in every order; same_option_share is the share of all questions for which one "
        f"option's text was chosen in every order. Alarm: below {LEAST_CONSISTENT_SHARE:.0%}.",
        alarm=share is not None and share < LEAST_CONSISTENT_SHARE,
        says=f"of {int(ever.sum()):,} questions that are right in some order, "
        f"{int(always.sum()):,} are right in all of them",
        rows=int(ever.sum()),
        **beside,
    )


def _same_option(
    columns: DiagnosticColumns, counted: np.ndarray, group: np.ndarray, several: np.ndarray
) -> float | None:
    if columns.option_texts is None:
        return None
    texts = columns.option_texts[counted]
    low = np.full(len(several), np.iinfo(np.int64).max)
    high = np.full(len(several), np.iinfo(np.int64).min)
    np.minimum.at(low, group, texts)
    np.maximum.at(high, group, texts)
    return float(((low == high) & (low >= 0))[several].mean())
