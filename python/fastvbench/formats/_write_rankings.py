"""Write rankings as JSON Lines or as a TREC run; `rankings` reads both."""

from __future__ import annotations

import gzip
import json
import math
import os
from typing import TYPE_CHECKING, Any, Literal

import orjson

from fastvbench.core._atomic import write_atomic
from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import BufferedIOBase, BufferedWriter

    from fastvbench.formats._batch import Path

__all__ = ["write_rankings"]


def write_rankings(
    path: Path,
    query_ids: Sequence[str],
    rankings: Iterable[Sequence[str]],
    scores: Iterable[Sequence[float]] | None = None,
    *,
    format: Literal["jsonl", "trec"] = "jsonl",
    tag: str = "fastvbench",
) -> None:
    """Write rankings, in one step and the same bytes for the same input.

    A TREC run needs scores. Without any, item r of n gets the score n - r, which keeps the order;
    given ones are written as they are, so where two are equal, a reader in the order ``trec`` puts
    the greater id first. A query without items has no line in a TREC run.

    Args:
        path: the file to replace; a name that ends in ``.gz`` is packed.
        query_ids: q ids.
        rankings: for each query its items, best first.
        scores: for each query the scores of its items.
        format: ``jsonl`` or ``trec``.
        tag: the name of the run, the last field of each TREC line.

    Raises:
        InputError: lengths that differ, an unknown format, a score that is not finite, an id
            that a TREC run cannot hold: with white space, empty, or beginning with ``#``.
    """
    if format not in ("jsonl", "trec"):
        raise InputError(
            "unknown format", field="format", value=format, expected="'jsonl' or 'trec'"
        )
    blocks = _blocks(query_ids, rankings, scores, tag if format == "trec" else None)

    def write(file: BufferedWriter) -> None:
        if not os.fspath(path).endswith(".gz"):
            _write_all(file, blocks)
            return
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            _write_all(packed, blocks)

    write_atomic(path, write)


def _write_all(file: BufferedIOBase, blocks: Iterator[bytes]) -> None:
    file.writelines(blocks)


def _blocks(
    query_ids: Sequence[str],
    rankings: Iterable[Sequence[str]],
    scores: Iterable[Sequence[float]] | None,
    tag: str | None,
) -> Iterator[bytes]:
    """One block of lines for each query; of a TREC run if there is a tag."""
    rankings_left = iter(rankings)
    scores_left = None if scores is None else iter(scores)
    for row, query in enumerate(query_ids):
        items = next(rankings_left, None)
        if items is None:
            raise InputError(
                "fewer rankings than queries",
                field="rankings",
                value=row,
                expected=f"{len(query_ids)}",
            )
        item_scores = _scores_of(row, items, scores_left)
        if tag is not None:
            yield _trec_lines(row, query, items, item_scores, tag)
            continue
        line: dict[str, Any] = {"id": query, "ranking": list(items)}
        if item_scores is not None:
            line["scores"] = item_scores
        yield _json_line(line)
    if next(rankings_left, None) is not None:
        raise InputError(
            "more rankings than queries", field="rankings", expected=f"{len(query_ids)}"
        )


def _json_line(row: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(row) + b"\n"
    except orjson.JSONEncodeError:  # a lone surrogate
        return json.dumps(row).encode() + b"\n"


def _scores_of(
    row: int, items: Sequence[str], scores_left: Iterator[Sequence[float]] | None
) -> list[float] | None:
    if scores_left is None:
        return None
    scores = next(scores_left, ())
    if len(scores) != len(items):
        raise InputError(
            "not as many scores as items",
            line=row + 1,
            field="scores",
            value=len(scores),
            expected=f"{len(items)}",
        )
    numbers = [float(score) for score in scores]
    if not all(map(math.isfinite, numbers)):
        raise InputError(
            "not a finite score",
            line=row + 1,
            field="scores",
            value=next(number for number in numbers if not math.isfinite(number)),
        )
    return numbers


def _trec_lines(
    row: int, query: str, items: Sequence[str], scores: list[float] | None, tag: str
) -> bytes:
    for name in (query, *items, tag):
        if name.split() != [name] or name.startswith("#"):
            raise InputError(
                "cannot be a field of a TREC run",
                line=row + 1,
                value=name,
                expected="an id without white space, or the format 'jsonl'",
            )
    if scores is None:
        scores = [float(len(items) - i) for i in range(len(items))]
    lines = [
        f"{query} Q0 {item} {rank} {score!r} {tag}\n"
        for rank, (item, score) in enumerate(zip(items, scores, strict=True), start=1)
    ]
    return "".join(lines).encode("utf-8", "surrogatepass")
