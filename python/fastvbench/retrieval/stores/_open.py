"""Open a file of embeddings: find out what it is, take its matrix, give every row its id."""

from __future__ import annotations

import contextlib
import os
import pathlib
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from fastvbench.core._errors import InputError
from fastvbench.formats import PARQUET_MAGIC
from fastvbench.retrieval.stores._contents import Contents, Path, check_matrix, choose_matrix
from fastvbench.retrieval.stores._lovr import Part, choose_lovr_rows, is_lovr
from fastvbench.retrieval.stores._rows import (
    RowColumns,
    find_sidecar,
    make_columns,
    read_id_file,
    rows_inside,
)
from fastvbench.retrieval.stores._store import EmbeddingStore
from fastvbench.retrieval.stores._url import is_url, local_copy
from fastvbench.retrieval.stores._zip import ZIP_MAGIC, open_zip
from fastvbench.retrieval.stores.npy import NPY_MAGIC, open_npy
from fastvbench.retrieval.stores.npz import open_npz
from fastvbench.retrieval.stores.parquet import open_parquet_store
from fastvbench.retrieval.stores.pt import PICKLE_MAGIC, is_pt_archive, open_pt, refuse_pickle
from fastvbench.retrieval.stores.safetensors import is_safetensors, open_safetensors

__all__ = ["open_embeddings"]

_FORMATS = ".npy, .npz, .safetensors, .parquet or .pt"


def open_embeddings(
    path: Path,
    *,
    ids: Path | Sequence[str] | None = None,
    key: str | None = None,
    ids_key: str | None = None,
    side: Literal["gallery", "queries"] = "gallery",
    part: Part | None = None,
    clip_count: int | None = None,
    repeats: Literal["refuse", "keep"] = "refuse",
) -> EmbeddingStore:
    """Open a file of embeddings; what it is, is found by content, whatever its name.

    Ids come from ``ids`` if given, else from the file itself, else from a list that lies beside
    it: ``clips.npy`` with ``clips.ids.txt``, ``clips.npy.ids.json`` and the like. A file and a
    list beside it that disagree are an error.

    Args:
        path: .npy, .npz, .safetensors, .parquet or .pt; a path, or a URL that fsspec knows.
        ids: the ids of the rows, or a file or URL of them.
        key: the name of the array (npz, safetensors, pt) or column (parquet) to take. Without it,
            the only matrix, else one of a usual name, such as ``embeddings``.
        ids_key: the name of the array, column or metadata entry of ids, if not a usual one.
        side: what the embeddings are, for messages.
        part: which rows of LoVR's own feature files: ``clip``, ``video`` or ``theme``.
        clip_count: how many captions of LoVR's ``text.pt`` are of clips, if their ids do not tell.
        repeats: whether several rows may have one id, as several captions of one clip do.

    Returns:
        The store. Its embeddings are mapped from the file where they lie there row after row and
        uncompressed; parquet, compressed npz and column-major npy files are read.

    Raises:
        InputError: no such file or no such format, damaged or truncated, anything but a matrix of
            float32, float16 or bfloat16 with at least one row, a pickle that could run code (never
            executed), as many ids as there are not rows, an id that is missing or repeated.
        MissingExtraError: parquet without pyarrow, bfloat16 without ml_dtypes, a URL without
            fsspec.

    Example:
        >>> store = open_embeddings("clips.npy", ids="clips.ids.txt")  # doctest: +SKIP
        >>> Gallery(store.embeddings, ids=store.ids)  # doctest: +SKIP
    """
    _check_options(side, part, repeats)
    shown = os.fspath(path)
    with _on_disk(path) as file:
        store, inside = _take(file, key, ids_key, part, clip_count)
        file_bytes = os.stat(file).st_size
        given, list_bytes = _given_rows(path, ids)
        rows = _merged(inside, given, must_agree=ids is None, path=file)
        _check_rows(rows, len(store), shown, side, may_repeat=repeats == "keep")
    return replace(
        store,
        name=shown if is_url(path) else pathlib.Path(shown).name,
        bytes_read=file_bytes + list_bytes,
        ids=rows.ids,
        texts=rows.texts,
        videos=rows.videos,
        token_counts=rows.token_counts,
    )


def _check_options(side: str, part: str | None, repeats: str) -> None:
    allowed: dict[str, tuple[str | None, tuple[str | None, ...]]] = {
        "side": (side, ("gallery", "queries")),
        "part": (part, (None, "clip", "video", "theme")),
        "repeats": (repeats, ("refuse", "keep")),
    }
    for name, (value, values) in allowed.items():
        if value not in values:
            raise InputError(
                "unknown option",
                field=name,
                value=value,
                expected=" or ".join(map(repr, values)),
            )


@contextlib.contextmanager
def _on_disk(path: Path) -> Iterator[Path]:
    """The file itself, or a copy of what is behind a URL, which errors then name by the URL."""
    if not is_url(path):
        _check_file(path)
        yield path
        return
    url = str(path)
    with local_copy(url) as copy:
        try:
            yield copy
        except InputError as error:
            if str(error.path) != str(copy):
                raise
            raise InputError(
                error.problem,
                path=url,
                line=error.line,
                field=error.field,
                value=error.value,
                expected=error.expected,
            ) from None


