"""parse_choice and its column from Python: kinds of input, errors that name the row."""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench.answers import Choices, parse_choice
from fastvbench.core import Status


def test_columns_have_the_documented_types_and_shapes():
    choices = parse_choice(["A", "none", None])
    assert isinstance(choices, Choices)
    assert len(choices) == 3
    assert (choices.index.dtype, choices.index.shape) == (np.int8, (3,))
    assert (choices.status.dtype, choices.status.shape) == (np.uint8, (3,))
    assert (choices.spans.dtype, choices.spans.shape) == (np.int64, (3, 2))
    assert choices.letters() == ["A", None, None]
    assert choices.reasons() == ["ok", "no_answer", "missing"]
    assert choices.spans.tolist() == [[0, 1], [-1, -1], [-1, -1]]
    assert repr(choices) == "Choices(3 rows, 1 with an option)"


def test_no_rows():
    for options in (4, ["x"], [], np.zeros(0, np.int64)):
        choices = parse_choice([], options=options)
        assert len(choices) == 0
        assert choices.letters() == choices.reasons() == []
        assert choices.spans.shape == (0, 2)


@pytest.mark.parametrize(
    "options",
    [
        [4, 5, 2],
        (4, 5, 2),
        np.array([4, 5, 2]),
        np.array([4, 5, 2], np.uint8),
        [np.int64(4), 5, ["x", "y"]],
        [list("wxyz"), list("vwxyz"), ("x", "y")],
    ],
)
def test_alphabets_per_row(options):
    choices = parse_choice(["E", "E", "Answer: B"], options=options)
    assert choices.reasons() == ["not_an_option", "ok", "ok"]
    assert choices.letters() == [None, "E", "B"]


def test_one_list_of_texts_serves_all_rows():
    choices = parse_choice(["it is red", "a red car"], options=["red", "red car"])
    assert choices.letters() == ["A", "B"]


def test_option_texts_with_lone_surrogates_and_accents():
    choices = parse_choice(["ÉTÉ", "x \ud800"], options=[["hiver", "été"], ["y", "x \ud800"]])
    assert choices.letters() == ["B", "B"]


def test_missing_values():
    assert parse_choice([None, float("nan"), ""]).status.tolist() == [
        Status.MISSING,
        Status.MISSING,
        Status.EMPTY,
    ]


def test_many_rows_in_several_chunks():
    rows = 140_001
    texts = ["C" if row % 3 else "the red car" for row in range(rows)]
    options = [["blue", "red car" if row % 2 else "green", "red", "x"] for row in range(rows)]
    choices = parse_choice(texts, options=options)
    expected = [2 if row % 3 or row % 2 == 0 else 1 for row in range(rows)]
    assert choices.index.tolist() == expected


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (0, ValueError, "options has 0 options; expected 1 to 26"),
        (27, ValueError, "options has 27 options"),
        (True, TypeError, "options: expected a number of letters"),
        (4.0, TypeError, "options: expected a number of letters"),
        ("ABCD", TypeError, "options: expected a number of letters"),
        (None, TypeError, "got NoneType"),
        ([4], ValueError, "options has 1 rows; expected 2, one per text"),
        ([4, 0], ValueError, r"options\[1\] has 0 options"),
        ([4, []], ValueError, r"options\[1\] has 0 options"),
        ([4, 27], ValueError, r"options\[1\] has 27 options"),
        ([4, None], TypeError, r"options\[1\]: expected a number of letters or a list"),
        ([4, True], TypeError, r"options\[1\]: expected a number of letters or a list"),
        ([4, ["x", 3]], TypeError, r"options\[1\]\[1\]: expected str, got int"),
        (["x", 3], TypeError, r"options\[1\]: expected str, got int"),
        (["x"] * 27, ValueError, "options has 27 options"),
        (np.array([4, 99]), ValueError, r"options\[1\] has 99 options"),
        (np.array([4]), ValueError, "options has 1 rows"),
        (np.array([4.0, 4.0]), TypeError, "expected whole numbers, one per row, got float64"),
        (np.array([[4, 4]]), TypeError, "of 2 dimensions"),
        (10**30, ValueError, "expected 1 to 26"),
        ([4, 10**30], ValueError, "expected 1 to 26"),
    ],
)
def test_bad_options_are_named(options, error, message):
    with pytest.raises(error, match=message):
        parse_choice(["The red one", "The red one"], options=options)


def test_bad_texts_are_named():
    with pytest.raises(TypeError, match=r"texts\[1\]: expected str or None, got int"):
        parse_choice(["A", 3])
    with pytest.raises(TypeError, match="texts: expected a list of str"):
        parse_choice("A")
    with pytest.raises(ValueError, match="threads"):
        parse_choice(["A"], threads=-1)


def test_arrow_columns_of_text():
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.chunked_array([["A", None], ["the red car"]])
    options = [4, 4, ["blue", "red car"]]
    assert parse_choice(column, options=options).letters() == ["A", None, "B"]
    assert parse_choice(column, options=4).reasons() == ["ok", "missing", "no_answer"]


@pytest.mark.parametrize(
    "piece", ["(", "A ", "A, ", "1 ", '{"a":', "Answer: ", "**", "\\", "<", '"', "选", "\n", "I "]
)
def test_ten_megabytes_of_one_piece(piece):
    text = piece * (10_000_000 // len(piece.encode()))
    choices = parse_choice([text], options=[["red", "a a a b", "1", "I"]])
    assert choices.reasons()[0] in {
        "ok", "empty", "no_answer", "ambiguous", "truncated", "not_an_option",
    }  # fmt: skip
