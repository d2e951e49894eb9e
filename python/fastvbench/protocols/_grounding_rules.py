"""Rule sets that read time intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from fastvbench.answers import parse_timestamps
from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.core._status import Status
from fastvbench.intervals import Intervals, interval_set_iou, temporal_iou
from fastvbench.protocols._given_intervals import (
    GivenColumn,
    Pairs,
    given_column,
    given_intervals,
    merged,
)
from fastvbench.protocols._prompt_echoes import without_echoes
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_run_record, no_spans
from fastvbench.results._metrics import Metric, iou_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "THRESHOLDS",
    "Pairs",
    "ReadIntervals",
    "careful_grounding_rule",
    "given_intervals",
    "grounding_scores",
    "interval_function_rule",
    "read_intervals",
    "read_rows",
    "robust_ious",
    "row_spans",
]

FloatArray = npt.NDArray[np.float64]

THRESHOLDS = (0.3, 0.5, 0.7)


def grounding_scores(
    ious: FloatArray, prefix: str = "", *, strict: bool = False
) -> dict[str, FloatArray]:
    """``mean_iou`` and ``recall@t`` columns; rows of NaN stay NaN.

    Args:
        ious: float64[k].
        prefix: of the columns' keys.
        strict: an IoU must exceed a threshold, not reach it.
    """
    scores = {f"{prefix}mean_iou": ious}
    for threshold in THRESHOLDS:
        reached = ious > threshold if strict else ious >= threshold
        scores[f"{prefix}recall@{threshold:g}"] = np.where(np.isnan(ious), np.nan, reached)
    return scores


def _as_text(batch: RuleBatch, k: int) -> str | None:
    """The text that holds row k's times: its interval field where the file has one as text."""
    for name in ("intervals", "interval"):
        column = batch.fields.get(name)
        if column is not None and isinstance(column[k], str):
            return str(column[k])
    return batch.texts[k]


@dataclass(slots=True)
class ReadIntervals:
    """The careful reading of every row of a batch.

    Attributes:
        intervals: one row each.
        given: the rows that were read from numbers, whose intervals stand in the file's order;
            None where there are none.
    """

    intervals: Intervals
    given: GivenColumn | None


def read_rows(batch: RuleBatch) -> ReadIntervals:
    """The careful reading of every row: from the numbers that the file holds, else its text.

    A row none of whose numbers can be used (some tools write a placeholder where they found
    nothing) is read from its text where it has one.
    """
    durations = batch.durations()
    given = given_column(batch.fields, durations)
    if given is None:
        has_field = any(name in batch.fields for name in ("intervals", "interval"))
        texts = [_as_text(batch, k) for k in range(len(batch))] if has_field else batch.texts
        return ReadIntervals(parse_timestamps(texts, durations=durations), None)
    useless = np.isin(given.intervals.status, (Status.OUT_OF_RANGE, Status.NOT_FINITE))
    useless &= np.array([batch.texts[k] is not None for k in given.places.tolist()], np.bool_)
    if useless.any():
        given = given.without(useless)
    others = np.setdiff1d(np.arange(len(batch)), given.places, assume_unique=True)
    if not len(others):
        return ReadIntervals(given.intervals, given)
    read = parse_timestamps(
        [_as_text(batch, k) for k in others.tolist()],
        durations=None if durations is None else durations[others],
    )
    parts = [(given.places, given.intervals), (others, read)]
    return ReadIntervals(merged(parts, len(batch)), given)


def read_intervals(batch: RuleBatch) -> Intervals:
    """The careful reading of every row, from its interval field or else its text."""
    return read_rows(batch).intervals


def row_spans(intervals: Intervals) -> npt.NDArray[np.int64]:
    """int64[n, 2]: from the first to the last byte that made any interval of the row."""
    spans = no_spans(len(intervals))
    filled = np.diff(intervals.offsets) > 0
    if filled.any():
        starts = intervals.offsets[:-1][filled]
        spans[filled, 0] = np.minimum.reduceat(intervals.spans[:, 0], starts)
        spans[filled, 1] = np.maximum.reduceat(intervals.spans[:, 1], starts)
    return spans


def robust_ious(
    predicted: Intervals, gold: Intervals, rows: npt.NDArray[np.int64]
) -> tuple[FloatArray, FloatArray]:
    """IoU of merged sets, and of the first interval alone, with each row's gold.

    Returns:
        Two float64[k]; 0 where nothing was read, NaN where the row has no gold interval.
    """
    wanted = gold.take(rows)
    without_gold = np.diff(wanted.offsets) == 0
    merged = interval_set_iou(predicted, wanted)
    merged[without_gold] = np.nan
    filled = np.diff(predicted.offsets) > 0
    first = np.zeros(len(predicted))
    first[without_gold] = np.nan
    both = filled & ~without_gold
    first[both] = temporal_iou(
        predicted.values[predicted.offsets[:-1][both]], wanted.values[wanted.offsets[:-1][both]]
    )
    return merged, first


