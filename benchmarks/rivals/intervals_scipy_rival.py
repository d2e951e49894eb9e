"""scipy's linear_sum_assignment, row by row."""

from __future__ import annotations

import numpy as np
from benchmarks.rivals.intervals_python_rival import iou_matrix
from scipy.optimize import linear_sum_assignment


def matrices(pred_rows, gold_rows):
    return [np.array(iou_matrix(p, g)) for p, g in zip(pred_rows, gold_rows, strict=True)]


def assignments(ready_matrices):
    """Only the calls, on matrices that somebody else has made."""
    return [linear_sum_assignment(matrix, True) for matrix in ready_matrices]


def match_rows(pred_rows, gold_rows, iou_matrix):
    """What a user writes: a matrix in Python, the call, and the pairs that overlap."""
    matches = []
    for pred, gold in zip(pred_rows, gold_rows, strict=True):
        matrix = iou_matrix(pred, gold)
        rows, columns = linear_sum_assignment(matrix, True)
        matches.append(
            [
                (i, j, matrix[i][j])
                for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
                if matrix[i][j] > 0.0
            ]
        )
    return matches
