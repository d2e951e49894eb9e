"""The kernels equal their twins bit for bit, at every CPU level and on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.answers.short_answer_fragments import KNOWN_WORDS, answers, number_answers
from tests.reference.short_answer_numbers import Numbers, read_numbers
from tests.reference.short_answer_text import careful_text, plain_text
from tests.reference.short_answers import NO_SPAN, ShortAnswer, read

from fastvbench import _core

NO_NUMBERS = read_numbers(b"")


@pytest.fixture(params=_core.available_cpu_levels(), scope="module", autouse=True)
def cpu_level(request):
    before = _core.cpu_level()
    _core.set_cpu_level(request.param)
    yield request.param
    _core.set_cpu_level(before)


def as_bytes(text):
    return text.encode("utf-8", "surrogatepass")


def rows_of(texts, threads=1):
    status, spans, wholes = _core.read_short_answers(texts, threads)
    return [
        ShortAnswer(int(s), tuple(span.tolist()), tuple(whole.tolist()))
        for s, span, whole in zip(status, spans, wholes, strict=True)
    ]


def check_texts(texts, spans):
    parts = [
        None if text is None or tuple(span) == NO_SPAN else as_bytes(text)[span[0] : span[1]]
        for text, span in zip(texts, spans.tolist(), strict=True)
    ]
    for careful, twin in ((False, plain_text), (True, careful_text)):
        expected = [
            None if part is None else twin(part).decode("utf-8", "surrogatepass") for part in parts
        ]
        assert _core.answer_texts(texts, spans, careful, 1) == expected
    columns = _core.read_answer_numbers(texts, spans, 1)
    given_numbers = [
        Numbers(value, scale, bool(percent), year, bool(several))
        for value, scale, percent, year, several in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
    expected = [NO_NUMBERS if part is None else read_numbers(part) for part in parts]
    assert repr(given_numbers) == repr(expected)  # NaN equals NaN, 0.0 doesn't equal -0.0


@settings(max_examples=600, deadline=None)
@given(st.lists(answers, min_size=1, max_size=20), st.integers(0, 3))
def test_random_answers(texts, threads):
    assert rows_of(texts, threads) == [read(text) for text in texts]
    _, spans, wholes = _core.read_short_answers(texts, 1)
    check_texts(texts, spans)
    check_texts(texts, wholes)


@settings(max_examples=600, deadline=None)
@given(st.lists(number_answers, min_size=1, max_size=20))
def test_random_numbers(texts):
    spans = np.array([[0, len(as_bytes(text))] for text in texts])
    check_texts(texts, spans)


def test_every_known_word():
    frames = ["The answer is {} 5.", "Answer: 5 {} it. {}", "{}. 5 is {}", "x is 5, {} so", "{}"]
    frames += ["the answer {} 5", "{} is 5", "It is {}. X", "as {} it is 5", "a {}", "5 as {} it"]
    texts = [frame.format(word, word) for word in KNOWN_WORDS for frame in frames]
    assert rows_of(texts) == [read(text) for text in texts]


def test_texts_without_spans_are_read_whole():
    texts = ["**5** km", None]
    whole = np.array([[0, 8], [-1, -1]])
    for careful in (False, True):
        assert _core.answer_texts(texts, None, careful, 1) == _core.answer_texts(
            texts, whole, careful, 1
        )


@pytest.mark.parametrize("span", [(-2, 0), (0, 4), (2, 1), (-1, 2)])
def test_spans_outside_their_text_are_refused(span):
    texts = ["abc"] * 3
    spans = np.array([(0, 3), (0, 3), span])
    with pytest.raises(ValueError, match=r"spans\[2\]"):
        _core.answer_texts(texts, spans, False, 1)
    with pytest.raises(ValueError, match=r"spans\[2\]"):
        _core.read_answer_numbers(texts, spans, 1)
    with pytest.raises(ValueError, match=r"expected \[3, 2\]"):
        _core.answer_texts(texts, spans[:2], False, 1)
