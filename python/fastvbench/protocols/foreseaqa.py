"""ForeSeaQA: surveillance video, text or image+text queries (Park et al., 2026, arXiv:2603.22872).

The benchmark's files are not public, so the record format is this package's own. One JSON object a
line (or a JSON array of them):

    {"id": "q1", "video": "cam3_0412", "question": "When does the red van leave?",
     "options": ["...", "..."], "answer": "B", "interval": [812.0, 840.5],
     "modality": "image+text", "image": "van.png", "task": "temporal localization",
     "duration": 7200}

``answer`` is an option letter; ``interval`` may be null or absent, ``intervals`` may hold several;
``options``, ``modality``, ``image``, ``task`` and ``duration`` may be absent. Predictions carry
``id`` and either one free ``text`` or the fields ``answer`` (text) and ``interval`` ([start, end]
or text).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastvbench.answers import Choices, parse_choice, parse_choice_lazily
from fastvbench.answers.rules import foreseaqa_paper
from fastvbench.core._numbers import as_float
from fastvbench.core._status import Flag
from fastvbench.intervals import Intervals, interval_set_iou
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._choice_rules import choice_scores
from fastvbench.protocols._durations import durations_of
from fastvbench.protocols._gold import Gold, gold_letter_index
from fastvbench.protocols._grounding_rules import (
    THRESHOLDS,
    given_intervals,
    grounding_scores,
    read_intervals,
    robust_ious,
    row_spans,
)
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_run_record
from fastvbench.protocols._task_plan import TaskPlan
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY, Metric, iou_metrics
from fastvbench.results._strata import Stratum

FloatArray = npt.NDArray[np.float64]

MODALITIES = ("text", "image+text")
GROUNDED_THRESHOLDS = (0.3, 0.5)
GROUNDED = tuple(
    Metric(f"grounded_accuracy@{t:g}", f"grounded@{t:g} %") for t in GROUNDED_THRESHOLDS
)
WHOLE_VIDEO = Metric("whole_video_iou", "whole-video mIoU %", unit="iou")
METRICS = (ACCURACY, ANSWERED_ACCURACY, *iou_metrics(THRESHOLDS), *GROUNDED, WHOLE_VIDEO)


def _gold_intervals(record: Record) -> list[tuple[float, float]]:
    several = record.values.get("intervals")
    one = record.values.get("interval")
    if isinstance(several, list):
        return [record.seconds_pair("intervals", pair) for pair in several]
    return [] if one is None else [record.seconds_pair("interval", one)]


def _modality(record: Record) -> str:
    given = record.values.get("modality")
    if given is None:
        return "image+text" if record.values.get("image") else "text"
    if given not in MODALITIES:
        raise record.error("no such modality", "modality", " or ".join(MODALITIES), given)
    return str(given)


def _reference_image(record: Record, modality: str | None) -> str | None:
    """Name of the file of the query's image; None for a query of text, "" for a missing name."""
    value = record.values.get("image")
    if isinstance(value, str) and value:
        return value
    return None if modality == "text" else ""


def _duration(record: Record) -> float:
    value = record.values.get("duration")
    if value is None:
        return float("nan")
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise record.error("not a duration", "duration", "seconds > 0", value)
    return as_float(value)


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the record format above.

    A gold interval whose end precedes its start is swapped for `robust` and counted; `paper` sees
    it as it is.
    """
    gold = Gold(ids=[], videos=[])
    queries: list[str] = []
    options_of: list[list[str]] = []
    letters: list[int] = []
    rows: list[list[tuple[float, float]]] = []
    durations: list[float] = []
    modalities: list[str | None] = []
    tasks: list[str | None] = []
    images: list[str | None] = []
    for record in annotation_records(source):
        listed = record.values.get("options") or []
        if not isinstance(listed, list):
            raise record.error("wrong type", "options", "a list of texts", listed)
        choices = [str(option) for option in listed]
        answer = record.text("answer")
        letter = gold_letter_index(answer, choices)
        if letter < 0:
            raise record.error("not one of the options", "answer", "an option letter", answer)
        gold.ids.append(row_id(record.values.get("id"), record, "id"))
        gold.videos.append(record.text("video"))
        queries.append(str(record.values.get("question") or ""))
        options_of.append(choices)
        letters.append(letter)
        rows.append(_gold_intervals(record))
        durations.append(_duration(record))
        modalities.append(_modality(record))
        task = record.values.get("task")
        tasks.append(task if isinstance(task, str) else None)
        images.append(_reference_image(record, modalities[-1]))
    gold.queries = queries
    gold.options = options_of if any(options_of) else None
    gold.option_count = 26  # without texts, any letter may be meant
    gold.columns["image"] = images
    raw = np.array([row[0] if row else (np.nan, np.nan) for row in rows])
    ordered = [[(min(pair), max(pair)) for pair in row] for row in rows]
    gold.letters = np.array(letters, dtype=np.int8)
    gold.intervals = Intervals.from_rows(ordered)
    gold.raw_intervals = raw
    gold.strata = {
        "modality": Stratum.single(modalities, MODALITIES),
        "task": Stratum.single(tasks),
    }
    counts = {
        "gold_reversed_swapped": sum(pair[1] < pair[0] for row in rows for pair in row),
        "gold_zero_length": sum(pair[1] == pair[0] for row in rows for pair in row),
        "gold_without_interval": sum(not row for row in rows),
    }
    gold.ledger = {key: count for key, count in counts.items() if count}
    gold.durations = durations_of(gold.videos, options.durations, np.array(durations), gold.ledger)
    return gold


def _answer_texts(batch: RuleBatch) -> list[str | None]:
    """The ``answer`` field where the file has one, else the whole text."""
    answers = batch.fields.get("answer")
    if answers is None:
        return batch.texts
    return [
        text if answer is None else str(answer)
        for text, answer in zip(batch.texts, answers, strict=True)
    ]


def _reading(
    batch: RuleBatch,
    choices: Choices,
    ious: FloatArray,
    predicted: Intervals,
    whole_video: FloatArray,
) -> Reading:
    """Letter scores, interval scores, and those of both together."""
    index, status = choices.index, choices.status.copy()
    apply_run_record(batch, status)
    interval_status = predicted.status.copy()
    apply_run_record(batch, interval_status)
    scores = choice_scores(index, batch.gold_letters(), status) | grounding_scores(ious)
    for threshold, metric in zip(GROUNDED_THRESHOLDS, GROUNDED, strict=True):
        grounded = scores[ACCURACY.key] * (ious >= threshold)
        scores[metric.key] = np.where(np.isnan(ious), np.nan, grounded)
    scores[WHOLE_VIDEO.key] = whole_video

    def answers() -> list[object]:
        return [
            {
                "answer": None if letter < 0 else chr(ord("A") + letter),
                "intervals": [list(pair) for pair in row],
            }
            for letter, row in zip(index.tolist(), predicted.rows(), strict=True)
        ]

    spans = np.where(choices.spans[:, :1] >= 0, choices.spans, row_spans(predicted))
    return Reading(
        status=status,
        scores=scores,
        spans=spans,
        answers=answers,
        letters=index,
        interval_status=interval_status,
    )


def _whole_videos(batch: RuleBatch) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Places of the rows whose length and gold are known, and [0, length] of each."""
    gold, durations = batch.gold.raw_intervals, batch.durations()
    assert gold is not None
    assert durations is not None
    places = np.flatnonzero(~np.isnan(durations) & ~np.isnan(gold[batch.rows, 0]))
    return places, np.stack([np.zeros(len(places)), durations[places]], axis=1)


