"""Scores of short answers by a careful reader: similarity, tolerance, types.

All of them compare what `read_short_answers` reads: the answer proper, and where none was declared
also the whole text. A refusal scores 0, unless it is the accepted answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.answers._accepted_answers import AcceptedAnswers
from fastvbench.answers._short_answers import AnswerNumbers, ShortAnswers
from fastvbench.core._status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    Rows = NDArray[np.int64]

__all__ = ["careful_anls", "careful_match", "careful_numbers", "careful_relaxed"]

ANLS_THRESHOLD = 0.5
RELAXED_TOLERANCE = 0.05


class _Readings:
    """The fair readings of n answers; the second one only where it differs from the first."""

    def __init__(self, answers: ShortAnswers, accepted: AcceptedAnswers) -> None:
        self.answers = answers
        self.accepted = accepted
        self.two = (answers.spans != answers.wholes).any(axis=1)
        self.read = answers.status == Status.OK
        self.careful = [_objects(answers.careful())]
        if self.two.any():
            self.careful.append(_objects(answers.careful(whole=True)))

    def matches(self, rows: Rows, golds: Rows) -> NDArray[np.bool_]:
        """Bool per pair: one of the readings has the accepted answer's words."""
        wanted = self.accepted.careful[golds]
        result: NDArray[np.bool_] = np.equal(self.careful[0][rows], wanted).astype(np.bool_)
        for careful in self.careful[1:]:
            result |= np.equal(careful[rows], wanted).astype(np.bool_)
        return result & (self.careful[-1][rows] != "") if len(rows) else result

    def score(self, of_pairs: Callable[[Rows, Rows], Column]) -> Column:
        """The best score over the accepted answers; NaN where there are none.

        A refusal that is an accepted answer becomes ``ok`` in the status column.
        """
        scores = np.zeros(len(self.answers))
        for rows, golds in self.accepted.pairs():
            refused = self.answers.status[rows] == Status.REFUSED
            if refused.any():
                same = refused & self.matches(rows, golds)
                self.answers.status[rows[same]] = Status.OK
                scores[rows[same]] = 1.0
            places = np.flatnonzero(self.read[rows])
            given = of_pairs(rows[places], golds[places])
            scores[rows[places]] = np.maximum(scores[rows[places]], given)
        scores[~self.accepted.has_any] = np.nan
        return scores


def _objects(texts: Sequence[str | None]) -> NDArray[np.object_]:
    column = np.empty(len(texts), dtype=object)
    column[:] = [text or "" for text in texts]
    return column


def careful_match(answers: ShortAnswers, golds: Sequence[Sequence[str]], rows: Rows) -> Column:
    """1 where an answer has the words of an accepted one.

    Args:
        answers: n rows; a refusal that is an accepted answer becomes ``ok``.
        golds: accepted answers of each gold row.
        rows: int64[n], the gold row of each answer.

    Returns:
        float64[n]; NaN where the gold row has no answer.
    """
    readings = _Readings(answers, AcceptedAnswers(golds, rows, threads=answers.threads))
    return readings.score(lambda r, g: readings.matches(r, g).astype(np.float64))


