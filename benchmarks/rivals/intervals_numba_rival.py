"""numba: the same loop, compiled for this CPU and run on all cores."""

from __future__ import annotations

import numpy as np
from benchmarks.rivals import intervals_data


def prepare_pair_iou(rows: int, seed: int, fresh: bool):
    import numba

    @numba.njit(parallel=True)  # fastmath gains nothing here: the loop waits for memory
    def fill(pred, gold, out):
        for i in numba.prange(len(out)):
            overlap = min(pred[i, 1], gold[i, 1]) - max(pred[i, 0], gold[i, 0])
            overlap = max(overlap, 0.0)
            union = (pred[i, 1] - pred[i, 0]) + (gold[i, 1] - gold[i, 0]) - overlap
            out[i] = overlap / union if union > 0.0 else 0.0

    pred, gold = intervals_data.pairs(rows, seed)
    # numpy's allocation asks for huge pages; numba's own np.empty does not, and is slower.
    reused = np.empty(rows)

    def call():
        out = np.empty(rows) if fresh else reused
        fill(pred, gold, out)
        return out

    return call
