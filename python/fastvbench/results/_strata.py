"""Groups of rows that a result is broken down by; a row may belong to several categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["UNKNOWN", "Stratum"]

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Stratum:
    """Membership of rows in the categories of one stratum, as (row, category) pairs.

    Attributes:
        categories: names, in the order tables show them.
        rows: int64[p], row of each membership.
        category: int64[p], category number of each membership.
    """

    categories: tuple[str, ...]
    rows: npt.NDArray[np.int64]
    category: npt.NDArray[np.int64]

    @classmethod
    def single(cls, values: Sequence[str | None], order: Iterable[str] = ()) -> Stratum:
        """One category a row; None becomes ``unknown``. Names in `order` come first."""
        numbers = {name: i for i, name in enumerate(order)}
        codes = [numbers.setdefault(value or UNKNOWN, len(numbers)) for value in values]
        category = np.array(codes, dtype=np.int64)
        return cls._compact(tuple(numbers), np.arange(len(codes), dtype=np.int64), category)

    @classmethod
    def multiple(cls, values: Sequence[Sequence[str]], order: Iterable[str] = ()) -> Stratum:
        """Any number of categories a row; a row that lists none is ``unknown``."""
        numbers = {name: i for i, name in enumerate(order)}
        # Rows repeat a few combinations: each is numbered once, and the rest is array work.
        combinations: dict[tuple[str, ...], int] = {}
        chosen = np.array(
            [combinations.setdefault(tuple(names), len(combinations)) for names in values],
            dtype=np.int64,
        )
        members = [
            [numbers.setdefault(name, len(numbers)) for name in dict.fromkeys(names or (UNKNOWN,))]
            for names in combinations
        ]
        sizes = np.array([len(codes) for codes in members], dtype=np.int64)
        first = np.cumsum(sizes) - sizes
        flat = np.array([code for codes in members for code in codes], dtype=np.int64)
        counts = sizes[chosen]
        rows = np.repeat(np.arange(len(chosen), dtype=np.int64), counts)
        place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        return cls._compact(tuple(numbers), rows, flat[first[chosen[rows]] + place])

    @classmethod
    def binned(
        cls, values: npt.NDArray[np.float64], edges: Sequence[float], names: Sequence[str]
    ) -> Stratum:
        """Bins of a number: names[i] below edges[i], the last for the rest, NaN ``unknown``."""
        codes = np.searchsorted(np.asarray(edges), values, side="right").astype(np.int64)
        codes[np.isnan(values)] = len(names)
        return cls._compact((*names, UNKNOWN), np.arange(len(codes), dtype=np.int64), codes)

    @classmethod
    def _compact(
        cls, names: tuple[str, ...], rows: npt.NDArray[np.int64], category: npt.NDArray[np.int64]
    ) -> Stratum:
        """Drop categories without rows."""
        used = np.bincount(category, minlength=len(names)) > 0
        renumbered = np.cumsum(used) - 1
        kept = tuple(name for name, keep in zip(names, used, strict=True) if keep)
        return cls(kept, rows, renumbered[category] if len(category) else category)

    def of_row(self) -> dict[int, list[str]]:
        """Category names of each row that has any."""
        names: dict[int, list[str]] = {}
        for row, code in zip(self.rows.tolist(), self.category.tolist(), strict=True):
            names.setdefault(row, []).append(self.categories[code])
        return names
