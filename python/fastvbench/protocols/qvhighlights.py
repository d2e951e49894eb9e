"""QVHighlights: moments and highlights of a query (Lei et al., 2021, arXiv:2107.09609)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.answers.rules import qvhighlights_official
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._gold_windows import GoldRows, duration_of, windows_of
from fastvbench.protocols._moment_rules import (
    GRADES,
    SALIENCY_NAMES,
    careful_moment_rule,
    official_moment_rule,
)
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._task_plan import ASK_FOR_INTERVALS, TaskPlan
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._highlight_scores import ClipGrades

MOST_SECONDS = 10_000_000  # of a video with graded clips; four months
CLIP_SECONDS = qvhighlights_official.CLIP_SECONDS
WINDOW_COUNTS = ("one window", "two or three", "four or more")
WINDOW_COUNT_EDGES = (2.0, 4.0)


def _is_grade(value: object) -> bool:
    return isinstance(value, int) and 0 <= value <= 4


def _clip_grades(record: Record, duration: float, ledger: dict[str, int]) -> ClipGrades | None:
    """Grades of every clip by every annotator, 0 where none was given; None without annotation."""
    clips, given = (record.values.get(name) for name in ("relevant_clip_ids", "saliency_scores"))
    if clips is None or given is None or np.isnan(duration):
        return None
    expected = "a list of one grade (0 to 4) per annotator for each of relevant_clip_ids"
    if not isinstance(clips, list) or not isinstance(given, list) or len(clips) != len(given):
        raise record.error("not clip grades", "saliency_scores", expected, given)
    annotators = len(given[0]) if given and isinstance(given[0], list) else 3
    if annotators == 0:
        raise record.error("not clip grades", "saliency_scores", expected, given)
    if duration > MOST_SECONDS:
        raise record.error("too long for grades", "duration", f"<= {MOST_SECONDS:,} s", duration)
    grades = np.zeros((int(duration / CLIP_SECONDS), annotators), np.int8)
    for clip, row in zip(clips, given, strict=True):
        if not isinstance(row, list) or len(row) != annotators or not all(map(_is_grade, row)):
            raise record.error("not clip grades", "saliency_scores", expected, row)
        if isinstance(clip, bool) or not isinstance(clip, int) or clip < 0:
            raise record.error("not a clip", "relevant_clip_ids", "a number from 0", clip)
        if clip < len(grades):
            grades[clip] = row
        else:
            ledger["gold_clip_beyond_video"] = ledger.get("gold_clip_beyond_video", 0) + 1
    return grades


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the official lines: qid, query, duration, vid, windows, clips and their grades."""
    rows = GoldRows()
    grades: list[ClipGrades | None] = []
    ledger: dict[str, int] = {}
    for record in annotation_records(source):
        values = record.values
        duration = duration_of(record, values.get("duration"))
        rows.add(
            row_id(values.get("qid"), record, "qid"),
            record.text("vid"),
            record.text("query"),
            windows_of(record, "relevant_windows"),
            duration,
        )
        grades.append(_clip_grades(record, duration, ledger))
    gold = rows.gold(options.durations)
    gold.ledger |= ledger
    if any(row is not None for row in grades):
        gold.columns[GRADES] = grades
    counts = np.array([len(windows) for windows in rows.windows], np.float64)
    gold.strata = {"gold_windows": Stratum.binned(counts, WINDOW_COUNT_EDGES, WINDOW_COUNTS)}
    return gold


PROTOCOL = AnswerProtocol(
    name="qvhighlights",
    title="QVHighlights",
    citation="Lei et al., 2021, QVHighlights: Detecting Moments and Highlights in Videos via "
    "Natural Language Queries, arXiv:2107.09609",
    version=1,
    published_size=1550,
    rules=(
        careful_moment_rule(
            "robust",
            "the ten highest-scored windows, or those of a text in its order; true IoU, no window "
            "counts 0; highlights with ties as one group, clips without a score last, and only "
            "annotators who grade a clip so high (the public script gives the others 0)",
        ),
        official_moment_rule(
            "official",
            "jayleicn/moment_detr, standalone_eval/eval.py: first listed window for R1, overlap "
            "over hull, first ten windows for mAP, saliency padded with zeros; its numbers are "
            "printed with two decimals",
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(own_prompt=ASK_FOR_INTERVALS),
    notes=(
        "The published size is that of the validation split; the test split has 1,542 queries.",
        "QVHighlights is CC BY-NC-SA 4.0 and not part of this package.",
        "A prompt for models that answer in text: not confirmed.",
    ),
    score_fields={
        "length_ranges": {
            k: list(v) if v else None for k, v in qvhighlights_official.LENGTH_RANGES.items()
        },
        "thresholds": qvhighlights_official.THRESHOLDS,
        "most_windows": qvhighlights_official.MOST_WINDOWS,
        "clip_seconds": CLIP_SECONDS,
        "saliency": SALIENCY_NAMES,
        "window_count_edges": WINDOW_COUNT_EDGES,
    },
)