def careful_anls(answers: ShortAnswers, golds: Sequence[Sequence[str]], rows: Rows) -> Column:
    """The official ANLS formula on the answer proper.

    One minus the Levenshtein distance over the longer length, of texts that both sides normalise
    alike (no mark-up, lower case, single spaces); below one half it is 0. The best of the accepted
    answers counts.

    Args:
        answers: n rows; a refusal that is an accepted answer becomes ``ok``.
        golds: accepted answers of each gold row.
        rows: int64[n], the gold row of each answer.

    Returns:
        float64[n]; NaN where the gold row has no answer.
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415
    from rapidfuzz.process import cpdist  # noqa: PLC0415

    accepted = AcceptedAnswers(golds, rows, threads=answers.threads)
    readings = _Readings(answers, accepted)
    texts = [_lower(answers.texts())]
    if readings.two.any():
        texts.append(_lower(answers.texts(whole=True)))
    gold_texts = _lower(accepted.texts.tolist())
    gold_lengths = np.array([len(text) for text in gold_texts], dtype=np.int64)
    lengths = [np.array([len(text) for text in column], dtype=np.int64) for column in texts]

    def similarity(which: int, rows: Rows, golds: Rows) -> Column:
        distances = cpdist(
            texts[which][rows].tolist(),
            gold_texts[golds].tolist(),
            scorer=Levenshtein.distance,
            dtype=np.int64,
        )
        longer = np.maximum(lengths[which][rows], gold_lengths[golds])
        return 1.0 - distances / np.maximum(longer, 1)

    def best(rows: Rows, golds: Rows) -> Column:
        scores = similarity(0, rows, golds)
        others = np.flatnonzero(readings.two[rows])
        if len(others):
            whole = similarity(1, rows[others], golds[others])
            scores[others] = np.maximum(scores[others], whole)
        return np.where(scores < ANLS_THRESHOLD, 0.0, scores)

    return readings.score(best)


def _lower(texts: Sequence[str | None]) -> NDArray[np.object_]:
    column = np.empty(len(texts), dtype=object)
    column[:] = [text.lower() if text else "" for text in texts]
    return column


def careful_relaxed(answers: ShortAnswers, golds: Sequence[Sequence[str]], rows: Rows) -> Column:
    """ChartQA's relaxed accuracy with numbers that are read carefully on both sides.

    - Numbers within 5 % of an accepted one are right; of 0, only 0 is.
    - A year (four plain digits, 1800 to 2099) must be the very year: 5 % would be a century.
    - Units and currencies don't count. A scale word counts where both sides have one; where one has
      it, the number is right with it or without.
    - A per cent sign on one side is a unit ("45" and "45%" are right for each other). Where the
      bare side is a fraction up to 1, it may also be meant as one ("0.45" and "45%").
    - All other answers are right where the words are the same.

    An answer with several numbers where one is asked for becomes ``ambiguous``, unless it is right.

    Args:
        answers: n rows; statuses are adjusted.
        golds: accepted answers of each gold row.
        rows: int64[n], the gold row of each answer.

    Returns:
        float64[n]; NaN where the gold row has no answer.
    """
    accepted = AcceptedAnswers(golds, rows, threads=answers.threads)
    readings = _Readings(answers, accepted)
    given = careful_numbers(answers)

    def right(rows: Rows, golds: Rows) -> Column:
        scores = readings.matches(rows, golds)
        places = np.flatnonzero(accepted.quantities[golds] & ~scores)
        wanted = accepted.numbers.take(golds[places])
        scores[places] = _is_close(given.take(rows[places]), wanted)
        return scores.astype(np.float64)

    scores = readings.score(right)
    _mark_several(answers, scores, given, readings)
    return scores


def careful_numbers(answers: ShortAnswers) -> AnswerNumbers:
    """The number of each answer proper, and where that holds none, of the whole answer."""
    proper = answers.numbers()
    without = np.isnan(proper.values) & ~proper.several
    without &= (answers.spans != answers.wholes).any(axis=1)
    if not without.any():
        return proper
    return proper.filled(answers.numbers(whole=True), without)


def _mark_several(
    answers: ShortAnswers, scores: Column, given: AnswerNumbers, readings: _Readings
) -> None:
    asked = np.zeros(len(answers), dtype=np.bool_)
    for rows, golds in readings.accepted.pairs():
        asked[rows] |= readings.accepted.quantities[golds]
    several = asked & given.several & (scores == 0) & (answers.status == Status.OK)
    answers.status[several] = Status.AMBIGUOUS


def _is_close(given: AnswerNumbers, wanted: AnswerNumbers) -> NDArray[np.bool_]:
    """Whether numbers are what is wanted, by the rules of `careful_relaxed`."""
    is_year = ~np.isnan(wanted.years)
    as_year = np.where(np.isnan(given.years), given.values * given.scales, given.years)
    close = _within(given.values * given.scales, wanted.values * wanted.scales)
    one_scale = (given.scales == 1.0) != (wanted.scales == 1.0)
    close |= one_scale & _within(given.values, wanted.values)
    given_fraction = wanted.percents & ~given.percents & (np.abs(given.values) <= 1.0)
    close |= given_fraction & _within(given.values * 100.0, wanted.values)
    wanted_fraction = given.percents & ~wanted.percents & (np.abs(wanted.values) <= 1.0)
    close |= wanted_fraction & _within(given.values, wanted.values * 100.0)
    return np.where(is_year, as_year == wanted.years, close)


def _within(given: Column, wanted: Column) -> NDArray[np.bool_]:
    near = np.abs(given - wanted) <= RELAXED_TOLERANCE * np.abs(wanted)
    return np.where(wanted == 0.0, given == 0.0, near)
