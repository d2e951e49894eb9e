"""Accepted answers as columns, read once however many predictions are compared with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.answers._short_answers import read_short_answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fastvbench.answers._short_answers import AnswerNumbers

__all__ = ["AcceptedAnswers"]

_QUANTITY_WORDS = frozenset(
    {"%", "percent", "pct", "thousand", "thousands", "million", "millions", "billion", "billions"}
    | {"trillion", "trillions", "mn", "mln", "bn", "usd", "eur", "gbp"}
)
_NUMBER_CHARACTERS = frozenset("0123456789.,/-+e")


def is_quantity(careful: str) -> bool:
    """Whether an answer's words are a number and what belongs to one.

    Args:
        careful: the answer as `careful_texts` writes it.
    """
    words = careful.split(" ")
    numbers = [word for word in words if word not in _QUANTITY_WORDS]
    return (
        len(numbers) == 1
        and any(c.isdigit() for c in numbers[0])
        and _NUMBER_CHARACTERS.issuperset(numbers[0])
    )


class AcceptedAnswers:
    """The accepted answers of g gold rows, m in all.

    Args:
        golds: one list of answers per gold row; an empty list for a row without a gold answer.
        rows: int64[n], the gold row of each prediction.
        threads: 0 uses every core.

    Attributes:
        texts: str[m] as objects, without mark-up and spare blanks.
        careful: str[m] as objects, the words as they are compared.
        numbers: m rows.
        quantities: bool[m], the answer is a number and what belongs to one.
        has_any: bool[n], the prediction's gold row has an answer.
    """

    def __init__(
        self, golds: Sequence[Sequence[str]], rows: NDArray[np.int64], *, threads: int = 0
    ) -> None:
        counts = np.array([len(answers) for answers in golds], dtype=np.int64)
        self._first = (np.cumsum(counts) - counts)[rows]
        self._counts = counts[rows]
        self.has_any = self._counts > 0
        answers = read_short_answers(
            [answer for accepted in golds for answer in accepted], threads=threads
        )
        self.texts = _objects(answers.texts(whole=True))
        self.careful = _objects(answers.careful(whole=True))
        self.numbers: AnswerNumbers = answers.numbers(whole=True)
        self.quantities = np.array(
            [is_quantity(careful) for careful in self.careful], dtype=np.bool_
        ) & ~np.isnan(self.numbers.values)

    def pairs(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Predictions and the accepted answer of each: first all first answers, then all second."""
        for place in range(int(self._counts.max(initial=0))):
            rows = np.flatnonzero(self._counts > place)
            yield rows, self._first[rows] + place


def _objects(texts: Sequence[str | None]) -> NDArray[np.object_]:
    column = np.empty(len(texts), dtype=object)
    column[:] = [text or "" for text in texts]
    return column
