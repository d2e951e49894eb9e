"""LVBench: multiple choice on hour-long videos (Wang et al., 2024, arXiv:2406.08035)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers.rules import lmms_eval_2026_08, lmms_eval_pre_1274, videollama3
from fastvbench.protocols._annotations import (
    Record,
    annotation_records,
    clock_seconds,
    length_category,
    row_id,
)
from fastvbench.protocols._choice_rules import (
    careful_choice_rule,
    exact_text_rule,
    letter_function_rule,
)
from fastvbench.protocols._gold import Gold, gold_letter_index, join_key, split_options
from fastvbench.protocols._protocol import Protocol, ScoreOptions
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Mapping

QUESTION_TYPES = (
    "entity recognition",
    "event understanding",
    "key information retrieval",
    "temporal grounding",
    "reasoning",
    "summarization",
)
VIDEO_LENGTH_EDGES_SECONDS = (45 * 60.0, 75 * 60.0 + 1e-6)
VIDEO_LENGTHS = ("under 45 min", "45-75 min", "over 75 min")
EVIDENCE_EDGES_SECONDS = (10.0, 60.0, 600.0)
EVIDENCE_LENGTHS = ("under 10 s", "10-60 s", "1-10 min", "10 min or longer")


class _Columns:
    """Rows as they are read, before they become a Gold."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.videos: list[str] = []
        self.queries: list[str] = []
        self.letters: list[int] = []
        self.options: list[list[str]] = []
        self.question_types: list[list[str]] = []
        self.video_types: list[str | None] = []
        self.evidence_seconds: list[float] = []
        self.duration_seconds: list[float] = []
        self.ledger: dict[str, int] = {}

    def evidence(self, reference: object) -> None:
        """Length of ``mm:ss-mm:ss``; a reversed or unreadable one is unknown, and counted."""
        seconds = float("nan")
        if isinstance(reference, str) and reference:
            first, _, last = reference.partition("-")
            start, end = clock_seconds(first), clock_seconds(last)
            if start is None or end is None:
                self._count("time_reference_unreadable")
            elif end < start:
                self._count("time_reference_reversed")
            else:
                seconds = end - start
        self.evidence_seconds.append(seconds)

    def _count(self, key: str) -> None:
        self.ledger[key] = self.ledger.get(key, 0) + 1

    def gold(self) -> Gold:
        durations = np.array(self.duration_seconds)
        evidence = np.array(self.evidence_seconds)
        return Gold(
            ids=self.ids,
            videos=self.videos,
            queries=self.queries,
            letters=np.array(self.letters, dtype=np.int8),
            options=self.options,
            durations=durations,
            strata={
                "question_type": Stratum.multiple(self.question_types, QUESTION_TYPES),
                "video_type": Stratum.single(self.video_types),
                "video_length": Stratum.single(
                    length_category(durations, VIDEO_LENGTH_EDGES_SECONDS, VIDEO_LENGTHS),
                    VIDEO_LENGTHS,
                ),
                "evidence_length": Stratum.single(
                    length_category(evidence, EVIDENCE_EDGES_SECONDS, EVIDENCE_LENGTHS),
                    EVIDENCE_LENGTHS,
                ),
            },
            ledger=self.ledger,
        )


def _types(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(name) for name in value] if isinstance(value, list) else []


