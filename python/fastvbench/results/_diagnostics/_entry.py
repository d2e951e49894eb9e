"""What a diagnostic is: a number, its definition, and whether it is cause for alarm."""

from __future__ import annotations

from typing import Any

__all__ = ["LEAST_ROWS", "Entry", "entry"]

LEAST_ROWS = 20
"""Rows below which nothing is cause for alarm: a handful may look like anything."""

Entry = dict[str, Any]


def entry(
    name: str,
    value: float | None,
    definition: str,
    *,
    alarm: bool,
    says: str,
    rows: int,
    **beside: Any,
) -> Entry:
    """One diagnostic as a result file holds it.

    Args:
        name: its key.
        value: the number that the alarm is about; None where it cannot be had.
        definition: what the number is, and when it is cause for alarm.
        alarm: whether it is; never below `LEAST_ROWS` rows.
        says: the finding in one line.
        rows: how many rows it is about.
        beside: further numbers.
    """
    return {
        "name": name,
        "value": value,
        "definition": f"{definition} (No alarm below {LEAST_ROWS} rows.)",
        "alarm": alarm and rows >= LEAST_ROWS,
        "says": says,
        "rows": rows,
        **beside,
    }
