"""ChartQA: questions on charts, by people and machines (Masry et al., 2022, arXiv:2203.10244)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.answers.rules import (
    lmms_eval_images,
    pix2struct,
    videollama3_images,
    vlmevalkit_images,
)
from fastvbench.core._status import Status
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._answers import record_answers, row_names
from fastvbench.protocols._careful_answers import careful_relaxed_rule
from fastvbench.protocols._gold import Gold
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._short_answer_rules import (
    RELAXED_ACCURACY,
    AnswerScore,
    card_rule,
    text_score_rule,
)
from fastvbench.protocols._task_plan import VIDEOLLAMA3_ON_IMAGES, TaskPlan
from fastvbench.results._metrics import macro_mean
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fastvbench.protocols._rule import Reading, Rule, RuleBatch

SPLITS = ("human", "augmented")
# What files call the two halves; Hugging Face's second copy numbers them.
_SPLIT_WORDS = {"human": "human", "augmented": "augmented", "machine": "augmented"}
_SPLIT_NUMBERS = {0: "human", 1: "augmented"}
_ID_FIELDS = ("id", "question_id", "questionId", "index")
MACRO = macro_mean(RELAXED_ACCURACY, "split")


class _Columns:
    """Rows as they are read, before they become a Gold."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.charts: list[str] = []
        self.questions: list[str] = []
        self.answers: list[list[str]] = []
        self.splits: list[str | None] = []

    def add(
        self, ident: str, chart: object, question: object, answers: list[str], split: str | None
    ) -> None:
        """Add a question; one whose chart is not known has a chart of its own."""
        self.ids.append(ident)
        self.charts.append(chart if isinstance(chart, str) and chart else ident)
        self.questions.append("" if question is None else str(question))
        self.answers.append(answers)
        self.splits.append(split)

    def gold(self) -> Gold:
        return Gold(
            ids=self.ids,
            videos=self.charts,
            queries=self.questions,
            answers=self.answers,
            strata={"split": Stratum.single(self.splits, SPLITS)},
        )


def _split(*values: object) -> str | None:
    """The half that the first telling one of some values names."""
    for value in values:
        if isinstance(value, int | float) and value in _SPLIT_NUMBERS:
            return _SPLIT_NUMBERS[int(value)]
        if isinstance(value, str):
            found = next((s for word, s in _SPLIT_WORDS.items() if word in value.lower()), None)
            if found is not None:
                return found
    return None


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the official files (one of them, or their folder), or rows of the public copies.

    Rows have ``imgname``, ``query`` and ``label``, or ``image``, ``question`` and ``answer``.
    Without ids of their own they count from 0, the files of a folder in the order of their names.
    The half that a question belongs to stands in the row, else in the file's name. Questions of
    one chart form a cluster.
    """
    columns = _Columns()
    for number, record in enumerate(annotation_records(source)):
        values = record.values
        ident = next((values[f] for f in _ID_FIELDS if values.get(f) is not None), number)
        named = ("split", "type", "human_or_machine", "task_type")
        file_name = None if record.path is None else Path(record.path).name
        columns.add(
            row_id(ident, record, "id"),
            values.get("imgname", values.get("image")),
            record.text("query", "question"),
            record_answers(record, "label", "answer", "answers", without_gold=options.without_gold),
            _split(*map(values.get, named), file_name),
        )
    return columns.gold()


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that lmms-eval, VLMEvalKit and VideoLLaMA3 files carry themselves."""
    columns = _Columns()
    absent: list[Any] = [None] * len(fields["gold"])
    names = ("video", "query", "split", "video_type", "question_type")
    known: set[str] = set()
    for name, gold, chart, question, *named in zip(
        row_names(fields),
        fields["gold"],
        *(fields.get(field, absent) for field in names),
        strict=True,
    ):
        if name in known:
            continue
        known.add(name)
        record = Record({"gold": gold}, None, len(columns.ids) + 1)
        answers = record_answers(record, "gold", without_gold=False)
        columns.add(name, chart, question, answers, _split(*named))
    return columns.gold()


