"""A judge's verdicts from files of every shape, and what is no verdict."""

from __future__ import annotations

import gzip
import json

import pytest

from fastvbench import InputError
from fastvbench.formats import read_verdicts

ROWS = [{"id": 1, "verdict": True}, {"id": "b", "verdict": "Incorrect"}, {"id": 3, "verdict": None}]


def pairs(path):
    return [(v.ident, v.correct) for v in read_verdicts(path).verdicts]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("map.json", json.dumps({"1": 1, "b": "wrong", "3": None})),
        ("list.json", json.dumps(ROWS)),
        ("lines.jsonl", "\n".join(map(json.dumps, ROWS))),
        ("table.tsv", "id\tverdict\n1\ttrue\nb\tincorrect\n3\t\n"),
        ("table.csv", "question_id,correct\n1,1\nb,0\n3,\n"),
        ("pandas.csv", "id,verdict\n1,1.0\nb,0.0\n3,\n"),
        ("judges.csv", "id,verdict,correct\n1,,1\nb,0,1\n3,,\n"),
        ("rows.json", json.dumps({"1": {"true_false": True}, "b": {"true_false": False}})),
    ],
)
def test_every_shape_reads_the_same(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert pairs(path) == [("1", True), ("b", False)]
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert pairs(packed) == [("1", True), ("b", False)]


def test_rows_without_a_verdict_are_counted():
    assert read_verdicts(ROWS).blank == 1


def test_runs_and_orders_are_read():
    rows = [{"id": 1, "verdict": 1, "run": "file 2"}, {"id": 1, "verdict": 0, "sample": 3}]
    assert [v.run for v in read_verdicts(rows).verdicts] == ["file 2", "sample 3"]
    assert read_verdicts([{"id": 1, "verdict": 1, "order": 2}]).verdicts[0].order == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"1": "maybe"}', r"x\.json:1 field 'verdict': not a verdict, got 'maybe'; expected true"),
        ('{"1": 0.5}', "not a verdict, got 0.5"),
        ('[{"id": 1}]', r"x\.json:1: no field holds a verdict, got 'id'; expected one of verdict"),
        ('[{"verdict": true}]', r"x\.json:1: a row without an id"),
        ("[true]", r"x\.json:1: a row is no object, got True"),
        ('{"a": 1, "b": {"note": 2}}', r"x\.json:2: no field holds a verdict"),
        ("[]", "holds no verdict"),
        ('[{"id": 1, "verdict": 1, "order": [2]}]', "not an order of options"),
    ],
)
def test_what_is_no_verdict_is_named(tmp_path, text, message):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_verdicts(path)


def test_a_repeated_key_is_given_twice(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"1": true, "1": false}')
    assert pairs(path) == [("1", True), ("1", False)]
