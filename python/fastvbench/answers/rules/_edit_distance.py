"""Edit distances over code points, as the published scorers of short answers count them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rapidfuzz.distance import Levenshtein

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["edit_distance", "nearest_choice"]


def edit_distance(first: str, second: str) -> int:
    """Insertions, deletions and substitutions of one code point that turn `first` into `second`.

    Args:
        first: one text.
        second: the other.

    Returns:
        The smallest number of them.

    Example:
        >>> edit_distance("kitten", "sitting")
        3
    """
    return Levenshtein.distance(first, second)


def nearest_choice(text: str, choices: Sequence[str]) -> int:
    """Index of the choice that is nearest to a text; the first of several that are equally near.

    Args:
        text: what was extracted from an answer.
        choices: option texts, at least one.

    Returns:
        The 0-based index.

    Example:
        >>> nearest_choice("92.5", ["97", "102", "107", "122"]), nearest_choice("", ["three", "2"])
        (0, 1)
    """
    distances = [edit_distance(text, choice) for choice in choices]
    return distances.index(min(distances))
