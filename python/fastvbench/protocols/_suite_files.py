"""Which file of a folder belongs to which benchmark of a suite: by name, by format, by ids."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastvbench.core import InputError, MissingExtraError
from fastvbench.formats import PredictionBatch, PredictionFile, open_predictions
from fastvbench.protocols._join import JoinLedger, join_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._suite_protocol import SuitePart

__all__ = ["Assigned", "FolderFiles", "NamedFile", "assign_predictions", "list_files"]

MOST_FILES = 1_000
LEAST_KNOWN_IDS = 0.95
_SAMPLES = (".samples.jsonl.gz", ".samples.jsonl")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file and how it is called in messages: its path within the folder that was given."""

    path: Path
    name: str

    def labels(self) -> Iterator[str]:
        """The file's own name, then its folders', the nearest first."""
        yield from reversed(Path(self.name).parts)


@dataclass(frozen=True, slots=True)
class Assigned:
    """A prediction file that a row of the suite is scored from.

    Attributes:
        file: the file, only the row's part of it where it holds several settings.
        name: its name within its folder.
        found_by: ``name``, ``format`` or ``ids``; ``subset``, ``name`` or ``default`` for how its
            setting was found, where the benchmark has several.
    """

    file: PredictionFile
    name: str
    found_by: tuple[str, ...]


@dataclass(slots=True)
class FolderFiles:
    """What became of the files of a folder.

    Attributes:
        of_part: files by row of the suite.
        verdicts: a judge's verdicts, by protocol.
        unassigned: file name to the reason why it was left out.
    """

    of_part: dict[str, list[Assigned]] = field(default_factory=dict)
    verdicts: dict[str, NamedFile] = field(default_factory=dict)
    unassigned: dict[str, str] = field(default_factory=dict)


def list_files(sources: Iterable[str | os.PathLike[str]]) -> list[NamedFile]:
    """Every file in some folders, and files that are named themselves; hidden ones are left out.

    Raises:
        InputError: no such file or folder, or more files than a folder of results has.
    """
    found: list[NamedFile] = []
    for source in sources:
        base = Path(source)
        if base.is_dir():
            for path in sorted(base.rglob("*")):
                inner = path.relative_to(base)
                if path.is_file() and not any(part.startswith(".") for part in inner.parts):
                    found.append(NamedFile(path, inner.as_posix()))
                if len(found) > MOST_FILES:
                    raise InputError(
                        f"holds more than {MOST_FILES:,} files",
                        path=base,
                        expected="a folder of result files, one or a few a benchmark",
                    )
        elif base.is_file():
            found.append(NamedFile(base, base.name))
        else:
            raise InputError("no such file or folder", path=base, expected="a folder of files")
    return [file for file in found if not file.name.endswith(_SAMPLES)]


def named_protocol(file: NamedFile, parts: Sequence[SuitePart]) -> str | None:
    """The benchmark that a file, or else the nearest of its folders, is named after.

    Raises:
        InputError: one name speaks of two benchmarks.
    """
    for label in file.labels():
        named = list(dict.fromkeys(part.protocol for part in parts if part.is_named_by(label)))
        if len(named) > 1:
            raise InputError(
                f"{label!r} is the name of several benchmarks",
                value=", ".join(named),
                expected="one of them in the file's name",
            )
        if named:
            return named[0]
    return None


def assign_predictions(
    files: Iterable[NamedFile], parts: Sequence[SuitePart], golds: Mapping[str, Gold]
) -> FolderFiles:
    """Give each row of a suite its files.

    Args:
        files: everything that was found.
        parts: the rows of the suite.
        golds: annotations by protocol, of the benchmarks that have any.
    """
    found = FolderFiles()
    for file in files:
        reason = _try_assign(file, parts, golds, found)
        if reason is not None:
            found.unassigned[file.name] = reason
    return found


def _try_assign(
    file: NamedFile, parts: Sequence[SuitePart], golds: Mapping[str, Gold], found: FolderFiles
) -> str | None:
    """Assign a file, or say why it cannot be, without the path that its name stands for."""
    try:
        _assign(file, parts, golds, found)
    except (InputError, MissingExtraError, OSError) as error:
        return str(error).removeprefix(str(file.path)).removeprefix(":").strip()
    return None


