"""The kernel equals the twin bit for bit, at every CPU level and on any number of threads."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.answers.choice_fragments import answers, option_texts, options
from tests.reference.choice_words import (
    ANSWER_KEYS,
    ANSWER_TAGS,
    CJK_CUES,
    CJK_GOOD,
    CJK_REFUSALS,
    CJK_STATED,
    CJK_WRONG,
    COMMANDS,
    NUMBER_WORDS,
    REFUSALS,
    WORDS,
)
from tests.reference.choices import Parsed, parse

from fastvbench import _core
from fastvbench.answers import parse_choice


@pytest.fixture(params=_core.available_cpu_levels(), scope="module", autouse=True)
def cpu_level(request):
    before = _core.cpu_level()
    _core.set_cpu_level(request.param)
    yield request.param
    _core.set_cpu_level(before)


def rows_of(choices):
    columns = zip(choices.index, choices.status, choices.spans, strict=True)
    return [
        Parsed(int(index), int(status), tuple(span.tolist())) for index, status, span in columns
    ]


def test_every_known_word_and_phrase():
    known = [*WORDS, *CJK_CUES, *CJK_WRONG, *CJK_GOOD, *CJK_STATED, *CJK_REFUSALS, *COMMANDS]
    known += [" ".join(phrase) for phrase in REFUSALS] + [
        f'{{"{key}": "B"}}' for key in ANSWER_KEYS
    ]
    known += [f"<{tag}>" for tag in ANSWER_TAGS]
    frames = ["{} C", "the answer {} C.", "C {} A", "C {} correct", "C is {}", "{}, C", "B {}"]
    frames += ["\\{}{{C}}", "A {}. C", "go {} C", "not {} C", "Option C {}"]
    texts = [frame.format(piece) for piece in known for frame in [*frames, "{}"]]
    assert rows_of(parse_choice(texts)) == [parse(text, 4) for text in texts]
    numbers = [f"about {word}" for word in NUMBER_WORDS]
    choices = parse_choice(numbers, options=[[word, "x"] for word in NUMBER_WORDS.values()])
    assert choices.index.tolist() == [0] * len(numbers)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(answers, options), min_size=1, max_size=20), st.integers(0, 3))
def test_rows_with_options_of_their_own(rows, threads):
    texts = [text for text, _ in rows]
    row_options = [option for _, option in rows]
    choices = parse_choice(texts, options=row_options, threads=threads)
    assert rows_of(choices) == [parse(*row) for row in rows]


@settings(max_examples=200, deadline=None)
@given(st.lists(answers, max_size=20), option_texts)
def test_rows_that_share_option_texts(texts, shared):
    choices = parse_choice(texts, options=shared)
    assert rows_of(choices) == [parse(text, shared) for text in texts]


@settings(max_examples=200, deadline=None)
@given(st.lists(answers, max_size=20), st.integers(1, 26))
def test_rows_that_share_a_count(texts, count):
    choices = parse_choice(texts, options=count)
    assert rows_of(choices) == [parse(text, count) for text in texts]
