"""LVBench: multiple choice on hour-long videos (Wang et al., 2024, arXiv:2406.08035)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers.rules import lmms_eval_2026_08, lmms_eval_pre_1274, videollama3
from fastvbench.core._numbers import as_float
from fastvbench.protocols._annotations import (
    Record,
    annotation_records,
    clock_seconds,
    row_id,
)
from fastvbench.protocols._choice_rules import (
    careful_choice_rule,
    exact_text_rule,
    letter_function_rule,
)
from fastvbench.protocols._durations import durations_of
from fastvbench.protocols._gold import (
    ALPHABET,
    LETTER_INDEX,
    Gold,
    OptionsOfQuestions,
    gold_letter_index,
    join_key,
    split_options,
)
from fastvbench.protocols._groups import rows_in_orders
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._task_plan import (
    LETTERED_IN_BRACKETS,
    VIDEOLLAMA3_ON_VIDEOS,
    PublishedSettings,
    TaskPlan,
)
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

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

DEFAULT_OPTION_COUNT = 4


class _Columns:
    """Rows as they are read, before they become a Gold."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.videos: list[str] = []
        self.queries: list[str] = []
        self.letters: list[int] = []
        self.options: list[list[str]] | None = None  # None: they stand in the questions
        self.counts: list[int] = []  # of options, while they stand in the questions
        self.question_types: list[tuple[str, ...]] = []
        self.video_types: list[object] = []
        self.references: list[object] = []
        self.duration_seconds: list[float] = []
        self.orders: list[object] = []

    def _options(self) -> Sequence[list[str]] | None:
        if self.options is None:
            return OptionsOfQuestions(self.queries)
        return self.options if any(self.options) else None

    def _counts(self) -> list[int]:
        if self.options is None:
            return self.counts
        # Without known options a question has four, or more where its answer says so.
        return [
            len(options) or max(DEFAULT_OPTION_COUNT, letter + 1)
            for options, letter in zip(self.options, self.letters, strict=True)
        ]

    def gold(self, durations_path: Path | None = None) -> Gold:
        ledger: dict[str, int] = {}
        known = np.array(self.duration_seconds)
        durations = durations_of(self.videos, durations_path, known, ledger)
        assert durations is not None
        evidence = [_evidence(reference) for reference in self.references]
        ends = np.array([each[:2] for each in evidence], np.float64).reshape(-1, 2)
        seconds = ends[:, 1] - ends[:, 0]
        reasons = [reason for *_, reason in evidence if reason]
        ordered = rows_in_orders(self.ids, self.orders)
        return Gold(
            ids=ordered.ids,
            groups=ordered.groups,
            videos=self.videos,
            queries=self.queries,
            letters=np.array(self.letters, dtype=np.int8),
            options=self._options(),
            counts=np.array(self._counts(), dtype=np.int32),
            durations=durations,
            evidence=ends,
            strata={
                "question_type": Stratum.multiple(self.question_types, QUESTION_TYPES),
                "video_type": Stratum.single(
                    [kind if isinstance(kind, str) else None for kind in self.video_types]
                ),
                "video_length": Stratum.binned(
                    durations, VIDEO_LENGTH_EDGES_SECONDS, VIDEO_LENGTHS
                ),
                "evidence_length": Stratum.binned(
                    seconds, EVIDENCE_EDGES_SECONDS, EVIDENCE_LENGTHS
                ),
            },
            ledger=ledger | {reason: reasons.count(reason) for reason in sorted(set(reasons))},
        )


@lru_cache(maxsize=65_536)
def _read_reference(reference: str) -> tuple[float, float, str]:
    first, _, last = reference.partition("-")
    start, end = clock_seconds(first), clock_seconds(last)
    if start is None or end is None:
        return np.nan, np.nan, "time_reference_unreadable"
    if end < start:
        return np.nan, np.nan, "time_reference_reversed"
    return start, end, ""


def _evidence(reference: object) -> tuple[float, float, str]:
    """Ends of ``mm:ss-mm:ss`` in seconds and ``""``, or NaN and why: bad ones are counted."""
    if isinstance(reference, str) and reference:
        return _read_reference(reference)
    return np.nan, np.nan, ""


