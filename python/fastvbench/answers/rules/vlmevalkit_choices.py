"""VLMEvalKit's verdicts on MLVU and MVBench: a first look at the gold letter, then ``can_infer``.

Source: open-compass/VLMEvalKit, ``vlmeval/dataset/utils/mlvu.py``, ``vlmeval/dataset/utils/
mvbench.py`` and the classes beside them, commit e8e78f0 (2026-08-18), without a judge.

Quirks of both: of candidates that are equal to the answer, the first look takes the last one as
gold and ``can_infer`` the first, so either letter is right. Where no candidate is the answer, the
first look's gold is ``@`` and ``can_infer`` is never right.

Quirks of MLVU: a failed request scores -1, which is added to the number of right answers.

Quirks of MVBench: the first look asks whether what stands before the first space, without full
stops, is a part of ``(a)``, so that an empty prediction, one that begins with a space, "(" and ")"
are right whatever the gold letter is; or whether ``(a)`` is a part of it. A failed request scores
-1 and a prediction that is missing, or that pandas takes for an empty cell ("NA", "None", ...),
scores NaN, and both count as right, being true in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import mlvu_official
from ._types import PublicScriptAborts
from .vlmevalkit import API_FAILURE, can_infer, read_back

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["mlvu_score", "mvbench_accepts", "mvbench_is_right"]

_FAILED = f"{API_FAILURE}."


def mlvu_score(text: str, options: Sequence[str], answer: str) -> int:
    """Return what a row adds to the number of right answers.

    Args:
        text: the prediction, untouched.
        options: the option texts in order, at most 26.
        answer: the right answer's text.

    Returns:
        1 or 0; -1 for the message of a failed request.

    Example:
        >>> mlvu_score("B)", ["one", "two"], "two"), mlvu_score("It is two", ["one", "two"], "two")
        (1, 1)
        >>> mlvu_score("Failed to obtain answer via API.", ["one", "two"], "two")
        -1
    """
    if _FAILED in text:
        return -1
    gold = mlvu_official.gold_letter(answer, options)
    return int(mlvu_official.is_right(text, gold) or _inferred(text, options, answer))


def mvbench_is_right(text: str, options: Sequence[str], answer: str) -> bool:
    """Tell whether a row counts as right.

    Args:
        text: the prediction, untouched.
        options: the option texts in order, at most 26.
        answer: the right answer's text.

    Raises:
        PublicScriptAborts: the answer is empty.

    Example:
        >>> mvbench_is_right("It is two", ["one", "two"], "two"), mvbench_is_right("", ["x"], "x")
        (True, True)
    """
    if _FAILED in text or read_back(text) == "nan":
        return True
    if not answer:
        raise PublicScriptAborts("IndexError: the right answer has no text")
    gold = mlvu_official.gold_letter(answer, options)
    return mvbench_accepts(text, gold) or _inferred(text, options, answer)


def mvbench_accepts(text: str, gold: str) -> bool:
    """Tell whether MVBench's first look takes a prediction for the gold letter.

    Args:
        text: the prediction, untouched.
        gold: the gold letter.

    Example:
        >>> mvbench_accepts("(A) (B)", "A"), mvbench_accepts("b.", "B"), mvbench_accepts(".", "D")
        (True, True, True)
        >>> mvbench_accepts("D: three", "D")
        False
    """
    first_word = text.lower().split(" ", 1)[0]
    wanted = f"({gold.lower()})"
    return first_word.replace(".", "") in wanted or wanted in first_word


def _inferred(text: str, options: Sequence[str], answer: str) -> bool:
    """Whether ``can_infer`` finds the first candidate that is the answer."""
    if answer not in options:
        return False
    return can_infer(text, options) == chr(ord("A") + list(options).index(answer))
