"""A filter of int8 codes as one writes it first: all bounds in float32, two plausible slacks.

It is here to be wrong. Tests show on their own data that it drops rows which belong to the answer,
and then that the library does not; so none of them can pass for want of a hard case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from tests.reference.search_fast import Checker

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LARGEST_CODE = np.float32(127)
INT32_END = 2.0**31


class Coded(NamedTuple):
    codes: NDArray[np.int8]
    scale: Floats
    residual: Floats
    norm: Floats
    code_norm: Floats


def encode(rows: Floats, centre: Floats, careful: bool = True) -> Coded:
    """One scale per row; ``careful`` adds the slacks for what float32 rounds."""
    moved = rows - centre
    largest = np.abs(moved).max(axis=1)
    scale = np.where(largest > 0, largest / LARGEST_CODE, np.float32(1))
    rounded = np.rint(moved * (np.float32(1) / scale)[:, None])
    # A conversion to int32 gives its smallest number for whatever does not fit.
    rounded = np.where(np.abs(rounded) < INT32_END, rounded, np.float32(-INT32_END))
    codes = rounded.astype(np.int64).astype(np.int8)
    residual = root_of_squares(moved - rounded * scale[:, None])
    norm = root_of_squares(moved)
    code_norm = root_of_squares(codes.astype(np.float32)) * scale
    if careful:
        residual = residual * np.float32(1 + 1e-5) + np.float32(2e-7) * (norm + largest)
        norm, code_norm = norm * np.float32(1 + 1e-5), code_norm * np.float32(1 + 1e-6)
    return Coded(codes, scale, residual, norm, code_norm)


def root_of_squares(rows: Floats) -> Floats:
    return np.sqrt((rows * rows).sum(axis=1, dtype=np.float32))


def kept_rows(
    queries: Floats, gallery: Floats, k: int, *, careful: bool = True, keep_nan: bool = False
) -> NDArray[np.bool_]:
    """[q, n]: rows whose upper bound reaches the k-th best lower bound, by dot product."""
    with np.errstate(all="ignore"):
        centre = gallery.astype(np.float64).mean(axis=0).astype(np.float32)
        rows = encode(gallery, centre, careful)
        asked = encode(queries, centre, careful)
        bias = ((gallery - centre) * centre).cumsum(axis=1, dtype=np.float32)[:, -1]
        sums = asked.codes.astype(np.int64) @ rows.codes.T.astype(np.int64)
        sums = sums.astype(np.int32).astype(np.float32)
        about = sums * rows.scale * asked.scale[:, None] + bias
        slack = np.float32(2e-6 if careful else 0)
        width = asked.code_norm[:, None] * rows.residual
        width = width + (asked.residual + slack * asked.norm)[:, None] * rows.norm
        threshold = np.sort(about - width, axis=1)[:, -k, None]
        return ~(about + width < threshold) if keep_nan else about + width >= threshold


def queries_that_lose_a_row(
    queries: Floats, gallery: Floats, k: int, *, careful: bool = True, keep_nan: bool = False
) -> int:
    """How many queries of the naive filter miss one of their k best rows."""
    kept = kept_rows(queries, gallery, k, careful=careful, keep_nan=keep_nan)
    best = Checker(gallery, "dot").top_k(queries, k)
    return sum(not rows_kept[top.rows].all() for rows_kept, top in zip(kept, best, strict=True))