def _videollama3(text: str, answers: Sequence[str]) -> AnswerScore:
    match = videollama3_images.chartqa_match(text, answers)
    if match is None:
        return AnswerScore(0.0, Status.NEEDS_JUDGE, text)
    return AnswerScore(float(match), read=text)


def _with_recorded_verdicts(rule: Rule) -> Rule:
    """The rule set with the verdicts that the file itself records, where a caller gives none."""

    def read(batch: RuleBatch) -> Reading:
        recorded = batch.fields.get("recorded_verdict")
        if recorded is not None:
            given = batch.verdicts or [None] * len(batch)
            merged = [r if v is None else v for v, r in zip(given, recorded, strict=True)]
            batch = replace(batch, verdicts=merged)
        return rule.read(batch)

    return replace(rule, read=read)


def _rule(
    name: str, source: str, score: Callable[[str, Sequence[str]], float], **options: Any
) -> Rule:
    rule = text_score_rule(name, source, score, RELAXED_ACCURACY, **options)
    return replace(rule, metrics=(RELAXED_ACCURACY, MACRO))


VIDEOLLAMA3_PROMPT = "{question}\nAnswer the question using a single word or phrase."

PROTOCOL = AnswerProtocol(
    name="chartqa",
    title="ChartQA",
    citation="Masry et al., 2022, ChartQA: A Benchmark for Question Answering about Charts with "
    "Visual and Logical Reasoning, arXiv:2203.10244",
    version=1,
    published_size=2500,
    rules=(
        replace(
            careful_relaxed_rule(
                "robust",
                "a careful reader's short answer: numbers within 5 %, years and texts exact",
            ),
            metrics=(RELAXED_ACCURACY, MACRO),
        ),
        card_rule(),
        _rule(
            "official",
            "pix2struct, metrics.py: relaxed_correctness, from which the other stacks derive "
            "theirs; a scorer of the data set's own repository: not confirmed",
            pix2struct.relaxed_accuracy,
        ),
        _with_recorded_verdicts(
            replace(
                text_score_rule(
                    "videollama3",
                    "VideoLLaMA3, evaluation/benchmarks/chartqa.py: also 100 times too large or "
                    "too small; other mismatches are put to a GPT; overall is the mean of the "
                    "halves",
                    _videollama3,
                    RELAXED_ACCURACY,
                    missing="dropped",
                    denominator="rows of the result file",
                ),
                metrics=(MACRO, RELAXED_ACCURACY),
            )
        ),
        _rule(
            "lmms-eval-2026-08",
            "lmms-eval, tasks/chartqa/utils.py as of August 2026: pix2struct's, untrimmed",
            lmms_eval_images.relaxed_accuracy,
            text="filtered",
        ),
        _rule(
            "vlmevalkit",
            "VLMEvalKit, dataset/utils/vqa_eval.py as of August 2026: pix2struct's, trimmed; an "
            "absent prediction is the text 'nan'",
            vlmevalkit_images.relaxed_accuracy,
            absent=vlmevalkit_images.ABSENT,
        ),
        _rule(
            "vlmevalkit-pre-1204",
            "VLMEvalKit before pull request 1204 (August 2025): prediction and gold swapped, so "
            "the tolerance is 5 % of the prediction",
            vlmevalkit_images.relaxed_accuracy_pre_1204,
            absent=vlmevalkit_images.ABSENT,
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(medium="image", published={"videollama3": VIDEOLLAMA3_ON_IMAGES}),
    gold_fields=gold_from_fields,
    notes=(
        "The published size is the test set's: 1,250 human and 1,250 augmented questions.",
        "Prompts of official, lmms-eval and vlmevalkit: not confirmed.",
    ),
    settings={"videollama3": "temperature 0, no sampling"},
    prompts={"videollama3": VIDEOLLAMA3_PROMPT},
)
