"""Seeded embeddings shaped like a video collection, written block by block, of any size."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastvbench.core import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]

__all__ = ["LOVR_CLIPS", "LOVR_VIDEOS", "GeneratedFiles", "video_count", "write_generated"]

LOVR_VIDEOS = 467
LOVR_CLIPS = 40_804

# Lengths of what is added to a vector of length 1: what all videos share, what sets a clip apart
# within its video, and what a caption leaves out. They put the right clip among the first few.
SHARED = 0.6
CLIP = 0.7
CAPTION = 4.0

_BLOCK_BYTES = 1 << 26
# One stream of random numbers for each kind of vector.
_SHARED_STREAM, _VIDEO_STREAM, _CLIP_STREAM, _CAPTION_STREAM, _TARGET_STREAM = range(5)


class GeneratedFiles(NamedTuple):
    """Where a generated set lies.

    Attributes:
        gallery: float32 [rows, dimension] as .npy, rows of length 1.
        queries: float32 [query_count, dimension] as .npy, rows of length 1.
        relevant: int64 [query_count], the gallery row that each query describes.
    """

    gallery: Path
    queries: Path
    relevant: npt.NDArray[np.int64]


def video_count(rows: int) -> int:
    """Videos among which so many rows are shared out: as LoVR's 40,804 clips are among 467."""
    return rows if rows <= LOVR_VIDEOS else max(LOVR_VIDEOS, round(rows * LOVR_VIDEOS / LOVR_CLIPS))


def write_generated(
    folder: Path, *, rows: int, dimension: int, query_count: int, seed: int
) -> GeneratedFiles:
    """Write a gallery and its queries.

    Rows are clips around the centre of their video, and the centres share a common part, as
    embeddings of real videos do; up to 467 rows are videos of their own. A query is a row of the
    gallery plus noise. The same arguments give the same vectors, but for last bits that another
    numpy or CPU may round differently.

    Args:
        folder: an existing folder.
        rows: rows of the gallery.
        dimension: length of a vector.
        query_count: number of queries.
        seed: of everything random.

    Raises:
        InputError: the disk has no room for the files.
    """
    _check_space(folder, 4 * dimension * (rows + query_count))
    block_rows = max(1, _BLOCK_BYTES // (4 * dimension))
    gallery, queries = folder / "gallery.npy", folder / "queries.npy"

    def gallery_blocks() -> Iterator[Rows]:
        for begin in range(0, rows, block_rows):
            yield _clips(begin, min(begin + block_rows, rows), rows, dimension, seed)

    _write_npy(gallery, (rows, dimension), gallery_blocks)
    relevant = _stream(seed, _TARGET_STREAM, 0).integers(0, rows, query_count)
    mapped = np.load(gallery, mmap_mode="r")

    def query_blocks() -> Iterator[Rows]:
        for block, begin in enumerate(range(0, query_count, block_rows)):
            described = mapped[relevant[begin : begin + block_rows]]
            noise = _gaussian(_stream(seed, _CAPTION_STREAM, block), described.shape)
            yield _unit(described + np.float32(CAPTION) * noise)

    _write_npy(queries, (query_count, dimension), query_blocks)
    return GeneratedFiles(gallery, queries, relevant)


def _clips(begin: int, end: int, rows: int, dimension: int, seed: int) -> Rows:
    """Rows begin to end of the gallery; blocks always begin at the same places."""
    videos = video_count(rows)
    video_of_row = np.arange(begin, end) * videos // rows
    first, last = int(video_of_row[0]), int(video_of_row[-1])
    shared = _gaussian(_stream(seed, _SHARED_STREAM, 0), (dimension,))
    centres = np.stack(
        [
            _gaussian(_stream(seed, _VIDEO_STREAM, video), (dimension,))
            for video in range(first, last + 1)
        ]
    )
    centres = _unit(centres + np.float32(SHARED) * shared)
    if videos == rows:
        return centres
    noise = _gaussian(_stream(seed, _CLIP_STREAM, begin), (end - begin, dimension))
    return _unit(centres[video_of_row - first] + np.float32(CLIP) * noise)


def _stream(seed: int, kind: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(kind, number)))


def _gaussian(generator: np.random.Generator, shape: tuple[int, ...]) -> Rows:
    """Normal numbers, scaled so that a vector is about 1 long."""
    scale = np.float32(1.0 / np.sqrt(shape[-1]))
    return generator.standard_normal(shape, np.float32) * scale


def _unit(rows: Rows) -> Rows:
    lengths: Rows = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows / lengths[:, None]


def _write_npy(path: Path, shape: tuple[int, int], blocks: Callable[[], Iterator[Rows]]) -> None:
    """A .npy file of float32 rows that reaches the disk, so that its pages can be dropped."""
    with path.open("wb") as file:
        _write_header(file, shape)
        for block in blocks():
            file.write(np.ascontiguousarray(block).data)
        file.flush()
        os.fsync(file.fileno())


def _write_header(file: BinaryIO, shape: tuple[int, int]) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)


def _check_space(folder: Path, wanted_bytes: int) -> None:
    free = shutil.disk_usage(folder).free
    if wanted_bytes * 1.05 > free:
        raise InputError(
            f"its disk has {free / 1e9:.1f} GB free, and the vectors take {wanted_bytes / 1e9:.1f}",
            path=folder,
            expected="a folder with more room, or a smaller gallery",
        )
