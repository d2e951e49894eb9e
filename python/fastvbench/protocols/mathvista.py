"""MathVista: mathematical reasoning on images (Lu et al., 2023, arXiv:2310.02255)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers.rules import (
    lmms_eval_images,
    mathvista_official,
    videollama3_card,
    vlmevalkit_images,
)
from fastvbench.core._status import Status
from fastvbench.formats import parse_list_cell
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._answers import answer_texts
from fastvbench.protocols._careful_answers import careful_typed_rule
from fastvbench.protocols._extraction_rules import NEEDS_JUDGE, TypedQuestion, extraction_rule
from fastvbench.protocols._gold import ALPHABET, Gold
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._short_answer_rules import AnswerScore
from fastvbench.protocols._task_plan import VIDEOLLAMA3_ON_IMAGES, TaskPlan
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION_TYPES = ("multi_choice", "free_form")
ANSWER_TYPES = ("text", "integer", "float", "list")
_CATEGORIES: dict[str, tuple[str, ...]] = {
    "question_type": QUESTION_TYPES,
    "answer_type": ANSWER_TYPES,
    "task": (
        *("figure question answering", "geometry problem solving", "math word problem"),
        *("textbook question answering", "visual question answering"),
    ),
    "context": (),
    "grade": ("elementary school", "high school", "college", "not applicable"),
    "category": ("math-targeted-vqa", "general-vqa"),
    "source": (),
    "language": ("english", "chinese", "persian"),
}
SKILLS = (
    *("algebraic reasoning", "arithmetic reasoning", "geometry reasoning", "logical reasoning"),
    *("numeric commonsense", "scientific reasoning", "statistical reasoning"),
)


class _Columns:
    """Rows as they are read, before they become a Gold."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.images: list[str] = []
        self.questions: list[str] = []
        self.queries: list[object] = []  # what the prompt shows: hint, question, choices
        self.answers: list[list[str]] = []
        self.letters: list[int] = []
        self.choices: list[list[str] | None] = []
        self.precisions: list[float | None] = []
        self.categories: dict[str, list[str | None]] = {name: [] for name in _CATEGORIES}
        self.skills: list[list[str]] = []

    def add(self, ident: str, record: Record, *, without_gold: bool) -> None:
        """Add a problem, its ``metadata`` nested or spread out.

        Raises:
            InputError: no gold answer where one is needed, or a choice question without choices.
        """
        metadata = record.values.get("metadata")
        values = {**(metadata if isinstance(metadata, dict) else {}), **record.values}
        answer = values.get("answer")
        if not isinstance(answer, str | int | float) or isinstance(answer, bool) or answer == "":
            if not without_gold:
                raise record.error("holds no answer", "answer", "a text", answer)
            answer = None
        choices = _choices(record, values)
        image, question = values.get("image"), values.get("question")
        self.ids.append(ident)
        self.images.append(image if isinstance(image, str) and image else ident)
        self.questions.append(question if isinstance(question, str) else "")
        self.queries.append(values.get("query"))
        self.answers.append([] if answer is None else [str(answer)])
        place = choices.index(answer) if choices and answer in choices else -1
        self.letters.append(place)
        self.choices.append(choices)
        self.precisions.append(_number(values.get("precision")))
        for name, column in self.categories.items():
            value = values.get(name)
            column.append(value if isinstance(value, str) and value else None)
        self.skills.append(answer_texts(values.get("skills")))

    def gold(self) -> Gold:
        strata = {
            name: Stratum.single(self.categories[name], order)
            for name, order in _CATEGORIES.items()
        }
        return Gold(
            ids=self.ids,
            videos=self.images,
            queries=self.questions,
            letters=np.array(self.letters, dtype=np.int8),
            options=[choices or [] for choices in self.choices],
            answers=self.answers,
            columns={
                "question_type": self.categories["question_type"],
                "answer_type": self.categories["answer_type"],
                "precision": self.precisions,
                "choices": self.choices,
                "query": self.queries,
            },
            strata=strata | {"skills": Stratum.multiple(self.skills, SKILLS)},
        )


