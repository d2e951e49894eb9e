"""ActivityNet Captions as temporal grounding: one sentence, one interval (Krishna et al., 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers.rules import timelens
from fastvbench.core._status import Flag, Status
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._given_intervals import given_intervals
from fastvbench.protocols._gold_windows import GoldRows, duration_of, listed_windows
from fastvbench.protocols._grounding_rules import (
    THRESHOLDS,
    careful_grounding_rule,
    grounding_scores,
    read_intervals,
)
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._published_grounding import (
    cg_bench_rule,
    time_r1_rule,
    timelens_rule,
    videochat_r1_rule,
    vtimellm_rule,
)
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, no_spans
from fastvbench.protocols._task_plan import ASK_FOR_INTERVAL, TaskPlan
from fastvbench.results._metrics import iou_metrics
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.intervals import Intervals
    from fastvbench.protocols._gold import Gold

LENGTH_NAMES = ("under 10 s", "10-30 s", "30-60 s", "60 s or longer")
LENGTH_EDGES_SECONDS = (10.0, 30.0, 60.0)
SHARE_NAMES = ("under a quarter", "a quarter to a half", "half or more", "whole video")
SHARE_EDGES = (0.25, 0.5, 1.0)

_TIMES = ("timestamps", "spans")  # TimeLens' layout has spans and queries
_SENTENCES = ("sentences", "queries")


def _video_records(source: object) -> Iterator[tuple[str, Record]]:
    """The object of each video in ``{video: {duration, timestamps, sentences}}``."""
    records = [source] if isinstance(source, Mapping) else source
    for record in annotation_records(records):
        if any(name in record.values for name in (*_SENTENCES, "sentence", "query", "caption")):
            yield "", record  # a record of its own, not a map of videos
            continue
        for video, values in record.values.items():
            if not isinstance(values, dict):
                raise record.error("not a video", video, "duration, timestamps, sentences", values)
            yield video, Record(values, record.path, record.line)


def _listed(record: Record, names: tuple[str, ...]) -> list[Any]:
    found = next((name for name in names if name in record.values), names[0])
    value = record.values.get(found)
    if not isinstance(value, list):
        raise record.error("wrong type", found, "a list", value)
    return value


def _add_video(rows: GoldRows, video: str, record: Record) -> None:
    times, sentences = _listed(record, _TIMES), _listed(record, _SENTENCES)
    if len(times) != len(sentences):
        expected = f"as many as there are timestamps, {len(times)}"
        raise record.error("lengths differ", "sentences", expected, f"{len(sentences)} sentences")
    duration = duration_of(record, record.values.get("duration"))
    for number, (pair, sentence) in enumerate(zip(times, sentences, strict=True)):
        if not isinstance(sentence, str):
            raise record.error("wrong type", "sentences", "texts", sentence)
        window = [record.seconds_pair("timestamps", pair)]
        rows.add(f"{video}_{number}", video, sentence, window, duration)


def _add_row(rows: GoldRows, record: Record) -> None:
    values = record.values
    times = next(
        (values[name] for name in ("timestamp", "interval", *_TIMES) if name in values), None
    )
    rows.add(
        row_id(values.get("id", values.get("qid")), record, "id"),
        record.text("video", "video_id", "vid"),
        record.text("sentence", "query", "caption"),
        listed_windows(record, "timestamp", times)[:1],
        duration_of(record, values.get("duration")),
    )


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the official map of videos, TimeLens' one, or flat records.

    Ids are the video's name, an underscore and the sentence's number from 0 (``v_xxx_0``), unless
    records bring their own.
    """
    rows = GoldRows()
    for video, record in _video_records(source):
        if any(name in record.values for name in _SENTENCES):
            _add_video(rows, video or record.text("video", "video_id", "vid"), record)
        else:
            _add_row(rows, record)
    gold = rows.gold(options.durations)
    assert gold.intervals is not None
    lengths = np.full(len(gold), np.nan)
    filled = np.diff(gold.intervals.offsets) > 0
    firsts = gold.intervals.values[gold.intervals.offsets[:-1][filled]]
    lengths[filled] = firsts[:, 1] - firsts[:, 0]
    gold.strata = {"gold_length": Stratum.binned(lengths, LENGTH_EDGES_SECONDS, LENGTH_NAMES)}
    if gold.durations is not None:
        shares = lengths / gold.durations
        gold.strata["gold_share"] = Stratum.binned(shares, SHARE_EDGES, SHARE_NAMES)
    return gold


def _first_as_written(batch: RuleBatch, predicted: Intervals, k: int) -> tuple[float, float] | None:
    given = given_intervals(batch.fields, k)
    if given:
        return given[0] if np.isfinite(given[0]).all() else None
    first = int(predicted.offsets[k])
    if first == int(predicted.offsets[k + 1]):
        return None
    start, end = predicted.values[first].tolist()
    return (end, start) if predicted.flags[first] & Flag.SWAPPED else (start, end)


def _read_convention(batch: RuleBatch) -> Reading:
    assert batch.gold.raw_intervals is not None
    predicted = read_intervals(batch)
    ious = np.zeros(len(batch))
    shown: list[object] = [None] * len(batch)
    status = predicted.status.copy()
    for k, (start, end) in enumerate(batch.gold.raw_intervals[batch.rows].tolist()):
        pair = _first_as_written(batch, predicted, k)
        if pair is not None:
            status[k], shown[k] = Status.OK, list(pair)
            ious[k] = timelens.hull_iou(pair, (start, end))
        if np.isnan(start):
            ious[k] = np.nan
    return Reading(
        status=status,
        scores=grounding_scores(ious),
        spans=no_spans(len(batch)),
        answers=lambda: shown,
    )


PROTOCOL = AnswerProtocol(
    name="activitynet_captions",
    title="ActivityNet Captions grounding",
    citation="Krishna et al., 2017, Dense-Captioning Events in Videos, arXiv:1705.00754",
    version=1,
    published_size=17_505,
    rules=(
        careful_grounding_rule(
            "robust",
            "a careful reader's intervals, merged on both sides; first interval beside it",
            version=2,
        ),
        Rule(
            name="official",
            source="the community's convention since TALL, for ActivityNet Captions publishes no "
            "scorer of its own for grounding: the first interval as written, overlap over hull, "
            "reached at 0.3, 0.5 and 0.7",
            read=_read_convention,
            metrics=iou_metrics(THRESHOLDS),
            denominator="all annotated sentences",
        ),
        vtimellm_rule(),
        timelens_rule(),
        time_r1_rule(),
        videochat_r1_rule(),
        cg_bench_rule(),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(own_prompt=ASK_FOR_INTERVAL),
    notes=(
        "The published size is that of val_1; val_2 has 17,031 sentences.",
        "Prompts and frame policies of its published results: not confirmed.",
    ),
    score_fields={
        "thresholds": THRESHOLDS,
        "gold_length_edges_seconds": LENGTH_EDGES_SECONDS,
        "gold_share_edges": SHARE_EDGES,
    },
)
