"""List cells of tables are read as Python, JSON and numpy print them, and never evaluated."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastvbench.formats import parse_list_cell


@pytest.mark.parametrize(
    ("cell", "items"),
    [
        ("['red', \"it's blue\"]", ["red", "it's blue"]),
        ('["a", "b"]', ["a", "b"]),
        ("['a' 'b'\n 'c']", ["a", "b", "c"]),
        ("[1, 2.5, None]", ["1", "2.5", "None"]),
        ("('a', 'b')", ["a", "b"]),
        ("[]", []),
        (" [ 'a' , ] ", ["a"]),
        ("['a, b', 'c]']", ["a, b", "c]"]),
        (r"['\u00e9', '\xe9', 'a\nb', '\\', '\'']", ["é", "é", "a\nb", "\\", "'"]),
        ("[['a'], 'b']", None),
        ("['a' + 'b']", None),
        ("['a", None),
        ("a, b", None),
        ("", None),
    ],
)
def test_known_cells(cell: str, items: list[str] | None) -> None:
    assert parse_list_cell(cell) == items


@given(st.lists(st.text()))
def test_what_python_and_json_print_is_read_back(items: list[str]) -> None:
    assert parse_list_cell(repr(items)) == items
    assert parse_list_cell(json.dumps(items, ensure_ascii=False)) == items


@pytest.mark.parametrize(
    "cell",
    ["['" + "\\'" * 300_000, "[" + " " * 300_000 + "[]", "[" * 300_000 + "]", "['a'" * 90_000],
)
def test_hostile_cells_take_linear_time(cell: str) -> None:
    started = time.perf_counter()
    assert parse_list_cell(cell + "]") is None
    assert time.perf_counter() - started < 1