def _choices(record: Record, values: Mapping[str, Any]) -> list[str] | None:
    """Option texts of a multiple-choice question, None for any other."""
    if record.text("question_type") != "multi_choice":
        return None
    given = values.get("choices", values.get("options"))
    listed = parse_list_cell(given) if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not listed:
        raise record.error("a choice question without choices", "choices", "option texts", given)
    return [str(choice) for choice in listed]


def _number(value: object) -> float | None:
    """Decimals as a number: whole, as testmini.json has them, or a double, as the data set has."""
    if isinstance(value, str):
        value = float(value) if value.replace(".", "", 1).isdecimal() else None
    return value if isinstance(value, int | float) and value == value else None  # noqa: PLR0124


def _problems(source: object) -> Iterator[tuple[str, Record]]:
    """Problems with their pids: of the official document ``{pid: {...}}``, or of flat records."""
    if isinstance(source, Mapping):
        source = [dict(source)]
    for record in annotation_records(source):
        values = record.values
        if values and all(isinstance(inner, dict) for inner in values.values()):
            for number, (pid, inner) in enumerate(values.items(), start=1):
                yield str(pid), Record(inner, record.path, number)
        else:
            ident = values.get("pid", values.get("id", values.get("question_id")))
            yield row_id(ident, record, "pid"), record


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read ``testmini.json`` (``{pid: {...}}``), or flat records as the data set has them.

    Questions on one image form a cluster.
    """
    columns = _Columns()
    for ident, record in _problems(source):
        columns.add(ident, record, without_gold=options.without_gold)
    return columns.gold()


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that output files, and those of lmms-eval, VLMEvalKit and VideoLLaMA3, carry."""
    columns = _Columns()
    names = {"answer": "gold", "question": "query", "choices": "options"} | {
        name: name for name in ("precision", "image", "skills", *_CATEGORIES)
    }
    absent: list[Any] = [None] * len(fields["gold"])
    found = [fields.get(field, absent) for field in names.values()]
    known: set[str] = set()
    for ident, *row in zip(fields["id"], *found, strict=True):
        values = dict(zip(names, row, strict=True))
        record = Record(values, None, len(columns.ids) + 1)
        name = row_id(ident, record, "pid")
        if name in known:
            continue
        known.add(name)
        if values["question_type"] not in QUESTION_TYPES:
            raise record.error(
                "not a problem of MathVista",
                "question_type",
                "multi_choice or free_form, or --annotations FILE",
                values["question_type"],
            )
        columns.add(name, record, without_gold=False)
    return columns.gold()


def _paper(text: str | None, extraction: str | None, question: TypedQuestion) -> AnswerScore:
    del extraction
    if text is None:
        return AnswerScore(0.0, Status.MISSING)
    if question.question_type == "multi_choice":
        # Two choices of one text are both right.
        letters = [
            letter
            for letter, choice in zip(ALPHABET, question.choices or (), strict=False)
            if choice == question.answer
        ]
        right = any(videollama3_card.is_letter_match(text, letter) for letter in letters)
    else:
        right = videollama3_card.is_short_answer_match(text, [question.answer or ""])
    return AnswerScore(float(right), read=text)


Normalise = Callable[[str, str, str, Sequence[str] | None, float | None], str | None]


def _by_normaliser(
    normalise: Normalise,
) -> Callable[[str | None, str | None, TypedQuestion], AnswerScore]:
    """Official scoring: quick extraction, or a judge's; then equal texts."""

    def score(text: str | None, extraction: str | None, question: TypedQuestion) -> AnswerScore:
        typed = (question.question_type, question.answer_type, question.choices)
        found = mathvista_official.extract(text or "", *typed) if extraction is None else extraction
        if found is None:
            return NEEDS_JUDGE
        prediction = normalise(found, *typed, question.precision)
        status = Status.NO_ANSWER if prediction is None else Status.OK
        return AnswerScore(float(prediction == question.answer), status, prediction)

    return score


