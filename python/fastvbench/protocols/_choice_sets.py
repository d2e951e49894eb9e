"""What benchmarks of multiple choice share: their questions as columns, whatever file has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.core._numbers import as_float
from fastvbench.formats import parse_list_cell
from fastvbench.protocols._annotations import Record
from fastvbench.protocols._durations import durations_of
from fastvbench.protocols._gold import ALPHABET, Gold, gold_letter_index, join_key, split_options
from fastvbench.protocols._groups import rows_in_orders
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "ChoiceQuestion",
    "answer_place",
    "clip_of",
    "gold_of_questions",
    "option_texts",
    "refuse_options_beyond_letters",
    "rows_of_fields",
]


@dataclass(slots=True)
class ChoiceQuestion:
    """One question of a choice set.

    Attributes:
        ident: its id.
        video: its video.
        query: its text, without options.
        options: option texts, without letters; empty where they are not known.
        answer: what the file gives as right: a text, a letter, a place from 0, or None where that
            is not public.
        categories: its category in each stratum, None where it has none.
        option_count: number of options where their texts are not known.
        order: in which order of its options it is asked, None for a question that is asked once.
        group: the question that it is, where it is asked in several orders.
        duration_seconds: length of its video, NaN where not known.
        columns: further values that a rule needs.
    """

    ident: str
    video: str
    query: str
    options: list[str]
    answer: object
    categories: dict[str, str | None]
    option_count: int = 4
    order: object = None
    group: str | None = None
    duration_seconds: float = float("nan")
    columns: dict[str, Any] = field(default_factory=dict)


def option_texts(given: object) -> list[str]:
    """Texts of options: of a list, or of a table's cell that holds a list as text."""
    if isinstance(given, str):
        given = parse_list_cell(given)
    return [str(option) for option in given] if isinstance(given, list | tuple) else []


def answer_place(answer: object, options: Sequence[str]) -> int:
    """Place of the right option: the first whose text the answer is, else the one it names.

    Args:
        answer: an option's text, a letter, or a place from 0.
        options: option texts, empty where they are not known.

    Returns:
        The place from 0, or -1 where no option is the answer.
    """
    if isinstance(answer, int) and not isinstance(answer, bool):
        return answer if 0 <= answer < (len(options) or len(ALPHABET)) else -1
    if not isinstance(answer, str):
        return -1
    if answer in options:
        return list(options).index(answer)
    stripped = [option.strip() for option in options]
    if answer.strip() in stripped:
        return stripped.index(answer.strip())
    return gold_letter_index(answer, options or None)


