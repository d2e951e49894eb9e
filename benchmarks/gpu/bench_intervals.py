"""Intervals on the device: pairs against the copy bandwidth, sets and matching against the CPU."""

from __future__ import annotations

import time

import numpy as np
import torch
from benchmarks.gpu.bench import Bench

import fastvbench as fvb

PAIR_ROWS = 20_000_000
SET_ROWS = 1_000_000


def measure(bench: Bench) -> None:
    """Adds this family's rows."""
    _pairs(bench)
    _sets(bench)


def _pairs(bench: Bench) -> None:
    shape = (PAIR_ROWS, 2)
    pred = torch.rand(shape, dtype=torch.float64, device="cuda").cumsum(1)
    gold = torch.rand(shape, dtype=torch.float64, device="cuda").cumsum(1)
    bench.measure(
        "intervals/temporal_iou, 20 M pairs",
        lambda: fvb.temporal_iou(pred, gold),
        byte_count=PAIR_ROWS * (16 + 16 + 8),
        goal=0.8,
    )
    few_pred, few_gold = pred[:10_000].contiguous(), gold[:10_000].contiguous()
    bench.measure(
        "intervals/temporal_iou, 10,000 pairs (launch and wait)",
        lambda: fvb.temporal_iou(few_pred, few_gold),
    )


def _sets(bench: Bench) -> None:
    pred, gold = (_random_column(seed) for seed in (1, 2))
    on_device = [_to_device(side) for side in (pred, gold)]
    for name, call in (
        ("interval_set_iou", fvb.interval_set_iou),
        ("match_intervals", fvb.match_intervals),
        ("recall_at_iou", fvb.recall_at_iou),
    ):
        cpu_ms = _host_ms(lambda call=call: call(pred, gold))
        bench.measure(
            f"intervals/{name}, 1 M rows of 0 to 5",
            lambda call=call: call(*on_device),
            rival_ms=cpu_ms,
            rival="the CPU core, all threads",
        )


def _random_column(seed: int) -> fvb.Intervals:
    random = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(random.integers(0, 6, SET_ROWS))])
    values = np.cumsum(random.uniform(0, 10, (offsets[-1], 2)), axis=1)
    return fvb.Intervals.from_arrays(values, offsets)


def _to_device(column: fvb.Intervals) -> fvb.DeviceIntervals:
    return fvb.DeviceIntervals(
        torch.from_numpy(column.values).cuda(), torch.from_numpy(column.offsets).cuda()
    )


def _host_ms(call) -> float:
    call()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e3 * sorted(times)[len(times) // 2]
