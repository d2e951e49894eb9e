"""Shards of one run put together, with holes and overlaps refused unless told otherwise."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from fastvbench.core._errors import InputError
from fastvbench.formats import write_atomic
from fastvbench.protocols import get_protocol
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.runs._finish import score_folder
from fastvbench.runs._folder import RECORD, RESPONSES, RunFolder, read_record, refuse_difference
from fastvbench.runs._plan import annotations_entry
from fastvbench.runs._responses import read_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.results import Result

__all__ = ["merge"]

_SHOWN = 5


class _Place(NamedTuple):
    """Where a row stands: bytes of a file, and whether it is a failure."""

    path: Path
    begin: int
    end: int
    failed: bool


def merge(
    shards: Sequence[str | os.PathLike[str]],
    annotations: Any,
    out: str | os.PathLike[str],
    *,
    allow_holes: bool = False,
    allow_overlaps: bool = False,
    durations: str | os.PathLike[str] | None = None,
    seed: int = 0,
) -> Result:
    """Put the run folders of shards together in a new one, and score it as the whole run.

    Args:
        shards: run folders of one benchmark, model, prompt and settings.
        annotations: the annotations that they were run with.
        out: the new run folder.
        allow_holes: questions that no shard answered are let through, and counted as missing.
        allow_overlaps: of questions that several shards answered, the first answer is taken.
        durations: file with video lengths, for annotations that have none.
        seed: of the result's intervals.

    Returns:
        The Result, which equals that of the whole run apart from times.

    Raises:
        InputError: shards of different runs, holes or overlaps, or other annotations.
    """
    folders = [Path(shard) for shard in shards]
    if not folders:
        raise InputError("no run folder to merge", expected="one or more")
    records = [read_record(folder) for folder in folders]
    first = records[0]
    for record, folder in zip(records[1:], folders[1:], strict=True):
        refuse_difference(record["identity"], first["identity"], folder)
    given = annotations_entry(annotations)
    if given["sha256"] != first["identity"]["annotations"]["sha256"]:
        raise InputError(
            "not the annotations that the shards were run with",
            path=annotations if isinstance(annotations, str | os.PathLike) else None,
            expected=f"{first['identity']['annotations']['name']} as it was then",
        )
    protocol = get_protocol(first["identity"]["protocol"]["name"])
    assert isinstance(protocol, AnswerProtocol)
    lengths = None if durations is None else Path(durations)
    gold = protocol.read_annotations(annotations, ScoreOptions(durations=lengths))
    limit = first["identity"]["limit"]
    ids = gold.ids if limit is None else gold.ids[:limit]
    rows = _joined(folders, allow_overlaps=allow_overlaps)
    _check_ids(ids, rows, allow_holes=allow_holes)
    with RunFolder(Path(out)) as merged:
        if (merged.path / RECORD).exists() or merged.responses.exists():
            raise InputError("holds a run already", path=merged.path, expected="another folder")
        merged.record = _record(first, records, folders, ids=ids, videos=gold.videos)
        write_atomic(merged.responses, partial(_write, ids, rows))
        merged.write()
        result = score_folder(
            merged,
            protocol,
            annotations,
            ids,
            rules=first["rules"],
            durations=lengths,
            seed=seed,
        )
    if result is None:
        raise InputError("the shards hold no row", path=folders[0], expected="answers")
    return result


def _joined(folders: Sequence[Path], *, allow_overlaps: bool) -> dict[str, _Place]:
    """Where the row of each id stands; an answer goes before a failure.

    Raises:
        InputError: two shards have a row of the same question.
    """
    places: dict[str, _Place] = {}
    for folder in folders:
        path = folder / RESPONSES
        begin = 0
        for row, end in read_rows(path) if path.exists() else ():
            ident = row["id"]
            held = places.get(ident)
            if held is not None and not allow_overlaps:
                raise InputError(
                    f"the same question stands in {held.path.parent} too",
                    path=folder,
                    field="id",
                    value=ident,
                    expected="each question in one shard, or --allow-overlaps",
                )
            if held is None or (held.failed and not row["error"]):
                places[ident] = _Place(path, begin, end, bool(row["error"]))
            begin = end
    return places


def _write(ids: Sequence[str], places: dict[str, _Place], file: BinaryIO) -> None:
    """Copy rows in the order of the annotations."""
    with contextlib.ExitStack() as stack:
        sources = {
            path: stack.enter_context(path.open("rb"))
            for path in {place.path for place in places.values()}
        }
        for ident in ids:
            place = places.get(ident)
            if place is not None:
                sources[place.path].seek(place.begin)
                file.write(sources[place.path].read(place.end - place.begin))


def _check_ids(ids: Sequence[str], rows: dict[str, _Place], *, allow_holes: bool) -> None:
    """Refuse holes, and rows that no question belongs to."""
    known = set(ids)
    strange = next((ident for ident in rows if ident not in known), None)
    if strange is not None:
        raise InputError("no question has this id", field="id", value=strange)
    holes = [ident for ident in ids if ident not in rows or rows[ident].failed]
    if holes and not allow_holes:
        raise InputError(
            f"{len(holes):,} of {len(ids):,} questions have no answer in any shard",
            field="id",
            value=", ".join(holes[:_SHOWN]),
            expected="finished shards (--resume), or --allow-holes",
        )


def _record(
    first: dict[str, Any],
    records: Sequence[dict[str, Any]],
    folders: Sequence[Path],
    *,
    ids: Sequence[str],
    videos: Sequence[str],
) -> dict[str, Any]:
    """The whole run's record: what all shards have in common, and each one's sessions."""
    return first | {
        "selection": first["selection"]
        | {"questions": len(ids), "videos": len(set(videos[: len(ids)])), "shard": None},
        "sessions": [session for record in records for session in record["sessions"]],
        "merged": [
            {"name": folder.name, "shard": record["selection"]["shard"]}
            for folder, record in zip(folders, records, strict=True)
        ],
    }
