"""Answers to multiple-choice questions as models word them, from a seed."""

from __future__ import annotations

import random

SHAPES = (
    "{L}",
    "{L}",
    "{L}.",
    "({L})",
    "**{L}**",
    "{L}. {o}",
    "The answer is {L}.",
    "Answer: {L}",
    "The correct option is {L}) because the man picks it up and leaves the room.",
    "<think>It could be A or B, but the frame at 12 minutes shows otherwise.</think>\n{L}",
    "A man walks to the table, then opens the drawer and takes the key. So the best answer is {L}.",
    "I cannot determine the answer from the video.",
)
OBJECTS = ("the red car", "the blue door", "a green lamp", "the white dog", "a black boat")


def texts(rows: int, seed: int) -> list[str]:
    """Bare letters, short answers and explanations, in equal parts."""
    generator = random.Random(seed)
    return [
        SHAPES[row % len(SHAPES)].format(L=generator.choice("ABCD"), o=generator.choice(OBJECTS))
        for row in range(rows)
    ]


OPTION_SHAPES = (
    "{L}",
    "{L}. {o}",
    "{o}",
    "{o}.",
    "The answer is {o}.",
    "It shows {o} at the end of the video.",
    "The best answer is ({L}) {o}",
    "A man walks in and picks up {o}, so the answer is {L}.",
    "<think>It could be {o}, or not; the last minute decides.</think>\n{o}",
    "Failed to obtain answer via API.",
    "According to the video, none of them can be told with certainty.",
    "Best answer: {L}",
)
COLOURS = ("red", "blue", "green", "white", "black", "yellow", "brown", "grey")
THINGS = ("car", "door", "lamp", "dog", "boat", "candle", "apple", "violin", "ladder", "kite")
QUESTIONS = 2_700  # as many as Video-MME has


def rows_with_options(rows: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Answers to Video-MME's number of questions, and each answer's four option texts.

    Letters, letters with texts, texts alone and texts in sentences; every fourth question has
    numbers for options.
    """
    generator = random.Random(seed)
    questions = []
    for number in range(QUESTIONS):
        if number % 4 == 3:
            questions.append([str(n) for n in generator.sample(range(1, 12), 4)])
            continue
        colours = generator.sample(COLOURS, 4)
        questions.append([f"The {colour} {generator.choice(THINGS)}" for colour in colours])
    texts = []
    for row in range(rows):
        right = generator.randrange(4)
        options = questions[row % QUESTIONS]
        shape = OPTION_SHAPES[generator.randrange(len(OPTION_SHAPES))]
        texts.append(shape.format(L="ABCD"[right], o=options[right]))
    return texts, [questions[row % QUESTIONS] for row in range(rows)]
