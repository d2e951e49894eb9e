"""Open a prediction file: find out what it is, then give its rows as columns."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import BatchBuilder, Path, PredictionBatch
from fastvbench.formats._bytes import BLOCK_BYTES, FileHash, Json, Ledger, blaming_gzip, count
from fastvbench.formats._chunks import (
    BareChunk,
    Chunk,
    chunks_of_cells,
    chunks_of_lines,
    chunks_of_map,
    chunks_of_rows,
)
from fastvbench.formats._json import read_json
from fastvbench.formats._plan import RowPlan, plan_any_rows, plan_family_rows
from fastvbench.formats._registry import (
    DOCUMENT_FAMILIES,
    FORMATS,
    ROW_FAMILIES,
    refuse_other_documents,
)
from fastvbench.formats._rows import RowsToColumns
from fastvbench.formats._sniff import SNIFFED_ROWS, Container, first_rows, sniff_container
from fastvbench.formats._tables import iter_table
from fastvbench.formats.generic import MAPS_TO_TEXT, is_one_row

if TYPE_CHECKING:
    from fastvbench.formats._family import DocumentFamily, RowFamily

__all__ = ["PredictionFile", "open_predictions"]

_GENERIC_FORMATS = {
    "jsonl": (Container.LINES,),
    "json-rows": (Container.DOCUMENT,),
    "table": (Container.TSV, Container.CSV, Container.XLSX),
}


@dataclass(frozen=True)
class _Overrides:
    """What the caller insists on."""

    format: str | None
    id_field: str | None
    text_field: str | None
    wanted: tuple[str, ...]


@dataclass(frozen=True)
class _Reading:
    """How a file is read: decided once, on opening."""

    format: str
    container: Container
    plan: RowPlan
    row_family: RowFamily | None = None
    wanted: tuple[str, ...] = ()
    document_family: DocumentFamily | None = None


class PredictionFile:
    """A file of model outputs, or rows in memory, read in batches of columns.

    Made by `open_predictions`.

    Attributes:
        path: the file; ``<memory>`` for rows in memory.
        format: the name of its format, a key of ``FORMATS``, or ``memory``.
        carries_gold: whether rows hold the right answers too, so that no annotations are needed.
        ledger: what the latest pass met and tolerated, by name, with how often.
    """

    def __init__(self, path: pathlib.Path, reading: _Reading, document: _Document | None) -> None:
        self.path = path
        self.format = reading.format
        self.carries_gold = reading.plan.carries_gold
        self.ledger: Ledger = {}
        self._reading = reading
        self._document = document
        self._sha256: str | None = None
        self._only: tuple[str, frozenset[object]] | None = None

    def __repr__(self) -> str:
        return f"PredictionFile({str(self.path)!r}, format={self.format!r})"

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes on the disk, packed if they are; known after a full pass.

        For rows in memory, of their JSON text. Before a full pass, the file is read for it.
        """
        if self._sha256 is None:
            digest = hashlib.sha256()
            if self._reading.container is Container.MEMORY and self._document is not None:
                text = json.dumps(self._document.value, default=str)
                digest.update(text.encode("utf-8", "surrogatepass"))
            else:
                with open(self.path, "rb") as file:
                    while block := file.read(BLOCK_BYTES):
                        digest.update(block)
            self._sha256 = digest.hexdigest()
        return self._sha256

    def batches(self) -> Iterator[PredictionBatch]:
        """Yield all rows in the order of the file; a second call reads the file again.

        Raises:
            InputError: a row cannot be read as what its file is; also in the middle of a pass.
        """
        ledger: Ledger = {}
        self.ledger = ledger
        with blaming_gzip(self.path):
            for batch in self._read_batches(ledger):
                kept = batch if self._only is None else _rows_with(batch, *self._only)
                if len(kept):
                    yield kept

    def only(self, field: str, values: Iterable[object]) -> PredictionFile:
        """The same file, of which only rows with one of these values of a field are given.

        Args:
            field: a field of its batches, for example ``subset``.
            values: those whose rows are kept.
        """
        part = PredictionFile(self.path, self._reading, self._document)
        part.format, part._sha256 = self.format, self._sha256
        part._only = (field, frozenset(values))
        return part

    def _read_batches(self, ledger: Ledger) -> Iterator[PredictionBatch]:
        file_hash = FileHash()
        builder = BatchBuilder()
        columns = RowsToColumns(self.path, self._reading.plan, ledger)
        family = self._reading.row_family
        has_rows = False
        for chunk in self._chunks(ledger, file_hash):
            if isinstance(chunk, BareChunk):
                has_rows = True
                yield from builder.add(
                    chunk.ids, chunk.texts, chunk.lines, {}, byte_count=chunk.byte_count
                )
                continue
            rows, lines, raw = chunk.rows, chunk.lines, chunk.raw
            if family is not None:
                rows, lines = _family_rows(family, self._reading.wanted, chunk, self.path, ledger)
                raw = None
            if rows:
                has_rows = True
                ids, texts, fields = columns.convert(rows, lines, raw)
                yield from builder.add(ids, texts, lines, fields, byte_count=chunk.byte_count)
        if not has_rows:
            raise InputError("holds no rows", path=self.path, expected="at least one prediction")
        yield from builder.flush()
        if self._reading.container not in (Container.DOCUMENT, Container.MEMORY):
            self._sha256 = file_hash.hexdigest()

    def _chunks(self, ledger: Ledger, file_hash: FileHash) -> Iterator[Chunk | BareChunk]:
        container = self._reading.container
        if container is Container.LINES:
            plan = self._reading.plan
            bare_keys = None
            if self._reading.row_family is None and plan.id_key is not None:
                bare_keys = (plan.id_key, plan.text_key)
            return chunks_of_lines(self.path, ledger, file_hash, bare_keys=bare_keys)
        if container in (Container.TSV, Container.CSV, Container.XLSX):
            return chunks_of_cells(
                iter_table(self.path, kind=container.value, ledger=ledger, file_hash=file_hash)
            )
        document = self._document
        if document is None:
            document = _load(self.path)
        elif container is Container.DOCUMENT:
            self._document = None  # a second pass reads again; holding it would cost its size
        ledger.update(document.ledger)
        self._sha256 = document.sha256 or self._sha256
        if self._reading.document_family in MAPS_TO_TEXT and isinstance(document.value, dict):
            bare_chunks = chunks_of_map(document.value)
            if bare_chunks is not None:
                return bare_chunks
        return chunks_of_rows(_document_rows(document.value, self.path, self._reading))


