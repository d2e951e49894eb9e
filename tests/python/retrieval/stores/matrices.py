"""Small matrices, and the same ones in every format."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.python.retrieval.stores.torch_files import Tensor, write_pt

if TYPE_CHECKING:
    from pathlib import Path

ROWS, DIMENSION = 6, 4
IDS = [f"v{row // 3}-Scene-{row % 3:03}" for row in range(ROWS)]
MATRIX = np.random.default_rng(5).standard_normal((ROWS, DIMENSION)).astype(np.float32)
FORMATS = ("npy", "npz", "npz-packed", "safetensors", "parquet", "pt")


def write_safetensors(path: Path, header: object, data: bytes, padding: int = 0) -> Path:
    """A .safetensors file with any header; 8 bytes, header, data."""
    text = json.dumps(header).encode() + b" " * padding
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def write_as(path: Path, kind: str, matrix: np.ndarray, ids: list[str] | None) -> Path:
    """Write a matrix by other means than ours, ids inside where the format can hold them."""
    if kind == "npy":
        with path.open("wb") as file:
            np.save(file, matrix)
        if ids is not None:
            path.with_name(path.stem + ".ids.txt").write_text("\n".join(ids) + "\n")
    elif kind.startswith("npz"):
        save = np.savez_compressed if kind == "npz-packed" else np.savez
        with path.open("wb") as file:
            save(file, embeddings=matrix, **({} if ids is None else {"ids": np.array(ids)}))
    elif kind == "safetensors":
        name = {"float64": "F64", "float32": "F32", "float16": "F16", "int32": "I32"}[
            matrix.dtype.name
        ]
        entry = {"dtype": name, "shape": matrix.shape, "data_offsets": [0, matrix.nbytes]}
        header = {"embeddings": entry}
        if ids is not None:
            header["__metadata__"] = {"ids": json.dumps(ids)}
        write_safetensors(path, header, matrix.tobytes())
    elif kind == "parquet":
        pa = pytest.importorskip("pyarrow", reason="the extra [tables] is not installed")
        import pyarrow.parquet as pq

        columns = {"embedding": pa.array(list(matrix))}
        if ids is not None:
            columns["id"] = ids
        pq.write_table(pa.table(columns), path, row_group_size=4)
    else:
        value = {"embeddings": Tensor(matrix)}
        write_pt(path, value if ids is None else {**value, "ids": ids})
    return path
