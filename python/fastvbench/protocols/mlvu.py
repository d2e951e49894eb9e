"""MLVU: multiple choice on videos of 3 min to 2 h (Zhou et al., 2024, arXiv:2406.04264)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers.rules import (
    PublicScriptAborts,
    lmms_eval_2026_08,
    lmms_eval_pre_1274,
    mlvu_official,
    videollama3_choices,
    vlmevalkit_choices,
)
from fastvbench.core._numbers import as_float
from fastvbench.core._status import Status
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._choice_rules import ChoiceRow, ChoiceVerdict, row_choice_rule
from fastvbench.protocols._choice_set_rules import (
    careful_set_rule,
    inferred_index,
    known_texts,
    last_equal_letter,
    letter_rule,
    texts_and_answer,
)
from fastvbench.protocols._choice_sets import (
    ChoiceQuestion,
    gold_of_questions,
    option_texts,
    refuse_options_beyond_letters,
    rows_of_fields,
)
from fastvbench.protocols._gold import ALPHABET, Gold
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._task_plan import LETTERED_IN_BRACKETS, VIDEOLLAMA3_ON_VIDEOS, TaskPlan
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY, Metric, macro_accuracy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.protocols._rule import Reading, Rule, RuleBatch

# Names as in the annotations of the development set and, after them, of the test set.
TASKS_OF_GROUPS = {
    "holistic": ("topic_reasoning", "anomaly_reco"),
    "single-detail": ("findNeedle", "needleQA", "ego", "plotQA", "sportsQA"),
    "multi-detail": ("order", "count", "tutorialQA"),
}
QUESTION_TYPES = (
    *("topic_reasoning", "anomaly_reco", "findNeedle", "ego", "plotQA", "order", "count"),
    *("needleQA", "sportsQA", "tutorialQA"),
)
_GROUP_OF_TASK = {task: group for group, tasks in TASKS_OF_GROUPS.items() for task in tasks}
_STRATA = {"question_type": QUESTION_TYPES, "task_group": tuple(TASKS_OF_GROUPS)}

# What others call the tasks: file names, and abbreviations before a colon.
_TASK_OF_NAME = {
    "needle": "findNeedle",
    "TR": "topic_reasoning",
    "AR": "anomaly_reco",
    "NQA": "findNeedle",
    "ER": "ego",
    "PQA": "plotQA",
    "AC": "count",
    "AO": "order",
}


def _categories(name: str | None) -> dict[str, str | None]:
    task = None if name is None else _TASK_OF_NAME.get(name.split(":")[0], name)
    return {"question_type": task, "task_group": _GROUP_OF_TASK.get(task or "")}


def _stale_places(questions: Sequence[ChoiceQuestion]) -> list[int]:
    """VideoLLaMA3's gold place of each question: the last candidate that is the answer.

    Where none is, the place of the question before stays; -1 where there is none before.
    """
    places, place = [], -1
    for question in questions:
        letter = mlvu_official.gold_letter(str(question.answer), question.options)
        if letter != mlvu_official.NO_CANDIDATE:
            place = ALPHABET.index(letter)
        places.append(place)
    return places


def _gold(
    questions: list[ChoiceQuestion], ledger: dict[str, int], options: ScoreOptions | None = None
) -> Gold:
    refuse_options_beyond_letters(questions)
    for question, place in zip(questions, _stale_places(questions), strict=True):
        question.columns["videollama3_place"] = place
    return gold_of_questions(
        questions,
        _STRATA,
        ledger=ledger,
        durations=None if options is None else options.durations,
    )


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the development set's files (a folder, or rows of several), or the test questions.

    Rows have ``video``, ``question``, ``candidates``, ``answer`` and ``question_type``, those of
    the test set ``question_id`` too. Ids of the others are their type and number,
    ``findNeedle_0``. Rows without candidates (summaries, scenes) are counted and left out.
    """
    ledger: dict[str, int] = {}
    questions: list[ChoiceQuestion] = []
    count_of_type: dict[str, int] = {}
    record = Record({}, None, 1)
    for record in annotation_records(source, ledger=ledger):
        values = record.values
        candidates = option_texts(values.get("candidates"))
        if not candidates:
            ledger["open_questions_left_out"] = ledger.get("open_questions_left_out", 0) + 1
            continue
        answer = values.get("answer")
        if answer is not None or not options.without_gold:
            answer = record.text("answer")
        name = record.text("question_type", "task_type")
        number = count_of_type.get(name, 0)
        count_of_type[name] = number + 1
        questions.append(
            ChoiceQuestion(
                ident=row_id(values.get("question_id", f"{name}_{number}"), record, "question_id"),
                video=record.text("video", "video_name"),
                query=record.text("question"),
                options=candidates,
                answer=answer,
                categories=_categories(name),
                duration_seconds=_seconds(record),
            )
        )
    if not questions:
        raise record.error("no question has candidates", "candidates", "a list of option texts")
    return _gold(questions, ledger, options)


