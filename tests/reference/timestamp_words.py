"""The words that the timestamp grammar knows (its section 3). Everything else is an *other* word.

A word is a run of letters (ASCII, and U+00C0 to U+024F), ASCII read without regard to case. A word
with a letter beyond ASCII, or of more than 16 letters, is *other*; the lone exception is the French
``à``. A word has one kind; ``times`` and ``events`` change theirs by standing before or behind a
number, which is why counted nouns and confidence words are sets of their own.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = [
    "CJK_WORDS",
    "CONFIDENT",
    "COUNTED",
    "KEY_KINDS",
    "LEADING_UNITS",
    "NUMBER_ENDINGS",
    "PERCENT_WORDS",
    "UNIT_SECONDS",
    "WORD_KINDS",
    "KeyKind",
    "WordKind",
    "word_kind",
]


class WordKind(IntEnum):
    """What a word means between two numbers."""

    OTHER = 0
    FILLER = 1  # may stand between a sign and its number: "to about the 12"
    RANGE = 2
    UNTIL = 3  # like RANGE, and words may follow: "until he sits at 12"
    AND = 4
    BETWEEN = 5
    FROM = 6
    START = 7
    START_POINT = 8  # START that can itself be the time 0: "from the beginning"
    END = 9
    END_POINT = 10  # END that can itself be the time of the video's end: "to the end"
    LENGTH = 11
    FOR = 12
    NUMBERED = 13  # "scene 3": the number behind is a name
    NUMBERED_MANY = 14  # "frames 3 to 5": so are both of the range
    CONFIDENCE = 15
    DATE = 16
    FIRST = 17
    LAST = 18
    FINAL = 19  # LAST, and with "answer" a final-answer cue
    WHOLE = 20
    VIDEO = 21
    ANSWER = 22
    NOT_FINITE = 23
    ONWARD = 24
    UNIT = 25
    BETWEEN_BEHIND = 26  # 之间: the two numbers before, joined by "and", are a range


class KeyKind(IntEnum):
    """What a word says about the value of its JSON key; the greatest in a key decides."""

    NONE = 0
    TIME = 1
    START = 2
    END = 3
    LENGTH = 4
    NOT_TIME = 5


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KINDS: dict[WordKind, str] = {
    WordKind.FILLER: (
        "at about around approximately approx roughly near nearly almost circa ca is are was were"
        " be the a an time times timestamp timestamps mark point moment of in on by just exactly"
        " precisely probably maybe perhaps only equals all way position very um environ vers"
        " alrededor t"
    ),
    WordKind.RANGE: "to through thru upto bis hasta rightarrow",
    WordKind.UNTIL: "until till til",
    WordKind.AND: "and und et",
    WordKind.BETWEEN: "between zwischen entre",
    WordKind.FROM: "from von desde",
    WordKind.START: (
        "starts started starting begin begins began begun onset commence commences commenced"
        " starttime startsec beginnt comienza"
    ),
    WordKind.START_POINT: "start beginning",
    WordKind.END: (
        "ends ended finishes finished stop stops stopped conclude concludes concluded endtime"
        " endsec endet termina"
    ),
    WordKind.END_POINT: "end ending finish",
    WordKind.LENGTH: "lasts lasting lasted duration length takes",
    WordKind.FOR: "for",
    WordKind.NUMBERED: (
        "scene event step shot chapter episode season option question figure player camera person"
        " number level round lap page image picture item row phase stage rank top every each"
        " example case choice"
    ),
    WordKind.NUMBERED_MANY: (
        "frame frames scenes events steps shots chapters episodes seasons options questions"
        " figures players cameras levels rounds laps pages images pictures items rows phases"
        " stages"
    ),
    WordKind.CONFIDENCE: (
        "confidence confident certainty probability likelihood score scores accuracy iou"
    ),
    WordKind.DATE: (
        "january february march april may june july august september october november december"
        " jan feb mar apr jun jul aug sep sept oct nov dec year copyright"
    ),
    WordKind.FIRST: "first initial opening",
    WordKind.LAST: "last closing",
    WordKind.FINAL: "final",
    WordKind.WHOLE: "whole entire full throughout complete",
    WordKind.VIDEO: "video clip footage film movie recording",
    WordKind.ANSWER: "answer answers",
    WordKind.NOT_FINITE: "nan inf infinity",
    WordKind.ONWARD: "onward onwards",
}

_UNITS: dict[float, str] = {
    0.001: "ms msec msecs millisecond milliseconds",
    1.0: ("s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos seg"),
    60.0: "m min mins minute minutes minuten minuto minutos",
    3600.0: "h hr hrs hour hours stunde stunden heure heures hora horas",
}

# Section 2.10: behind a number (a space between) these make it a count.
COUNTED: frozenset[str] = _words(
    "times people persons men women children kids players goals points cars dogs cats balls"
    " hands fingers frames frame fps hz khz km kg cm mm meters metres feet inches miles years"
    " year days day weeks months degrees dollars steps rounds laps clips segments videos"
    " events shots scenes objects items parts sections intervals moments instances occurrences"
    " places ways things colors colours pieces bottles cups plates books boxes stars votes"
    " options questions answers chapters episodes pages images pictures photos lines words"
    " letters characters attempts repetitions reps sets rows levels january february april"
    " june july august september october november december jan feb apr jun jul aug sep sept"
    " oct nov dec bc ad"
)

# Section 2.8: behind a percentage these make it a confidence.
CONFIDENT: frozenset[str] = _words(
    "confidence confident sure certain certainty probability chance likely accuracy"
)

# Section 2.6: before a bare number these are its unit ("from minute 3 to minute 5").
LEADING_UNITS: frozenset[str] = _words("second seconds minute minutes hour hours")

# Section 2.5: behind a time with a unit these make it a length or a distance, no point in time.
NUMBER_ENDINGS: frozenset[str] = _words("long later earlier apart ago")

PERCENT_WORDS: frozenset[str] = _words("percent pct prozent")

_KEYS: dict[KeyKind, str] = {
    KeyKind.TIME: (
        "time times timestamp timestamps interval intervals segment segments span spans window"
        " windows range ranges moment moments result results answer answers temporal period"
        " periods prediction predictions output response grounding relevant seconds second sec"
        " secs minutes clip clips final"
    ),
    KeyKind.START: "start starts starting begin begins beginning from onset starttime startsec",
    KeyKind.END: "end ends ending stop finish to until endtime endsec",
    KeyKind.LENGTH: "duration length",
    KeyKind.NOT_TIME: (
        "frame frames confidence score scores probability id index idx count number fps video total"
    ),
}

WORD_KINDS: dict[str, WordKind] = {
    word: kind for kind, words in _KINDS.items() for word in words.split()
} | {word: WordKind.UNIT for words in _UNITS.values() for word in words.split()}
UNIT_SECONDS: dict[str, float] = {
    word: seconds for seconds, words in _UNITS.items() for word in words.split()
}
KEY_KINDS: dict[str, KeyKind] = {
    word: kind for kind, words in _KEYS.items() for word in words.split()
}


# Section 3.1: words of scripts that write no spaces, longest first where one begins another.
CJK_WORDS: tuple[tuple[str, WordKind], ...] = (
    ("整个视频", WordKind.WHOLE),
    ("整個視頻", WordKind.WHOLE),
    ("整段视频", WordKind.WHOLE),
    ("動画全体", WordKind.WHOLE),
    ("置信度", WordKind.CONFIDENCE),
    ("开始", WordKind.START),
    ("開始", WordKind.START),
    ("起始", WordKind.START),
    ("시작", WordKind.START),
    ("结束", WordKind.END_POINT),
    ("結束", WordKind.END_POINT),
    ("结尾", WordKind.END_POINT),
    ("終了", WordKind.END_POINT),
    ("最后", WordKind.LAST),
    ("最後", WordKind.LAST),
    ("持续", WordKind.LENGTH),
    ("持続", WordKind.LENGTH),
    ("答案", WordKind.ANSWER),
    ("答え", WordKind.ANSWER),
    ("정답", WordKind.ANSWER),
    ("时间", WordKind.FILLER),
    ("時間", WordKind.FILLER),
    ("から", WordKind.RANGE),
    ("まで", WordKind.FILLER),
    ("부터", WordKind.RANGE),
    ("에서", WordKind.RANGE),
    ("까지", WordKind.FILLER),
    ("之间", WordKind.BETWEEN_BEHIND),
    ("之間", WordKind.BETWEEN_BEHIND),
    ("の間", WordKind.BETWEEN_BEHIND),
    ("사이", WordKind.BETWEEN_BEHIND),
    ("和", WordKind.AND),
    ("与", WordKind.AND),
    ("與", WordKind.AND),
    ("と", WordKind.AND),
    ("到", WordKind.RANGE),
    ("至", WordKind.RANGE),
    ("从", WordKind.FROM),
    ("從", WordKind.FROM),
    ("前", WordKind.FIRST),
    ("帧", WordKind.NUMBERED_MANY),
    ("幀", WordKind.NUMBERED_MANY),
    *((char, WordKind.FILLER) for char in "第约約大在是为為はにの的於于"),
)


def word_kind(word: str) -> WordKind:
    """Kind of a word in lower case."""
    return WORD_KINDS.get(word, WordKind.OTHER)
