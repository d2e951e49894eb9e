"""MVBench: multiple choice on short videos, twenty tasks (Li et al., 2024, arXiv:2311.17005)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.answers.rules import (
    PublicScriptAborts,
    lmms_eval_2026_08_choices,
    videollama3_choices,
    vlmevalkit_choices,
)
from fastvbench.core._status import Status
from fastvbench.protocols._annotations import annotation_records, row_id
from fastvbench.protocols._choice_rules import ChoiceRow, ChoiceVerdict, row_choice_rule
from fastvbench.protocols._choice_set_rules import (
    careful_set_rule,
    inferred_index,
    known_texts,
    last_equal_letter,
    texts_and_answer,
)
from fastvbench.protocols._choice_sets import (
    ChoiceQuestion,
    clip_of,
    gold_of_questions,
    option_texts,
    rows_of_fields,
)
from fastvbench.protocols._gold import ALPHABET, Gold
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._task_plan import LETTERED_IN_BRACKETS, VIDEOLLAMA3_ON_VIDEOS, TaskPlan
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY, macro_accuracy

if TYPE_CHECKING:
    from collections.abc import Mapping

# In the order of the paper's table; names as those of the annotation files.
TASKS = (
    *("action_sequence", "action_prediction", "action_antonym", "fine_grained_action"),
    *("unexpected_action", "object_existence", "object_interaction", "object_shuffle"),
    *("moving_direction", "action_localization", "scene_transition", "action_count"),
    *("moving_count", "moving_attribute", "state_change", "fine_grained_pose"),
    *("character_order", "egocentric_navigation", "episodic_reasoning"),
    "counterfactual_inference",
)
_STRATA = {"task": TASKS}
NOT_COUNTED = float("nan")


def _task(name: str | None) -> str | None:
    """``Fine-grained Action`` and ``mvbench_fine_grained_action`` are ``fine_grained_action``."""
    if not name:
        return None
    return name.lower().replace(" ", "_").replace("-", "_").removeprefix("mvbench_")


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the folder of the published files, one a task, or rows that name their task.

    Rows have ``video``, ``question``, ``candidates`` and ``answer``; a row without ``task_type``
    (or ``question_type``, ``task``) belongs to the task that its file is named after. Ids are the
    task and the row's number in it, ``action_count_0``, unless rows have an ``id``.
    """
    ledger: dict[str, int] = {}
    questions: list[ChoiceQuestion] = []
    count_of_task: dict[str, int] = {}
    for record in annotation_records(source, ledger=ledger):
        values = record.values
        named = next(
            (values[key] for key in ("task_type", "question_type", "task") if key in values),
            record.stem,
        )
        task = _task(named if isinstance(named, str) else None)
        if task is None:
            raise record.error("names no task", "task_type", "a task's name", named)
        number = count_of_task.get(task, 0)
        count_of_task[task] = number + 1
        candidates = option_texts(values.get("candidates"))
        if not candidates:
            raise record.error("no options", "candidates", "a list of option texts")
        answer = values.get("answer")
        questions.append(
            ChoiceQuestion(
                ident=row_id(values.get("id", f"{task}_{number}"), record, "id"),
                video=record.text("video"),
                query=record.text("question"),
                options=candidates,
                answer=record.text("answer")
                if answer is not None or not options.without_gold
                else None,
                categories={"task": task},
                columns=clip_of(record),
            )
        )
    return gold_of_questions(questions, _STRATA, ledger=ledger, durations=options.durations)


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves: letters, places or texts of options."""
    questions = [
        ChoiceQuestion(
            ident=row.ident,
            video=row.video,
            query=row.query,
            options=row.options,
            answer=row.answer,
            option_count=5,
            categories={"task": _task(row.text("question_type"))},
        )
        for row in rows_of_fields(fields)
    ]
    return gold_of_questions(questions, _STRATA)


def _official(text: str, row: ChoiceRow) -> ChoiceVerdict:
    gold = last_equal_letter(row)
    if not gold:
        return ChoiceVerdict()
    return ChoiceVerdict(_bare_index(text, row), vlmevalkit_choices.mvbench_accepts(text, gold))


def _bare_index(text: str, row: ChoiceRow) -> int:
    """The letter that the first word is, in brackets or with a full stop; -1 for any other."""
    word = text.split(" ", 1)[0].upper().strip("().")
    return row.alphabet.index(word) if len(word) == 1 and word in row.alphabet else -1


def _videollama3(text: str, row: ChoiceRow) -> ChoiceVerdict:
    letter = videollama3_choices.mvbench_letter(text, known_texts(row))
    return ChoiceVerdict(ALPHABET.index(letter))


def _lmms_eval(text: str, row: ChoiceRow) -> ChoiceVerdict:
    if not text:
        return ChoiceVerdict(status=Status.EMPTY, score=NOT_COUNTED)
    if row.options and row.gold_index < 0 and row.columns["answer"] is not None:
        raise PublicScriptAborts("AttributeError: no candidate is the answer, so there is no gold")
    letter = lmms_eval_2026_08_choices.mvbench_letter(text)
    return ChoiceVerdict(ALPHABET.index(letter) if letter else -1)


def _vlmevalkit(text: str, row: ChoiceRow) -> ChoiceVerdict:
    options, answer = texts_and_answer(row)
    index = inferred_index(text, options)
    if answer is None:
        return ChoiceVerdict(index)
    return ChoiceVerdict(index, vlmevalkit_choices.mvbench_is_right(text, options, answer))


METRICS = (ACCURACY, macro_accuracy("task"), ANSWERED_ACCURACY)

_SYSTEM = (
    "Carefully watch the video and pay attention to the cause and sequence of events, the detail "
    "and movement of objects, and the action and pose of persons. Based on your observations, "
    "select the best option that accurately addresses the question.\n"
)
VLMEVALKIT_PROMPT = (
    _SYSTEM + "Question: {question}\nOptions:\n{options}\nOnly give the best option.\nBest option:("
)
VIDEOLLAMA3_PROMPT = (
    "Question: {question}\nOptions:\n{options}\nAnswer with the option's letter from the given "
    "choices directly and only give the best option."
)

PROTOCOL = AnswerProtocol(
    name="mvbench",
    title="MVBench",
    citation="Li et al., 2024, MVBench: A Comprehensive Multi-modal Video Understanding Benchmark, "
    "arXiv:2311.17005",
    version=1,
    published_size=4000,
    rules=(
        careful_set_rule(
            "robust",
            "a careful reader's judgement of each answer, option texts included; of options with "
            "the same text either is right; a question without a right option counts as wrong",
            metrics=METRICS,
        ),
        row_choice_rule(
            "official",
            "the check of MVBench's notebook as VLMEvalKit copies it, without judge or inference: "
            "the first word, without full stops, is a part of the bracketed gold letter, which "
            "an empty answer is of every letter; mean over questions",
            _official,
            metrics=METRICS,
        ),
        row_choice_rule(
            "videollama3",
            "VideoLLaMA3, evaluation/benchmarks/mvbench.py: first capital letter of an option, "
            "else an option's text; mean over questions",
            _videollama3,
            missing="dropped",
            denominator="rows of the result file",
            metrics=METRICS,
        ),
        row_choice_rule(
            "lmms-eval-2026-08",
            "lmms-eval, tasks/mvbench as of August 2026: an option's line, else the first letter "
            "that stands alone in any case; empty answers leave the denominator",
            _lmms_eval,
            missing_text=ChoiceVerdict(status=Status.MISSING, score=NOT_COUNTED),
            text="filtered",
            missing="dropped",
            denominator="answers that are not empty",
            metrics=METRICS,
        ),
        row_choice_rule(
            "vlmevalkit",
            "VLMEvalKit, dataset/mvbench.py as of August 2026, without a judge: the notebook's "
            "check, else words and option texts; missing, empty and failed answers count as right",
            _vlmevalkit,
            missing_text=ChoiceVerdict(correct=True, status=Status.MISSING),
            metrics=METRICS,
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(
        option_line=LETTERED_IN_BRACKETS, published={"videollama3": VIDEOLLAMA3_ON_VIDEOS}
    ),
    gold_fields=gold_from_fields,
    notes=(
        "Annotations and videos have licences of their own and are not part of this package.",
        "The notebook's check was read from its copy in VLMEvalKit, not confirmed against it.",
        "Prompt of lmms-eval: not confirmed.",
    ),
    settings={
        "official": "frame policy and generation settings: not confirmed",
        "videollama3": "1 frame per second, at most 180 frames, 16K visual tokens, temperature 0, "
        "no sampling",
    },
    prompts={"videollama3": VIDEOLLAMA3_PROMPT, "vlmevalkit": VLMEVALKIT_PROMPT},
    score_fields={"task": TASKS},
)