def _add_question(columns: _Columns, record: Record, video: Record, key: str) -> None:
    values = record.values
    question = record.text("question")
    answer = record.text("answer")
    _, options = split_options(question)
    given = values.get("options") or values.get("candidates")
    if not options and isinstance(given, list):
        options = split_options("\n" + "\n".join(map(str, given)))[1] or [str(o) for o in given]
    letter = gold_letter_index(answer, options)
    if letter < 0:
        raise record.error("not one of the options", "answer", "an option letter", answer)
    columns.ids.append(row_id(values.get("uid", values.get("question_id")), record, "uid"))
    columns.videos.append(key)
    columns.queries.append(question)
    columns.letters.append(letter)
    columns.options.append(options)
    columns.question_types.append(_types(values.get("question_type")))
    kind = video.values.get("type")
    columns.video_types.append(kind if isinstance(kind, str) else None)
    info = video.values.get("video_info")
    minutes = info.get("duration_minutes") if isinstance(info, dict) else None
    if isinstance(minutes, int | float) and not isinstance(minutes, bool):
        columns.duration_seconds.append(float(minutes) * 60)
    else:
        columns.duration_seconds.append(float("nan"))
    columns.evidence(values.get("time_reference"))


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read ``video_info.meta.jsonl`` (one video a line, its questions in ``qa``).

    Flat records, one question each, with ``uid``, ``key`` or ``video``, ``question`` and
    ``answer``, are read too.
    """
    del options
    columns = _Columns()
    for record in annotation_records(source):
        questions = record.values.get("qa")
        key = record.text("key", "video", "video_path")
        if questions is None:
            _add_question(columns, record, record, key)
            continue
        if not isinstance(questions, list):
            raise record.error("wrong type", "qa", "a list of questions", questions)
        for question in questions:
            if not isinstance(question, dict):
                raise record.error("wrong type", "qa", "a list of objects", question)
            _add_question(columns, Record(question, record.path, record.line), record, key)
    return columns.gold()


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves (lmms-eval logs)."""
    columns = _Columns()
    known: set[tuple[str, str]] = set()
    empty: list[Any] = [None] * len(fields["gold"])
    for video, query, answer, options, types, kind, reference in zip(
        fields["video"],
        fields["query"],
        fields["gold"],
        *(
            fields.get(name, empty)
            for name in ("options", "question_type", "video_type", "time_reference")
        ),
        strict=True,
    ):
        record = Record({"gold": answer}, None, len(columns.ids) + 1)
        key = join_key(str(video), str(query))
        if key in known:
            continue
        known.add(key)
        texts = [str(option) for option in options or ()]
        stripped = split_options("\n".join(texts))[1] or texts or split_options(str(query))[1]
        letter = gold_letter_index(record.text("gold"), stripped)
        if letter < 0:
            raise record.error("not one of the options", "gold", "an option letter", answer)
        columns.ids.append(f"{key[0]}:{len(columns.ids)}")
        columns.videos.append(key[0])
        columns.queries.append(str(query))
        columns.letters.append(letter)
        columns.options.append(stripped)
        columns.question_types.append(_types(types))
        columns.video_types.append(kind if isinstance(kind, str) else None)
        columns.duration_seconds.append(float("nan"))
        columns.evidence(reference)
    return columns.gold()


PAPER_PROMPT = (
    "{question}\n{options}\nPlease select the best answer to the following options above and "
    "directly provide the letter representing your choice without giving any explanation."
)
CARD_PROMPT = (
    "{question}\n{options}\nPlease select the best answer from the options above and directly "
    "provide the letter representing your choice without giving any explanation."
)
VIDEOLLAMA3_PROMPT = "{question}\nAnswer with the option's letter from the given choices directly."

PROTOCOL = Protocol(
    name="lvbench",
    title="LVBench",
    citation="Wang et al., 2024, LVBench: An Extreme Long Video Understanding Benchmark, "
    "arXiv:2406.08035",
    version=1,
    published_size=1549,
    rules=(
        careful_choice_rule(
            "robust",
            "a careful reader's judgement of each answer, option texts included",
        ),
        careful_choice_rule(
            "paper",
            "evaluation card: extract the letter, divide by all questions; the card leaves the "
            "extraction open, here it reads letters only",
            letters_only=True,
        ),
        exact_text_rule(
            "official",
            "LVBench repository, compute_accuracy: the text must equal the gold letter; questions "
            "absent from the file leave every denominator; a question counts in each of its types",
            missing="dropped",
            denominator="questions present in the prediction file",
        ),
        letter_function_rule(
            "videollama3",
            "VideoLLaMA3, evaluation/benchmarks/lvbench.py: upper-cased, first stand-alone letter",
            videollama3.lvbench_letter,
            missing="dropped",
            denominator="rows of the result file",
            prompt=VIDEOLLAMA3_PROMPT,
        ),
        letter_function_rule(
            "lmms-eval-pre-1274",
            "lmms-eval before pull request 1274 (April 2026): prefixes removed, first A-D anywhere",
            lmms_eval_pre_1274.letter,
            text="filtered",
        ),
        letter_function_rule(
            "lmms-eval-2026-08",
            "lmms-eval as of August 2026: candidates by format priority, then position",
            lmms_eval_2026_08.letter,
            text="filtered",
        ),
    ),
    read_annotations=read_annotations,
    gold_fields=gold_from_fields,
    notes=("Question texts and videos are CC-BY-NC-SA-4.0 and not part of this package.",),
    settings={
        "paper": "1 frame per second, or 32 or 96 frames; temperature not stated",
        "videollama3": "1 frame per second, at most 180 frames, temperature 0, no sampling",
    },
    prompts={"paper": PAPER_PROMPT, "card": CARD_PROMPT, "videollama3": VIDEOLLAMA3_PROMPT},
    score_fields={
        "video_length_edges_seconds": VIDEO_LENGTH_EDGES_SECONDS,
        "evidence_edges_seconds": EVIDENCE_EDGES_SECONDS,
        "question_type": "a question counts in every listed type",
    },
)
