"""How EvalAI's VQA scorers normalise a short answer before they compare it.

Source: facebookresearch/mmf, pythia/tasks/processors.py at c46b3b3, class EvalAIAnswerProcessor,
which lmms-eval (OK-VQA, MVBench) and others took over.

Lower case; commas and question marks are dropped, ``'s`` becomes a word. A mark of punctuation that
stands at a space anywhere in the text is dropped everywhere, any other becomes a space. Periods are
dropped unless a digit follows: the pattern means to look at the character before as well, but a
misplaced ``<`` makes that always true; and only the first 32, because a flag stands where a count
belongs. Number words up to ten become digits and "none" becomes 0, articles are dropped, and some
contractions get their apostrophe back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["is_match", "normalised"]

_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_MOST_PERIODS = 32
_ARTICLES = frozenset(["a", "an", "the"])
_NUMBERS = {
    **{"none": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4"},
    **{"five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"},
}
# Each is restored from its spellings that lack one apostrophe.
_CONTRACTIONS = (
    *("ain't", "aren't", "can't", "could've", "couldn't", "couldn't've", "didn't", "doesn't"),
    *("don't", "hadn't", "hadn't've", "hasn't", "haven't", "he'd", "he'd've", "he's", "how'd"),
    *("how'll", "how's", "isn't", "it'd", "it'd've", "it'll", "ma'am", "mightn't"),
    *("mightn't've", "might've", "mustn't", "must've", "needn't", "not've", "o'clock", "oughtn't"),
    *("'ow's'at", "shan't", "she'd've", "should've", "shouldn't", "shouldn't've"),
    *("somebody'd've", "somebody'll", "somebody's", "someone'd", "someone'd've", "someone'll"),
    *("someone's", "something'd", "something'd've", "something'll", "that's", "there'd"),
    *("there'd've", "there're", "there's", "they'd", "they'd've", "they'll", "they're", "they've"),
    *("'twas", "wasn't", "we'd've", "we've", "weren't", "what'll", "what're", "what's", "what've"),
    *("when's", "where'd", "where's", "where've", "who'd", "who'd've", "who'll", "who's"),
    *("who've", "why'll", "why're", "why's", "won't", "would've", "wouldn't", "wouldn't've"),
    *("y'all", "y'all'll", "y'all'd've", "you'd", "you'd've", "you'll", "you're", "you've"),
)


def _restored() -> dict[str, str]:
    spellings = {"somebody'd": "somebodyd"}  # the one that loses its apostrophe
    for whole in _CONTRACTIONS:
        for place, character in enumerate(whole):
            if character == "'":
                spellings[whole[:place] + whole[place + 1 :]] = whole
    return spellings


_RESTORED = _restored()


def normalised(text: str) -> str:
    """The normalised form of an answer.

    Args:
        text: a prediction or a gold answer, untouched.

    Returns:
        Words with single spaces between them.

    Example:
        >>> normalised("The two  dogs."), normalised("dont go!"), normalised("1,000.5")
        ('2 dogs', "don't go", '1000.5')
    """
    lowered = text.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip()
    lowered = lowered.replace("\n", " ").replace("\t", " ").strip()
    words = _without_periods(_without_punctuation(lowered)).lower().split()
    numbered = [_NUMBERS.get(word, word) for word in words]
    return " ".join(_RESTORED.get(word, word) for word in numbered if word not in _ARTICLES)


def _without_punctuation(text: str) -> str:
    result = text
    for mark in _PUNCTUATION:
        if mark in text:
            at_space = mark + " " in text or " " + mark in text
            result = result.replace(mark, "" if at_space else " ")
    return result


def _without_periods(text: str) -> str:
    parts = text.split(".")
    kept = [parts[0]]
    dropped = 0
    for part in parts[1:]:
        if dropped == _MOST_PERIODS or part[:1].isdecimal():
            kept.append(".")
        else:
            dropped += 1
        kept.append(part)
    return "".join(kept)


def is_match(text: str, answers: Sequence[str]) -> bool:
    """Whether a prediction is one of the gold answers once both are normalised.

    Args:
        text: the prediction, untouched.
        answers: the gold answers, at least one.

    Example:
        >>> is_match("Three cats", ["the 3 cats!"])
        True
    """
    given = normalised(text)
    return any(given == normalised(answer) for answer in answers)