def _seconds(record: Record) -> float:
    value = record.values.get("duration")
    return as_float(value) if isinstance(value, int | float) else float("nan")


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves: letters, places or texts of options."""
    questions = [
        ChoiceQuestion(
            ident=row.ident,
            video=row.video,
            query=row.query,
            options=row.options,
            answer=row.answer,
            categories=_categories(row.text("question_type")),
        )
        for row in rows_of_fields(fields)
    ]
    return _gold(questions, {})


def _videollama3(text: str, row: ChoiceRow) -> ChoiceVerdict:
    letter = videollama3_choices.mlvu_letter(text, known_texts(row))
    index = ALPHABET.index(letter)
    if not row.options:
        return ChoiceVerdict(index)
    place = row.columns["videollama3_place"]
    if place < 0:
        raise PublicScriptAborts("UnboundLocalError: no question before has its answer")
    return ChoiceVerdict(index, correct=index == place)


def _vlmevalkit(text: str, row: ChoiceRow) -> ChoiceVerdict:
    options, answer = texts_and_answer(row)
    index = inferred_index(text, options)
    if answer is None:
        return ChoiceVerdict(index)
    score = vlmevalkit_choices.mlvu_score(text, options, answer)
    return ChoiceVerdict(index, score=float(score), status=Status.ERROR if score < 0 else None)


def _without_order(rule: Rule) -> Rule:
    """The rule with VLMEvalKit's M-Avg beside it, which leaves Action Order out."""

    def read(batch: RuleBatch) -> Reading:
        reading = rule.read(batch)
        tasks = batch.gold.strata["question_type"]
        ordering = tasks.rows[[tasks.categories[code] == "order" for code in tasks.category]]
        scores = reading.scores[ACCURACY.key].copy()
        scores[np.isin(batch.rows, ordering)] = np.nan
        reading.scores[M_AVG_WITHOUT_ORDER.key] = scores
        return reading

    return replace(
        rule, read=read, metrics=(rule.metrics[0], M_AVG_WITHOUT_ORDER, *rule.metrics[1:])
    )


M_AVG = macro_accuracy("question_type")
M_AVG_WITHOUT_ORDER = Metric("accuracy_without_order", "acc without order %", decimals=1)
MACRO_FIRST = (M_AVG, ACCURACY, ANSWERED_ACCURACY)
MICRO_FIRST = (ACCURACY, M_AVG, ANSWERED_ACCURACY)

VLMEVALKIT_PROMPT = (
    "Carefully watch this video and pay attention to every detail. Based on your observations, "
    "select the best option that accurately addresses the question.\nQuestion: {question}\n"
    "Options:\n{options}\nOnly give the best option."
)
OFFICIAL_PROMPT = VLMEVALKIT_PROMPT + "\nBest Option: ("
LMMS_EVAL_PROMPT = "{question}\n{options}\nOnly give the best option.\nBest option: ("
VIDEOLLAMA3_PROMPT = (
    "Question: {question}\nOptions:\n{options}\nAnswer with the option's letter from the given "
    "choices directly and only give the best option."
)

