"""Rule sets of public scorers that people quote for more than one grounding benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.answers.rules import (
    PublicScriptAborts,
    cg_bench,
    lmms_eval_2026_08,
    time_r1,
    timechat,
    timelens,
    videochat_r1,
    videollama3,
    vtimellm,
)
from fastvbench.core._status import Status
from fastvbench.protocols._given_intervals import Pairs, given_intervals
from fastvbench.protocols._gold_windows import raw_windows
from fastvbench.protocols._grounding_rules import interval_function_rule
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, no_spans
from fastvbench.results._metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "cg_bench_rule",
    "lmms_eval_rule",
    "time_r1_rule",
    "timechat_rule",
    "timelens_rule",
    "videochat_r1_rule",
    "videollama3_rule",
    "vtimellm_rule",
]

Interval = tuple[float, float]


def _of_first(iou: Callable[[Interval, Interval], float | None]) -> Callable[..., float | None]:
    """The IoU of the first interval, whatever follows it."""
    return lambda pairs, gold, duration: iou(pairs[0], gold)


def videollama3_rule() -> Rule:
    """VideoLLaMA3: all intervals, summed without merging."""
    return interval_function_rule(
        "videollama3",
        "VideoLLaMA3, evaluation/benchmarks/charades_sta.py: every number range or paired "
        "numbers; overlaps and lengths are summed without merging, so IoU can pass 1",
        videollama3.charades_intervals,
        lambda pairs, gold, duration: videollama3.summed_iou(pairs, gold),
        missing="dropped",
        denominator="rows of the result file",
    )


def lmms_eval_rule() -> Rule:
    """lmms-eval's Charades-STA task."""
    return interval_function_rule(
        "lmms-eval-2026-08",
        "lmms-eval, tasks/charades_sta/utils.py as of August 2026: first interval, hull IoU",
        lmms_eval_2026_08.charades_intervals,
        _of_first(lmms_eval_2026_08.charades_iou),
        text="filtered",
    )


def timechat_rule() -> Rule:
    """TimeChat's parser and scorer, also shipped by VTG-LLM."""
    return interval_function_rule(
        "timechat",
        "TimeChat, utils/format_tvg.py and metrics/tvg/eval_tvg.py: first interval, hull IoU",
        timechat.intervals,
        _of_first(timechat.hull_iou),
        missing="dropped",
        denominator="ids present in the prediction file",
    )


def timelens_rule() -> Rule:
    """TimeLens, and the tasks of that name in lmms-eval."""
    return interval_function_rule(
        "timelens",
        "TimeLens and lmms-eval, tasks/timelens/utils.py: clocks, else ranges, else paired "
        "numbers; first interval as written, hull IoU",
        timelens.intervals,
        _of_first(timelens.hull_iou),
        text="filtered",
        missing="dropped",
        denominator="rows of the result file",
    )


def videochat_r1_rule() -> Rule:
    """VideoChat-R1: the last "a to b" of the text."""
    return interval_function_rule(
        "videochat-r1",
        "VideoChat-R1, src_eval/evaluate_tg.py: the last 'a to b' or 'a and b', hull IoU; a hull "
        "without length leaves the row out",
        _last_range,
        _of_first(videochat_r1.hull_iou),
        missing="dropped",
        denominator="rows that were run",
    )


def time_r1_rule() -> Rule:
    """Time-R1: the last "a to b" of the text; a recall counts what exceeds its threshold."""
    return interval_function_rule(
        "time-r1",
        "Time-R1, evaluate.py and src/vllm_inference/eval_all.py: the last 'a to b' or 'a and b', "
        "hull IoU, which must exceed a threshold",
        _last_range,
        _of_first(time_r1.hull_iou),
        missing="dropped",
        denominator="rows of the result file",
        strict=True,
    )


def _last_range(text: str) -> Pairs:
    pair = videochat_r1.interval(text)
    return [] if pair is None else [pair]


def vtimellm_rule() -> Rule:
    """VTimeLLM: two-digit percent of the duration."""
    return interval_function_rule(
        "vtimellm",
        "VTimeLLM, vtimellm/eval: two-digit percent of the duration; IoU rounded to 2 decimals "
        "before the thresholds",
        _fractions,
        _rounded,
        missing="dropped",
        denominator="lines of the log",
        needs_duration=True,
        from_seconds=_seconds_to_fractions,
    )


def _fractions(text: str) -> Pairs:
    pair = vtimellm.intervals_fraction(text)
    return [] if pair is None else [pair]


def _seconds_to_fractions(pairs: Pairs, duration: float | None) -> Pairs:
    return [(start / duration, end / duration) for start, end in pairs] if duration else []


def _rounded(pairs: Pairs, gold: Interval, duration: float | None) -> float:
    if not duration:
        raise PublicScriptAborts("ZeroDivisionError: the video's duration is zero")
    return vtimellm.rounded_iou(pairs[0], (gold[0] / duration, gold[1] / duration))


CG_BENCH_METRICS = (
    Metric("mean_iou", "mIoU %", unit="iou"),
    Metric("recall@iou", "rec@IoU %"),
)


def _read_cg_bench(batch: RuleBatch) -> Reading:
    size = len(batch)
    ious = np.full(size, np.nan)
    status = np.full(size, Status.NO_NUMBER, dtype=np.uint8)
    shown: list[object] = [None] * size
    durations = batch.durations()
    for k, gold in enumerate(raw_windows(batch)):
        pairs: Pairs | None = given_intervals(batch.fields, k)
        text = batch.texts[k]
        if pairs is None and text is None:
            status[k] = Status.MISSING
            continue
        if pairs is None:
            duration = float("nan") if durations is None else float(durations[k])
            pairs = cg_bench.intervals(text or "", duration)
        if not pairs:
            continue
        status[k], shown[k] = Status.OK, [list(pair) for pair in pairs]
        if gold:
            value = cg_bench.merged_iou(pairs, gold)
            ious[k] = 0.0 if np.isnan(value) else value
    above = [ious > threshold for threshold in cg_bench.THRESHOLDS]
    recall = np.where(np.isnan(ious), np.nan, np.mean(above, axis=0))
    return Reading(
        status=status,
        scores={"mean_iou": ious, "recall@iou": recall},
        spans=no_spans(size),
        answers=lambda: shown,
    )


def cg_bench_rule() -> Rule:
    """CG-Bench: a JSON block or all numbers in pairs, merged on both sides."""
    return Rule(
        name="cg-bench",
        source="VLMEvalKit, dataset/utils/cgbench.py: a JSON block, else all numbers in pairs; "
        "merged IoU, recall above 0.1 to 0.5 (its mean is rounded to 4 decimals a threshold)",
        read=_read_cg_bench,
        metrics=CG_BENCH_METRICS,
        missing="dropped",
        denominator="rows with two numbers or more",
        options={"thresholds": cg_bench.THRESHOLDS},
    )