def _assign(
    file: NamedFile, parts: Sequence[SuitePart], golds: Mapping[str, Gold], found: FolderFiles
) -> None:
    protocol = named_protocol(file, parts)
    if "verdict" in file.path.name.lower():
        if protocol is None:
            raise InputError("verdicts on an unknown benchmark", expected="its name in the file's")
        if protocol in found.verdicts:
            raise InputError(
                f"verdicts on {protocol} stand in {found.verdicts[protocol].name} too",
                expected="one file",
            )
        found.verdicts[protocol] = file
        return
    opened = open_predictions(file.path)
    first = next(opened.batches())
    how = "name"
    if protocol is None:
        protocol, how = _protocol_of_content(opened, first, parts, golds)
    rows = [part for part in parts if part.protocol == protocol]
    _give(_Opened(opened, file.name, how, first.fields.get("subset", [])), rows, found)


def _protocol_of_content(
    opened: PredictionFile,
    first: PredictionBatch,
    parts: Sequence[SuitePart],
    golds: Mapping[str, Gold],
) -> tuple[str, str]:
    """The benchmark that a file's format or ids belong to, and which of the two it was.

    Raises:
        InputError: they belong to none, or to several.
    """
    own = {part.protocol for part in parts if opened.format in part.formats}
    if len(own) == 1:
        return own.pop(), "format"
    fitting = [name for name, gold in golds.items() if _fits(opened, first, gold)]
    if len(fitting) == 1:
        return fitting[0], "ids"
    if fitting:
        raise InputError(
            f"its ids are those of {' and of '.join(fitting)}",
            expected="the benchmark in the file's name",
        )
    raise InputError(
        "its name is no benchmark's, and its ids are in no annotation file",
        expected="the benchmark in the file's name, or its annotations",
    )


def _fits(opened: PredictionFile, first: PredictionBatch, gold: Gold) -> bool:
    """Whether nearly all rows are annotated ones.

    Row numbers fit any benchmark, so a file of bare numbers must be the whole of it.
    """
    try:
        rows = join_batch(first, gold, opened.path, JoinLedger())
    except InputError:
        return False
    known = rows >= 0
    if known.mean() < LEAST_KNOWN_IDS:
        return False
    if all(ident is not None and ident.isdecimal() for ident in first.ids):
        covered = len(np.unique(rows[known])) / len(gold)
        return covered >= LEAST_KNOWN_IDS
    return True


class _Opened(NamedTuple):
    """A file of a known benchmark, and the settings that its rows name."""

    file: PredictionFile
    name: str
    how: str
    subsets: list[Any]

    def assigned(self, *beside: str) -> Assigned:
        return Assigned(self.file, self.name, (self.how, *beside))


def _give(opened: _Opened, rows: Sequence[SuitePart], found: FolderFiles) -> None:
    """Give a file to the row of its benchmark, or to those of the settings that it holds."""
    if len(rows) == 1:
        _put(found, rows[0], opened.assigned())
        return
    held = {value for value in opened.subsets if value is not None}
    if held:
        settings = [part for part in rows if part.setting and part.setting.subset in held]
        unknown = held - {part.setting.subset for part in settings if part.setting}
        if unknown:
            raise InputError(
                "unknown settings",
                field="subset",
                value=", ".join(sorted(map(str, unknown))),
                expected=" or ".join(part.setting.subset for part in rows if part.setting),
            )
        for part in settings:
            if part.setting is not None:
                only = opened.file.only("subset", [part.setting.subset])
                _put(found, part, Assigned(only, opened.name, (opened.how, "subset")))
        return
    for part in rows:
        if part.setting is not None and part.setting.is_named_by(opened.name):
            _put(found, part, opened.assigned("name"))
            return
    for part in rows:
        if part.setting is not None and part.setting.default:
            _put(found, part, opened.assigned("default"))
            return
    raise InputError(
        "names none of the benchmark's settings",
        expected=" or ".join(part.setting.subset for part in rows if part.setting),
    )


def _put(found: FolderFiles, part: SuitePart, assigned: Assigned) -> None:
    found.of_part.setdefault(part.key, []).append(assigned)
