"""What stands between two numbers, as marks: section 3 of the timestamp grammar."""

from __future__ import annotations

from enum import IntFlag, auto

from tests.reference.timestamp_words import WordKind

__all__ = [
    "AFTER_ITEM",
    "AFTER_VOID",
    "BAR",
    "CLOSING",
    "COLON",
    "LINE_END",
    "OPENING",
    "RANGE_SIGN",
    "SEPARATOR",
    "SIGN",
    "SLASH",
    "START_OF_TEXT",
    "STOP",
    "WORD_EFFECTS",
    "Gap",
]


class Gap(IntFlag):
    """What stands between the last item and the next one (section 3)."""

    TOUCH = auto()  # only spaces, markup and closing brackets since the last item
    CLEAN = auto()  # only those and list separators
    NEAR = auto()  # the last word is a filler or a cue
    RANGE = auto()  # a range sign, and only fillers since
    UNTIL = auto()
    BETWEEN = auto()
    FROM = auto()
    START = auto()
    END = auto()
    LENGTH = auto()
    FOR = auto()
    NAME = auto()  # the next number is a name or a count
    NAMES = auto()  # so are both of a range
    AFTER_NAME = auto()  # behind the first of them
    SCORE = auto()  # the last word but fillers is one of confidence
    CONFIDENCE = auto()
    DATE = auto()
    FIRST = auto()
    LAST = auto()
    FINAL = auto()
    WHOLE = auto()
    ANSWER = auto()
    PROSE = auto()  # the line holds words
    LINE = auto()  # nothing yet on this line
    TABLE = auto()  # the line began with a bar
    MINUS = auto()
    VIDEO = auto()  # the last word but fillers is "video" or "clip"
    UNIT = auto()  # a unit word stands right before


NONE = Gap(0)
SENTENCE = Gap.UNTIL | Gap.BETWEEN | Gap.START | Gap.END  # kept until the sentence ends
ROW = SENTENCE | Gap.TABLE
FILLED = (
    ROW | Gap.RANGE | Gap.FROM | Gap.LENGTH | Gap.FOR | Gap.CONFIDENCE | Gap.WHOLE | Gap.ANSWER
    | Gap.AFTER_NAME | Gap.FIRST | Gap.LAST | Gap.VIDEO | Gap.SCORE
)  # fmt: skip
WORD = Gap.PROSE | Gap.NEAR

# Section 3: (marks kept, marks set) by each kind of word.
WORD_EFFECTS: dict[WordKind, tuple[Gap, Gap]] = {
    WordKind.OTHER: (ROW | Gap.CONFIDENCE, Gap.PROSE),
    WordKind.FILLER: (FILLED, WORD),
    WordKind.RANGE: (ROW | Gap.CONFIDENCE | Gap.AFTER_NAME, WORD | Gap.RANGE),
    WordKind.UNTIL: (ROW | Gap.CONFIDENCE | Gap.AFTER_NAME, WORD | Gap.UNTIL),
    WordKind.AND: (ROW | Gap.CONFIDENCE, WORD),
    WordKind.BETWEEN: (Gap.START | Gap.END | Gap.TABLE, WORD | Gap.BETWEEN),
    WordKind.FROM: (Gap.START | Gap.END | Gap.TABLE, WORD | Gap.FROM),
    WordKind.START: (ROW & ~Gap.END | Gap.RANGE | Gap.CONFIDENCE, WORD | Gap.START),
    WordKind.START_POINT: (ROW & ~Gap.END | Gap.RANGE | Gap.CONFIDENCE, WORD | Gap.START),
    WordKind.END: (ROW | Gap.RANGE | Gap.CONFIDENCE, WORD | Gap.END),
    WordKind.END_POINT: (ROW | Gap.RANGE | Gap.CONFIDENCE, WORD | Gap.END),
    WordKind.LENGTH: (ROW & ~Gap.UNTIL, WORD | Gap.LENGTH),
    WordKind.FOR: (ROW | Gap.CONFIDENCE, WORD | Gap.FOR),
    WordKind.NUMBERED: (ROW | Gap.RANGE | Gap.CONFIDENCE | Gap.AFTER_NAME, Gap.PROSE | Gap.NAME),
    WordKind.NUMBERED_MANY: (
        ROW | Gap.RANGE | Gap.CONFIDENCE | Gap.AFTER_NAME,
        Gap.PROSE | Gap.NAME | Gap.NAMES,
    ),
    WordKind.CONFIDENCE: (ROW, Gap.PROSE | Gap.CONFIDENCE | Gap.SCORE),
    WordKind.DATE: (ROW | Gap.RANGE | Gap.CONFIDENCE, Gap.PROSE | Gap.DATE),
    WordKind.FIRST: (ROW | Gap.CONFIDENCE, WORD | Gap.FIRST),
    WordKind.LAST: (ROW | Gap.CONFIDENCE, WORD | Gap.LAST),
    WordKind.FINAL: (ROW | Gap.CONFIDENCE, WORD | Gap.LAST | Gap.FINAL),
    WordKind.WHOLE: (FILLED, WORD | Gap.WHOLE),
    WordKind.VIDEO: (ROW | Gap.CONFIDENCE, Gap.PROSE | Gap.VIDEO),
    WordKind.ANSWER: (ROW | Gap.CONFIDENCE, WORD | Gap.ANSWER),
    WordKind.NOT_FINITE: (NONE, NONE),  # an item
    WordKind.ONWARD: (ROW | Gap.CONFIDENCE, Gap.PROSE),
    WordKind.UNIT: (FILLED, WORD),
    WordKind.BETWEEN_BEHIND: (ROW | Gap.CONFIDENCE, Gap.PROSE),
}

# The same for punctuation.
COLON = (
    ROW | Gap.RANGE | Gap.LENGTH | Gap.SCORE | Gap.CONFIDENCE | Gap.LINE,
    Gap.NEAR,
)
SEPARATOR = (ROW | Gap.CLEAN | Gap.NEAR | Gap.PROSE, NONE)
BAR = (ROW | Gap.CLEAN, Gap.NEAR)
SLASH = (ROW | Gap.NEAR | Gap.PROSE, NONE)
OPENING = (ROW | Gap.RANGE | Gap.LENGTH | Gap.SCORE | Gap.CONFIDENCE | Gap.NEAR | Gap.LINE, NONE)
CLOSING = (ROW | Gap.RANGE | Gap.TOUCH | Gap.NEAR | Gap.PROSE | Gap.AFTER_NAME, NONE)
STOP = (Gap.PROSE | Gap.TABLE, Gap.NEAR)
LINE_END = (
    SENTENCE | Gap.RANGE | Gap.CLEAN | Gap.FROM | Gap.ANSWER,
    Gap.LINE | Gap.NEAR,
)
RANGE_SIGN = (ROW | Gap.CONFIDENCE | Gap.PROSE | Gap.AFTER_NAME, Gap.RANGE | Gap.NEAR)
SIGN = (~(Gap.TOUCH | Gap.CLEAN | Gap.LINE), NONE)
AFTER_ITEM = (Gap.PROSE | Gap.TABLE | Gap.BETWEEN, Gap.TOUCH | Gap.CLEAN | Gap.NEAR)
AFTER_VOID = (ROW, Gap.PROSE | Gap.TOUCH)
START_OF_TEXT = Gap.LINE | Gap.NEAR
