"""avg@k, pass@k and maj@k against their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fastvbench import score
from fastvbench.protocols._repeats import majority_letters, pass_at_k


@pytest.mark.parametrize("tries", range(1, 7))
def test_pass_at_k_is_the_share_of_k_subsets_with_a_right_one(tries):
    for right in range(tries + 1):
        outcomes = [1] * right + [0] * (tries - right)
        for k in range(1, tries + 1):
            subsets = list(combinations(outcomes, k))
            expected = sum(any(s) for s in subsets) / len(subsets)
            given = pass_at_k(np.array([tries]), np.array([right]), k)
            assert given[0] == pytest.approx(expected)


def test_pass_at_more_than_the_tries_is_unknown():
    assert np.isnan(pass_at_k(np.array([2]), np.array([1]), 3)[0])


def test_majority_ties_go_to_the_letter_given_first():
    letters = np.array([[1, 0, -1, 2], [0, 0, -1, -1], [-1, 3, -1, 3]], dtype=np.int8)
    assert majority_letters(letters).tolist() == [1, 0, -1, 2]


GOLD = [
    {"uid": str(i), "key": f"v{i}", "question": f"Q{i}?\n(A) x\n(B) y\n(C) z", "answer": "B"}
    for i in range(3)
]


def test_samples_in_one_file_are_runs():
    rows = [
        {"id": str(i), "text": text, "sample": s}
        for i, texts in enumerate((["B", "A"], ["B", "B"], ["C", "A"]))
        for s, text in enumerate(texts)
    ]
    result = score("lvbench", rows, GOLD, rules=["robust"])
    repeats = result.data["repeats"]
    assert result.value() == pytest.approx(0.5)
    assert repeats["runs"] == 2
    entry = repeats["rules"]["robust"]
    assert entry["accuracy"]["runs"] == pytest.approx([2 / 3, 1 / 3])
    assert entry["accuracy"]["mean"] == pytest.approx(0.5)
    assert entry["accuracy"]["std"] == pytest.approx(np.std([2 / 3, 1 / 3], ddof=1))
    assert entry["avg@2"] == pytest.approx(0.5)
    assert entry["pass@1"] == pytest.approx(0.5)
    assert entry["pass@2"] == pytest.approx(2 / 3)
    assert entry["maj@2"] == pytest.approx(2 / 3)


def test_two_files_are_two_runs_only_when_asked(tmp_path):
    from fastvbench import InputError

    paths = []
    for name, text in (("a.json", '{"0": "B", "1": "B"}'), ("b.json", '{"0": "A", "2": "B"}')):
        path = tmp_path / name
        path.write_text(text)
        paths.append(path)
    with pytest.raises(InputError, match=r"b\.json:1.*same id stands in .*a\.json too.*'0'"):
        score("lvbench", paths, GOLD)
    result = score("lvbench", paths, GOLD, rules=["robust"], repeats=True)
    assert result.data["repeats"]["rules"]["robust"]["accuracy"]["runs"] == pytest.approx(
        [2 / 3, 1 / 3]
    )


def test_an_absent_sample_is_a_wrong_try_where_absent_rows_are_wrong():
    rows = [
        {"id": "0", "text": "B", "sample": 0},
        {"id": "0", "text": "B", "sample": 1},
        {"id": "1", "text": "B", "sample": 0},
    ]
    result = score("lvbench", rows, GOLD, rules=["robust", "official"])
    robust, official = (result.data["repeats"]["rules"][name] for name in ("robust", "official"))
    assert robust["avg@2"] == pytest.approx(result.value()) == pytest.approx(3 / 6)
    assert robust["pass@2"] == pytest.approx(2 / 3)
    # The official script sees only the rows of each file: one try of question 1, none of 2.
    assert official["avg@2"] == pytest.approx(1.0)
    assert official["pass@2"] == pytest.approx(1.0)
