"""The clock on a GPU: CUDA events, warm-up, medians, and what the device can do at most.

A measurement is a `Row`: what took how long, against which goal. Goals are shares of a ceiling
(bytes over the copy bandwidth that this run measured) or ratios to another way of doing the same.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

__all__ = ["Bench", "Ceilings", "Row"]

MIN_ROUNDS = 5
MAX_ROUNDS = 50
ROUNDS_MS = 400.0  # of measuring, where that gives more than MIN_ROUNDS
WARM_UP = 3
COPY_BYTES = 1 << 30
PRODUCT_SIZE = 8192


@dataclass(frozen=True)
class Ceilings:
    """What the device did in this run on the simplest work there is."""

    copy_bytes_per_second: float  # read plus written, device to device
    fp32_flops: float  # matrix products, TF32 off
    tf32_flops: float
    bf16_flops: float
    int8_operations: float  # 0 where torch has no such product


@dataclass(frozen=True)
class Row:
    """One measurement: a line of the table and of the results file."""

    case: str
    milliseconds: float  # median
    quartiles_ms: tuple[float, float]
    rounds: int
    achieved: float | None = None  # what the goal is about
    goal: float | None = None
    unit: str = ""  # of the two: "of copy bandwidth", "x torch.topk fp32"
    notes: str = ""

    @property
    def is_reached(self) -> bool | None:
        """Whether the goal is; None where there is none."""
        return None if self.goal is None or self.achieved is None else self.achieved >= self.goal


@dataclass
class Bench:
    """Measures calls on the current device and keeps the rows."""

    ceilings: Ceilings
    rows: list[Row] = field(default_factory=list)

    @classmethod
    def on_this_device(cls) -> Bench:
        """Measures the ceilings first: 2 GiB of memory, a few seconds."""

        def copy_bytes_per_second() -> float:
            source = torch.empty(COPY_BYTES, dtype=torch.uint8, device="cuda")
            target = torch.empty_like(source)
            return 2 * COPY_BYTES / median_ms(lambda: target.copy_(source))[0] * 1e3

        def flops(dtype: torch.dtype, *, tf32: bool = False) -> float:
            torch.backends.cuda.matmul.allow_tf32 = tf32
            left = torch.randn(PRODUCT_SIZE, PRODUCT_SIZE, device="cuda").to(dtype)
            right = torch.randn(PRODUCT_SIZE, PRODUCT_SIZE, device="cuda").to(dtype).t()
            milliseconds = median_ms(lambda: left @ right)[0]
            torch.backends.cuda.matmul.allow_tf32 = False
            return 2 * PRODUCT_SIZE**3 / milliseconds * 1e3

        def int8_operations() -> float:
            if not hasattr(torch, "_int_mm"):
                return 0.0
            shape = (PRODUCT_SIZE, PRODUCT_SIZE)
            left = torch.randint(-100, 100, shape, dtype=torch.int8, device="cuda")
            right = torch.randint(-100, 100, shape, dtype=torch.int8, device="cuda").t()
            milliseconds = median_ms(lambda: torch._int_mm(left, right))[0]
            return 2 * PRODUCT_SIZE**3 / milliseconds * 1e3

        return cls(
            Ceilings(
                copy_bytes_per_second(),
                flops(torch.float32),
                flops(torch.float32, tf32=True),
                flops(torch.bfloat16),
                int8_operations(),
            )
        )

    def measure(
        self,
        case: str,
        call: Callable[[], Any],
        *,
        byte_count: float | None = None,
        rival_ms: float | None = None,
        rival: str = "",
        goal: float | None = None,
        notes: str = "",
    ) -> float:
        """Times a call, enters its row, and returns the median in milliseconds.

        Args:
            case: "family/what, on how much".
            call: everything it needs is ready; its result is dropped.
            byte_count: bytes that it must move at least: the row then says which share of the copy
                bandwidth that is.
            rival_ms: median of another way to do the same: the row then says how many times faster
                this one is. Not with `byte_count`.
            rival: name of that way.
            goal: least share or ratio.
            notes: whatever a reader of the row must know.
        """
        median, quartiles, rounds = median_ms(call)
        achieved, unit = None, ""
        if byte_count is not None:
            achieved = byte_count / median * 1e3 / self.ceilings.copy_bytes_per_second
            unit = "of copy bandwidth"
        elif rival_ms is not None:
            achieved, unit = rival_ms / median, f"x {rival}"
        self.rows.append(Row(case, median, quartiles, rounds, achieved, goal, unit, notes))
        return median

    def table(self) -> str:
        """The rows, for a terminal."""
        lines = []
        for row in self.rows:
            line = f"{row.case:<58} {row.milliseconds:>10.3f} ms"
            if row.achieved is not None:
                line += f"  {row.achieved:7.2f} {row.unit}"
            if row.goal is not None:
                line += f" (goal {row.goal:g}: {'reached' if row.is_reached else 'MISSED'})"
            lines.append(line + (f"  [{row.notes}]" if row.notes else ""))
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Ceilings and rows for the results file."""
        rows = [asdict(row) | {"reached": row.is_reached} for row in self.rows]
        return {"ceilings": asdict(self.ceilings), "rows": rows}


def median_ms(call: Callable[[], Any]) -> tuple[float, tuple[float, float], int]:
    """Median and quartiles of a call's time on the current stream, and how often it was called."""
    for _ in range(WARM_UP):
        call()
    torch.cuda.synchronize()
    times: list[float] = []
    while len(times) < MIN_ROUNDS or (sum(times) < ROUNDS_MS and len(times) < MAX_ROUNDS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    low, median, high = statistics.quantiles(times, n=4, method="inclusive")
    return median, (low, high), len(times)
