"""Examples that published prompts show a model, and that some models say back.

TimeChat's grounding prompt (VTG-LLM has the same one) ends in an example with times. A model that
repeats the sentence has not answered with those times; its own times, before or after it, stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["EXAMPLES_SECONDS", "prompt_echoes", "without_echoes"]

EXAMPLES_SECONDS = ((20.8, 30.0), (12.54, 17.83))
"""Intervals that prompts show: TimeChat's and VTG-LLM's, Time-R1's and its followers'."""

_BETWEEN = r"\s*(?:-|–|—|,|to|and)\s*"
_EXAMPLE = re.compile(
    "|".join(
        rf"(?<![\d.]){re.escape(f'{begin:g}')}0*{_BETWEEN}{re.escape(f'{end:g}')}(?:\.0+)?(?![\d.]*\d)"
        for begin, end in EXAMPLES_SECONDS
    )
)
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


def prompt_echoes(texts: Sequence[str | None], fields: Mapping[str, Sequence[Any]]) -> list[bool]:
    """Whether each answer is (or repeats) the example interval of a published prompt.

    Args:
        texts: n texts, None where a model said nothing.
        fields: further columns of the file; ``intervals`` and ``interval`` may hold numbers.
    """
    first, second = (f"{begin:g}" for begin, _ in EXAMPLES_SECONDS)
    # Substrings are found in no time, and hardly a text has one.
    echoes = [
        text is not None and (first in text or second in text) and _EXAMPLE.search(text) is not None
        for text in texts
    ]
    one, several = [list(e) for e in EXAMPLES_SECONDS], [[list(e)] for e in EXAMPLES_SECONDS]
    for name, examples in (("interval", one), ("intervals", several)):
        given = fields.get(name)
        if given is not None:
            echoes = [a or b in examples for a, b in zip(echoes, given, strict=True)]
    return echoes
