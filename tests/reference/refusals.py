"""Texts in which a model declines: the meaning of ``cpp/src/parse/refusals``.

A short list on purpose: a phrase is here when it means "no answer" in nearly every answer that
holds it. It is asked only about texts in which no answer was found. ASCII case doesn't matter,
``’`` reads as ``'``; a phrase of ASCII letters begins where no ASCII letter stands before it.
"""

from __future__ import annotations

__all__ = ["REFUSAL_PHRASES", "is_refusal"]

REFUSAL_PHRASES: tuple[str, ...] = (
    "i cannot",
    "i can't",
    "i can not",
    "i could not",
    "i couldn't",
    "i am unable",
    "i'm unable",
    "i am not able",
    "i'm not able",
    "i'm sorry",
    "i am sorry",
    "i apologize",
    "i apologise",
    "i won't",
    "i don't have access",
    "i do not have access",
    "sorry, ",
    "unable to determine",
    "unable to identify",
    "unable to find",
    "unable to locate",
    "unable to provide",
    "unable to answer",
    "unable to watch",
    "unable to view",
    "unable to process",
    "cannot be determined",
    "can't be determined",
    "cannot determine",
    "can't determine",
    "cannot identify",
    "cannot provide",
    "cannot answer",
    "not possible to determine",
    "as an ai",
    "无法",
    "無法",
    "抱歉",
    "对不起",
    "申し訳",
    "できません",
    "わかりません",
    "죄송",
    "je ne peux pas",
    "désolé",
    "tut mir leid",
    "ich kann nicht",
    "lo siento",
    "no puedo",
)


def is_refusal(text: str) -> bool:
    """Whether a text that gave no answer declines to give one."""
    lowered = "".join(char.lower() if char.isascii() else char for char in text).replace("’", "'")
    for phrase in REFUSAL_PHRASES:
        position = lowered.find(phrase)
        while position >= 0:
            before = lowered[position - 1] if position else ""
            if not (phrase[0].isascii() and "a" <= before <= "z"):
                return True
            position = lowered.find(phrase, position + 1)
    return False
