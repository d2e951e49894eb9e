"""VNBench's own scorer: the first of A, B, C, D in the alphabet that stands before a full stop.

Source: joez17/VideoNIAH, ``evaluation/eval.py``, commit 521e56f.

Quirks: of what stands before the first full stop, A is read wherever there is a capital A, also in
words, else B, and so on: not the first letter of the text wins but the first of the alphabet, so
"B, not A" is A. A question is right if it is right in all four orders of its options; a row without
a prediction is passed over, so its question can't be.
"""

from __future__ import annotations

__all__ = ["ORDERS", "letter"]

ORDERS = 4


def letter(text: str) -> str:
    """Return the letter that the script compares with the gold one.

    Args:
        text: the prediction, untouched.

    Returns:
        One of A to D, or the empty string where there is none, which is wrong.

    Example:
        >>> letter("B."), letter("C or B"), letter("no. A"), letter("Dog, Answer B")
        ('B', 'B', '', 'A')
    """
    before = text.split(".", 1)[0]
    return next((option for option in "ABCD" if option in before), "")
