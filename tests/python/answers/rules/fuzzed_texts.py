"""Random texts made of the pieces that the rules look at."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# Every rule is compared with its original form on this many texts.
differential = settings(
    max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

NUMBER_PIECES = [*"0123456789", *"...--::", "–", " ", " ", "\n", "\t", ",", "١", "२", "秒"]
WORD_PIECES = ["to", "and", "s", "a", "t", "o", "!", "?", "starts", "ends at", "happens in", "end"]
WORD_PIECES += [" to ", " and ", " - ", "END", "İ", "00:12", "1:02:03", "12.5s", "a specific "]
WORD_PIECES += ["A specific example is : 20.8 - 30.0 seconds"]

interval_texts = st.one_of(
    st.lists(st.sampled_from(NUMBER_PIECES), max_size=24),
    st.lists(st.sampled_from(NUMBER_PIECES + WORD_PIECES), max_size=24),
).map("".join)

CHOICE_PIECES = [
    *"ABCDabcd",
    *"ABCD",
    *"().:,;!?'\" \n*",
    " ",
    "İ",
    "ẞ",
    "é",
    "x",
    "and",
    "Ｃ",
    "1",
]
PHRASE_PIECES = ["The answer is", " the answer is ", "The best answer is", "The correct answer is"]
PHRASE_PIECES += ["The answer", "The best option is", "The correct option is", "Best answer:"]
PHRASE_PIECES += ["Best option:", "I choose", "MY CHOICE IS ", "选", "답:", "答えは", "정답은 "]

PHRASE_PIECES += ["Answer:", "Option:", "The correct answer", "The correct option", "answer is "]
PHRASE_PIECES += [" correct  answer is **", "**", " Z ", "Answer", "red", "blue car", "three", "3"]
PHRASE_PIECES += ["Cannot determine the answer", "Failed to obtain answer via API."]

choice_texts = st.lists(st.sampled_from(CHOICE_PIECES + PHRASE_PIECES), max_size=14).map("".join)

SHORT_PIECES = [
    *'abAB01.,%()" ',
    "ß",
    "İ",
    "é",
    "  ",
    "\t",
    "straße",
    "12",
    "0.5",
    "1e3",
    "nan",
    "inf",
]
SHORT_PIECES += ["(b)", "(A)", "(C", '".', 'The answer is "', "\n", "-", "1_0", "٣", "yes", "No"]

short_texts = st.lists(st.sampled_from(SHORT_PIECES), max_size=8).map("".join)
