"""Random answers made of what models write: cues, letters, wrappers, option texts, pieces."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.reference.choice_words import (
    ANSWER_KEYS,
    CJK_CUES,
    CJK_GOOD,
    CJK_REFUSALS,
    CJK_STATED,
    CJK_WRONG,
    REFUSALS,
    WORDS,
)

__all__ = ["answers", "options"]

LETTERS = (
    *"ABCDEFGHIJabcdiIZ", "Ａ", "Ｃ", "ｂ", "（Ａ）", "(B)", "**C**", "A.", "B)", "C:", "D,", "(a)",
    '"B"', "$C$", "`A`", "'B'", "[C]", "{D}", "<C>",
)  # fmt: skip
MARKS = (
    *".,:;!?()[]<>\"'-/&+=%@*_`$#~\\{}|^—–…→✓✗✅（）：，。、「」【】“”’－＿．・·²™①",
    *("\u200b", "\ufeff", "\x00", "\x85", "\u2028"),
)
PIECES = (
    "<answer>", "</answer>", "<think>", "</think>", "\\boxed{", "\\text{", "<|im_end|>", "</s>",
    "<br>", "<b>", "<B>", "```json\n", '{"answer": "', '"}', '{"', '": "', '", "', "{answer: ",
    "N/A", "U.S.", "e.g.", "C-section", "A-frame", "1.5", "3", "1,000", "-3", "10:30", "007", "one",
    "three", "It's", "\ud800", "é", "ß", "Ω", "Я", "Ё", "ÿ", "\ufffd", "🎬", "ABCD", "A/B",
)  # fmt: skip
OPTION_TEXTS = (
    "red", "red car", "car", "a man", "Apples", "Three", "3", "1", "1.0",
    "yes", "no",
    "A man in red", "(B) blue", "C. dog", "twins", "50%", "C++", "苹果", "红苹果",
    "None of the above",
    "cannot be determined", "the", "is", "答案", "10:30", "", "!!", "a a b", "a a", "été",
    "not red", "one", "two", "A.", "(A) B", "\ud800", "A: 3, B: 5",
)  # fmt: skip

words = st.sampled_from(sorted(WORDS))
fragments = st.one_of(
    st.sampled_from(LETTERS),
    words,
    words.map(str.capitalize),
    words.map(str.upper),
    st.sampled_from(LETTERS),
    st.sampled_from(MARKS),
    st.sampled_from(PIECES),
    st.sampled_from(
        [*CJK_CUES, *CJK_WRONG, *CJK_GOOD, *CJK_REFUSALS, *CJK_STATED, *"和或とや項的は"]
    ),
    st.sampled_from([" ".join(phrase) for phrase in REFUSALS]),
    st.sampled_from([f'"{key}": ' for key in ANSWER_KEYS]),
    st.sampled_from(OPTION_TEXTS),
    st.text(max_size=3),
)
separators = st.sampled_from([" ", " ", " ", "", "\n", ", ", ". ", "\n\n"])
answers = st.one_of(
    st.none(),
    st.text(max_size=20),
    st.lists(st.tuples(fragments, separators), max_size=30).map(
        lambda pairs: "".join(fragment + separator for fragment, separator in pairs)
    ),
)
option_texts = st.lists(st.sampled_from(OPTION_TEXTS), min_size=1, max_size=6)
options = st.one_of(st.integers(1, 26), option_texts, option_texts)
