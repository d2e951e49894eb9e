"""What of a text is answer and what is reasoning: the meaning of ``cpp/src/parse/thinking``.

Grammar
-------
1.  A *mark* is one of the byte strings below; ASCII letters match in either case, nothing else may
    stand inside (``< think >`` is no mark).
2.  The answer begins after the **last closing mark**, whether or not an opening one stands before
    it: chat templates often put the opening tag into the prompt, so that only the closing one is
    saved.
3.  An **opening mark after the last closing mark** is reasoning that never ended: the text is
    truncated and has no answer. This holds also when words stand before that opening mark, and when
    the unfinished reasoning holds something that looks like an answer: it was still being weighed.
4.  A text without marks is all answer.

The marks are those that public models print: ``<think>`` (Qwen, DeepSeek, GLM, Video-R1, Time-R1),
``<thinking>``, ``<thought>``, ``<reasoning>`` (LLaVA-CoT), ``<seed:think>`` (Seed-OSS),
``◁think▷`` (Kimi-VL), ``<|begin_of_thought|>`` (Sky-T1) and the analysis and final channels of
Harmony (gpt-oss).
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CLOSING_MARKS", "OPENING_MARKS", "Reasoning", "skip_reasoning"]

OPENING_MARKS: tuple[bytes, ...] = (
    b"<think>",
    b"<thinking>",
    b"<thought>",
    b"<reasoning>",
    b"<seed:think>",
    "◁think▷".encode(),
    b"<|begin_of_thought|>",
    b"<|channel|>analysis<|message|>",
)
CLOSING_MARKS: tuple[bytes, ...] = (
    b"</think>",
    b"</thinking>",
    b"</thought>",
    b"</reasoning>",
    b"</seed:think>",
    "◁/think▷".encode(),
    b"<|end_of_thought|>",
    b"<|channel|>final<|message|>",
)


class Reasoning(NamedTuple):
    """Where the answer begins, in bytes, and whether the text ended before there was one."""

    answer_begin: int
    truncated: bool


def skip_reasoning(text: bytes) -> Reasoning:
    """Find the answer behind a model's reasoning.

    Args:
        text: UTF-8 bytes of the whole response; broken UTF-8 is allowed.

    Returns:
        The offset of the answer's first byte. For a truncated text that is ``len(text)``.
    """
    lowered = text.lower()  # bytes.lower() touches ASCII letters only and keeps every offset
    answer_begin = 0
    for mark in CLOSING_MARKS:
        position = lowered.rfind(mark)
        if position >= 0:
            answer_begin = max(answer_begin, position + len(mark))
    if any(lowered.find(mark, answer_begin) >= 0 for mark in OPENING_MARKS):
        return Reasoning(len(text), True)
    return Reasoning(answer_begin, False)
