"""Model text to the option it chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench import _core
from fastvbench.core import Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Choices", "parse_choice"]

_LETTERS = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", None)  # the last one for index -1
_STATUS_NAMES = tuple(status.name.lower() for status in Status)


class Choices:
    """The options that n texts choose, as columns.

    Attributes:
        index: int8 [n], 0 for A; -1 where the text gives no option.
        status: uint8 [n], a ``Status``: ``ok``, or why there is no option.
        spans: int64 [n, 2], first byte and end of what was read, in the text's UTF-8; -1, -1 where
            nothing was.
    """

    __slots__ = ("index", "spans", "status")

    def __init__(
        self, index: NDArray[np.int8], status: NDArray[np.uint8], spans: NDArray[np.int64]
    ) -> None:
        self.index, self.status, self.spans = index, status, spans

    def __len__(self) -> int:
        return len(self.index)

    def __repr__(self) -> str:
        read = int(np.count_nonzero(self.status == Status.OK))
        return f"Choices({len(self)} rows, {read} with an option)"

    def letters(self) -> list[str | None]:
        """Return the option letter of each row, None where there is none."""
        return [_LETTERS[index] for index in self.index.tolist()]

    def reasons(self) -> list[str]:
        """Return the name of each row's status: "ok", "ambiguous", "refused" and so on."""
        return [_STATUS_NAMES[status] for status in self.status.tolist()]


def parse_choice(texts: object, *, options: object = 4, threads: int = 0) -> Choices:
    """Read which option each text chooses, as a careful person would.

    A letter counts as the whole answer, first on a line before a delimiter, alone as the last
    sentence, after a cue ("the answer is C", also in Chinese, Japanese, Korean, French, German and
    Spanish), or wrapped in brackets, bold, quotes, boxes or answer tags; never as a word of a
    sentence ("A man", "Vitamin C"). The last declaration wins, rejected letters don't count, and
    several letters without a decision are ``ambiguous``. Where no letter decides, an option's text
    does. Reasoning up to ``</think>`` is skipped. A text is never an error.

    Args:
        texts: list or tuple of str or None (NaN counts as None), or an Arrow column of strings
            (pyarrow, polars, nanoarrow), n rows.
        options: the number of letters from A (1 to 26), or one list of option texts for all rows,
            or n entries that are each a number or a list of option texts (an array of whole
            numbers is the fastest form of n numbers).
        threads: 0 uses every core.

    Returns:
        One row per text. Option texts are compared word by word; "3" is option "3" only if it is
        the answer's only number.

    Raises:
        TypeError: texts or options of another kind (the row is named).
        ValueError: another number of rows in options than texts, or a row without 1 to 26 options.

    Example:
        >>> texts = ["**C**", "I'd say B, since A is wrong.", "A man walks.", "A or B"]
        >>> choices = parse_choice(texts)
        >>> choices.letters()
        ['C', 'B', None, None]
        >>> choices.reasons()
        ['ok', 'ok', 'no_answer', 'ambiguous']
        >>> parse_choice(["It is a red car."], options=["red", "red car"]).letters()
        ['B']
    """
    index, status, spans = _core.parse_choice(texts, options, threads)
    return Choices(index, status, spans)
