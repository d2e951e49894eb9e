"""Random answers made of what models write: cues, wrappers, numbers, marks, pieces."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.reference.choice_words import REFUSALS, WORDS, Word
from tests.reference.short_answer_words import (
    ABBREVIATIONS,
    ABBREVIATIONS_OF_NUMBERED,
    ADVERBS,
    CJK_ENDINGS,
    CJK_NOUNS,
    CJK_STATEMENTS,
    EXPLAINS,
    EXPLAINS_AFTER_AS,
    POLARITIES,
)

__all__ = ["KNOWN_WORDS", "answers", "number_answers"]

_CUES = Word.NOUN | Word.COPULA | Word.NOT | Word.HYPOTHESIS
KNOWN_WORDS = sorted(
    {word for word, classes in WORDS.items() if classes & _CUES}
    | ABBREVIATIONS
    | ABBREVIATIONS_OF_NUMBERED
    | ADVERBS
    | EXPLAINS
    | EXPLAINS_AFTER_AS
    | POLARITIES
    | {"which", "car", "as", "equals", "equal", "the", "a", "an", "J", "U.S.", "x"}
)
NUMBERS = (
    "42", "-5", "−5", "–5", "$1,234.00", "-$5", "1 000", "1\u202f000,5", "1.000,5", "1.000", "1,5",
    "0,125", "1,00,000", "1'000", "1’000", "1.2.3", "12:30", "1/4/1999", "3/4", "1 1/2", "2 3/4/5",
    "\\frac{3}{4}", "\\dfrac{1}{0}", "1e-3", "1E5", "1.5 x 10^3", "10^{3}", "1.5×10^{-3}",
    "10^12345",
    "2\\times10^2", "45%", "45 \\%", "45 percent", "45 per cent", "4.2 million", "10k", "5M", "5m",
    "3 bn", "twenty-five", "one hundred and five", "one", "three million", "nineteen", "2015",
    "1999", "2100", "1800", "40", "Q3", "A4", "minus 5", "negative three", ".5", "..5", "x=.5",
    "３．５", "1,2,3", "5'11", "1990s", "2000 km", "9" * 400, "0" * 30 + "1", "1." + "3" * 40,
    "1,234,567.89", "1.234.567", "1 234.5", "007", "0", "-0", "1e400", "zero", "٣", "1_000",
    ",".join(["111"] * 20), "5/0", "1e5x", "1e+5", "100,000 thousand", "½", "5K", "5B",
    "cm^2", "x^{-3}", "m^",
)  # fmt: skip
PIECES = (
    "**", "*", "`", "```", "```json\n", "```\n", '"', "“", "”", "'", "$", "\\boxed{", "\\text{",
    "{", "}",
    "(", ")", "[", "]", "#", "####", "~", "|", "_", "\\", "^", "<answer>", "</answer>", "<think>",
    "</think>", "<b>", "<br>", "<|im_end|>", '{"answer": ', '{"answer": "', '"}', '{"x": 1}',
    "Dr. Smith", "No. 5", "J. R. Smith", "Yahoo!", "Annual Report", "北京", "は", "。", "，", "：",
    "the answer is ", "Answer: ", "The final answer is:", "is not", "Yes, ", "No.", "no-one", "=",
    "→",
    "—", "–", "-", "- a\n", "•", "…", "...", "?", "!", ";", ":", ",", ".", "\n", "\n\n", "\u2028",
    "\ud800", "é", "\x00", "\u200b", "ß", "Ω", "🎬", "%", "&", "@", "/", "+", "don't", "well-known",
    "I hope this helps. ", "Let me know. ", "There are 3 ", "Therefore, ",
    "because it is", "as shown in", ", which is", "The title is ", "A B C D E F G H I",
)  # fmt: skip

fragments = st.one_of(
    st.sampled_from(PIECES),
    st.sampled_from(PIECES),
    st.sampled_from(KNOWN_WORDS),
    st.sampled_from(KNOWN_WORDS).map(str.capitalize),
    st.sampled_from(NUMBERS),
    st.sampled_from([*CJK_STATEMENTS, *CJK_NOUNS, *CJK_ENDINGS]),
    st.sampled_from([" ".join(phrase) for phrase in REFUSALS]),
    st.text(max_size=3),
)
separators = st.sampled_from([" ", " ", " ", "", "", "\n", ", ", ". ", ": "])


def _joined(pairs: list[tuple[str, str]]) -> str:
    return "".join(fragment + separator for fragment, separator in pairs)


answers = st.one_of(
    st.none(),
    st.text(max_size=20),
    st.lists(st.tuples(fragments, separators), max_size=25).map(_joined),
)
_number_fragments = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(NUMBERS),
    st.sampled_from(
        [
            "-",
            "+",
            "$",
            "€",
            "%",
            "x",
            "e",
            "^",
            "{",
            "}",
            "(",
            ")",
            "/",
            ":",
            ".",
            ",",
            "'",
            "and",
            "hundred",
            "thousand",
            "percent",
            "one",
        ]
    ),
    st.text(alphabet="0123456789.,'/:e^-+ x%kMB", max_size=12),
    st.text(max_size=2),
)
number_answers = st.lists(
    st.tuples(_number_fragments, st.sampled_from([" ", "", "-", ", "])), max_size=6
).map(_joined)
