"""What a retrieval score starts from: embeddings with ids, captions, truth, finished rankings."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.formats import (
    Rankings,
    file_sha256,
    read_lovr_captions,
    read_rankings,
    read_truth,
)
from fastvbench.protocols._retrieval_pairs import CaptionTexts
from fastvbench.retrieval._intake import as_embeddings
from fastvbench.retrieval.stores import (
    TWO_KINDS,
    EmbeddingStore,
    is_url,
    open_embeddings,
    read_id_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastvbench.protocols._retrieval_rule import RetrievalProtocol
    from fastvbench.retrieval.stores import Part

__all__ = [
    "ListedRankings",
    "Side",
    "Source",
    "id_names",
    "is_path",
    "open_both_parts",
    "open_side",
    "paths_of",
    "read_captions",
    "read_lists",
    "read_relevant",
]

Source = object  # a path, an EmbeddingStore, or [n, d] embeddings
Ids = str | os.PathLike[str] | Sequence[str] | None
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None

_COPY = re.compile(r"(.+)#([1-9]\d*)", re.DOTALL)


def is_path(source: object) -> bool:
    """Whether a source names a file."""
    return isinstance(source, str | os.PathLike)


@dataclass(slots=True)
class Side:
    """n embeddings and what is known of their rows.

    Attributes:
        name: the file, or ``memory``, for messages.
        embeddings: [n, d] float32, float16 or bfloat16; may be a memory map.
        ids: n ids; empty where the source has none, until they come from elsewhere.
        format: of the file.
        path: the file, None for memory.
        texts: n captions, where the file has them.
        token_counts: int64[n], where the file has them.
        videos: the video of each row, where the file says.
    """

    name: str
    embeddings: Any
    ids: list[str]
    format: str
    path: Path | None = None
    texts: Sequence[str | None] | None = None
    token_counts: npt.NDArray[np.int64] | None = None
    videos: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.embeddings)

    @property
    def dimension(self) -> int:
        """Values a row."""
        return int(self.embeddings.shape[1])

    def take(self, rows: npt.NDArray[np.int64]) -> Side:
        """Some of the rows."""
        kept = rows.tolist()
        return Side(
            self.name,
            self.embeddings[rows],
            [self.ids[row] for row in kept] if self.ids else [],
            self.format,
            self.path,
            None if self.texts is None else [self.texts[row] for row in kept],
            None if self.token_counts is None else self.token_counts[rows],
            None if self.videos is None else [self.videos[row] for row in kept],
        )

    def described(self) -> dict[str, Any]:
        """The entry of ``inputs`` in a result file."""
        entry: dict[str, Any] = {"name": Path(self.name).name, "format": self.format}
        if self.path is not None:
            entry["sha256"] = file_sha256(self.path)
        kind = str(self.embeddings.dtype).removeprefix("torch.")
        return entry | {"rows": len(self), "dimension": self.dimension, "type": kind}


def open_side(source: Source, ids: Ids, argument: str, part: Part | None = None) -> Side:
    """Open embeddings from a path, an EmbeddingStore, or an array.

    Args:
        source: what the caller gave.
        ids: a file of ids, or a list, for embeddings that carry none.
        argument: the argument's name, for messages.
        part: which rows to take of LoVR's own files where those hold clips and videos.

    Raises:
        InputError: a file or array that cannot be used; names the file or argument.
    """
    if not is_path(source):
        return _side_in_memory(source, ids, argument)
    try:
        return _side_of_file(source, ids, argument, None)
    except InputError as error:
        if part is None or error.problem != TWO_KINDS:
            raise
    return _side_of_file(source, ids, argument, part)


def open_both_parts(
    source: Source, argument: str, is_clip: Callable[[str], bool]
) -> tuple[Side | None, Side | None]:
    """Open embeddings of clips and of videos that lie in one file; None for what it lacks.

    LoVR's own text.pt and video.pt say which rows are which; elsewhere ids tell.

    Raises:
        InputError: as `open_side`; or there are no ids to tell by.
    """
    try:
        return _split(open_side(source, None, argument), is_clip)
    except InputError as error:
        if error.problem != TWO_KINDS:
            raise
    return (
        _side_of_file(source, None, argument, "clip"),
        _side_of_file(source, None, argument, "video"),
    )


def _side_of_file(source: Any, ids: Ids, argument: str, part: Part | None) -> Side:
    kind: Literal["gallery", "queries"] = "gallery" if argument == "gallery" else "queries"
    store = open_embeddings(source, ids=ids, side=kind, part=part, repeats="keep")
    path = None if is_url(source) else Path(source)
    return _checked(store, str(source), path, argument)


def _side_in_memory(source: Source, ids: Ids, argument: str) -> Side:
    store = source
    if not isinstance(store, EmbeddingStore):
        listed = _read_ids(ids)
        store = EmbeddingStore(source, listed, argument, "array", 0)  # type: ignore[arg-type]
    elif ids is not None:
        store = replace(store, ids=_read_ids(ids))
    return _checked(store, argument, None, argument)


def _checked(store: EmbeddingStore, name: str, path: Path | None, argument: str) -> Side:
    try:
        row_count = len(as_embeddings(store.embeddings, argument).values)
    except (TypeError, ValueError) as error:
        raise InputError(str(error), path=path) from None
    ids = [] if store.ids is None else [str(ident) for ident in store.ids]
    if ids and len(ids) != row_count:
        raise InputError(
            f"{row_count:,} embeddings and {len(ids):,} ids", path=name, expected="one id a row"
        )
    return Side(
        name,
        store.embeddings,
        ids,
        store.format,
        path,
        store.texts,
        store.token_counts,
        store.videos,
    )


def _read_ids(ids: Ids) -> list[str] | None:
    if isinstance(ids, str | os.PathLike):
        return read_id_file(ids).ids
    return None if ids is None else [str(ident) for ident in ids]


def _split(side: Side, is_clip: Callable[[str], bool]) -> tuple[Side | None, Side | None]:
    """Rows of clips and of videos, by their ids."""
    if not side.ids:
        raise InputError(
            "holds no ids to tell clips from videos by",
            path=side.name,
            expected="ids, or clips and videos in files of their own",
        )
    clips = np.array([is_clip(ident) for ident in side.ids], dtype=np.bool_)
    parts = (np.flatnonzero(clips), np.flatnonzero(~clips))
    of_clips, of_videos = (side.take(rows) if len(rows) else None for rows in parts)
    return of_clips, of_videos


def read_captions(source: Paths) -> dict[str, CaptionTexts]:
    """Captions of ``clips`` and of ``videos``, from one or several of LoVR's files.

    Raises:
        InputError: not such a file, or two of one kind.
    """
    captions: dict[str, CaptionTexts] = {}
    for path in paths_of(source):
        file = read_lovr_captions(path)
        if file.cluster_ids is not None:
            raise InputError(
                "holds captions of runs of clips, not of whole videos",
                path=path,
                field="cluster_id",
                expected="one caption a clip (path, cap) or a video (vid, cap)",
            )
        items = f"{file.kind}s"
        if items in captions:
            raise InputError(f"a second file of captions of {items}", path=path)
        captions[items] = CaptionTexts(file.ids, list(file.captions), file.videos)
    return captions


def paths_of(source: Paths) -> list[str | os.PathLike[str]]:
    """One path or several, as a list."""
    return [source] if isinstance(source, str | os.PathLike) else list(source or ())


def read_relevant(source: object) -> dict[str, list[str]] | None:
    """Relevant item ids by query id, from a file or from memory.

    Raises:
        InputError: unreadable, or a query without a relevant item.
    """
    if source is None:
        return None
    if is_path(source):
        truth = read_truth(source)  # type: ignore[arg-type]
        return {query: truth.of(i) for i, query in enumerate(truth.query_ids)}
    if not isinstance(source, Mapping):
        raise InputError(
            "not a truth", field="truth", value=source, expected="a file or {query id: [item ids]}"
        )
    relevant = {}
    for query, items in source.items():
        if isinstance(items, Mapping):
            raise InputError(
                f"the relevant items of query {query!r} are no list",
                field="truth",
                value=items,
                expected="an id or a list of ids; a file may hold grades",
            )
        ids = [items] if isinstance(items, str) else [str(ident) for ident in items]
        if not ids:
            raise InputError("a query without a relevant item", field="truth", value=query)
        relevant[str(query)] = ids
    return relevant


@dataclass(slots=True)
class ListedRankings:
    """Finished rankings: for each query its item ids, best first.

    Attributes:
        name: the file, or ``memory``.
        query_ids: q ids; the n-th query of an id is written ``id#n`` in files.
        lists: item ids of each, likewise.
        copies: how many rows of each item id were seen over all lists.
        described: the entry of ``inputs`` in a result file.
    """

    name: str
    query_ids: list[str]
    lists: list[list[str]]
    copies: Counter[str]
    described: dict[str, Any]


def read_lists(source: object) -> ListedRankings:
    """Read rankings from a file, or take ``{query id: [item ids]}``.

    Raises:
        InputError: unreadable, or no rankings.
    """
    if is_path(source):
        path = Path(str(source))
        read: Rankings = read_rankings(path)
        queries, lists = list(read.query_ids), [read.of(i) for i in range(len(read))]
        described: dict[str, Any] = {
            "name": path.name,
            "sha256": file_sha256(path),
            "format": f"rankings ({read.format})",
            "order": read.order,
        }
        name = str(path)
    elif isinstance(source, Mapping) and source:
        queries = [str(query) for query in source]
        lists = [_as_list(items, query) for query, items in source.items()]
        described, name = {"name": "memory", "format": "rankings"}, "rankings"
    else:
        raise InputError(
            "not finished rankings",
            field="rankings",
            value=source,
            expected="a file (JSON Lines of id and ranking, or a TREC run) or "
            "{query id: [item ids, best first]}",
        )
    copies: Counter[str] = Counter()
    known = dict.fromkeys(item for listed in lists for item in listed)
    originals = {item: _original(item, known) for item in known}
    for original in originals.values():
        copies[original] += 1
    named = {*queries, *originals.values()}
    return ListedRankings(
        name,
        [_original(query, named) for query in queries],
        [[originals[item] for item in listed] for listed in lists],
        copies,
        described | {"queries": len(queries)},
    )


def _as_list(items: object, query: object) -> list[str]:
    # Neither scores by item nor a set say who comes first by the order they are iterated in.
    if isinstance(items, str | Mapping | Set) or not isinstance(items, Iterable):
        raise InputError(
            f"the ranking of query {query!r} is no list",
            field="rankings",
            value=items,
            expected="item ids, best first",
        )
    return [str(item) for item in items]


def _original(ident: str, known: Mapping[str, object] | set[str]) -> str:
    """``id`` for ``id#n``, where the id itself is known too; else the id as it is."""
    match = _COPY.fullmatch(ident)
    return match[1] if match is not None and match[1] in known else ident


def id_names(protocol: RetrievalProtocol, *columns: Iterable[str]) -> Callable[[str], str]:
    """How ids are compared: without folder and file type, unless that would merge any of them.

    Args:
        protocol: says what an item's name is.
        columns: ids of the queries, the gallery, the truth.
    """
    for column in columns:
        distinct = set(column)
        if len({protocol.item_name(ident) for ident in distinct}) < len(distinct):
            return str
    return protocol.item_name
