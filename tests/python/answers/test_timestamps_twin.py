"""The kernel equals its plain-Python meaning, bit for bit, on random answers at every CPU level."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.answers.timestamp_fragments import FRAGMENTS
from tests.reference import thinking, timestamps

from fastvbench import _core, parse_timestamps

DURATIONS = st.sampled_from([None, 0.5, 10.0, 100.0, 3600.0])
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=14).map("".join)

SENTENCES = (
    "The event happens in the {a} - {b} seconds.",
    "From {a} seconds to {b} seconds, the man walks.",
    "It starts at {a} s and ends at {b} s, before the 2 dogs come.",
    '{{"start_time": {a}, "end_time": "{b}", "label": "5 to 9"}}',
    "[[{a}, {b}], [{b}, {a}]]",
    "| 1 | {a} | {b} |\n| 2 | {b} | {a} |",
    "{a} --> {b}\nwalks",
    "<think>{b} to {a}</think><answer>{a} to {b}</answer>",
)
VALUES = ("5", "12.5", "0:12", "01:05", "1:02:03.5", "1,000", "20%", "1 min 5 s", "12.25s", "-3")
EDITS = " .,:-0123456789ast%[](){}<>\n\"'–秒"


@pytest.fixture(params=_core.available_cpu_levels())
def level(request):
    before = _core.cpu_level()
    _core.set_cpu_level(request.param)
    yield request.param
    _core.set_cpu_level(before)


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def assert_equal(texts: list[str], durations: list[float | None]) -> None:
    column = parse_timestamps(texts, durations=durations)
    for row, (text, duration) in enumerate(zip(texts, durations, strict=True)):
        parsed = timestamps.parse(text, duration)
        owned = range(column.offsets[row], column.offsets[row + 1])
        found = [
            (
                bits(column.values[k, 0]),
                bits(column.values[k, 1]),
                int(column.flags[k]),
                tuple(column.spans[k].tolist()),
            )
            for k in owned
        ]
        wanted = [
            (bits(one.start), bits(one.end), int(one.flags), one.span) for one in parsed.intervals
        ]
        assert found == wanted, (text, duration)
        assert column.status[row] == parsed.status, (text, duration)


@settings(max_examples=1500, deadline=None)
@given(text=TEXTS, duration=DURATIONS)
def test_fragments_put_together(text, duration):
    assert_equal([text], [duration])


@settings(max_examples=500, deadline=None)
@given(text=st.text(max_size=40), duration=DURATIONS)
def test_any_text(text, duration):
    assert_equal([text], [duration])


def edited_sentences(seed: int, count: int) -> list[str]:
    """Plausible answers, most with a few characters changed."""
    chance = random.Random(seed)
    texts = []
    for _ in range(count):
        sentence = chance.choice(SENTENCES)
        text = list(sentence.format(a=chance.choice(VALUES), b=chance.choice(VALUES)))
        for _ in range(chance.randrange(4)):
            text[chance.randrange(len(text))] = chance.choice(EDITS)
        texts.append("".join(text))
    return texts


def test_edited_sentences(level):
    texts = edited_sentences(1, 3000)
    durations = [(None, 10.0, 3600.0)[k % 3] for k in range(len(texts))]
    assert_equal(texts, durations)


def test_random_fragments(level):
    chance = random.Random(2)
    texts = ["".join(chance.choices(FRAGMENTS, k=chance.randrange(1, 12))) for _ in range(3000)]
    assert_equal(texts, [(None, 100.0)[k % 2] for k in range(len(texts))])


def siblings(text: str, count: int, chance: random.Random) -> list[str]:
    """Texts of the same shape: the text, and others with its digits drawn anew."""
    drawn = [
        "".join(chance.choice("0123456789") if "0" <= one <= "9" else one for one in text)
        for _ in range(count - 1)
    ]
    return [text, *drawn]


def test_answers_of_one_shape(level):
    # Readings are kept by shape; each value that a reading looks at must be looked at again.
    chance = random.Random(3)
    texts = ["(01:11) 5, 9", "1111 to 2222", "5 to 9. Answer:\n1. the whole video"]
    texts += edited_sentences(4, 300)
    texts += ["".join(chance.choices(FRAGMENTS, k=chance.randrange(2, 8))) for _ in range(300)]
    column = [one for text in texts for one in siblings(text, 8, chance)]
    durations = [(None, 60.0, 10.0, 500.0, 3600.0)[k % 5] for k in range(len(column))]
    assert_equal(column, durations)


@settings(max_examples=500, deadline=None)
@given(digits=st.from_regex(r"\A[0-9]{1,40}(\.[0-9]{1,40})?(e[+-]?[0-9]{1,3})?\Z"))
def test_numbers_are_those_of_float(digits):
    column = parse_timestamps([f"from 0 to {digits}"])
    value = float(digits)
    if value == float("inf"):
        assert column.reasons() == ["not_finite"]
    else:
        assert bits(column.values[0, 1]) == bits(value)


MARKS = [mark.decode() for mark in thinking.OPENING_MARKS + thinking.CLOSING_MARKS]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*MARKS, "5 to 9", "<", "</", "think>", "◁", " x "]), max_size=8))
def test_reasoning_is_skipped_as_the_meaning_says(pieces):
    text = "".join(pieces)
    assert_equal([text, text.upper()], [None, None])