def _rows_with(batch: PredictionBatch, field: str, values: frozenset[object]) -> PredictionBatch:
    column = batch.fields.get(field)
    if column is None:
        return PredictionBatch()
    return batch.take([k for k, value in enumerate(column) if value in values])


@dataclass(frozen=True)
class _Document:
    """A parsed document, what was tolerated in it, and the hash of its file."""

    value: Json
    ledger: Ledger
    sha256: str | None


def _load(path: Path) -> _Document:
    ledger: Ledger = {}
    file_hash = FileHash()
    value = read_json(path, ledger=ledger, file_hash=file_hash, keep_repeats=True)
    return _Document(value, ledger, file_hash.hexdigest())


def _family_rows(
    family: RowFamily, wanted: tuple[str, ...], chunk: Chunk, path: Path, ledger: Ledger
) -> tuple[list[Any], list[int]]:
    rows: list[Any] = []
    lines: list[int] = []
    for row, line in zip(chunk.rows, chunk.lines, strict=True):
        if not isinstance(row, dict):
            raise InputError(
                "rows of mixed shape", path=path, line=line, value=row, expected="an object"
            )
        converted = family.convert(row, path, line)
        if converted is None:
            count(ledger, "rows_without_prediction")
            continue
        for key in wanted:
            if key in row:
                converted.setdefault(key, row[key])
        rows.append(converted)
        lines.append(line)
    return rows, lines


def _document_rows(value: Json, path: Path, reading: _Reading) -> Iterator[tuple[int, Any]]:
    if reading.document_family is not None:
        return reading.document_family.rows(value, path)
    return enumerate([value] if isinstance(value, dict) else value, start=1)


def open_predictions(
    source: Path | Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    format: str | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
    wanted: Iterable[str] = (),
) -> PredictionFile:
    """Open a file of model outputs of any known make, plain or gzip.

    The format is found by content, never by the file's name.

    Args:
        source: a path; or rows in memory, as ``{id: text}`` or a list of row objects.
        format: a key of ``FORMATS``, where the detection should be overruled.
        id_field: the key of the id, for rows of no particular tool.
        text_field: the key of the model's text, for rows of no particular tool.
        wanted: further keys of rows to carry as fields under their own names.

    Returns:
        The file, its format decided; rows are read by ``batches()``.

    Raises:
        InputError: not a readable file of predictions; the message says where and why.
        MissingExtraError: an .xlsx table without the package that reads it.

    Example:
        >>> file = open_predictions({"17": "B", "18": "(C) blue"})
        >>> [batch.ids for batch in file.batches()]
        [['17', '18']]
    """
    overrides = _Overrides(format, id_field, text_field, tuple(wanted))
    if format is not None and format not in FORMATS:
        raise InputError("no such format", value=format, expected="one of " + ", ".join(FORMATS))
    if isinstance(source, str | os.PathLike):
        with blaming_gzip(source):
            return _open_path(pathlib.Path(source), overrides)
    path = pathlib.Path("<memory>")
    value: Json = dict(source) if isinstance(source, Mapping) else list(source)
    if isinstance(value, dict):
        value = {str(key): text for key, text in value.items()}
    document = _Document(value, {}, None)
    if not value:
        raise InputError("holds no rows", path=path, expected="at least one prediction")
    reading = _read_document(path, value, overrides)
    memory = replace(reading, format="memory", container=Container.MEMORY)
    return PredictionFile(path, memory, document)