PROTOCOL = AnswerProtocol(
    name="mlvu",
    title="MLVU",
    citation="Zhou et al., 2024, MLVU: Benchmarking Multi-task Long Video Understanding, "
    "arXiv:2406.04264",
    version=1,
    published_size=2175,
    rules=(
        careful_set_rule(
            "robust",
            "a careful reader's judgement of each answer, option texts included; of options with "
            "the same text either is right; a question without a right option counts as wrong",
            metrics=MACRO_FIRST,
        ),
        letter_rule(
            "official",
            "MLVU repository, choice_bench.py: the character before the first closing bracket, "
            "else the whole text; the last candidate that is the answer is the gold letter; M-Avg "
            "is the mean of the tasks' accuracies",
            lambda text, row: mlvu_official.letter(text),
            last_equal_letter,
            metrics=MACRO_FIRST,
        ),
        row_choice_rule(
            "videollama3",
            "VideoLLaMA3, evaluation/benchmarks/mlvu.py: first capital letter of an option; a "
            "question whose answer is no candidate keeps the gold letter of the one before; mean "
            "over questions",
            _videollama3,
            missing="dropped",
            denominator="rows of the result file",
            metrics=MICRO_FIRST,
        ),
        letter_rule(
            "lmms-eval-pre-1274",
            "lmms-eval before pull request 1274 (April 2026): as the official script, on trimmed "
            "text; the mean of the tasks' accuracies, of tasks that have questions",
            lambda text, row: lmms_eval_pre_1274.mlvu_letter(text),
            last_equal_letter,
            text="filtered",
            metrics=MACRO_FIRST,
        ),
        letter_rule(
            "lmms-eval-2026-08",
            "lmms-eval as of August 2026: candidates by format priority, then position; the mean "
            "of the tasks' accuracies, of tasks that have questions",
            lambda text, row: lmms_eval_2026_08.letter(text, row.alphabet),
            last_equal_letter,
            text="filtered",
            metrics=MACRO_FIRST,
        ),
        _without_order(
            row_choice_rule(
                "vlmevalkit",
                "VLMEvalKit, dataset/mlvu.py, without a judge: the character before the first "
                "closing bracket, else words and option texts; a failed request takes one off the "
                "number of right answers; mean over questions, printed with one decimal; two "
                "stored versions of its M-Avg leave Action Order out, which is shown beside it",
                _vlmevalkit,
                metrics=MICRO_FIRST,
            )
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(
        option_line=LETTERED_IN_BRACKETS,
        answer_prefixes={"official": "Best Option: ("},
        published={"videollama3": VIDEOLLAMA3_ON_VIDEOS},
    ),
    gold_fields=gold_from_fields,
    submission="mlvu-submission",
    notes=(
        "Annotations and videos are CC-BY-NC-SA-4.0 and not part of this package.",
        "The answers of the test set are not public: its questions serve to write submissions.",
        "Which letter lmms-eval's data set gives to a question with equal options: not confirmed.",
        "Open questions (summaries, scenes) need a judge and are not scored.",
    ),
    settings={
        "official": "frame policy and generation settings: not confirmed",
        "videollama3": "1 frame per second, at most 180 frames, 16K visual tokens, temperature 0, "
        "no sampling",
    },
    prompts={
        "official": OFFICIAL_PROMPT,
        "lmms-eval-pre-1274": LMMS_EVAL_PROMPT,
        "videollama3": VIDEOLLAMA3_PROMPT,
        "vlmevalkit": VLMEVALKIT_PROMPT,
    },
    score_fields={"question_type": QUESTION_TYPES, "task_group": TASKS_OF_GROUPS},
)
