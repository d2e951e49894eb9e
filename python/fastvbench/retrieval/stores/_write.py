"""Write embeddings so that a reader sees the old file or the new, never a part."""

from __future__ import annotations

import json
import pathlib
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.formats import write_atomic
from fastvbench.retrieval.stores._contents import StoredArray, check_matrix
from fastvbench.retrieval.stores._rows import SIDECARS
from fastvbench.retrieval.stores.safetensors import LARGEST_HEADER_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BufferedWriter

    from numpy.typing import NDArray

    from fastvbench.retrieval.stores._contents import Path

__all__ = ["write_embeddings"]

_SIDECAR = ".ids.jsonl"
_SAFETENSORS_TYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64"}


def write_embeddings(
    path: Path,
    embeddings: NDArray[Any],
    ids: Sequence[str] | None = None,
    *,
    texts: Sequence[str] | None = None,
    videos: Sequence[str] | None = None,
    token_counts: Sequence[int] | NDArray[Any] | None = None,
) -> list[pathlib.Path]:
    """Write embeddings with what is known of their rows, as the name's ending says.

    ``.safetensors`` and ``.parquet`` hold everything in one file, which appears in one step. A
    ``.npy`` file holds the matrix alone: the rest goes into a list beside it, ``.ids.jsonl``,
    after the matrix is complete.

    Args:
        path: ends in .npy, .safetensors or .parquet; its folder must exist.
        embeddings: [n, d], float32 or float16; for .safetensors also bfloat16 (of ml_dtypes).
        ids: n ids.
        texts: n texts.
        videos: n ids of videos.
        token_counts: n numbers of tokens.

    Returns:
        The files written.

    Raises:
        InputError: no matrix of these types, columns of another length, a name with another
            ending, another id list beside a .npy file, which a reader would take.
        MissingExtraError: .parquet without pyarrow.
    """
    matrix = np.asarray(embeddings)
    shape = tuple(int(length) for length in matrix.shape)
    type_name = matrix.dtype.name if matrix.dtype.isnative else f"byte-swapped {matrix.dtype.name}"
    check_matrix(StoredArray(shape, type_name, lambda: matrix), path, "embeddings")
    matrix = np.ascontiguousarray(matrix)
    columns: dict[str, list[Any]] = {}
    given = {"id": ids, "text": texts, "video": videos, "token_count": token_counts}
    for name, values in given.items():
        if values is None:
            continue
        if len(values) != len(matrix):
            raise InputError(
                f"not one {name} for each row",
                path=path,
                value=len(values),
                expected=f"{len(matrix)}",
            )
        columns[name] = [int(v) for v in values] if name == "token_count" else list(values)
    target = pathlib.Path(path)
    if target.suffix == ".npy":
        return _write_npy(target, matrix, columns)
    if target.suffix == ".safetensors":
        return [_write_safetensors(target, matrix, columns)]
    if target.suffix == ".parquet":
        return [_write_parquet(target, matrix, columns)]
    raise InputError(
        "no format of embeddings",
        path=path,
        expected="a name ending in .npy, .safetensors or .parquet",
    )


def _write_npy(
    target: pathlib.Path, matrix: NDArray[Any], columns: dict[str, list[Any]]
) -> list[pathlib.Path]:
    if matrix.dtype.name == "bfloat16":
        raise InputError(
            ".npy files lose the type of bfloat16",
            path=target,
            expected="a name ending in .safetensors, or float32 or float16",
        )
    sidecar = target.with_name(target.stem + _SIDECAR)
    for stem in dict.fromkeys([target.stem, target.name]):
        for ending in SIDECARS:
            beside = target.with_name(stem + ending)
            if beside.exists() and not (columns and beside == sidecar):
                raise InputError(
                    "an id list lies there that would be taken for the new file's",
                    path=beside,
                    expected="no such file",
                )
    written = [
        write_atomic(
            target, lambda file: np.lib.format.write_array(file, matrix, allow_pickle=False)
        )
    ]
    if columns:
        names = list(columns)
        lines = (
            json.dumps(dict(zip(names, values, strict=True))) + "\n"
            for values in zip(*columns.values(), strict=True)
        )
        written.append(write_atomic(sidecar, "".join(lines)))
    return written


def _write_safetensors(
    target: pathlib.Path, matrix: NDArray[Any], columns: dict[str, list[Any]]
) -> pathlib.Path:
    arrays = {"embeddings": matrix}
    if "token_count" in columns:
        arrays["token_counts"] = np.array(columns["token_count"], np.int64)
    # Arrays of larger elements first, as writers of the format do, so that each is aligned.
    arrays = dict(sorted(arrays.items(), key=lambda entry: -entry[1].itemsize))
    header: dict[str, Any] = {}
    metadata = {
        f"{name}s": json.dumps(columns[name]) for name in ("id", "text", "video") if name in columns
    }
    if metadata:
        header["__metadata__"] = metadata
    end_bytes = 0
    for name, array in arrays.items():
        header[name] = {
            "dtype": _SAFETENSORS_TYPES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [end_bytes, end_bytes + array.nbytes],
        }
        end_bytes += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > LARGEST_HEADER_BYTES:
        raise InputError(
            "too much text for a .safetensors header",
            path=target,
            value=f"{len(text)} bytes",
            expected=f"at most {LARGEST_HEADER_BYTES} bytes; .parquet has no limit",
        )

    def write(file: BufferedWriter) -> None:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(array.reshape(-1).view(np.uint8).data)

    return write_atomic(target, write)


def _write_parquet(
    target: pathlib.Path, matrix: NDArray[Any], columns: dict[str, list[Any]]
) -> pathlib.Path:
    if matrix.dtype.name == "bfloat16":
        raise InputError(
            ".parquet files have no type bfloat16",
            path=target,
            expected="a name ending in .safetensors, or float32 or float16",
        )
    try:
        import pyarrow as pa  # noqa: PLC0415 - an optional dependency
        import pyarrow.parquet as pq  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise MissingExtraError("writing .parquet files", "tables") from None
    lists = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])
    table = pa.table({**columns, "embedding": lists})
    dictionaries = [name for name in columns if name == "video"]  # floats never repeat

    def write(file: BufferedWriter) -> None:
        pq.write_table(table, file, use_dictionary=dictionaries, compression="zstd")

    return write_atomic(target, write)
