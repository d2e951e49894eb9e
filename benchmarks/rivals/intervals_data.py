"""The intervals that every rival and we are measured on, from a seed."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np


class Pairs(NamedTuple):
    """One predicted and one gold interval per row: float64 [rows, 2] each."""

    pred: np.ndarray
    gold: np.ndarray


class Ragged(NamedTuple):
    """Rows of one to five intervals a side, as values [m, 2] and offsets [rows + 1]."""

    pred_values: np.ndarray
    pred_offsets: np.ndarray
    gold_values: np.ndarray
    gold_offsets: np.ndarray

    def rows(self):
        """Both sides as what plain Python works on: lists of lists of (start, end)."""
        return _rows(self.pred_values, self.pred_offsets), _rows(
            self.gold_values, self.gold_offsets
        )


def pairs(rows: int, seed: int) -> Pairs:
    generator = np.random.default_rng(seed)
    return Pairs(*(np.sort(generator.uniform(0, 100, (rows, 2)), axis=1) for _ in range(2)))


def ragged(rows: int, seed: int) -> Ragged:
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(2):
        counts = generator.integers(1, 6, rows)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        starts = generator.uniform(0, 100, offsets[-1])
        made += [np.stack([starts, starts + generator.uniform(0, 30, len(starts))], 1), offsets]
    return Ragged(*made)


def _rows(values, offsets):
    intervals = list(map(tuple, values.tolist()))
    bounds = offsets.tolist()
    return [intervals[begin:end] for begin, end in itertools.pairwise(bounds)]