def _json_rows(intervals: Intervals) -> list[object]:
    return [[list(pair) for pair in row] or None for row in intervals.rows()]


def careful_grounding_rule(name: str, source: str, *, version: int = 1) -> Rule:
    """Parsed, swapped, clamped, merged; every row with a gold interval is in the denominator."""
    first = tuple(
        Metric(f"first_{m.key}", f"first {m.title}", m.unit) for m in iou_metrics(THRESHOLDS)
    )

    def read(batch: RuleBatch) -> Reading:
        batch = batch.with_texts(without_echoes(batch.texts))
        gold = batch.gold.intervals
        if gold is None:
            raise ValueError("a grounding rule needs gold intervals")
        predicted = read_intervals(batch)
        status = predicted.status.copy()
        apply_run_record(batch, status)
        merged_iou, first_iou = robust_ious(predicted, gold, batch.rows)
        return Reading(
            status=status,
            scores=grounding_scores(merged_iou) | grounding_scores(first_iou, "first_"),
            spans=row_spans(predicted),
            answers=lambda: _json_rows(predicted),
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=iou_metrics(THRESHOLDS) + first,
        denominator="all annotated rows that have a gold interval",
        version=version,
    )


def interval_function_rule(
    name: str,
    source: str,
    intervals: Callable[[str], Sequence[tuple[float, float]]],
    iou: Callable[[Pairs, tuple[float, float], float | None], float | None],
    *,
    missing: Literal["wrong", "dropped"] = "wrong",
    denominator: str = "all annotated rows",
    text: Literal["raw", "filtered"] = "raw",
    version: int = 1,
    needs_duration: bool = False,
    from_seconds: Callable[[Pairs, float | None], Pairs] | None = None,
    strict: bool = False,
) -> Rule:
    """A published parser and its IoU, text by text.

    Args:
        name: name of the rule set.
        source: the public scorer.
        intervals: text to intervals; may raise PublicScriptAborts.
        iou: intervals (never empty), gold (start, end) as the file gives it, duration in seconds
            (None where unknown), to IoU; None where the script leaves the row out; may raise
            PublicScriptAborts.
        missing: see Rule.
        denominator: in words.
        text: see Rule.
        version: see Rule.
        needs_duration: rows of unknown duration have no score.
        from_seconds: brings intervals that a file holds as numbers, in seconds, to the unit that
            `intervals` returns; None where that is seconds.
        strict: a recall counts an IoU above its threshold only.
    """
    options: dict[str, object] = {"needs_duration": needs_duration}
    if strict:
        options["strict"] = True

    def read(batch: RuleBatch) -> Reading:
        gold = batch.gold.raw_intervals
        if gold is None:
            raise ValueError("a grounding rule needs gold intervals")
        durations = batch.durations()
        ious = np.zeros(len(batch))
        status = np.full(len(batch), Status.NO_NUMBER, dtype=np.uint8)
        aborts = np.zeros(len(batch), dtype=np.bool_)
        shown: list[object] = [None] * len(batch)
        for k, (row, answer) in enumerate(zip(batch.rows.tolist(), batch.texts, strict=True)):
            start, end = gold[row].tolist()
            has_gold = not np.isnan(start)  # else the row is not in the denominator
            if not has_gold:
                ious[k] = np.nan
            duration = None if durations is None or np.isnan(durations[k]) else float(durations[k])
            if needs_duration and duration is None:
                ious[k], status[k] = np.nan, Status.NO_DURATION
                continue
            given = given_intervals(batch.fields, k)
            if given is None and answer is None:
                status[k] = Status.MISSING
                continue
            try:
                if given is None:
                    pairs = list(intervals(answer or ""))
                else:
                    pairs = given if from_seconds is None else from_seconds(given, duration)
                if pairs:
                    status[k] = Status.OK
                    shown[k] = [list(pair) for pair in pairs]
                    if has_gold:
                        value = iou(pairs, (start, end), duration)
                        if value is None:
                            ious[k] = np.nan
                            continue
                        if np.isnan(value):  # one NaN makes the script's whole mean NaN
                            raise PublicScriptAborts("its mean becomes NaN")
                        ious[k] = value + 0.0  # -0.0 becomes 0.0
            except PublicScriptAborts as stop:
                aborts[k] = True
                shown[k] = stop.shown
        return Reading(
            status=status,
            scores=grounding_scores(ious, strict=strict),
            spans=no_spans(len(batch)),
            answers=lambda: shown,
            aborts=aborts,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=iou_metrics(THRESHOLDS),
        missing=missing,
        denominator=denominator,
        text=text,
        version=version,
        options=options,
    )
