"""TempCompass's own rules: what is decided without its judge, and what is left to it.

Source: llyx97/TempCompass, ``eval_multi-choice.py``, ``eval_yes_no.py``,
``eval_caption_matching.py``, commit e1b4631.

Quirks: ``</s>`` is deleted anywhere, and nothing else is trimmed. A choice is read from the whole
answer line, from a lone A, B, C or D, or from a text that begins with a letter and ``.`` or ``)``;
"(C)" and "**C. red**" go to GPT-3.5, which says Correct or Incorrect. A text that begins with "yes"
or "no" is that, "nothing" included. Captions are matched as whole lines, as their sentences, or
as their labels, without full stops; what stands after the first ``)`` and space counts as well. Of
lines, sentences and labels that fit, the last found decides. Generated captions are always judged.
"""

from __future__ import annotations

from ._types import PublicScriptAborts

__all__ = ["caption_matching", "multi_choice", "yes_no"]

_LETTERS = ("A", "B", "C", "D")
_END_OF_TEXT = "</s>"


def multi_choice(text: str, answer: str) -> bool | None:
    """Tell whether a choice is right.

    Args:
        text: the model's answer, untouched.
        answer: the right option's line, ``A. dunking``; not empty.

    Returns:
        True or False; None where the script asks its judge.

    Example:
        >>> multi_choice("B", "B. red"), multi_choice("A) blue", "B. red")
        (True, False)
        >>> multi_choice("(B)", "B. red") is None
        True
    """
    given = text.replace(_END_OF_TEXT, "")
    if given == answer:
        return True
    if given in _LETTERS or given.startswith(tuple(f"{letter}." for letter in _LETTERS)):
        return given.split(".", 1)[0] == answer[0]
    if given.startswith(tuple(f"{letter})" for letter in _LETTERS)):
        return given.split(")", 1)[0] == answer[0]
    return None


def yes_no(text: str, answer: str) -> bool | None:
    """Tell whether a yes or a no is right.

    Args:
        text: the model's answer, untouched.
        answer: ``yes`` or ``no``.

    Returns:
        True or False; None where the script asks its judge.

    Example:
        >>> yes_no("Yes, it is", "yes"), yes_no("Nothing moves", "no"), yes_no(" no", "no")
        (True, True, None)
    """
    given = text.replace(_END_OF_TEXT, "").lower()
    for word in ("yes", "no"):
        if given.startswith(word):
            return word == answer
    return None


def caption_matching(text: str, question: str, answer: str) -> bool | None:
    r"""Tell whether the chosen caption is right.

    Args:
        text: the model's answer, untouched.
        question: its first line asks, every further one is a caption, ``Caption A: ...``.
        answer: the right caption's line.

    Returns:
        True or False; None where the script asks its judge.

    Raises:
        PublicScriptAborts: a line, or the answer, has no ``: ``.

    Example:
        >>> lines = "Which fits?\nCaption A: it runs\nCaption B: it sleeps"
        >>> caption_matching("Caption B.", lines, "Caption B: it sleeps")
        True
        >>> caption_matching("it runs", lines, "Caption B: it sleeps")
        False
    """
    given = text.replace(_END_OF_TEXT, "")
    lines = question.split("\n")[1:]
    if any(": " not in line for line in lines):
        raise PublicScriptAborts("IndexError: a line of the question has no label before a colon")
    after_bracket = given.split(") ")[1] if ") " in given else None
    chosen = None
    for line in lines:
        if line == given:
            chosen = line
    for sentence in (line.split(": ")[1] for line in lines):
        if sentence in (given, after_bracket):
            chosen = sentence
    for label in (line.split(": ")[0] for line in lines):
        if label in (given, given.replace(".", "")):
            chosen = label
    if chosen is None:
        return None
    if chosen in (answer, answer.split(":", maxsplit=1)[0]):
        return True
    if ": " not in answer:
        raise PublicScriptAborts("IndexError: the right answer has no label before a colon")
    return chosen == answer.split(": ")[1]