def clip_of(record: Record) -> dict[str, float | None]:
    """Columns that say which part of its video a row is about; None where it is all of it.

    Raises:
        InputError: a begin or end that is no time.
    """
    columns: dict[str, float | None] = {}
    for name, field_name in (("begin_seconds", "start"), ("end_seconds", "end")):
        value = record.values.get(field_name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise record.error("not a time", field_name, "seconds, or null", value)
        columns[name] = None if value is None else as_float(value)
    return columns


def refuse_options_beyond_letters(questions: Sequence[ChoiceQuestion]) -> None:
    """Refuse a question with more options than there are letters.

    Raises:
        InputError: there is one.
    """
    for question in questions:
        if len(question.options) > len(ALPHABET):
            raise InputError(
                f"question {question.ident} has too many options",
                field="options",
                value=f"{len(question.options):,} options",
                expected=f"at most {len(ALPHABET)}, one for each letter",
            )


def gold_of_questions(
    questions: Sequence[ChoiceQuestion],
    orders_of_strata: Mapping[str, Sequence[str]],
    *,
    ledger: dict[str, int] | None = None,
    durations: Path | None = None,
) -> Gold:
    """Questions as Gold.

    A question whose answer is none of its options, or several without any text, has no gold
    letter; its column ``unanswerable`` is true, and no answer to it is right. Column ``twin_of``
    holds, for questions with options of the same text, the first such option of each; None
    elsewhere.

    Args:
        questions: n questions in the order of the file.
        orders_of_strata: names of the strata, each with its categories in the order of tables.
        ledger: what was noticed on the way; more is added.
        durations: file with video lengths, or None.

    Raises:
        InputError: a question with more options than there are letters.
    """
    refuse_options_beyond_letters(questions)
    ledger = {} if ledger is None else ledger
    letters, twins, unanswerable = [], [], []
    for question in questions:
        place = answer_place(question.answer, question.options)
        twin = _twins(question.options)
        repeated = twin is not None and twin.count(place) > 1
        if repeated and not question.options[place].strip():
            place = -1
        letters.append(place)
        twins.append(twin)
        unanswerable.append(place < 0 and question.answer is not None)
        _count(ledger, "answer_is_no_option", unanswerable[-1])
        _count(ledger, "answer_stands_twice", repeated and place >= 0)
    ordered = rows_in_orders(
        [question.ident for question in questions],
        [question.order for question in questions],
        [question.group or question.ident for question in questions],
    )
    videos = [question.video for question in questions]
    seconds = np.array([question.duration_seconds for question in questions])
    names = questions[0].columns if questions else ()
    return Gold(
        ids=ordered.ids,
        groups=ordered.groups,
        videos=videos,
        queries=[question.query for question in questions],
        letters=np.array(letters, dtype=np.int8),
        options=_listed(questions),
        counts=np.array([len(q.options) or q.option_count for q in questions], dtype=np.int32),
        durations=durations_of(videos, durations, seconds, ledger),
        strata={
            name: Stratum.single([q.categories.get(name) for q in questions], order)
            for name, order in orders_of_strata.items()
        },
        columns={
            "answer": [_answer_text(q, place) for q, place in zip(questions, letters, strict=True)],
            "unanswerable": unanswerable,
            "twin_of": twins,
            "order": [question.order for question in questions],
            **{name: [question.columns[name] for question in questions] for name in names},
        },
        ledger=ledger,
    )


def _count(ledger: dict[str, int], reason: str, happened: bool) -> None:
    if happened:
        ledger[reason] = ledger.get(reason, 0) + 1


def _twins(options: Sequence[str]) -> list[int] | None:
    if len(set(options)) == len(options):
        return None
    return [list(options).index(option) for option in options]


def _listed(questions: Sequence[ChoiceQuestion]) -> list[list[str]] | None:
    options = [question.options for question in questions]
    return options if any(options) else None


def _answer_text(question: ChoiceQuestion, place: int) -> str | None:
    """The right option's text where that is known, else the answer as the file gives it."""
    if isinstance(question.answer, str) and question.answer in question.options:
        return question.answer
    if 0 <= place < len(question.options):
        return question.options[place]
    return question.answer if isinstance(question.answer, str) else None


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A question as a prediction file carries it itself."""

    ident: str
    video: str
    query: str
    options: list[str]
    answer: object
    fields: dict[str, Any]

    def text(self, name: str) -> str | None:
        """A field that is text, or a whole number as text; else None."""
        value = self.fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return value if isinstance(value, str) and value else None


def rows_of_fields(fields: Mapping[str, Sequence[Any]]) -> Iterator[FieldRow]:
    """Each question that prediction files carry, once: by id and order, or video and text.

    Args:
        fields: columns of the files, ``id`` and ``gold`` among them.

    Raises:
        InputError: a row's gold answer is no option.
    """
    known: set[object] = set()
    names = [name for name in fields if name not in ("id", "gold")]
    for number, (ident, answer, *values) in enumerate(
        zip(fields["id"], fields["gold"], *(fields[name] for name in names), strict=True)
    ):
        row = dict(zip(names, values, strict=True))
        own = row.get("question_id")
        name = ident if own is None else str(own)
        video, query = row.get("video"), row.get("query")
        where = join_key(str(video), "")[0]
        key = (where, " ".join(str(query).split())) if name is None else name
        if (key, row.get("order")) in known:
            continue
        known.add((key, row.get("order")))
        options = option_texts(row.get("options")) or split_options(str(query))[1]
        if answer_place(answer, options) < 0 and not options:
            raise Record({}, None, number + 1).error(
                "no option", "gold", "a letter, or options beside its text", answer
            )
        own_name = f"{where}:{len(known) - 1}" if name is None else name
        yield FieldRow(
            ident=own_name,
            video=own_name if video is None else where,
            query="" if query is None else str(query),
            options=options,
            answer=answer,
            fields=row,
        )
