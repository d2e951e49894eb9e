"""Free model text to the short answer in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastvbench import _core
from fastvbench.core._status import STATUS_NAMES, Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AnswerNumbers", "ShortAnswers", "answer_numbers", "careful_texts", "read_short_answers"]


class AnswerNumbers(NamedTuple):
    """The numbers of n answers; NaN where an answer holds none or several.

    Attributes:
        values: float64[n], the only number, else the only one that is no year.
        scales: float64[n], what the word behind it multiplies by: 1e6 for "4.2 million".
        percents: bool[n], a per cent sign follows it.
        years: float64[n], the only plain number from 1800 to 2099.
        several: bool[n], there are numbers, but no only one.
    """

    values: NDArray[np.float64]
    scales: NDArray[np.float64]
    percents: NDArray[np.bool_]
    years: NDArray[np.float64]
    several: NDArray[np.bool_]

    def take(self, rows: NDArray[np.int64]) -> AnswerNumbers:
        """The numbers of these rows."""
        return AnswerNumbers(
            self.values[rows],
            self.scales[rows],
            self.percents[rows],
            self.years[rows],
            self.several[rows],
        )

    def filled(self, other: AnswerNumbers, rows: NDArray[np.bool_]) -> AnswerNumbers:
        """These numbers, and another column's where `rows` says so."""
        return AnswerNumbers(
            np.where(rows, other.values, self.values),
            np.where(rows, other.scales, self.scales),
            np.where(rows, other.percents, self.percents),
            np.where(rows, other.years, self.years),
            np.where(rows, other.several, self.several),
        )


def answer_numbers(
    texts: object, spans: NDArray[np.int64] | None = None, *, threads: int = 0
) -> AnswerNumbers:
    """Read the number that each text, or the part of it that `spans` gives, holds.

    Thousands separators ("1,000", "1 000", "1.000.000"), decimal commas ("12,5"), signs, fractions,
    powers of ten, per cent, scale words and number words are read; dates, clock times and digits
    inside words are no numbers. ``1,000`` is a thousand and ``1.000`` is one.

    Args:
        texts: list of str or None, or an Arrow column of strings, n rows.
        spans: int64[n, 2] first byte and end of the part to read; None reads all.
        threads: 0 uses every core.

    Raises:
        ValueError: a span outside its text.
    """
    values, scales, percents, years, several = _core.read_answer_numbers(texts, spans, threads)
    return AnswerNumbers(values, scales, percents.view(np.bool_), years, several.view(np.bool_))


def careful_texts(
    texts: object, spans: NDArray[np.int64] | None = None, *, threads: int = 0
) -> list[str | None]:
    """The words of each text as they are compared: case, marks and articles don't matter.

    Args:
        texts: list of str or None, or an Arrow column of strings, n rows.
        spans: as `answer_numbers` takes them.
        threads: 0 uses every core.

    Returns:
        One text per row, None where there is none.

    Example:
        >>> careful_texts(["The  **Red** Car.", "red car", "twelve", "1,000.0"])
        ['red car', 'red car', '12', '1000']
    """
    return _core.answer_texts(texts, spans, True, threads)


class ShortAnswers:
    """The short answers of n texts, as columns.

    A text that declares its answer ("The answer is 5.") has that one reading. One that doesn't has
    two fair ones: the part that looks like the answer, and the whole of it.

    Attributes:
        status: uint8[n], a ``Status``: ``ok``, or why there is no answer.
        spans: int64[n, 2], first byte and end of the answer proper in the text's UTF-8; -1, -1
            where there is none. Of a refusal, the words that refuse.
        threads: how many threads its methods use; 0 uses every core.
        wholes: int64[n, 2], the same of the whole answer; equal to the span where one is declared.
    """

    __slots__ = ("_texts", "spans", "status", "threads", "wholes")

    def __init__(
        self,
        status: NDArray[np.uint8],
        spans: NDArray[np.int64],
        wholes: NDArray[np.int64],
        texts: object,
        threads: int,
    ) -> None:
        self.status, self.spans, self.wholes = status, spans, wholes
        self._texts, self.threads = texts, threads

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        read = int(np.count_nonzero(self.status == Status.OK))
        return f"ShortAnswers({len(self)} rows, {read} with an answer)"

    def texts(self, *, whole: bool = False) -> list[str | None]:
        """Each answer without mark-up and spare blanks, None where there is none."""
        return _core.answer_texts(self._texts, self._part(whole), False, self.threads)

    def careful(self, *, whole: bool = False) -> list[str | None]:
        """The words of each answer as they are compared; see `careful_texts`."""
        return careful_texts(self._texts, self._part(whole), threads=self.threads)

    def numbers(self, *, whole: bool = False) -> AnswerNumbers:
        """The number of each answer; see `answer_numbers`."""
        return answer_numbers(self._texts, self._part(whole), threads=self.threads)

    def reasons(self) -> list[str]:
        """The name of each row's status: "ok", "refused" and so on."""
        return [STATUS_NAMES[status] for status in self.status.tolist()]

    def _part(self, whole: bool) -> NDArray[np.int64]:
        return self.wholes if whole else self.spans


def read_short_answers(texts: object, *, threads: int = 0) -> ShortAnswers:
    r"""Read the answer proper of each text, as a careful person would.

    What is declared counts: ``\boxed{}``, answer tags, a JSON object's answer, "the answer is",
    also in Chinese, Japanese, Korean, French, German and Spanish; the last declaration wins.
    Otherwise the answer is what the text leads to: an opening "Yes,", the one bold part, what the
    last sentence says its subject is, the one quotation, a short last line. Reasoning up to
    ``</think>`` is skipped.

    Args:
        texts: list or tuple of str or None (NaN counts as None), or an Arrow column of strings.
        threads: 0 uses every core.

    Returns:
        One row per text; a text is never an error.

    Raises:
        TypeError: texts of another kind (the row is named).

    Example:
        >>> texts = ["**Answer:** 4.2 million.", "Yes, it is.", "I can't tell."]
        >>> answers = read_short_answers(texts)
        >>> answers.texts()
        ['4.2 million', 'Yes', "I can't"]
        >>> answers.reasons()
        ['ok', 'ok', 'refused']
    """
    status, spans, wholes = _core.read_short_answers(texts, threads)
    return ShortAnswers(status, spans, wholes, texts, threads)
