"""Careful scores of one short answer, row by row: the meaning of ``_careful_scores``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tests.reference.short_answer_numbers import Numbers, read_numbers
from tests.reference.short_answer_text import careful_text, plain_text
from tests.reference.short_answers import NO_SPAN, read

from fastvbench.core._status import Status

__all__ = ["anls", "distance", "match", "relaxed"]

Score = tuple[float, Status]
QUANTITY_WORDS = {
    *("%", "percent", "pct", "usd", "eur", "gbp", "mn", "mln", "bn"),
    *("thousand", "thousands", "million", "millions", "billion", "billions"),
    *("trillion", "trillions"),
}


def distance(first: str, second: str) -> int:
    """Levenshtein distance, by the table."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, start=1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(second, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def encoded(text: str | None) -> bytes:
    return (text or "").encode("utf-8", "surrogatepass")


def parts(text: str | None) -> tuple[Status, list[bytes]]:
    """Status and the fair readings of a prediction."""
    answer = read(text)
    spans = [answer.span] + ([answer.whole] if answer.whole != answer.span else [])
    raw = encoded(text)
    return answer.status, [b"" if s == NO_SPAN else raw[s[0] : s[1]] for s in spans]


def gold_part(gold: str) -> bytes:
    answer = read(gold)
    return b"" if answer.whole == NO_SPAN else encoded(gold)[answer.whole[0] : answer.whole[1]]


def same_words(readings: list[bytes], gold: bytes) -> bool:
    words = [careful_text(part) for part in readings]
    return words[-1] != b"" and careful_text(gold) in words


def scored(text: str | None, golds: Sequence[str], score: Callable[[bytes], float]) -> Score:
    """The best score over the accepted answers; a refusal scores only where it is one of them."""
    status, readings = parts(text)
    if not golds:
        return math.nan, status
    best = 0.0
    for gold in golds:
        if status == Status.REFUSED and same_words(readings, gold_part(gold)):
            return 1.0, Status.OK
        if status == Status.OK:
            best = max(best, score(gold_part(gold)))
    return best, status


def match(text: str | None, golds: Sequence[str]) -> Score:
    _, readings = parts(text)
    return scored(text, golds, lambda gold: float(same_words(readings, gold)))


def anls(
    text: str | None,
    golds: Sequence[str],
    distance: Callable[[str, str], int] = distance,
) -> Score:
    _, readings = parts(text)

    def similarity(gold: bytes) -> float:
        wanted = plain_text(gold).decode("utf-8", "surrogatepass").lower()
        best = 0.0
        for part in readings:
            given = plain_text(part).decode("utf-8", "surrogatepass").lower()
            longer = max(len(given), len(wanted), 1)
            best = max(best, 1.0 - distance(given, wanted) / longer)
        return best if best >= 0.5 else 0.0

    return scored(text, golds, similarity)


def is_quantity(gold: bytes) -> bool:
    words = careful_text(gold).decode("utf-8", "surrogatepass").split(" ")
    numbers = [word for word in words if word not in QUANTITY_WORDS]
    return (
        len(numbers) == 1
        and any(c.isdigit() for c in numbers[0])
        and all(c in "0123456789.,/-+e" for c in numbers[0])
        and not math.isnan(read_numbers(gold).value)
    )


def within(given: float, wanted: float) -> bool:
    return given == 0.0 if wanted == 0.0 else abs(given - wanted) <= 0.05 * abs(wanted)


def is_close(given: Numbers, wanted: Numbers) -> bool:
    if not math.isnan(wanted.year):
        year = given.value * given.scale if math.isnan(given.year) else given.year
        return year == wanted.year
    if within(given.value * given.scale, wanted.value * wanted.scale):
        return True
    if (given.scale == 1.0) != (wanted.scale == 1.0) and within(given.value, wanted.value):
        return True
    if wanted.percent and not given.percent and abs(given.value) <= 1.0:
        return within(given.value * 100.0, wanted.value)
    if given.percent and not wanted.percent and abs(wanted.value) <= 1.0:
        return within(given.value, wanted.value * 100.0)
    return False


def relaxed(text: str | None, golds: Sequence[str]) -> Score:
    _, readings = parts(text)
    numbers = read_numbers(readings[0])
    if math.isnan(numbers.value) and not numbers.several and len(readings) > 1:
        numbers = read_numbers(readings[1])

    def right(gold: bytes) -> float:
        if same_words(readings, gold):
            return 1.0
        return float(is_quantity(gold) and is_close(numbers, read_numbers(gold)))

    score, status = scored(text, golds, right)
    asked = any(is_quantity(gold_part(gold)) for gold in golds)
    if asked and status == Status.OK and score == 0 and numbers.several:
        status = Status.AMBIGUOUS
    return score, status
