"""From row objects to columns: which key is the id, which the text, which the known fields."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import Json, Path, as_id, as_intervals, as_text
from fastvbench.formats._bytes import Ledger, count
from fastvbench.formats._cells import parse_list_cell
from fastvbench.formats._json import JsonSyntaxError, parse_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "Row",
    "RowFamily",
    "RowPlan",
    "RowsToColumns",
    "first_present",
    "plan_any_rows",
    "plan_family_rows",
]

Row = dict[str, Any]

ID_KEYS = (
    "id",
    "uid",
    "question_id",
    "qid",
    "data_id",
    "doc_id",
    "questionId",
    "sample_id",
    "query_id",
    "pid",
    "index",
    "key",
)
TEXT_KEYS = (
    "text",
    "response",
    "pred",
    "prediction",
    "model_response",
    "model_output",
    "model_answer",
    "model_prediction",
    "predicted_answer",
    "pred_answer",
    "generated_text",
    "completion",
    "output",
    "option",
)
_GOLD_KEYS = (
    "gold",
    "target",
    "ground_truth",
    "gt",
    "gt_answer",
    "gold_answer",
    "correct_answer",
    "gt-answer",
    "label",
)
# Keys of one field in falling priority.
_FIELD_KEYS: dict[str, tuple[str, ...]] = {
    "video": ("video", "video_id", "vid", "videoID", "video_name", "video_path"),
    "query": ("query", "question", "caption", "sentence"),
    "filtered": ("filtered", "filtered_resps"),
    "gold": _GOLD_KEYS,
    "options": ("options", "candidates", "choices"),
    "question_type": ("question_type", "task_type"),
    "video_type": ("video_type",),
    "time_reference": ("time_reference",),
    "answer": ("answer",),
    "interval": ("interval",),
    "intervals": ("intervals", "pred_intervals", "predicted_intervals"),
    "sample": ("sample", "repeat"),
    "finish_reason": ("finish_reason", "stop_reason"),
    "error": ("error",),
    "duration": ("duration",),
    "modality": ("modality",),
    "task": ("task",),
}
_TEXT_FIELDS = frozenset({"video", "query"})
# A row that has one of these and an `answer`, but nothing that a model said, is a question.
_QUESTION_KEYS = frozenset(
    {"options", "candidates", "choices", "correct_choice", "time_reference", "scoring_points"}
)
_LARGEST_EXACT_FLOAT = 2.0**53


@dataclass(frozen=True)
class RowFamily:
    """One kind of row that other people's tools write.

    Attributes:
        name: the format's name.
        description: one line for help texts.
        detects: whether a row has the keys that tell this kind apart.
        convert: a row as keys ``id``, ``text`` and names of fields; None for a row that carries
            no prediction (counted). Gets the row, the path and the line for messages.
    """

    name: str
    description: str
    detects: Callable[[Row], bool]
    convert: Callable[[Row, Path, int], Row | None]


@dataclass(frozen=True)
class RowPlan:
    """Which keys of a row mean what.

    Attributes:
        id_key: the key of the id; None if rows have none.
        text_key: the key of the model's output.
        names: the fields that each further key fills; None if keys are fields already.
        priority: keys in the order in which they win one field.
        carries_gold: whether the rows hold the right answer too.
    """

    id_key: str | None
    text_key: str
    names: dict[str, tuple[str, ...]] | None = None
    priority: tuple[str, ...] = ()
    carries_gold: bool = False
    spare_text_keys: frozenset[str] = field(default_factory=frozenset)


def first_present(row: Row, keys: Iterable[str]) -> Json:
    """The value of the first of some keys that holds one, else None."""
    return next((row[key] for key in keys if row.get(key) is not None), None)


def plan_family_rows(carries_gold: bool) -> RowPlan:
    """The plan for rows that a `RowFamily` or a document reader has already converted."""
    return RowPlan(id_key="id", text_key="text", carries_gold=carries_gold)


def plan_any_rows(
    path: Path,
    rows: Sequence[Row],
    *,
    id_field: str | None = None,
    text_field: str | None = None,
    wanted: Iterable[str] = (),
) -> RowPlan:
    """Decide which keys mean what, from the first rows of a file of unknown make.

    Raises:
        InputError: no key holds text, a named one does not occur, or these are annotations.
    """
    keys: dict[str, None] = {}  # a set that keeps the order of the file, for messages
    for row in rows:
        keys.update(dict.fromkeys(row))
    for option, name in (("--id-field", id_field), ("--text-field", text_field)):
        if name is not None and name not in keys:
            raise InputError(
                f"{option} names a field that the rows do not have",
                path=path,
                value=name,
                expected=_one_of(keys),
            )
    id_key = id_field or next((key for key in ID_KEYS if key in keys), None)
    text_key = text_field or next((key for key in TEXT_KEYS if key in keys and key != id_key), None)
    if text_key is None and "answer" in keys:
        _refuse_questions(path, keys)
        text_key = "answer"
    if text_key is None:
        _refuse_questions(path, keys)
        raise InputError(
            "no field holds a model's text",
            path=path,
            value=", ".join(keys),
            expected="text, response, pred, prediction or answer, or --text-field NAME",
        )
    names: dict[str, tuple[str, ...]] = {}
    for name, candidates in _FIELD_KEYS.items():
        for key in candidates:
            if key in (id_key, text_key) and key != "answer":
                continue
            names[key] = (*names.get(key, ()), name)
    for key in wanted:
        if key not in names and key not in (id_key, text_key):
            names[key] = (key,)
    gold_keys = [key for key in _GOLD_KEYS if key in keys and key != text_key]
    if not gold_keys and "answer" in keys and text_key != "answer" and "interval" not in keys:
        names["answer"] = ("answer", "gold")
        gold_keys = ["answer"]
    return RowPlan(
        id_key=id_key,
        text_key=text_key,
        names=names,
        priority=tuple(names),
        carries_gold=bool(gold_keys),
        spare_text_keys=frozenset(TEXT_KEYS) - {text_key, id_key, "option"},
    )


def _one_of(keys: Iterable[str]) -> str:
    return "one of " + ", ".join(keys)


def _refuse_questions(path: Path, keys: Iterable[str]) -> None:
    if not _QUESTION_KEYS.isdisjoint(keys) or not {"qa", "relevant_windows", "gt"}.isdisjoint(keys):
        raise InputError(
            "this looks like an annotations file, not predictions",
            path=path,
            value=", ".join(keys),
            expected="a field with the model's text, or --text-field NAME",
        )


class RowsToColumns:
    """Turns lists of rows into columns, by a plan, as fast as Python lets it.

    Args:
        path: the file, for messages.
        plan: which keys mean what.
        ledger: counts what was tolerated.
    """

    def __init__(self, path: Path, plan: RowPlan, ledger: Ledger) -> None:
        self._path = path
        self._plan = plan
        self._ledger = ledger
        self._get_id = itemgetter(plan.id_key) if plan.id_key is not None else None
        self._get_text = itemgetter(plan.text_key)

    def bare(self, rows: list[Any]) -> tuple[list[str | None], list[str | None]] | None:
        """Ids and texts of rows that hold a string for each and nothing else; else None."""
        if self._get_id is None or type(rows[0]) is not dict or len(rows[0]) != 2:
            return None
        try:
            ids = list(map(self._get_id, rows))
            texts = list(map(self._get_text, rows))
            if set(map(len, rows)) != {2}:
                return None
        except (KeyError, TypeError):
            return None
        if set(map(type, texts)) != {str} or not all(ids):
            return None
        id_types = set(map(type, ids))
        if id_types == {int}:
            return list(map(str, ids)), texts
        return (ids, texts) if id_types == {str} else None

    def convert(
        self, rows: list[Any], lines: Sequence[int], raw: Sequence[bytes | None] | None = None
    ) -> tuple[list[str | None], list[str | None], dict[str, list[Any]]]:
        """Ids, texts and fields of any rows.

        Args:
            rows: parsed values, one per row.
            lines: their lines or row numbers.
            raw: the text of each row, to read numbers again that a double cannot hold.

        Raises:
            InputError: rows of mixed shape, or a value that its column cannot take.
        """
        for row, line in zip(rows, lines, strict=True):
            if not isinstance(row, dict):
                raise self._mixed(line, row, "an object on every row")
        keys = set().union(*rows)
        ids = self._ids(rows, lines, raw)
        texts, intervals = self._texts(rows, lines, raw)
        fields = self._fields(rows, lines, keys)
        if intervals is not None and "intervals" not in fields:
            fields["intervals"] = intervals
        return ids, texts, fields

    def _ids(
        self, rows: list[Row], lines: Sequence[int], raw: Sequence[bytes | None] | None
    ) -> list[str | None]:
        key = self._plan.id_key
        if key is None:
            return [None] * len(rows)
        ids: list[str | None] = []
        named = self._plan.names is not None
        for place, row in enumerate(rows):
            value = row.get(key)
            if type(value) is str and value:
                ids.append(value)
            elif value is None and not named:
                ids.append(None)  # converted rows say by None that the file has no id here
            elif key not in row:
                raise self._mixed(lines[place], ", ".join(row), f"an id in field {key!r}")
            else:
                exact = self._exact(value, key, raw, place)
                ids.append(as_id(exact, path=self._path, line=lines[place], name=key))
        return ids

    def _texts(
        self, rows: list[Row], lines: Sequence[int], raw: Sequence[bytes | None] | None
    ) -> tuple[list[str | None], list[Any] | None]:
        key = self._plan.text_key
        texts = [row.get(key) for row in rows]
        types = set(map(type, texts))
        if types == {str}:
            return texts, None
        intervals: list[Any] | None = None
        for place, value in enumerate(texts):
            if type(value) is str:
                continue
            row = rows[place]
            if value is None and key not in row:
                spare = [name for name in self._plan.spare_text_keys if row.get(name) is not None]
                if spare:
                    raise self._mixed(lines[place], ", ".join(row), f"the text in field {key!r}")
            if self._plan.names is not None and _are_windows(value):
                intervals = intervals or [None] * len(rows)
                intervals[place] = as_intervals(value, path=self._path, line=lines[place], name=key)
            texts[place] = as_text(self._exact(value, key, raw, place), self._ledger)
        return texts, intervals

    @staticmethod
    def _exact(value: Json, key: str, raw: Sequence[bytes | None] | None, place: int) -> Json:
        """A number as it was written: the fast parser turns long integers into doubles."""
        if not isinstance(value, float) or abs(value) < _LARGEST_EXACT_FLOAT or raw is None:
            return value
        line = raw[place]
        if line is None or not math.isfinite(value):
            return value
        try:
            # A NaN in front of the object keeps the fast parser away.
            slow = parse_line(b"[NaN," + line + b"]")[0][1]
        except JsonSyntaxError:
            return value
        return slow[key]

    def _fields(
        self, rows: list[Row], lines: Sequence[int], keys: set[str]
    ) -> dict[str, list[Any]]:
        names = self._plan.names
        fields: dict[str, list[Any]] = {}
        if names is None:
            ordered: Iterable[str] = sorted(keys - {"id", "text"})
        else:
            ordered = [key for key in self._plan.priority if key in keys]
        for key in ordered:
            column = [row.get(key) for row in rows]
            for name in (key,) if names is None else names[key]:
                earlier = fields.get(name)
                fields[name] = (
                    list(column)
                    if earlier is None
                    else [
                        new if old is None else old
                        for old, new in zip(earlier, column, strict=True)
                    ]
                )
        for name, column in fields.items():
            self._settle(name, column, lines)
        return fields

    def _settle(self, name: str, column: list[Any], lines: Sequence[int]) -> None:
        """Give a column the type that its name promises, in place."""
        if float in set(map(type, column)):
            for place, value in enumerate(column):
                if type(value) is float and not math.isfinite(value):
                    column[place] = None
                    count(self._ledger, "nan_as_missing")
        if name in _TEXT_FIELDS:
            for place, value in enumerate(column):
                if value is not None and type(value) is not str:
                    column[place] = str(value)
        elif name == "options":
            for place, value in enumerate(column):
                column[place] = self._options(value, lines[place])
        elif name == "intervals":
            for place, value in enumerate(column):
                column[place] = as_intervals(value, path=self._path, line=lines[place], name=name)

    def _options(self, value: Json, line: int) -> list[str] | None:
        if isinstance(value, str):
            value = parse_list_cell(value)
        elif isinstance(value, dict):  # {"A": "red", "B": "blue"}
            value = list(value.values())
        if value is None or isinstance(value, list):
            return None if value is None else [str(option) for option in value]
        raise InputError(
            "not options",
            path=self._path,
            line=line,
            field="options",
            value=value,
            expected="a list of texts",
        )

    def _mixed(self, line: int, value: object, expected: str) -> InputError:
        return InputError(
            "rows of mixed shape", path=self._path, line=line, value=value, expected=expected
        )


def _are_windows(value: Json) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(pair, list)
            and len(pair) in (2, 3)
            and all(isinstance(part, int | float) for part in pair)
            for pair in value
        )
    )
