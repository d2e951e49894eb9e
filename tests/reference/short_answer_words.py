"""The words that the grammar of short answers knows, beside those of ``choice_words.py``."""

from __future__ import annotations

__all__ = [
    "ABBREVIATIONS",
    "ABBREVIATIONS_OF_NUMBERED",
    "ADVERBS",
    "ARTICLES",
    "CJK_ENDINGS",
    "CJK_NOUNS",
    "CJK_STATEMENTS",
    "COURTESIES",
    "EQUALS",
    "EXPLAINS",
    "EXPLAINS_AFTER_AS",
    "POLARITIES",
]


def _words(words: str) -> frozenset[str]:
    """The words of a list that is written with spaces."""
    return frozenset(words.split())


# A period after one of these ends no sentence; the second ones only before a number.
ABBREVIATIONS = _words("dr mr mrs ms prof st vs")
ABBREVIATIONS_OF_NUMBERED = _words(
    "no nos p pp vol fig sec ch art approx jan feb mar apr jun jul aug sep sept oct nov dec"
)
# Skipped between a cue and its answer.
ADVERBS = _words(
    "likely probably simply just clearly definitely obviously indeed therefore thus hence"
    " donc daher wohl"
)
# End an answer and begin its explanation; the second ones after "as".
EXPLAINS = _words("because since according based denn weil parce puisque porque")
EXPLAINS_AFTER_AS = _words("shown seen indicated stated per given listed mentioned")
# Sentences that begin so say nothing.
COURTESIES = (
    ("i", "hope"),
    ("let", "me", "know"),
    ("please", "let", "me"),
    ("is", "there", "anything"),
    ("do", "you", "have", "any"),
    ("feel", "free"),
)
EQUALS = frozenset(["equals", "equal"])
POLARITIES = _words("yes no true false yeah yep nope oui non ja nein sí")
ARTICLES = frozenset(["a", "an", "the"])

# Nouns need a colon or a line's end, statements do not.
CJK_STATEMENTS = (
    "答案应该是", "答案應該是", "答案应为", "答案應為", "答案就是", "答案是", "答案为", "答案為",
    "答えは", "正解は", "解答は", "回答は", "정답은", "답변은", "답은",
)  # fmt: skip
CJK_NOUNS = ("答案", "答え", "正解", "解答", "回答", "정답", "답변", "답")
CJK_ENDINGS = ("です", "である", "입니다", "이다", "예요")
