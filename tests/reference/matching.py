"""What one-to-one matching of intervals means, in plain Python.

A pair may match when its IoU is above 0 and at least ``min_iou``. The optimal matching maximises
the sum of the integers ``round_half_up(IoU * 2**40)``. Of all matchings with that sum it is the
one whose sequence (for each prediction in order its gold index, or infinity where unmatched) comes
first in lexicographic order.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tests.reference import intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

WEIGHT_ONE = 2.0**40


class Pair(NamedTuple):
    pred_index: int
    gold_index: int
    iou: float


def weight(iou: float) -> int:
    """Llround(iou * 2**40); the product is exact and the half goes up."""
    scaled = iou * WEIGHT_ONE
    whole = math.floor(scaled)
    return whole + (scaled - whole >= 0.5)


def iou_matrix(pred: intervals.Row, gold: intervals.Row) -> list[list[float]]:
    return [[intervals.pair_iou(p, g) for g in gold] for p in pred]


def may_match(iou: float, min_iou: float) -> bool:
    return iou > 0.0 and iou >= min_iou


def optimal(pred: intervals.Row, gold: intervals.Row, min_iou: float = 0.0) -> list[Pair]:
    """Every assignment is tried; for rows of up to about ten intervals a side."""
    iou = iou_matrix(pred, gold)
    unmatched = len(gold)

    @cache
    def best(index: int, used: frozenset[int]) -> tuple[int, tuple[int, ...]]:
        """(minus the best sum, first sequence) of the predictions from ``index`` on."""
        if index == len(pred):
            return 0, ()
        lost, rest = best(index + 1, used)
        candidates = [(lost, (unmatched, *rest))]
        for j in range(len(gold)):
            if j not in used and may_match(iou[index][j], min_iou):
                lost, rest = best(index + 1, used | {j})
                candidates.append((lost - weight(iou[index][j]), (j, *rest)))
        return min(candidates)

    _, sequence = best(0, frozenset())
    return [Pair(i, j, iou[i][j]) for i, j in enumerate(sequence) if j != unmatched]


def optimal_of_many(pred: intervals.Row, gold: intervals.Row, min_iou: float = 0.0) -> list[Pair]:
    """The same matching for rows too large to try everything.

    Python's unbounded integers hold sum and order in one number: every prediction's choice is a
    digit below the sum, so the best total is unique and any solver of assignments finds it.
    """
    iou = iou_matrix(pred, gold)
    base = len(gold) + 1
    gains = []
    for i in range(len(pred)):
        digit = base ** (len(pred) - 1 - i)
        gains.append(
            [
                weight(iou[i][j]) * base ** len(pred) + (len(gold) - j) * digit
                if may_match(iou[i][j], min_iou)
                else 0
                for j in range(len(gold))
            ]
        )
    return [
        Pair(i, j, iou[i][j])
        for i, j in enumerate(assign(gains, len(gold)))
        if j is not None and gains[i][j] > 0
    ]


def assign(gains: Sequence[Sequence[int]], column_count: int) -> list[int | None]:
    """Rows to columns with the largest total gain (gains are not negative); Hungarian method.

    Every row also has a column of its own that gains nothing, so a row may stay without a column.
    """
    row_count = len(gains)
    width = column_count + row_count
    row_price = [0] * (row_count + 1)
    column_price = [0] * (width + 1)
    owner = [0] * (width + 1)  # 1-based rows; 0: free. Column 0 is where each search starts.
    for row in range(1, row_count + 1):
        owner[0] = row
        column = 0
        slack: list[int | None] = [None] * (width + 1)
        came_from = [0] * (width + 1)
        done = [False] * (width + 1)
        while owner[column] != 0:
            done[column] = True
            current = owner[column]
            smallest, next_column = None, 0
            for j in range(1, width + 1):
                if done[j]:
                    continue
                gain = gains[current - 1][j - 1] if j <= column_count else 0
                reduced = -gain - row_price[current] - column_price[j]
                if slack[j] is None or reduced < slack[j]:
                    slack[j], came_from[j] = reduced, column
                if smallest is None or slack[j] < smallest:
                    smallest, next_column = slack[j], j
            for j in range(width + 1):
                if done[j]:
                    row_price[owner[j]] += smallest
                    column_price[j] -= smallest
                elif slack[j] is not None:
                    slack[j] -= smallest
            column = next_column
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    column_of: list[int | None] = [None] * row_count
    for j in range(1, column_count + 1):
        if owner[j]:
            column_of[owner[j] - 1] = j - 1
    return column_of


def greedy(pred: intervals.Row, gold: intervals.Row, min_iou: float = 0.0) -> list[Pair]:
    """Pairs by IoU descending, ties by (prediction, gold) index; each side used once."""
    iou = iou_matrix(pred, gold)
    pairs = [
        Pair(i, j, iou[i][j])
        for i in range(len(pred))
        for j in range(len(gold))
        if may_match(iou[i][j], min_iou)
    ]
    pairs.sort(key=lambda pair: (-pair.iou, pair.pred_index, pair.gold_index))
    used_pred: set[int] = set()
    used_gold: set[int] = set()
    chosen = []
    for pair in pairs:
        if pair.pred_index not in used_pred and pair.gold_index not in used_gold:
            used_pred.add(pair.pred_index)
            used_gold.add(pair.gold_index)
            chosen.append(pair)
    return sorted(chosen)


def one_to_one_recall(
    pred: Sequence[intervals.Row],
    gold: Sequence[intervals.Row],
    threshold: float,
    strict: bool = False,
) -> float:
    """Mean over the rows with gold of the share of gold that the optimal matching finds.

    Only pairs that reach the threshold take part in that matching.
    """
    least = math.nextafter(threshold, math.inf) if strict else threshold
    shares = [len(optimal(p, g, least)) / len(g) for p, g in zip(pred, gold, strict=True) if g]
    return intervals.mean(shares)


def one_to_one_mean_iou(pred: Sequence[intervals.Row], gold: Sequence[intervals.Row]) -> float:
    """Mean over the rows with gold of the mean IoU of their gold (unmatched gold counts 0)."""
    means = []
    for p, g in zip(pred, gold, strict=True):
        if g:
            total = 0.0
            for pair in optimal(p, g):
                total += pair.iou
            means.append(total / len(g))
    return intervals.mean(means)
