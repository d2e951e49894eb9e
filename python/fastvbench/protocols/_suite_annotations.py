"""The annotations of each benchmark of a suite, found in one folder."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.core import InputError, MissingExtraError
from fastvbench.protocols._durations import read_durations
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._registry import get_protocol
from fastvbench.protocols._suite_files import NamedFile, list_files, named_protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._suite_protocol import SuitePart

__all__ = ["AnnotationFolder", "FoundAnnotations", "answer_protocol", "find_annotations"]


@dataclass(frozen=True, slots=True)
class FoundAnnotations:
    """The annotations of one benchmark.

    Attributes:
        gold: as read.
        source: the file or folder that they came from.
        durations: the file that gave video lengths, None where there was none.
    """

    gold: Gold
    source: Path
    durations: Path | None


@dataclass(slots=True)
class AnnotationFolder:
    """What a folder of annotations holds.

    Attributes:
        of_protocol: annotations that were found, by benchmark.
        problems: why a benchmark's files could not be used, by benchmark.
        unassigned: files of no benchmark, by name, with the reason.
    """

    of_protocol: dict[str, FoundAnnotations] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    unassigned: dict[str, str] = field(default_factory=dict)


def answer_protocol(name: str) -> AnswerProtocol:
    """A benchmark of questions by its name.

    Raises:
        TypeError: it is of another kind.
    """
    protocol = get_protocol(name)
    if not isinstance(protocol, AnswerProtocol):
        raise TypeError(f"{name} is no benchmark of questions")
    return protocol


def find_annotations(
    folder: str | os.PathLike[str] | None, parts: Sequence[SuitePart]
) -> AnnotationFolder:
    """Read the annotations of each benchmark: files named after it, else files it can read.

    A benchmark's annotations may also be a folder of its name, where its reader takes one; a
    file of video lengths may stand beside them.

    Raises:
        InputError: no such folder.
    """
    found = AnnotationFolder()
    if folder is None:
        return found
    protocols = list(dict.fromkeys(part.protocol for part in parts))
    candidates: dict[str, list[NamedFile]] = {name: [] for name in protocols}
    nameless: list[NamedFile] = []
    for file in list_files([folder]):
        try:
            protocol = named_protocol(file, parts)
        except InputError as error:
            found.unassigned[file.name] = str(error)
            continue
        (nameless if protocol is None else candidates[protocol]).append(file)
    for name, files in candidates.items():
        if files:
            _read_named(name, files, Path(folder), found)
    for file in nameless:
        _read_nameless(file, protocols, found)
    return found


def _try_read(name: str, path: Path, durations: Path | None = None) -> Gold | str:
    """The annotations, or why they could not be read."""
    try:
        return answer_protocol(name).read_annotations(path, ScoreOptions(durations=durations))
    except (InputError, MissingExtraError, OSError) as error:
        return str(error)


def _read_named(name: str, files: list[NamedFile], folder: Path, found: AnnotationFolder) -> None:
    sources = [file.path for file in files]
    shared = Path(os.path.commonpath([path.parent for path in sources]))
    if len(sources) > 1 and shared != folder:
        whole = _try_read(name, shared)
        if not isinstance(whole, str):
            found.of_protocol[name] = FoundAnnotations(whole, shared, None)
            return
    outcomes = {path: _try_read(name, path) for path in sources}
    read = {path: gold for path, gold in outcomes.items() if not isinstance(gold, str)}
    if len(read) > 1:
        names = ", ".join(file.name for file in files if file.path in read)
        found.problems[name] = (
            f"several annotation files: {names}; one of them, or a folder of the benchmark's name"
        )
        return
    if not read:
        found.problems[name] = "; ".join(str(problem) for problem in outcomes.values())
        return
    (source, gold), *_ = read.items()
    found.of_protocol[name] = FoundAnnotations(gold, source, None)
    for file in files:
        if file.path != source:
            _use_as_durations(name, file, found)


def _use_as_durations(name: str, file: NamedFile, found: AnnotationFolder) -> None:
    """Read the annotations again with video lengths, if that is what a second file holds."""
    before = found.of_protocol[name]
    if before.gold.intervals is None or before.durations is not None:
        found.unassigned[file.name] = f"the annotations of {name} are {before.source.name}"
        return
    try:
        read_durations(file.path)
    except InputError as error:
        found.unassigned[file.name] = str(error)
        return
    gold = _try_read(name, before.source, file.path)
    if not isinstance(gold, str):
        found.of_protocol[name] = FoundAnnotations(gold, before.source, file.path)


def _read_nameless(file: NamedFile, protocols: Sequence[str], found: AnnotationFolder) -> None:
    """Take a file whose name says nothing for the one benchmark that can read it."""
    readable: dict[str, Gold] = {}
    if any(name not in found.of_protocol for name in protocols):
        for name in protocols:
            gold = _try_read(name, file.path)
            if not isinstance(gold, str):
                readable[name] = gold
    if len(readable) > 1:
        found.unassigned[file.name] = (
            f"could be annotations of {' or of '.join(readable)}; its name should say which"
        )
    elif not readable or next(iter(readable)) in found.of_protocol:
        found.unassigned[file.name] = "annotations of no benchmark of the suite"
    else:
        name, gold = readable.popitem()
        found.of_protocol[name] = FoundAnnotations(gold, file.path, None)
