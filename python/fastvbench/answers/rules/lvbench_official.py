"""LVBench, the benchmark's own scorer: the prediction must be the letter and nothing else.

Source: THUDM/LVBench, ``lvbench/metrics/compute_accuracy.py`` and ``lvbench/utils/answer_util.py``,
commit f998d95 (2024-08-30).

Quirks: the scorer extracts nothing. It compares raw strings, so ``"a"``, ``"A."``, ``"(A)"`` and
``" A"`` are wrong wherever ``"A"`` is right. The repository holds a clean-up function that no code
calls; it is here because people run it by hand before they score. It answers "T" to "The answer is
C" and "*" to "**C**".
"""

from __future__ import annotations

__all__ = ["is_bare_letter", "is_correct", "polish_answer"]


def is_correct(text: str, gold: str) -> bool:
    """Tell whether the raw prediction equals the gold letter, character for character.

    Args:
        text: the prediction, untouched.
        gold: the gold letter.

    Returns:
        True only for identical strings.

    Example:
        >>> is_correct("A", "A"), is_correct("A.", "A")
        (True, False)
    """
    return text == gold


def is_bare_letter(text: str, letters: str = "ABCD") -> bool:
    """Tell whether the prediction is one option letter and nothing else.

    The scorer expects letters that were extracted before; where many rows are anything else, its
    score says more about the format than about the answers.

    Args:
        text: the prediction, untouched.
        letters: the option letters of the row.

    Returns:
        True for a single character that is one of ``letters``.

    Example:
        >>> is_bare_letter("B"), is_bare_letter("B.")
        (True, False)
    """
    return len(text) == 1 and text in letters


def polish_answer(text: str) -> str:
    """Return what the repository's uncalled clean-up function makes of a prediction.

    It keeps what stands before the first ``)``, of that what stands between the first ``(`` and
    the next one, and of that the first character.

    Args:
        text: the prediction, untouched.

    Returns:
        One character, or the empty string where nothing is left.

    Example:
        >>> polish_answer("(D) Three"), polish_answer("The answer is C"), polish_answer("((A))")
        ('D', 'T', '')
    """
    kept = text.strip().split(")", 1)[0].strip()
    if "(" in kept:
        kept = kept.split("(", 2)[1].strip()
    # The script also cuts at the first space; stripped text doesn't begin with one, so that
    # never changes the first character.
    return kept[:1]
