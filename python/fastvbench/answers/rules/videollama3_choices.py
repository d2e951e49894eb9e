r"""VideoLLaMA3's option letters where option texts count too: Video-MME and four more benchmarks.

Source: DAMO-NLP-SG/VideoLLaMA3, ``evaluation/benchmarks/`` ``videomme.py``, ``mlvu.py``,
``mvbench.py``, ``longvideobench.py`` and ``tempcompass.py``, commit 05cee23 (2025-08-14).

Quirks of Video-MME: "answer" and "Answer" are deleted, then the first capital A, B, C or D anywhere
is the answer, inside words too: "Because ..." is B. Only a text without any is searched for option
texts, as lower-case substrings, digits also as words; the first option that is found wins, not the
only one. Of an option, ``[A-D]\. (.*).`` keeps all but the last character, which is meant to be a
full stop: "D. Three" is looked for as "thre", and "A. 3" as the empty string, which every text
holds. An option that the pattern does not fit, and a text in which nothing is found, raise, and the
evaluation catches that only to print it and exit.

Quirks of MLVU and MVBench: the same deletions and the first capital option letter, but taken with
the brackets, commas and spaces around it; of these only outer brackets are taken off again, so
"A, B" and "( A )" raise. MLVU's search for option texts uses a name that is not defined, so every
text without a letter raises; MVBench's finds whole option texts.

Quirks of LongVideoBench: as Video-MME, with the letters of the row's own options and with whole
option texts.

Quirks of TempCompass: a choice is right if the lower-cased text begins with its letter, so "a man
..." is right where A is; a caption, if it does once "option", "sentence" and "caption" are deleted
from both. A text of a yes-or-no question that holds neither "yes" nor "no" anywhere raises.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ._types import PublicScriptAborts

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "longvideobench_letter",
    "mlvu_letter",
    "mvbench_letter",
    "tempcompass_caption",
    "tempcompass_choice",
    "tempcompass_yes_no",
    "videomme_letter",
]

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OPTION_TEXT = re.compile(r"[A-D]\. (.*).")
_NOTHING_FOUND = (
    "AssertionError: neither a letter nor an option's text; the evaluation prints it and exits"
)
_DIGIT_WORDS = {
    "0": "zero",
    "1": "one",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
}


def videomme_letter(text: str, option_lines: Sequence[str]) -> str:
    """Return the first capital option letter, else that of the first option found in the text.

    Args:
        text: the model's answer, untouched.
        option_lines: the options as the data set has them, ``A. Apples.`` and so on.

    Returns:
        One of A, B, C, D.

    Raises:
        PublicScriptAborts: an option of another form, or nothing is found; the public
            evaluation exits.

    Example:
        >>> lines = ["A. Apples.", "B. Candles.", "C. Berries.", "D. 3."]
        >>> videomme_letter("Because of the red ones", lines), videomme_letter("three", lines)
        ('B', 'D')
    """
    return _letter_or_text(text, [_searched_text(line) for line in option_lines], "ABCD")


def _searched_text(line: str) -> str:
    found = _OPTION_TEXT.search(line)
    if found is None:
        raise PublicScriptAborts("IndexError: an option is not of the form 'A. text.'")
    return found.group(1).strip().strip(".")


def longvideobench_letter(text: str, options: Sequence[str]) -> str:
    """Return the first capital letter of an option, else that of the first text that is found.

    Args:
        text: the model's answer, untouched.
        options: the option texts in order, at most 26, without their letters.

    Raises:
        PublicScriptAborts: nothing is found; the public evaluation exits.

    Example:
        >>> longvideobench_letter("E", ["a", "b", "c", "d", "e"])
        'E'
        >>> longvideobench_letter("three", ["red", "3", "blue"])
        'B'
    """
    return _letter_or_text(text, [option.strip().strip(".") for option in options], _of(options))


def mlvu_letter(text: str, options: Sequence[str]) -> str:
    """Return the first capital letter of an option, in brackets or bare.

    Args:
        text: the model's answer, untouched.
        options: the option texts in order, at most 26; only their number matters.

    Raises:
        PublicScriptAborts: no letter, or one beside a comma; the public evaluation exits.

    Example:
        >>> mlvu_letter("(B) two", ["one", "two"]), mlvu_letter("All", ["one", "two"])
        ('B', 'A')
    """
    letter = _surrounded_letter(_without_answer(text), _of(options))
    if letter is None:
        raise PublicScriptAborts("NameError: the search for option texts uses an undefined name")
    return letter


def mvbench_letter(text: str, options: Sequence[str]) -> str:
    """Return the first capital letter of an option, else that of the first text that is found.

    Args:
        text: the model's answer, untouched.
        options: the option texts in order, at most 26, without their letters.

    Raises:
        PublicScriptAborts: nothing is found, or a letter beside a comma; the evaluation exits.

    Example:
        >>> mvbench_letter("It is two.", ["one", "two"])
        'B'
    """
    remaining = _without_answer(text)
    letter = _surrounded_letter(remaining, _of(options))
    if letter is not None:
        return letter
    lowered = remaining.lower()
    for letter, option in zip(_of(options), options, strict=True):
        if option.strip().strip(".").lower() in lowered:
            return letter
    raise PublicScriptAborts(_NOTHING_FOUND)


def tempcompass_choice(text: str, answer: str) -> bool:
    """Tell whether a choice is right: the lower-cased text begins with the gold letter.

    Args:
        text: the model's answer, untouched.
        answer: the right option's line, ``A. dunking``.

    Example:
        >>> tempcompass_choice("a man dunks", "A. dunking"), tempcompass_choice("(A)", "A. dunking")
        (True, False)
    """
    return (
        text.lower().startswith(answer.split(".", maxsplit=1)[0].strip().lower()) or text == answer
    )


def tempcompass_yes_no(text: str, answer: str) -> bool:
    """Tell whether a yes or a no is right: the lower-cased text begins with it.

    Args:
        text: the model's answer, untouched.
        answer: ``yes`` or ``no``.

    Raises:
        PublicScriptAborts: the text holds neither word; the public evaluation exits.

    Example:
        >>> tempcompass_yes_no("Yes.", "yes"), tempcompass_yes_no("It does not", "no")
        (True, False)
    """
    lowered = text.lower()
    if "yes" not in lowered and "no" not in lowered:
        raise PublicScriptAborts("AssertionError: neither yes nor no anywhere; the run ends")
    return lowered.startswith(answer) or text == answer


def tempcompass_caption(text: str, answer: str) -> bool:
    """Tell whether the chosen caption is right: the text begins with its letter or number.

    Args:
        text: the model's answer, untouched.
        answer: the right caption's line, ``Option 1: it runs``.

    Example:
        >>> tempcompass_caption("Option 1", "Option 1: it runs"), tempcompass_caption("b", "A: x")
        (True, False)
    """
    given, wanted = text.lower(), answer.split(":", maxsplit=1)[0].strip().lower()
    for word in ("option", "sentence", "caption"):
        given, wanted = given.replace(word, "").strip(), wanted.replace(word, "").strip()
    return given.startswith(wanted) or text == answer


def _of(options: Sequence[str]) -> str:
    return _ALPHABET[: len(options)]


def _without_answer(text: str) -> str:
    return text.replace("answer", "").replace("Answer", "")


@lru_cache(maxsize=32)
def _any_of(letters: str) -> re.Pattern[str]:
    return re.compile(f"[{letters}]")


def _letter_or_text(text: str, wanted: Sequence[str], letters: str) -> str:
    """The first capital letter, else the letter of the first wanted text, or digit as a word."""
    remaining = _without_answer(text)
    found = _any_of(letters).search(remaining)
    if found is not None:
        return found.group()
    lowered = remaining.lower()
    for letter, option in zip(letters, wanted, strict=False):
        if option.lower() in lowered or _DIGIT_WORDS.get(option, option).lower() in lowered:
            return letter
    raise PublicScriptAborts(_NOTHING_FOUND)


def _surrounded_letter(text: str, letters: str) -> str | None:
    """The first capital letter, None for none.

    The script takes it with every bracket, comma and space beside it, strips white space and then
    brackets, and looks what remains up among the letters.

    Raises:
        PublicScriptAborts: what remains is no letter.
    """
    found = _any_of(letters).search(text)
    if found is None:
        return None
    before, after = text[: found.start()], text[found.end() :]
    left = before[len(before.rstrip("(, ")) :]
    right = after[: len(after) - len(after.lstrip("), "))]
    if (left + found.group() + right).strip().strip("()") != found.group():
        raise PublicScriptAborts("ValueError: a comma or a space stays beside the letter")
    return found.group()
