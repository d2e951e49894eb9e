"""Where the relevant items stand: how many rows score higher than each, and how many the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastvbench.core import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Ranks"]


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Exact ranks of the relevant items of each query, ties kept as they are.

    An item's 1-based rank is ``above + 1`` at best and ``above + tied`` at worst; which of them
    counts is decided by the metric's ``ties``. Query i owns the items
    ``offsets[i]:offsets[i + 1]``.

    Attributes:
        above: int64 [m], rows that score strictly higher than the item.
        tied: int64 [m], rows with exactly the same key, the item itself included.
        offsets: int64 [q + 1].
        tied_before: int64 [m], tied rows with a lower row number.
        tied_before_trec: int64 [m], tied rows that trec_eval would list before the item: those
            whose id is the larger string.
        gallery_size: rows that were ranked.

    Raises:
        InputError: arrays of unequal length or another type, offsets that do not fit them, or
            counts that no gallery of this size can give. The message names the item.
    """

    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    offsets: NDArray[np.int64]
    tied_before: NDArray[np.int64]
    tied_before_trec: NDArray[np.int64]
    gallery_size: int

    def __post_init__(self) -> None:
        columns = ("above", "tied", "tied_before", "tied_before_trec")
        for name in (*columns, "offsets"):
            _require_int64(f"ranks.{name}", getattr(self, name))
        item_count = len(self.above)
        for name in columns:
            if len(getattr(self, name)) != item_count:
                raise InputError(
                    f"ranks.{name} has {len(getattr(self, name))} items and ranks.above has "
                    f"{item_count}",
                    expected="one per relevant item",
                )
        self._check_offsets(item_count)
        _require_all("above", self.above, self.above >= 0, "at least 0")
        _require_all("tied", self.tied, self.tied >= 1, "at least 1: the item itself")
        _require_all(
            "above",
            self.above,
            self.above <= self.gallery_size - self.tied,
            f"at most gallery_size={self.gallery_size} less tied",
        )
        for name in ("tied_before", "tied_before_trec"):
            counts = getattr(self, name)
            _require_all(name, counts, (counts >= 0) & (counts < self.tied), "0 to tied - 1")

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.offsets) - 1

    @property
    def item_counts(self) -> NDArray[np.int64]:
        """Relevant items of each query, int64 [q]."""
        return np.diff(self.offsets)

    def _check_offsets(self, item_count: int) -> None:
        offsets = self.offsets
        if len(offsets) == 0 or offsets[0] != 0:
            raise InputError(
                "ranks.offsets does not start at 0", value=offsets[:1].tolist(), expected="[0, ...]"
            )
        falling = np.flatnonzero(offsets[1:] < offsets[:-1])
        if len(falling):
            place = int(falling[0]) + 1
            raise InputError(
                f"ranks.offsets[{place}]={offsets[place]} is below "
                f"offsets[{place - 1}]={offsets[place - 1]}",
                expected="offsets that never fall",
            )
        if offsets[-1] != item_count:
            raise InputError(
                f"ranks.offsets[{len(offsets) - 1}]={offsets[-1]} is not the number of items, "
                f"{item_count}"
            )


def _require_int64(name: str, values: object) -> None:
    if not isinstance(values, np.ndarray) or values.dtype != np.int64 or values.ndim != 1:
        shape = getattr(values, "shape", None)
        kind = type(values).__name__ if shape is None else f"{values.dtype} {list(shape)}"  # type: ignore[attr-defined]
        raise InputError(f"{name} is {kind}", expected="a flat int64 array")


def _require_all(
    name: str, values: NDArray[np.int64], fine: NDArray[np.bool_], expected: str
) -> None:
    if not fine.all():
        place = int(np.argmin(fine))
        raise InputError(f"ranks.{name}[{place}]={values[place]}", expected=expected)