def _choices(batch: RuleBatch) -> Choices:
    texts = _answer_texts(batch)
    if batch.gold.options is None:
        return parse_choice(texts, options=26)
    return parse_choice_lazily(texts, batch.option_counts(), batch.options_of)


def _read_robust(batch: RuleBatch) -> Reading:
    assert batch.gold.intervals is not None
    choices = _choices(batch)
    predicted = read_intervals(batch)
    ious, _ = robust_ious(predicted, batch.gold.intervals, batch.rows)
    places, whole = _whole_videos(batch)
    whole_video = np.full(len(batch), np.nan)
    whole_video[places] = interval_set_iou(whole, batch.gold.intervals.take(batch.rows[places]))
    return _reading(batch, choices, ious, predicted, whole_video)


def _read_paper(batch: RuleBatch) -> Reading:
    assert batch.gold.raw_intervals is not None
    choices = parse_choice(_answer_texts(batch), options=26)
    predicted = read_intervals(batch)
    places, whole = _whole_videos(batch)
    whole_video = np.full(len(batch), np.nan)
    for place, (begin, length) in zip(places.tolist(), whole.tolist(), strict=True):
        start, end = batch.gold.raw_intervals[batch.rows[place]].tolist()
        whole_video[place] = foreseaqa_paper.interval_iou((begin, length), (start, end))
    ious = np.zeros(len(batch))
    for k, row in enumerate(batch.rows.tolist()):
        start, end = batch.gold.raw_intervals[row].tolist()
        if np.isnan(start):
            ious[k] = np.nan
            continue
        pair = _first_as_written(batch, predicted, k)
        if pair is not None:
            ious[k] = foreseaqa_paper.interval_iou(pair, (start, end))
    return _reading(batch, choices, ious, predicted, whole_video)


def _first_as_written(batch: RuleBatch, predicted: Intervals, k: int) -> tuple[float, float] | None:
    """The first interval in the order the model gave its ends: the recipe does not swap."""
    given = given_intervals(batch.fields, k)
    if given:
        return given[0] if np.isfinite(given[0]).all() else None
    first = int(predicted.offsets[k])
    if first == int(predicted.offsets[k + 1]):
        return None
    start, end = predicted.values[first].tolist()
    return (end, start) if predicted.flags[first] & Flag.SWAPPED else (start, end)


OWN_PROMPT = (  # without numbers, which a model would repeat
    "{question}\n{options}\nAnswer with the letter of the right option, then with the start and "
    "end time in seconds of the part of the video that shows it: (LETTER) START - END seconds."
)

PROTOCOL = AnswerProtocol(
    name="foreseaqa",
    title="ForeSeaQA",
    citation="Park et al., 2026, ForeSea: AI Forensic Search with Multi-modal Queries for Video "
    "Surveillance, arXiv:2603.22872",
    version=2,
    published_size=None,
    rules=(
        Rule(
            name="robust",
            source="a careful reader's letter and intervals, from one text or two fields; merged "
            "intervals",
            read=_read_robust,
            metrics=METRICS,
            denominator="all annotated rows; IoU: those with a gold interval",
            version=2,
        ),
        Rule(
            name="paper",
            source="evaluation card: accuracy, and intersection / (last end - first start) of the "
            "first interval, 0 where missing, reversed as the formula gives",
            read=_read_paper,
            metrics=METRICS,
            denominator="all annotated rows; IoU: those with a gold interval",
            version=2,
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(image_column="image", own_prompt=OWN_PROMPT),
    notes=(
        "Not verified against a published scorer: the benchmark's code and data are not public.",
    ),
    score_fields={"thresholds": THRESHOLDS, "grounded_thresholds": GROUNDED_THRESHOLDS},
    contrasts=(
        (ACCURACY.key, "modality", "text", "image+text"),
        ("mean_iou", "modality", "text", "image+text"),
    ),
)
