"""One id, and perhaps a text, a video and a token count, for each row of embeddings."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.formats import as_id, iter_json_lines, open_bytes, read_json, read_text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fastvbench.retrieval.stores._contents import Contents, Path

__all__ = ["SIDECARS", "RowColumns", "find_sidecar", "make_columns", "read_id_file", "rows_inside"]

SIDECARS = (".ids.txt", ".ids.json", ".ids.jsonl")

_NAMES = {
    "ids": ("ids", "id", "clip_id", "query_id", "video_id", "vid", "source"),
    "texts": ("texts", "text", "captions", "caption", "cap"),
    "videos": ("videos", "video", "video_id", "vid"),
    "token_counts": ("token_counts", "token_count"),
}


@dataclass(frozen=True)
class RowColumns:
    """Columns of one value per row; None where nothing says.

    Attributes:
        source: the file that the ids come from, or what stands for one in messages.
        lines: 1-based lines of the values in that file; None where row i is line i + 1.
        ids: ids, not yet checked for repeats.
        texts: texts that the rows were made from.
        videos: ids of the videos that the rows belong to.
        token_counts: int64, tokens of the texts.
    """

    source: Path
    lines: list[int] | None = None
    ids: list[str] | None = None
    texts: list[str] | None = None
    videos: list[str] | None = None
    token_counts: NDArray[np.int64] | None = None

    def line(self, row: int) -> int:
        """The 1-based line of a row."""
        return row + 1 if self.lines is None else self.lines[row]


def find_sidecar(path: Path) -> pathlib.Path | None:
    """The id list that lies beside a file: ``clips.ids.txt`` or ``clips.npy.ids.txt``.

    Raises:
        InputError: there are several.
    """
    file = pathlib.Path(path)
    stems = dict.fromkeys([file.name, file.stem])
    besides = [file.with_name(stem + ending) for stem in stems for ending in SIDECARS]
    found = [beside for beside in besides if beside.is_file()]
    if len(found) > 1:
        raise InputError(
            "several id lists lie beside it",
            path=path,
            value=", ".join(beside.name for beside in found),
            expected="one",
        )
    return found[0] if found else None


def rows_inside(path: Path, contents: Contents, ids_key: str | None, used: str) -> RowColumns:
    """The columns that a file of embeddings holds itself, by their usual names.

    Where a file holds several matrices, columns of another length than the one that was taken
    belong to another one.

    Args:
        path: the file, for messages.
        contents: what it holds.
        ids_key: the name of its ids, if not a usual one.
        used: the name of the array that was taken as the embeddings.

    Raises:
        InputError: no column of that name, or values of the wrong kind.
    """
    columns = {name: load for name, load in contents.columns.items() if name != used}
    if ids_key is not None and ids_key not in columns:
        raise InputError(
            f"no column named {ids_key!r}",
            path=path,
            value=", ".join(columns) or "none",
            expected="one of its columns",
        )
    names = _usual_names(columns, ids_key)
    values = {kind: columns[name]() for kind, name in names.items()}
    if sum(len(array.shape) == 2 for array in contents.arrays.values()) > 1:
        row_count = contents.arrays[used].shape[0]
        values = {
            kind: column
            for kind, column in values.items()
            if len(column) == row_count or (kind == "ids" and ids_key is not None)
        }
    return make_columns(path, values, names)


def _usual_names(held: Mapping[str, object], ids_key: str | None = None) -> dict[str, str]:
    """Which of the names that are there means what; a name means one thing."""
    names: dict[str, str] = {} if ids_key is None else {"ids": ids_key}
    for kind, usual in _NAMES.items():
        name = next((n for n in usual if n in held and n not in names.values()), None)
        if name is not None:
            names.setdefault(kind, name)
    return names


def make_columns(
    source: Path,
    values: Mapping[str, Sequence[Any]],
    names: Mapping[str, str] | None = None,
    lines: list[int] | None = None,
) -> RowColumns:
    """Turn raw values into columns.

    Args:
        source: where the values come from, for messages.
        values: some of ids, texts, videos and token_counts.
        names: what the source calls them.
        lines: their lines in the source.

    Raises:
        InputError: a value that is no id, no text or no count; with its line.
    """
    columns = RowColumns(source, lines)
    converted: dict[str, Any] = {}
    for kind, raw in values.items():
        name = (names or {}).get(kind, kind)
        convert = {"texts": _as_text, "token_counts": _as_count}.get(kind, _as_id)
        converted[kind] = [
            value
            if type(value) is str and convert is _as_id and value.strip()  # nearly always
            else convert(value, columns, row, name)
            for row, value in enumerate(raw)
        ]
    if "token_counts" in converted:
        converted["token_counts"] = np.array(converted["token_counts"], np.int64)
    return RowColumns(source, lines, **converted)


def _as_id(value: object, columns: RowColumns, row: int, name: str) -> str:
    return as_id(value, path=columns.source, line=columns.line(row), name=name)


def _refusal(
    problem: str, value: object, columns: RowColumns, row: int, *, name: str, expected: str
) -> InputError:
    return InputError(
        problem,
        path=columns.source,
        line=columns.line(row),
        field=name,
        value=value,
        expected=expected,
    )


def _as_text(value: object, columns: RowColumns, row: int, name: str) -> str:
    if not isinstance(value, str):
        raise _refusal("not a text", value, columns, row, name=name, expected="text")
    return value


def _as_count(value: object, columns: RowColumns, row: int, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise _refusal(
            "not a count", value, columns, row, name=name, expected="a whole number of tokens"
        )
    return value


def read_id_file(path: Path) -> RowColumns:
    """Read an id list: lines of text, JSON Lines or a JSON array; plain or gzip; by content.

    Lines of text are one id each. Entries of JSON are ids, or objects with ``id`` and perhaps
    ``text``, ``video`` and ``token_count``, all with the same fields.

    Raises:
        InputError: a blank line, something that is no id, entries of mixed shape, a torn last
            line; with its line.
    """
    lines: list[int] = []
    values: dict[str, list[Any]] = {}
    names: dict[str, str] = {}
    for line, entry in _entries(path):
        row = entry if isinstance(entry, dict) else {"id": entry}
        if not lines:
            names = _usual_names(row)
            values = {kind: [] for kind in names}
        absent = next((name for name in names.values() if name not in row), None)
        if absent is not None or "ids" not in names:
            raise InputError(
                "not an entry of an id list",
                path=path,
                line=line,
                value=", ".join(map(str, row)),
                expected=f"the field {absent!r}, as before" if absent else "an id",
            )
        lines.append(line)
        for kind, name in names.items():
            values[kind].append(row[name])
    return make_columns(path, values, names, lines)


def _entries(path: Path) -> Iterator[tuple[int, Any]]:
    with open_bytes(path) as file:
        first = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    line = 0
    if first == b"[":
        yield from enumerate(read_json(path), start=1)
    elif first in (b"{", b'"'):
        ledger: dict[str, int] = {}
        for line, entry in iter_json_lines(path, ledger=ledger):
            yield line, entry
        if "torn_last_line" in ledger:
            raise InputError(
                "the last line is torn", path=path, line=line + 1, expected="a complete file"
            )
    else:
        previous = 0
        for line, text in read_text_lines(path):
            if line != previous + 1:
                raise InputError(
                    "a blank line", path=path, line=previous + 1, expected="one id on each line"
                )
            previous = line
            yield line, text
