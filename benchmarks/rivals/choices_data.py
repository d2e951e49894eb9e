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
