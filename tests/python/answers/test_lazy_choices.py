"""Fetching option texts late changes nothing but how many are fetched."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.rivals import choices_data

from fastvbench.answers import parse_choice, parse_choice_lazily

OPTIONS = [["the red car", "red", "3", "a dog"], ["yes", "no"], ["B", "A", "none of these"]]


def lazily(texts, options):
    fetched = []

    def option_texts(rows):
        fetched.extend(rows.tolist())
        return [options[row] for row in rows.tolist()]

    counts = np.array([len(row) for row in options], dtype=np.int32)
    return parse_choice_lazily(texts, counts, option_texts), fetched


def test_equal_to_parse_choice_and_letters_fetch_nothing():
    texts = [*choices_data.texts(600, 3), None, "", "the red car", "No.", "3", "none of these", "C"]
    options = [OPTIONS[i % 3] for i in range(len(texts))]
    late, fetched = lazily(texts, options)
    early = parse_choice(texts, options=options)
    np.testing.assert_array_equal(late.index, early.index)
    np.testing.assert_array_equal(late.status, early.status)
    np.testing.assert_array_equal(late.spans, early.spans)
    assert len(texts) - 1 not in fetched
    assert 0 < len(fetched) < len(texts)
    assert not {0, 1} & set(fetched)


def test_all_decided_by_letters_fetches_nothing():
    late, fetched = lazily(["B", "(A)"], [["x", "y"]] * 2)
    assert late.letters() == ["B", "A"]
    assert fetched == []


def test_counts_must_fit():
    with pytest.raises(ValueError, match="counts has 1 values; expected 2, one per text"):
        parse_choice_lazily(["A", "B"], np.array([4], dtype=np.int32), lambda rows: [])
    with pytest.raises(ValueError, match=r"counts\[1\]"):
        parse_choice_lazily(["A", "B"], np.array([4, 99], dtype=np.int32), lambda rows: [])