def _types(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _letter(answer: str, question: str, given: object) -> tuple[int, list[str]]:
    """Option of a gold answer (-1: none), and option texts that stand beside the question."""
    listed = [str(option) for option in given] if isinstance(given, list) else []
    if listed:
        listed = split_options("\n".join(listed))[1] or listed
    return gold_letter_index(answer, listed or split_options(question)[1]), listed


def _has_lines_in_order(question: str, count: int) -> bool:
    """Whether lines start with ``(A)``, ``(B)`` ... in this order, up to letter number `count`."""
    place = 0
    for letter in ALPHABET[:count]:
        place = question.find(f"\n({letter})", place)
        if place < 0:
            return False
    return True


def _add_plain_question(columns: _Columns, values: Mapping[str, Any]) -> bool:
    """Add a question in the usual layout; False, with nothing added, for any other."""
    question, answer, ident = values.get("question"), values.get("answer"), values.get("uid")
    if type(question) is not str or type(ident) is not str or type(answer) is not str:
        return False
    letter = LETTER_INDEX.get(answer)
    count = question.count("\n(")
    if (
        letter is None
        or columns.options is not None
        or not letter < count <= 26
        or not _has_lines_in_order(question, count)  # else some option's text has such a line
    ):
        return False
    columns.counts.append(count)
    columns.ids.append(ident)
    columns.queries.append(question)
    columns.letters.append(letter)
    columns.question_types.append(_types(values.get("question_type")))
    columns.references.append(values.get("time_reference"))
    columns.orders.append(values.get("order"))
    return True


def _add_question(columns: _Columns, record: Record) -> None:
    """Add a question of any layout that can be made out.

    Raises:
        InputError: a field is missing, or the answer is not one of the options.
    """
    values = record.values
    question, answer = record.text("question"), record.text("answer")
    ident = row_id(values.get("uid", values.get("question_id")), record, "uid")
    letter, listed = _letter(answer, question, values.get("options") or values.get("candidates"))
    if letter < 0:
        raise record.error("not one of the options", "answer", "an option letter", answer)
    if columns.options is None:
        columns.options = [split_options(q)[1] for q in columns.queries]
    columns.ids.append(ident)
    columns.queries.append(question)
    columns.letters.append(letter)
    columns.question_types.append(_types(values.get("question_type")))
    columns.references.append(values.get("time_reference"))
    columns.orders.append(values.get("order"))
    columns.options.append(listed or split_options(question)[1])


def _add_video(columns: _Columns, record: Record, key: str, question_count: int) -> None:
    values = record.values
    info = values.get("video_info")
    minutes = info.get("duration_minutes") if isinstance(info, dict) else None
    seconds = np.nan
    if isinstance(minutes, int | float) and not isinstance(minutes, bool):
        seconds = as_float(minutes) * 60
    columns.videos.extend([key] * question_count)
    columns.video_types.extend([values.get("type")] * question_count)
    columns.duration_seconds.extend([seconds] * question_count)


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read ``video_info.meta.jsonl`` (one video a line, its questions in ``qa``).

    Flat records, one question each, with ``uid``, ``key`` or ``video``, ``question`` and
    ``answer``, are read too.
    """
    columns = _Columns()
    for record in annotation_records(source):
        questions = record.values.get("qa", [record.values])
        if not isinstance(questions, list):
            raise record.error("wrong type", "qa", "a list of questions", questions)
        for question in questions:
            if not isinstance(question, dict):
                raise record.error("wrong type", "qa", "a list of objects", question)
            if not _add_plain_question(columns, question):
                _add_question(columns, Record(question, record.path, record.line))
        _add_video(columns, record, record.text("key", "video", "video_path"), len(questions))
    return columns.gold(options.durations)


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves: a row an id, or a video and question.

    lmms-eval logs name video and question; its sample files have only ids, and then every
    row is a video of its own.
    """
    columns = _Columns()
    columns.options = []
    known: set[object] = set()
    absent: list[Any] = [None] * len(fields["gold"])
    names = ("video", "query", "options", "question_type", "video_type", "time_reference", "order")
    for ident, answer, video, query, options, types, kind, reference, order in zip(
        fields["id"],
        fields["gold"],
        *(fields.get(name, absent) for name in names),
        strict=True,
    ):
        record = Record({"gold": answer}, None, len(columns.ids) + 1)
        key = join_key(str(video), str(query)) if ident is None else (ident, order)
        if key in known:
            continue
        known.add(key)
        letter, listed = _letter(record.text("gold"), str(query), options)
        if letter < 0:
            raise record.error("not one of the options", "gold", "an option letter", answer)
        columns.ids.append(f"{key[0]}:{len(columns.ids)}" if ident is None else ident)
        columns.videos.append(columns.ids[-1] if video is None else join_key(str(video), "")[0])
        columns.queries.append("" if query is None else str(query))
        columns.letters.append(letter)
        columns.options.append(listed or split_options(str(query))[1])
        columns.question_types.append(_types(types))
        columns.video_types.append(kind)
        columns.duration_seconds.append(np.nan)
        columns.references.append(reference)
        columns.orders.append(order)
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

FRAME_POLICIES = ("uniform:96", "uniform:32", "fps:1,max=none")

PROTOCOL = AnswerProtocol(
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
    tasks=TaskPlan(
        option_line=LETTERED_IN_BRACKETS,
        options_belong_to_question=True,
        published={
            "paper": PublishedSettings(frame_policies=FRAME_POLICIES),
            "card": PublishedSettings(frame_policies=FRAME_POLICIES),
            "videollama3": VIDEOLLAMA3_ON_VIDEOS,
        },
        option_count=4,
    ),
    gold_fields=gold_from_fields,
    submission="lvbench-submission",
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
