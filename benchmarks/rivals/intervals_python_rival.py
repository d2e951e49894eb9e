"""Plain Python as written with care: no function call per pair, nothing sorted or built twice.

Conditions instead of min() and max(), which would take half as long again.
"""

# ruff: noqa: FURB136, PLR1730

from __future__ import annotations


def set_ious(pred_rows, gold_rows):
    values = []
    for pred, gold in zip(pred_rows, gold_rows, strict=True):
        pred_merged, pred_seconds = merged(pred)
        gold_merged, gold_seconds = merged(gold)
        overlap = 0.0
        i = j = 0
        while i < len(pred_merged) and j < len(gold_merged):
            pred_start, pred_end = pred_merged[i]
            gold_start, gold_end = gold_merged[j]
            seconds = (pred_end if pred_end < gold_end else gold_end) - (
                pred_start if pred_start > gold_start else gold_start
            )
            if seconds > 0.0:
                overlap += seconds
            if pred_end < gold_end:
                i += 1
            else:
                j += 1
        union = pred_seconds + gold_seconds - overlap
        values.append(overlap / union if union > 0.0 else 0.0)
    return values


def merged(row):
    result = []
    seconds = 0.0
    begin = reach = None
    for start, end in sorted(row):
        if reach is None:
            begin, reach = start, end
        elif start <= reach:
            if end > reach:
                reach = end
        else:
            result.append((begin, reach))
            seconds += reach - begin
            begin, reach = start, end
    if reach is not None:
        result.append((begin, reach))
        seconds += reach - begin
    return result, seconds


def iou_matrix(pred, gold):
    matrix = []
    for pred_start, pred_end in pred:
        line = []
        for gold_start, gold_end in gold:
            overlap = (pred_end if pred_end < gold_end else gold_end) - (
                pred_start if pred_start > gold_start else gold_start
            )
            if overlap > 0.0:
                union = (pred_end - pred_start) + (gold_end - gold_start) - overlap
                line.append(overlap / union)
            else:
                line.append(0.0)
        matrix.append(line)
    return matrix
