"""lmms-eval's Charades-STA script of 2025: TimeChat's reading with two changes.

Source: EvolvingLMMs-Lab/lmms-eval, ``tasks/charades_sta/eval_tvg.py``, commit c548a19 (2025-02),
in use until f1e5200 (2025-10).

Quirks: as ``timechat``, but the prompt's echoed example is deleted, and every "to" becomes "-",
also inside words ("tomato" is "-ma-"), so that "24.3 to 30.4" is a range. "5..6 - 9" still stops
the script. Its IoU is ``timechat.hull_iou``; a row without an interval gets one that starts ten
seconds after the gold ends, which scores 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .timechat import lowered_intervals

if TYPE_CHECKING:
    from ._types import Interval

__all__ = ["charades_intervals", "without_example"]

_PROMPT_EXAMPLE = "a specific example is : 20.8 - 30.0 seconds"


def charades_intervals(text: str) -> list[Interval]:
    """Return the one interval that the script reads, in order, or nothing.

    Args:
        text: the model's answer, untouched.

    Returns:
        A list of at most one interval in seconds, start not after end.

    Raises:
        PublicScriptAborts: a range holds a number that ``float`` refuses, such as "5..6".

    Example:
        >>> charades_intervals("From 24.3 to 30.4 seconds.")
        [(24.3, 30.4)]
    """
    return lowered_intervals(without_example(text))


def without_example(text: str) -> str:
    """Return the lower-cased text without the prompt's example, every "to" turned into "-".

    Example:
        >>> without_example("A specific example is : 20.8 - 30.0 seconds. Tomato")
        '. -ma-'
    """
    return text.lower().replace(_PROMPT_EXAMPLE, "").replace("to", "-")
