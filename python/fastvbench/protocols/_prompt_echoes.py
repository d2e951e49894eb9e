"""Examples that published prompts show a model, and that some models say back.

TimeChat's grounding prompt (VTG-LLM has the same one) ends in an example with times. A model that
repeats the sentence has not answered with those times; its own times, before or after it, stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["without_echoes"]

_CUE = "specific example"
_ECHO = re.compile(r"(?i)\b(?:a )?specific example is ?:? ?'?20\.8 ?- ?30\.0 seconds")


def without_echoes(texts: Sequence[str | None]) -> list[str | None]:
    """The texts with the prompts' examples blanked out; everything else keeps its place.

    Args:
        texts: what a model said, None where it said nothing.
    """
    echoing = [k for k, text in enumerate(texts) if text is not None and _CUE in text]
    if not echoing:
        return list(texts)
    cleaned = list(texts)
    for k in echoing:
        cleaned[k] = _ECHO.sub(_blank, cleaned[k] or "")
    return cleaned


def _blank(match: re.Match[str]) -> str:
    return "_" * len(match.group())  # not white space: the model did say something
