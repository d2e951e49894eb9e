"""VNBench: needles in videos, questions in four orders (Zhao et al., 2024, arXiv:2406.09367)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fastvbench.answers.rules import vnbench_official
from fastvbench.protocols._annotations import Record, annotation_records
from fastvbench.protocols._choice_rules import letter_function_rule
from fastvbench.protocols._choice_set_rules import careful_set_rule
from fastvbench.protocols._choice_sets import ChoiceQuestion, gold_of_questions, option_texts
from fastvbench.protocols._gold import Gold, bare_video_name, split_options
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._task_plan import TaskPlan
from fastvbench.results._metrics import (
    ACCURACY,
    ANSWERED_ACCURACY,
    CIRCULAR_ACCURACY,
    macro_mean,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

# Retrieval, ordering and counting of needles that were edited in or inserted.
TASKS = (
    *("ret_edit1", "ret_insert1", "ret_insert2", "ord_edit1", "ord_insert1", "ord_insert2"),
    *("cnt_edit1", "cnt_edit2", "cnt_insert1"),
)
GROUPS = {"ret": "retrieval", "ord": "ordering", "cnt": "counting"}
_STRATA = {"task": TASKS, "task_group": tuple(GROUPS.values())}
_TASK_IN_NAME = re.compile(r"_((?:ret|ord|cnt)_(?:edit|insert)\d*)$")


def _categories(task: object, video: str) -> dict[str, str | None]:
    """The task, as the row names it, else as its video's name ends with it."""
    if not isinstance(task, str) or not task:
        found = _TASK_IN_NAME.search(video)
        task = None if found is None else found.group(1)
    return {"task": task, "task_group": None if task is None else GROUPS.get(task[:3])}


def _question(record: Record, video: str, order: object, options: list[str]) -> ChoiceQuestion:
    """A question in one order of its options; its id is the video and the order, ``v_2``."""
    values = record.values
    answer = values.get("gt_option", values.get("gt", values.get("gold")))
    if not isinstance(answer, str | int) or isinstance(answer, bool):
        raise record.error("not one of the options", "gt", "a letter, or a place from 0", answer)
    return ChoiceQuestion(
        ident=f"{video}_{order}",
        video=video,
        query=str(values.get("question") or ""),
        options=options,
        answer=answer,
        categories=_categories(values.get("type", values.get("task_type")), video),
        order=order,
        group=video,
    )


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read ``VNBench-main-4try.json``: rows with video, question, options, gt_option, type, try."""
    ledger: dict[str, int] = {}
    questions = []
    for record in annotation_records(source, ledger=ledger):
        listed = option_texts(record.values.get("options"))
        order = record.values.get("try")
        if not listed:
            raise record.error("no options", "options", "a list of option texts")
        if not isinstance(order, int):
            raise record.error("names no order", "try", "a number from 0", order)
        video = bare_video_name(record.text("video", "video_path"))
        questions.append(_question(record, video, order, listed))
    return gold_of_questions(questions, _STRATA, ledger=ledger, durations=options.durations)


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves: video (or id), order, letter and prompt."""
    questions: dict[str, ChoiceQuestion] = {}
    absent: list[Any] = [None] * len(fields["gold"])
    names = ("video", "order", "question_type", "query")
    for number, (ident, answer, video, order, task, prompt) in enumerate(
        zip(
            fields["id"], fields["gold"], *(fields.get(name, absent) for name in names), strict=True
        ),
        start=1,
    ):
        record = Record({"gold": answer, "type": task, "question": prompt}, None, number)
        if order is None:
            raise record.error("names no order", "try", "a number from 0")
        if ident is None and not isinstance(video, str):
            raise record.error("names no video", "video_path", "a video's name")
        own = str(ident).removesuffix(f"_{order}") if video is None else bare_video_name(video)
        texts = split_options(str(prompt))[1]
        # What the prompt says after its options stands below the last one.
        question = _question(record, own, order, [text.split("\n", 1)[0] for text in texts])
        questions.setdefault(question.ident, question)
    return gold_of_questions(list(questions.values()), _STRATA)


METRICS = (
    CIRCULAR_ACCURACY,
    macro_mean(CIRCULAR_ACCURACY, "task"),
    ACCURACY,
    ANSWERED_ACCURACY,
)

PROTOCOL = AnswerProtocol(
    name="vnbench",
    title="VNBench",
    citation="Zhao et al., 2024, Needle In A Video Haystack: A Scalable Synthetic Evaluator for "
    "Video MLLMs, arXiv:2406.09367",
    version=1,
    published_size=5400,
    rules=(
        careful_set_rule(
            "robust",
            "a careful reader's judgement of each answer, option texts included; a question is "
            "right if it is in all four orders",
            metrics=METRICS,
        ),
        letter_function_rule(
            "official",
            "VideoNIAH repository, evaluation/eval.py: before the first full stop, the first of A "
            "to D in the alphabet; a question is right if it is in all four orders; the mean of "
            "the tasks' shares of right questions. A question without any prediction leaves its "
            "denominator, and counts as wrong here",
            vnbench_official.letter,
            metrics=(METRICS[1], METRICS[0], *METRICS[2:]),
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(option_count=4),
    gold_fields=gold_from_fields,
    notes=(
        "Questions and videos are for academic research only and not part of this package.",
        "1,350 questions, each asked with its options in four orders.",
        "The official script reads a judge's column where a file has one; it is not read here.",
    ),
    settings={"official": "frame policy and generation settings: not confirmed"},
    prompts={
        "official": "{question}\n{options}\nAnswer with the option's letter from the given choices "
        "directly."
    },
    score_fields={"task": TASKS, "task_group": GROUPS},
)