def _lmms_eval(text: str | None, extraction: str | None, question: TypedQuestion) -> AnswerScore:
    typed = (question.question_type, question.answer_type, question.choices)
    found = (
        lmms_eval_images.mathvista_extract(text or "", *typed) if extraction is None else extraction
    )
    if found is None:
        # No extraction makes a decimal answer right there, so no judge is waited for.
        is_lost = question.question_type != "multi_choice" and question.answer_type == "float"
        return AnswerScore(0.0, Status.NO_ANSWER) if is_lost else NEEDS_JUDGE
    right = lmms_eval_images.is_mathvista_match(found, *typed, question.answer or "")
    return AnswerScore(float(right), read=found)


def _vlmevalkit(text: str | None, extraction: str | None, question: TypedQuestion) -> AnswerScore:
    typed = (question.question_type, question.answer_type, question.choices)
    is_choice = question.question_type == "multi_choice"
    gold = question.letter if is_choice else question.answer or ""
    prefetched = vlmevalkit_images.mathvista_prefetch(
        vlmevalkit_images.ABSENT if text is None else text, *typed, gold
    )
    if prefetched is not None:
        return AnswerScore(float(prefetched), read=text)
    if extraction is None:
        return NEEDS_JUDGE
    right = vlmevalkit_images.is_mathvista_match(extraction, *typed, gold)
    return AnswerScore(float(right), read=extraction)


PROTOCOL = AnswerProtocol(
    name="mathvista",
    title="MathVista",
    citation="Lu et al., 2023, MathVista: Evaluating Mathematical Reasoning of Foundation Models "
    "in Visual Contexts, arXiv:2310.02255",
    version=1,
    published_size=1000,
    rules=(
        careful_typed_rule(
            "robust",
            "a careful reader's option, number or list in the model's own text; a judge's "
            "extraction is not looked at",
        ),
        extraction_rule(
            "paper",
            "evaluation card of VideoLLaMA3: the option's letter in any case, other answers equal "
            "once normalised (trimmed, lower case, single spaces; the card leaves that open)",
            _paper,
        ),
        extraction_rule(
            "official",
            "MathVista, extract_answer.py with --quick_extract and calculate_score.py: a judge's "
            "extraction where the file has one; the nearest choice, whole numbers cut off",
            _by_normaliser(mathvista_official.normalise),
            missing="dropped",
            denominator="problems of the output file",
        ),
        extraction_rule(
            "official-2023",
            "MathVista, the normaliser that made the score files published in 2023: a whole "
            "number with a decimal point is no whole number",
            _by_normaliser(mathvista_official.normalise_2023),
            missing="dropped",
            denominator="problems of the output file",
        ),
        extraction_rule(
            "videollama3",
            "VideoLLaMA3, evaluation/benchmarks/mathvista.py: quick rules, else a GPT at "
            "temperature 0.7; the official normaliser",
            _by_normaliser(mathvista_official.normalise),
            missing="dropped",
            denominator="rows of the result file",
        ),
        extraction_rule(
            "lmms-eval-2026-08",
            "lmms-eval, tasks/mathvista/mathvista_evals.py as of August 2026: no quick rule, and "
            "every answer of type float is wrong, because its precision is a double",
            _lmms_eval,
            text="filtered",
        ),
        extraction_rule(
            "vlmevalkit",
            "VLMEvalKit, dataset/utils/mathvista.py as of August 2026: right as it stands, else a "
            "judge; float answers unrounded, list answers always wrong",
            _vlmevalkit,
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(
        medium="image", query_column="query", published={"videollama3": VIDEOLLAMA3_ON_IMAGES}
    ),
    gold_fields=gold_from_fields,
    notes=(
        "An answer that only a judge could read counts as wrong; value_if_all_right is the bound.",
        "Prompts of official, lmms-eval and vlmevalkit: not confirmed.",
    ),
    settings={"videollama3": "temperature 0, no sampling"},
    prompts={"videollama3": "{query}"},
)
