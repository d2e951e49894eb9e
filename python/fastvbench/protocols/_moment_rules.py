"""Rule sets of moment retrieval and highlight detection, as QVHighlights defines them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench import _core
from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.answers.rules import qvhighlights_official as public
from fastvbench.core._numbers import as_float
from fastvbench.core._status import Status
from fastvbench.intervals._average_precision import row_average_precisions
from fastvbench.intervals._iou import row_ious
from fastvbench.protocols._given_intervals import GivenColumn, given_intervals
from fastvbench.protocols._gold_windows import raw_windows
from fastvbench.protocols._grounding_rules import ReadIntervals, read_rows, row_spans
from fastvbench.protocols._highlight_scores import ClipGrades, highlight_scores
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_run_record, no_spans
from fastvbench.protocols._set_scores import (
    CONVENTION_METRICS,
    best_scored,
    convention_ious,
    with_gold_length,
)
from fastvbench.results._metrics import Metric

if TYPE_CHECKING:
    from fastvbench.intervals import Intervals

__all__ = [
    "GRADES",
    "MOMENT_METRICS",
    "SALIENCY_NAMES",
    "careful_moment_rule",
    "official_moment_rule",
]

FloatArray = npt.NDArray[np.float64]

GRADES = "clip_grades"  # column of Gold: ClipGrades of each row, None where it has none
SALIENCY_NAMES = {"Fair": 2, "Good": 3, "VeryGood": 4}
_SALIENCY_FIELD = "saliency_scores"
_SCORES_FIELD = "scores"


def _moment_metrics() -> tuple[Metric, ...]:
    """Every number that the public script prints, those of its brief list first and in tables."""

    def moment(name: str, what: str, *, brief: bool) -> Metric:
        return Metric(f"MR-{name}-{what}", f"{name} {what} %", in_tables=brief)

    brief = [
        moment("full", "mAP", brief=True),
        *(moment("full", what, brief=True) for what in ("R1@0.5", "R1@0.7", "mAP@0.5", "mAP@0.75")),
        *(moment(name, "mAP", brief=True) for name in ("short", "middle", "long")),
        *(
            Metric(f"HL-min-{name}-{what}", f"HL {name} {what} %")
            for name, what in itertools.product(SALIENCY_NAMES, ("mAP", "Hit1"))
        ),
    ]
    listed = {metric.key for metric in brief}
    others = [
        metric
        for name, what, threshold in itertools.product(
            public.LENGTH_RANGES, ("R1", "mAP"), public.THRESHOLDS
        )
        if (metric := moment(name, f"{what}@{threshold:g}", brief=False)).key not in listed
    ]
    return (*brief, *others)


MOMENT_METRICS = _moment_metrics()


def _moment_columns(
    name: str, precisions: FloatArray, first_ious: FloatArray
) -> dict[str, FloatArray]:
    """Scores of one subset.

    Args:
        name: of the subset.
        precisions: float64[10, k], average precision at each threshold.
        first_ious: float64[k].

    NaN of either leaves its denominator.
    """
    columns = {f"MR-{name}-mAP": precisions.mean(axis=0)}
    for threshold, precision in zip(public.THRESHOLDS, precisions, strict=True):
        columns[f"MR-{name}-mAP@{threshold:g}"] = precision
        reached = np.where(np.isnan(first_ious), np.nan, first_ious >= threshold)
        columns[f"MR-{name}-R1@{threshold:g}"] = reached
    return columns


def _ranked(batch: RuleBatch, read: ReadIntervals) -> tuple[Intervals, FloatArray]:
    """The ten windows of each row that its model holds for the best, best first, with scores.

    A row without a score for each window counts as listed in falling order.
    """
    counts = np.diff(read.intervals.offsets)
    scores = -(
        np.arange(len(read.intervals.values)) - np.repeat(read.intervals.offsets[:-1], counts)
    ).astype(np.float64)
    column = batch.fields.get(_SCORES_FIELD)
    if column is not None and read.given is not None:
        _take_scores(column, read.given, read.intervals, scores)
    return best_scored(read.intervals, scores, public.MOST_WINDOWS)


def _take_scores(
    column: list[object], given: GivenColumn, intervals: Intervals, scores: FloatArray
) -> None:
    """Put the scores that stand beside given windows where those windows are.

    Args:
        column: of the batch: a list of as many numbers as the row gives windows, else no scores.
        given: the rows that give windows as numbers.
        intervals: rows of the batch.
        scores: float64[m] of the batch's intervals, changed in place.
    """
    listed = [column[k] for k in given.places.tolist()]
    numbers, sizes = _core.number_rows(listed)
    numbers = np.nan_to_num(numbers, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
    fits = (sizes == given.counts) & (sizes > 0)
    first = np.cumsum(sizes) - sizes
    kept_counts = np.where(fits, np.diff(given.intervals.offsets), 0)
    from_row = np.repeat(np.arange(len(listed)), np.diff(given.intervals.offsets))
    taken = fits[from_row]
    place = np.arange(kept_counts.sum()) - np.repeat(
        np.cumsum(kept_counts) - kept_counts, kept_counts
    )
    target = np.repeat(intervals.offsets[given.places], kept_counts) + place
    scores[target] = numbers[np.repeat(first, kept_counts) + given.kept[taken]]


def _read_robust(batch: RuleBatch) -> Reading:
    assert batch.gold.intervals is not None
    read = read_rows(batch)
    ranked, window_scores = _ranked(batch, read)
    gold = batch.gold.intervals.take(batch.rows)
    status = read.intervals.status.copy()
    apply_run_record(batch, status)
    scores = convention_ious(ranked, gold)
    for name, limits in public.LENGTH_RANGES.items():
        # Lengths of 150 s and more are long here: the public limit is that of the set's clips.
        wanted = (
            gold
            if limits is None
            else with_gold_length(gold, limits[0], np.inf if name == "long" else limits[1])
        )
        without = np.diff(wanted.offsets) == 0
        precisions = row_average_precisions(ranked, window_scores, wanted, public.THRESHOLDS)
        first = row_ious(ranked, wanted, "first")
        precisions[:, without] = np.nan
        first[without] = np.nan
        scores |= _moment_columns(name, precisions, first)
    scores |= _careful_highlights(batch)
    return Reading(
        status=status,
        scores=scores,
        spans=row_spans(read.intervals),
        answers=lambda: [[list(pair) for pair in row] or None for row in ranked.rows()],
    )


def _grades(batch: RuleBatch) -> list[ClipGrades | None]:
    return batch.column(GRADES) if GRADES in batch.gold.columns else [None] * len(batch)


def _careful_highlights(batch: RuleBatch) -> dict[str, FloatArray]:
    """Highlight scores; of no row where the file holds no saliency at all."""
    predicted = batch.fields.get(_SALIENCY_FIELD)
    grades = _grades(batch) if predicted is not None else [None] * len(batch)
    by_minimum = highlight_scores(
        predicted or [None] * len(batch), grades, tuple(SALIENCY_NAMES.values())
    )
    columns = {}
    for name, minimum in SALIENCY_NAMES.items():
        columns[f"HL-min-{name}-mAP"], columns[f"HL-min-{name}-Hit1"] = by_minimum[minimum]
    return columns


def careful_moment_rule(name: str, source: str) -> Rule:
    """Windows ranked by score, true IoU, every annotated query in every denominator."""
    return Rule(
        name=name,
        source=source,
        read=_read_robust,
        metrics=(*MOMENT_METRICS, *CONVENTION_METRICS),
        denominator="all annotated queries; a subset: those with a gold window of that length; "
        "highlights: those with a clip of that grade, where the file holds saliency scores",
    )


def _official_moments(
    batch: RuleBatch, k: int, gold: list[tuple[float, float]]
) -> dict[str, tuple[tuple[float, ...], float]]:
    """Average precisions and IoU of the first window, by subset.

    Raises:
        PublicScriptAborts: no window, or a window without a score.
    """
    windows = given_intervals(batch.fields, k)
    column = batch.fields.get(_SCORES_FIELD)
    scores = None if column is None else column[k]
    if windows is None:
        raise PublicScriptAborts("KeyError: no pred_relevant_windows, only a text")
    if not windows:
        raise PublicScriptAborts("IndexError: the first of no windows")
    if not isinstance(scores, list) or len(scores) != len(windows):
        raise PublicScriptAborts("IndexError: a window without a score")
    scored = [
        (start, end, float(score)) for (start, end), score in zip(windows, scores, strict=True)
    ]
    moments = {}
    for name in public.LENGTH_RANGES:
        wanted = public.gold_in_range(gold, name)
        if wanted:
            moments[name] = (
                public.average_precisions(scored, wanted),
                public.first_window_iou(windows[0], wanted),
            )
    return moments


def _official_highlights(predicted: object, grades: ClipGrades) -> dict[str, float]:
    """Average precision and Hit1 by grade.

    Raises:
        PublicScriptAborts: no scores, or unusable ones.
    """
    if not isinstance(predicted, list):
        raise PublicScriptAborts("KeyError: no pred_saliency_scores in this row")
    if not all(isinstance(score, int | float) for score in predicted):
        raise PublicScriptAborts("TypeError: a saliency score is no number")
    scores = [as_float(score) for score in predicted]
    values = {}
    for name, minimum in SALIENCY_NAMES.items():
        right = (grades >= minimum).tolist()
        by_annotator = [
            public.clip_average_precision(scores, [clip[a] for clip in right])
            for a in range(grades.shape[1])
        ]
        values[f"HL-min-{name}-mAP"] = sum(by_annotator) / len(by_annotator)
        values[f"HL-min-{name}-Hit1"] = public.clip_hit(scores, right)
    return values


def _read_official(batch: RuleBatch) -> Reading:
    size = len(batch)
    precisions = {name: np.full((10, size), np.nan) for name in public.LENGTH_RANGES}
    first = {name: np.full(size, np.nan) for name in public.LENGTH_RANGES}
    highlights = {
        metric.key: np.full(size, np.nan)
        for metric in MOMENT_METRICS
        if metric.key.startswith("HL-")
    }
    status = np.full(size, Status.NO_NUMBER, dtype=np.uint8)
    aborts = np.zeros(size, dtype=np.bool_)
    shown: list[object] = [None] * size
    predicted = batch.fields.get(_SALIENCY_FIELD)
    for k, (gold, grades) in enumerate(zip(raw_windows(batch), _grades(batch), strict=True)):
        try:
            for name, (at_thresholds, iou) in _official_moments(batch, k, gold).items():
                precisions[name][:, k], first[name][k] = at_thresholds, iou
            status[k] = Status.OK
            shown[k] = given_intervals(batch.fields, k)
        except PublicScriptAborts as stop:
            aborts[k], shown[k] = True, stop.shown
            for name in public.LENGTH_RANGES:
                if public.gold_in_range(gold, name):
                    precisions[name][:, k], first[name][k] = 0.0, 0.0
        if predicted is None or grades is None:
            continue
        try:
            for key, value in _official_highlights(predicted[k], grades).items():
                highlights[key][k] = value
        except PublicScriptAborts as stop:
            aborts[k], shown[k] = True, stop.shown
            for column in highlights.values():
                column[k] = 0.0
    scores = dict(highlights)
    for name in public.LENGTH_RANGES:
        scores |= _moment_columns(name, precisions[name], first[name])
    return Reading(
        status=status,
        scores=scores,
        spans=no_spans(size),
        answers=lambda: shown,
        aborts=aborts,
    )


def official_moment_rule(name: str, source: str) -> Rule:
    """What the public script prints, each number of it."""
    return Rule(
        name=name,
        source=source,
        read=_read_official,
        metrics=MOMENT_METRICS,
        missing="dropped",
        denominator="queries of the submission (match_number=False; by default a missing one stops "
        "the script); a subset: those with a gold window of that length",
    )
