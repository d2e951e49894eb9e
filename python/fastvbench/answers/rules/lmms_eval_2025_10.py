"""lmms-eval's Charades-STA script of late 2025: ranges count only in sentences with a keyword.

Source: EvolvingLMMs-Lab/lmms-eval, ``tasks/charades_sta/eval_tvg.py``, commit f1e5200 (2025-10), in
use beside the task until 26f1d8e (2026-05).

Quirks: as ``lmms_eval_2025_02``, but a range must stand in a sentence with start, end or happen: a
bare "24.3 - 30.4" and "From 24.3 to 30.4 seconds." read as nothing. Whether a number such as "5..6"
in such a sentence still stops the script is not confirmed; here it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lmms_eval_2025_02 import without_example
from .timechat import lowered_intervals

if TYPE_CHECKING:
    from ._types import Interval

__all__ = ["charades_intervals"]


def charades_intervals(text: str) -> list[Interval]:
    """Return the one interval that the script reads, in order, or nothing.

    Args:
        text: the model's answer, untouched.

    Returns:
        A list of at most one interval in seconds, start not after end.

    Raises:
        PublicScriptAborts: a range holds a number that ``float`` refuses, such as "5..6".

    Example:
        >>> charades_intervals("From 24.3 to 30.4 seconds."), charades_intervals("ends: 1 to 2")
        ([], [(1.0, 2.0)])
    """
    return lowered_intervals(without_example(text), ranges_anywhere=False)
