from __future__ import annotations

import numpy as np
import pytest

from fastvbench.core import InputError
from fastvbench.retrieval._ranks import Ranks

FIELDS = {
    "above": np.array([0, 2, 1]),
    "tied": np.array([1, 2, 3]),
    "offsets": np.array([0, 1, 1, 3]),
    "tied_before": np.array([0, 1, 0]),
    "tied_before_trec": np.array([0, 0, 2]),
    "gallery_size": 4,
}


def test_queries_own_their_items():
    ranks = Ranks(**FIELDS)
    assert len(ranks) == 3
    assert ranks.item_counts.tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("above", np.array([0, -1, 1]), r"ranks.above\[1\]=-1; expected at least 0"),
        ("above", np.array([0, 3, 1]), r"ranks.above\[1\]=3; expected at most gallery_size=4"),
        ("above", np.array([0, 2**63 - 1, 1]), r"ranks.above\[1\]=9223372036854775807; expected"),
        (
            "above",
            np.array([0.0, 2.0, 1.0]),
            r"ranks.above is float64 \[3\]; expected a flat int64",
        ),
        ("above", [0, 2, 1], r"ranks.above is list; expected"),
        ("tied", np.array([1, 2, 0]), r"ranks.tied\[2\]=0; expected at least 1: the item itself"),
        ("tied", np.array([1, 2]), "ranks.tied has 2 items and ranks.above has 3"),
        ("tied_before", np.array([1, 1, 0]), r"ranks.tied_before\[0\]=1; expected 0 to tied - 1"),
        ("tied_before_trec", np.array([0, 0, -1]), r"ranks.tied_before_trec\[2\]=-1; expected"),
        ("tied_before_trec", np.zeros((3, 1), np.int64), r"is int64 \[3, 1\]; expected a flat"),
        ("offsets", np.array([1, 1, 1, 3]), r"ranks.offsets does not start at 0, got \[1\]"),
        ("offsets", np.array([], np.int64), "ranks.offsets does not start at 0"),
        ("offsets", np.array([0, 2, 1, 3]), r"ranks.offsets\[2\]=1 is below offsets\[1\]=2"),
        ("offsets", np.array([0, 1, 2]), r"ranks.offsets\[2\]=2 is not the number of items, 3"),
        ("gallery_size", 3, "expected at most gallery_size=3"),
    ],
)
def test_what_does_not_fit_is_refused(name, value, message):
    with pytest.raises(InputError, match=message):
        Ranks(**{**FIELDS, name: value})