def _open_path(path: pathlib.Path, overrides: _Overrides) -> PredictionFile:
    forced = overrides.format
    container = sniff_container(path)
    if forced is not None:
        allowed = _GENERIC_FORMATS.get(forced, ())
        if forced in DOCUMENT_FAMILIES and forced not in ROW_FAMILIES:
            allowed = (Container.DOCUMENT,)
        if forced == "jsonl" or (allowed == (Container.DOCUMENT,) and container is Container.LINES):
            container = allowed[0]  # one-line files are either; the caller knows
        elif allowed and container not in allowed:
            raise InputError(
                f"cannot be read as {forced}",
                path=path,
                value=container.value,
                expected=_kinds(allowed),
            )
    if container is Container.DOCUMENT:
        document = _load(path)
        return PredictionFile(path, _read_document(path, document.value, overrides), document)
    if container is Container.LINES:
        rows = first_rows(path)
    else:
        table = iter_table(path, kind=container.value)
        rows = [row for _, row in itertools.islice(table, SNIFFED_ROWS)]
        if not rows:
            raise InputError("the table holds no rows", path=path, expected="at least one row")
    name = "jsonl" if container is Container.LINES else "table"
    return PredictionFile(path, _read_rows(path, rows, container, name, overrides), None)


def _kinds(containers: tuple[Container, ...]) -> str:
    return " or ".join(container.value for container in containers)


def _read_document(path: Path, value: Json, overrides: _Overrides) -> _Reading:
    forced = overrides.format
    family = DOCUMENT_FAMILIES.get(forced) if forced is not None else None
    if family is None and (forced is None or forced in ROW_FAMILIES):
        candidates = DOCUMENT_FAMILIES.values()
        family = next((each for each in candidates if each.detects(value)), None)
        if forced is not None and family is not None and family.name != forced:
            family = None
    if family is not None:
        if family.converted and (overrides.id_field or overrides.text_field):
            raise InputError(
                f"--id-field and --text-field do not apply to {family.name}",
                path=path,
                expected="rows of no particular tool; --format json-rows reads any list of rows",
            )
        if family.converted:
            plan = plan_family_rows(family.carries_gold)
        else:
            rows = [row for _, row in itertools.islice(family.rows(value, path), SNIFFED_ROWS)]
            plan = _plan(path, rows, overrides)
        return _Reading(family.name, Container.DOCUMENT, plan, document_family=family)
    rows = value if isinstance(value, list) else [value]
    if (
        isinstance(value, dict)
        and not is_one_row(value)
        and not any(each.detects(value) for each in ROW_FAMILIES.values())
    ):
        refuse_other_documents(path, value)
    if not rows:
        raise InputError("holds no rows", path=path, expected="at least one prediction")
    return _read_rows(path, rows[:SNIFFED_ROWS], Container.DOCUMENT, "json-rows", overrides)


def _read_rows(
    path: Path, rows: list[Any], container: Container, generic_name: str, overrides: _Overrides
) -> _Reading:
    """Decide what rows are, from the first of them."""
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(
                "a row is no object", path=path, line=number, value=row, expected='{"id": ..., ...}'
            )
    forced = overrides.format
    family = ROW_FAMILIES.get(forced) if forced is not None else None
    if forced is None and overrides.id_field is None and overrides.text_field is None:
        # The second row too: VideoLLaMA3 puts its metrics into the first.
        candidates = ROW_FAMILIES.values()
        family = next((each for each in candidates if any(map(each.detects, rows[:2]))), None)
    if family is not None:
        converted = [family.convert(row, path, number) for number, row in enumerate(rows, start=1)]
        gold = any(row is not None and row.get("gold") is not None for row in converted)
        return _Reading(family.name, container, plan_family_rows(gold), family, overrides.wanted)
    return _Reading(generic_name, container, _plan(path, rows, overrides))


def _plan(path: Path, rows: list[Any], overrides: _Overrides) -> RowPlan:
    return plan_any_rows(
        path,
        rows,
        id_field=overrides.id_field,
        text_field=overrides.text_field,
        wanted=overrides.wanted,
    )
