"""Short answers as models word them, with the accepted answers, from a seed."""

from __future__ import annotations

import random
from typing import NamedTuple

__all__ = ["Rows", "numbers", "words"]

GOLD_ROWS = 5_349  # as many as DocVQA's validation set has
SHAPES = (
    "{a}",
    "{a}",
    "{a}.",
    "**{a}**",
    '"{a}"',
    "The answer is {a}.",
    "Answer: {a}",
    "**Answer:** {a}",
    "<think>It could be {b}, but the second row says otherwise.</think>\n{a}",
    "The {t} shown on the page is {a}.",
    "Looking at the second column, the {t} is given as **{a}**, which is more than {b}.",
    "The {t} is not {b}. So the final answer is \\boxed{{{a}}}.",
    "According to the document dated 12 March, the {t} is {a} because it says so at the top.",
    '{{"answer": "{a}", "reason": "the {t} stands there"}}',
    "I'm sorry, but I cannot read the {t} in this image.",
    "{b}",
)
FIRST = ("Anna", "J. R.", "Dr. Paul", "Maria", "Chen", "Kofi", "Elif", "Tomás", "Ingrid", "Omar")
LAST = ("Smith", "O'Brien", "García", "Müller", "Nakamura", "van Dijk", "Okafor", "Lindqvist")
THINGS = (
    "Annual Report",
    "Board of Directors",
    "ITC Limited",
    "New York",
    "net revenue",
    "invoice",
)
TOPICS = ("title", "name of the author", "total value", "percentage", "date of the letter")


class Rows(NamedTuple):
    """n predictions, the accepted answers of each gold row, and the gold row of each."""

    texts: list[str]
    golds: list[list[str]]
    rows: list[int]


def _worded(golds: list[list[str]], rows: int, generator: random.Random) -> Rows:
    places = [generator.randrange(len(golds)) for _ in range(rows)]
    texts = []
    for place in places:
        shape = SHAPES[generator.randrange(len(SHAPES))]
        other = golds[generator.randrange(len(golds))][0]
        text = shape.format(a=golds[place][0], b=other, t=generator.choice(TOPICS))
        if generator.random() < 0.1:  # a slip of the pen
            cut = generator.randrange(len(text))
            text = text[:cut] + text[cut + 1 :]
        texts.append(text)
    return Rows(texts, golds, places)


def words(rows: int, seed: int) -> Rows:
    """Names, titles and phrases, one to three spellings accepted."""
    generator = random.Random(seed)
    golds = []
    for _ in range(GOLD_ROWS):
        if generator.random() < 0.5:
            answer = f"{generator.choice(FIRST)} {generator.choice(LAST)}"
        else:
            answer = f"{generator.choice(THINGS)} {generator.randrange(1, 400)}"
        golds.append([answer, answer.upper(), answer.replace(" ", "  ")][: generator.randint(1, 3)])
    return _worded(golds, rows, generator)


def numbers(rows: int, seed: int) -> Rows:
    """Counts, years, per cents, amounts and a few labels, as charts have them."""
    generator = random.Random(seed)
    golds = []
    for _ in range(GOLD_ROWS):
        kind = generator.randrange(6)
        golds.append(
            [
                [
                    str(generator.randrange(200)),
                    str(generator.randrange(1960, 2024)),
                    f"{generator.uniform(0, 100):.1f}%",
                    f"{generator.uniform(0, 90):.2f}",
                    f"${generator.randrange(1_000, 900_000):,}",
                    generator.choice(("Yes", "No", "Germany", "light blue", "18-29 years")),
                ][kind]
            ]
        )
    return _worded(golds, rows, generator)