def _check_file(path: Path) -> None:
    try:
        kind = os.stat(path).st_mode
        if stat.S_ISDIR(kind):
            raise InputError("is a folder", path=path, expected="a file")
        if not stat.S_ISREG(kind):
            raise InputError("is a pipe or a device", path=path, expected="a file on a disk")
        with open(path, "rb"):
            pass
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"cannot be read ({reason})", path=path) from None


def _contents(path: Path) -> Contents:
    with open(path, "rb") as file:
        head = file.read(16)
    if not head:
        raise InputError("the file is empty", path=path, expected=_FORMATS)
    if head.startswith(NPY_MAGIC):
        return open_npy(path)
    if head.startswith(ZIP_MAGIC):
        with open_zip(path) as archive:
            return open_pt(path, archive) if is_pt_archive(archive) else open_npz(path, archive)
    if head.startswith(PARQUET_MAGIC):
        return open_parquet_store(path)
    if is_safetensors(head):  # before pickles: a header of 128 bytes, or 384, begins as they do
        return open_safetensors(path)
    if head.startswith(PICKLE_MAGIC):
        refuse_pickle(path, head)
    hint = "; unpack it first" if head.startswith(b"\x1f\x8b") else ""
    raise InputError("no known format", path=path, value=head, expected=_FORMATS + hint)


def _take(
    path: Path, key: str | None, ids_key: str | None, part: Part | None, clip_count: int | None
) -> tuple[EmbeddingStore, RowColumns]:
    """The matrix of a file, and what the file says of its rows."""
    contents = _contents(path)
    if key is None and is_lovr(contents):
        chosen = choose_lovr_rows(path, contents, part, clip_count)
        array = contents.arrays[chosen.key]
        check_matrix(array, path, chosen.key)
        embeddings = array.load()[chosen.rows]
        rows = RowColumns(path, ids=chosen.ids, videos=chosen.videos)
        return EmbeddingStore(embeddings, None, "", "lovr-pt", 0), rows
    for name, value in (("part", part), ("clip_count", clip_count)):
        if value is not None:
            raise InputError(
                "an option for LoVR's own feature files alone",
                path=path,
                field=name,
                value=value,
                expected=f"None for a .{contents.format} file without their entries",
            )
    name = choose_matrix(contents, key, path)
    array = contents.arrays[name]
    check_matrix(array, path, None if contents.format == "npy" else name)
    rows = rows_inside(path, contents, ids_key, name)
    return EmbeddingStore(array.load(), None, "", contents.format, 0), rows


def _given_rows(path: Path, ids: Path | Sequence[str] | None) -> tuple[RowColumns | None, int]:
    """The id list that is given or lies beside the file, and its bytes."""
    if ids is None:
        beside = None if is_url(path) else find_sidecar(path)
        if beside is None:
            return None, 0
        return read_id_file(beside), beside.stat().st_size
    if isinstance(ids, str | os.PathLike):
        with _on_disk(ids) as file:
            return replace(read_id_file(file), source=ids), os.stat(file).st_size
    return make_columns("<ids>", {"ids": ids}), 0


def _merged(
    inside: RowColumns, given: RowColumns | None, *, must_agree: bool, path: Path
) -> RowColumns:
    """What the list says, and for the rest what the file itself says."""
    if given is None:
        return inside
    if must_agree and inside.ids is not None and given.ids is not None:
        pairs = enumerate(zip(inside.ids, given.ids, strict=False))
        row = next((i for i, (own, listed) in pairs if own != listed), None)
        if row is not None:
            raise InputError(
                f"row {row + 1} has another id than in the list beside the file",
                path=path,
                line=row + 1,
                value=inside.ids[row],
                expected=f"{given.ids[row]!r} as in {given.source}, or no list",
            )
    kinds = ("ids", "texts", "videos", "token_counts")
    chosen = {
        kind: getattr(inside if getattr(given, kind) is None else given, kind) for kind in kinds
    }
    return RowColumns(given.source, given.lines, **chosen)


def _check_rows(
    rows: RowColumns, row_count: int, shown: str, side: str, *, may_repeat: bool
) -> None:
    """Refuse columns of another length than the matrix, and an id that two rows share.

    Raises:
        InputError: so it is.
    """
    columns = {
        "ids": rows.ids,
        "texts": rows.texts,
        "videos": rows.videos,
        "token_counts": rows.token_counts,
    }
    for name, values in columns.items():
        if values is not None and len(values) != row_count:
            raise InputError(
                f"not as many {name} as rows of the {side}",
                path=rows.source,
                value=len(values),
                expected=f"{row_count}, one for each row of {shown}",
            )
    if rows.ids is None or may_repeat or len(set(rows.ids)) == row_count:
        return
    seen: dict[str, int] = {}
    for row, name in enumerate(rows.ids):
        first = seen.setdefault(name, row)
        if first != row:
            raise InputError(
                f"an id that line {rows.line(first)} of the {side} has too",
                path=rows.source,
                line=rows.line(row),
                value=name,
                expected="each id once, or repeats='keep'",
            )
