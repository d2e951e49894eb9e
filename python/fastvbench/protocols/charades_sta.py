"""Charades-STA: one sentence, one interval (Gao et al., 2017, TALL, arXiv:1705.02101)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.formats import read_text_lines
from fastvbench.intervals import Intervals
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._durations import durations_of
from fastvbench.protocols._gold import Gold
from fastvbench.protocols._grounding_rules import THRESHOLDS, careful_grounding_rule
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._published_grounding import (
    cg_bench_rule,
    lmms_eval_rule,
    time_r1_rule,
    timechat_rule,
    timelens_rule,
    videochat_r1_rule,
    videollama3_rule,
    vtimellm_rule,
)
from fastvbench.protocols._task_plan import VIDEOLLAMA3_ON_VIDEOS, TaskPlan
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH_NAMES = ("under 5 s", "5-10 s", "10 s or longer")
LENGTH_EDGES_SECONDS = (5.0, 10.0)

Row = tuple[str, str, str, tuple[float, float]]  # id, video, sentence, interval as in the file


def _official_lines(path: Path) -> Iterator[Row]:
    """``VIDEO start end##sentence`` lines; ids are line numbers from 0."""
    expected = "VIDEO start end##sentence"
    for line, text in read_text_lines(path):
        head, separator, sentence = text.partition("##")
        parts = head.split()
        if not separator or len(parts) != 3:
            raise InputError(
                "not a Charades-STA line", path=path, line=line, value=text, expected=expected
            )
        try:
            start, end = float(parts[1]), float(parts[2])
        except ValueError:
            raise InputError(
                "not a Charades-STA line", path=path, line=line, value=text, expected=expected
            ) from None
        record = Record({}, str(path), line)
        yield str(line - 1), parts[0], sentence, record.seconds_pair("start end", [start, end])


def _record_rows(source: object) -> Iterator[Row]:
    """JSON records: TimeChat's COCO-style file, VideoLLaMA3's layout, or flat records."""
    number = 0  # the id of a record without one
    for record in annotation_records(source):
        nested = record.values.get("annotations")
        for inner in nested if isinstance(nested, list) else [record.values]:
            if not isinstance(inner, dict):
                raise record.error("wrong type", "annotations", "a list of objects", inner)
            yield _record_row(Record(inner, record.path, record.line), number)
            number += 1


def _record_row(record: Record, number: int) -> Row:
    values = record.values
    times = values.get("timestamp", values.get("timestamps", values.get("interval")))
    if isinstance(times, list) and times and isinstance(times[0], list):
        times = times[0]
    conversation = values.get("conversation")
    if isinstance(conversation, list) and conversation and isinstance(conversation[0], dict):
        sentence = str(conversation[0].get("content", ""))
    else:
        sentence = record.text("caption", "query", "sentence", "question")
    ident = values.get("id", values.get("question_id", number))
    return (
        row_id(ident, record, "id"),
        record.text("image_id", "video", "vid", "video_id"),
        sentence,
        record.seconds_pair("timestamp", times),
    )


def _is_official_text(source: object) -> bool:
    if not isinstance(source, str | os.PathLike):
        return False
    for _, text in read_text_lines(Path(source)):
        return "##" in text and not text.lstrip().startswith(("{", "["))
    return False


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the official text file, or JSON records.

    Gold whose end precedes its start is swapped for `robust` and counted; zero length is kept and
    counted. Published rule sets see the numbers as the file gives them.
    """
    rows = _official_lines(Path(str(source))) if _is_official_text(source) else _record_rows(source)
    ids, videos, sentences, pairs = [], [], [], []
    for ident, video, sentence, pair in rows:
        ids.append(ident)
        videos.append(video)
        sentences.append(sentence)
        pairs.append(pair)
    if not ids:
        raise InputError("holds no annotation", path=source, expected="at least one line")
    raw = np.array(pairs, dtype=np.float64)
    ledger = {
        "gold_reversed_swapped": int((raw[:, 1] < raw[:, 0]).sum()),
        "gold_zero_length": int((raw[:, 1] == raw[:, 0]).sum()),
    }
    durations = durations_of(videos, options.durations, None, ledger)
    ordered = np.sort(raw, axis=1)
    lengths = ordered[:, 1] - ordered[:, 0]
    return Gold(
        ids=ids,
        videos=videos,
        queries=sentences,
        intervals=Intervals(ordered, np.arange(len(ids) + 1)),
        raw_intervals=raw,
        durations=durations,
        strata={"gold_length": Stratum.binned(lengths, LENGTH_EDGES_SECONDS, LENGTH_NAMES)},
        ledger={key: count for key, count in ledger.items() if count},
    )


VIDEOLLAMA3_PROMPT = "{question}Please output the start and end timestamps in seconds."

PROTOCOL = AnswerProtocol(
    name="charades_sta",
    title="Charades-STA",
    citation="Gao et al., 2017, TALL: Temporal Activity Localization via Language Query, "
    "arXiv:1705.02101",
    version=2,
    published_size=3720,
    rules=(
        careful_grounding_rule(
            "robust",
            "a careful reader's intervals, merged on both sides; first interval beside it",
            version=2,
        ),
        videollama3_rule(),
        lmms_eval_rule(),
        timechat_rule(),
        vtimellm_rule(),
        timelens_rule(),
        time_r1_rule(),
        videochat_r1_rule(),
        cg_bench_rule(),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(published={"videollama3": VIDEOLLAMA3_ON_VIDEOS}),
    notes=("Charades annotations are for non-commercial use and not part of this package.",),
    settings={"videollama3": "1 frame per second, at most 180 frames, temperature 0, no sampling"},
    prompts={"videollama3": VIDEOLLAMA3_PROMPT},
    score_fields={"thresholds": THRESHOLDS, "gold_length_edges_seconds": LENGTH_EDGES_SECONDS},
)
