"""The recipe of VideoLLaMA3's evaluation card for letters and short answers.

Source: the evaluation card of VideoLLaMA3 (arXiv:2501.13106, 2025): a letter is right where both
texts are equal once trimmed and upper-cased, a short answer where both are equal once normalised.

The card leaves the normalisation open. Here it is what DocVQA's official script does before it
counts distances: trimmed, lower case, each run of white space as one space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .docvqa_official import normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["is_letter_match", "is_short_answer_match"]


def is_letter_match(text: str, letter: str) -> bool:
    r"""Whether a prediction is the gold letter and nothing else, in any case.

    Args:
        text: the prediction, untouched.
        letter: the gold letter.

    Returns:
        True for a match.

    Example:
        >>> is_letter_match(" b\n", "B"), is_letter_match("B.", "B")
        (True, False)
    """
    return text.strip().upper() == letter.strip().upper()


def is_short_answer_match(text: str, answers: Sequence[str]) -> bool:
    """Whether a prediction is one of the gold answers once both are normalised.

    Args:
        text: the prediction, untouched.
        answers: the gold answers, at least one.

    Returns:
        True for a match.

    Example:
        >>> is_short_answer_match("new  York", ["New York"]), is_short_answer_match("3.0", ["3"])
        (True, False)
    """
    given = normalised(text)
    return any(given == normalised(answer) for answer in answers)
