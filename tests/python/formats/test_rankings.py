"""Finished rankings and truth files: every way to write them, every way to get them wrong."""

from __future__ import annotations

import contextlib
import gzip
import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastvbench.core._errors import InputError
from fastvbench.formats import read_rankings, read_truth, write_rankings

if TYPE_CHECKING:
    from pathlib import Path

RUN = """# a comment
q2 Q0 a 1 0.5 tag
q1 Q0 c 3 0.9 tag
q1\tQ0\tb\t1\t0.25\ttag

q1 Q0 d 2 9e-1 tag
q2 Q0 e 2 -1 tag
"""


def written(tmp_path: Path, text: str | bytes, name: str = "file") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def ranked(path: Path, **options) -> dict[str, list[str]]:
    found = read_rankings(path, **options)
    return {query: found.of(i) for i, query in enumerate(found.query_ids)}


@pytest.mark.parametrize("packed", [False, True])
def test_a_trec_run_in_its_three_orders(tmp_path, packed):
    path = written(tmp_path, gzip.compress(RUN.encode()) if packed else RUN)
    found = read_rankings(path)
    assert (found.format, found.order, len(found)) == ("trec", "trec", 2)
    assert found.query_ids == ["q2", "q1"]
    assert found.of(1) == ["d", "c", "b"]  # equal scores: the greater id first
    assert found.scores.tolist() == [0.5, -1.0, 0.9, 0.9, 0.25]
    assert found.offsets.tolist() == [0, 2, 5]
    assert ranked(path, order="rank") == {"q2": ["a", "e"], "q1": ["b", "d", "c"]}
    assert ranked(path, order="file") == {"q2": ["a", "e"], "q1": ["c", "b", "d"]}


def test_ids_are_compared_as_bytes(tmp_path):
    run = "".join(f"q Q0 {item} 0 1 t\n" for item in ("Z", "é", "a", "10", "9"))
    assert ranked(written(tmp_path, run))["q"] == ["é", "a", "Z", "9", "10"]


def test_the_scores_of_a_run_keep_their_64_bits(tmp_path):
    run = "q Q0 a 1 0.30000000000000004 t\nq Q0 b 2 0.3 t\n"
    assert ranked(written(tmp_path, run))["q"] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "q1", "ranking": ["a", 7]}\n{"id": 2, "ranking": []}\n',
        '[{"query_id": "q1", "retrieved": ["a", "7"]}, {"qid": "2", "ids": []}]',
        '{"q1": ["a", "7"],\n "2": []}',
        '{"q1": ["a", "7"], "2": [],}',
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_json_rankings(tmp_path, text, packed):
    path = written(tmp_path, gzip.compress(text.encode()) if packed else text)
    assert ranked(path) == {"q1": ["a", "7"], "2": []}
    assert read_rankings(path).scores is None
    assert read_rankings(path).order == "file"


def test_one_row_is_no_map(tmp_path):
    path = written(tmp_path, '{"id": "q", "ranking": ["a"], "scores": [1]}\n')
    assert ranked(path) == {"q": ["a"]}
    assert read_rankings(path).scores.tolist() == [1.0]


def test_scores_by_item_are_ordered_as_trec_eval_does(tmp_path):
    path = written(tmp_path, '{"q": {"a": 1, "b": 1.0, "c": 2}}')
    assert ranked(path) == {"q": ["c", "b", "a"]}
    assert read_rankings(path).order == "trec"
    assert ranked(path, order="file") == {"q": ["a", "b", "c"]}


BAD_RANKINGS = {
    "empty": ("", "the file is empty"),
    "white": (" \n", "nothing but white space"),
    "comments only": ("# a\n", "holds no rankings"),
    "five fields": ("q Q0 a 1 0.5\n", ":1: not a line of a TREC run"),
    "seven fields": (RUN + "q Q0 a b 1 0.5 tag\n", ":8: not a line of a TREC run"),
    "rank": ("q Q0 a first 1 t\n", ":1 field 'rank': not a rank, got 'first'"),
    "score": ("q Q0 a 1 high t\n", ":1 field 'score': not a score, got 'high'"),
    "nan": ("q Q0 a 1 nan t\n", "not a score, got 'nan'"),
    "infinite": ("q Q0 a 1 1e999 t\n", "not a score, got '1e999'"),
    "repeated item": (RUN + "q2 Q0 a 3 0 t\n", ":8: an item that its query already has, got 'a'"),
    "csv": ("id,ranking\nq,a\n", ":1: not a line of a TREC run"),
    "no list": ('{"id": 1, "ranking": "a"}\n', ":1 field 'ranking': not a ranking, got 'a'"),
    "null": ('{"id": 1, "ranking": ["a", null]}\n', ":1 field 'ranking': not an id, got None"),
    "object item": ('{"id": 1, "ranking": [{"id": 2}]}\n', "not an id, got {'id': 2}"),
    "no query": ('{"ranking": ["a"]}\n', ":1: a field is missing.*one of query_id, qid, id"),
    "no ranking": (
        '{"id": 1, "ids": ["a"]}\n{"id": 2, "answer": "b"}\n',
        ":2: a field is missing, got 'id, answer'; expected one of ranking",
    ),
    "no object": ('{"id": 1, "ids": ["a"]}\n["b"]\n', ":2: a row is no object"),
    "twice": (
        '{"id": 1, "ids": ["a"]}\n{"id": "1", "ids": ["b"]}\n',
        ":2: a query that line 1 ranks too, got '1'",
    ),
    "item twice": (
        '{"id": 1, "ids": []}\n{"id": 2, "ids": ["b", "b"]}\n',
        ":2: an item that its query already has, got 'b'",
    ),
    "few scores": ('{"id": 1, "ids": ["a", "b"], "scores": [1]}\n', "'scores': .* got 1; .* 2 num"),
    "text score": ('{"id": 1, "ids": ["a"], "scores": ["x"]}\n', "not a score, got 'x'"),
    "true score": ('{"id": 1, "ids": ["a"], "scores": [true]}\n', "not a score, got True"),
    "some scores": (
        '{"id": 1, "ids": ["a"], "scores": [1]}\n{"id": 2, "ids": ["b"]}\n',
        ":2: some rankings have scores and this one has none",
    ),
    "torn": ('{"id": 1, "ids": ["a"]}\n{"id": 2, "ids": ["b', ":2: the last line is torn"),
    "broken": ('{"id": 1, "ids": ["a"]}\n{"id"\n{"id": 3, "ids": []}\n', ":2: invalid JSON"),
    "map twice": ('{"q": ["a"], "r": [],\n "q": ["b"]}', "a key occurs twice .*, got 'q'"),
    "map item twice": ('{"q": {"a": 1, "a": 2}}', "a key occurs twice .*, got 'a'"),
    "map of texts": ('{"q": "a"}', ":1 field 'q': not a ranking, got 'a'"),
    "broken map": ('{"q": ["a"],\n "r" ["b"]}', ":2: invalid JSON"),
    "empty map": ("{}", "holds no rankings"),
    "empty list": ("[]", "holds no rankings"),
    "list of lists": ("[[1]]", ":1: a row is no object"),
    "deep": ("[" * 100_000, "nested too deeply"),
    "deep map": ('{"a":' * 100_000, "nested too deeply"),
    "many digits": ('{"q": {"a": ' + "9" * 5000 + "}}", "not a score"),
    "binary": (b"\x93NUMPY" + bytes(100), "this is a numpy array"),
}


@pytest.mark.parametrize("name", BAD_RANKINGS)
def test_bad_rankings(tmp_path, name):
    text, message = BAD_RANKINGS[name]
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        read_rankings(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_orders_that_a_file_cannot_give(tmp_path):
    equal = written(tmp_path, "q Q0 a 0 1 t\nq Q0 b 0 2 t\n")
    with pytest.raises(InputError, match=":1: query 'q' has two items of one rank"):
        read_rankings(equal, order="rank")
    bare = written(tmp_path, '{"id": 1, "ids": ["a"]}\n')
    with pytest.raises(InputError, match="no scores to order by"):
        read_rankings(bare, order="trec")
    with pytest.raises(InputError, match="unknown order, got 'best'"):
        read_rankings(bare, order="best")
    with pytest.raises(InputError, match="no such file"):
        read_rankings(tmp_path / "missing")


IDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1)
RANKINGS = st.lists(st.lists(IDS, unique=True, max_size=5), min_size=1, max_size=4)


@given(RANKINGS, st.sampled_from(["jsonl", "trec"]), st.booleans(), st.booleans())
def test_what_is_written_is_read_again(tmp_path_factory, rankings, kind, packed, with_scores):
    rankings = [[item for item in row if not item.startswith("#")] for row in rankings]
    if kind == "trec":  # a run has no line for a query without items
        rankings = [row for row in rankings if row]
    if not rankings:
        return
    path = tmp_path_factory.mktemp("rankings") / ("run.gz" if packed else "run")
    queries = [f"q{i}" for i in range(len(rankings))]
    scores = [[1 / (rank + 3) for rank in range(len(row))] for row in rankings]
    write_rankings(path, queries, rankings, scores if with_scores else None, format=kind)
    first = path.read_bytes()
    assert (first[:2] == b"\x1f\x8b") == packed
    assert ranked(path) == dict(zip(queries, rankings, strict=True))
    if with_scores and any(rankings):
        assert read_rankings(path).scores.tolist() == [s for row in scores for s in row]
    write_rankings(path, queries, iter(rankings), scores if with_scores else None, format=kind)
    assert path.read_bytes() == first


def test_a_trec_run_as_it_looks(tmp_path):
    path = tmp_path / "run"
    write_rankings(path, ["q"], [["a", "b"]], [np.array([0.1, -2.0])], format="trec", tag="me")
    assert path.read_text() == "q Q0 a 1 0.1 me\nq Q0 b 2 -2.0 me\n"
    write_rankings(path, ["q"], [["a", "b"]], format="trec")
    assert path.read_text() == "q Q0 a 1 2.0 fastvbench\nq Q0 b 2 1.0 fastvbench\n"


def test_an_id_that_is_no_valid_unicode(tmp_path):
    for kind in ("jsonl", "trec"):
        write_rankings(tmp_path / kind, ["q"], [["\ud800", "b"]], format=kind)
        assert ranked(tmp_path / kind) == {"q": ["\ud800", "b"]}


def test_rankings_that_cannot_be_written(tmp_path):
    path = written(tmp_path, "old")
    with pytest.raises(InputError, match="fewer rankings than queries, got 1; expected 2"):
        write_rankings(path, ["q", "r"], [["a"]])
    with pytest.raises(InputError, match="more rankings than queries"):
        write_rankings(path, ["q"], [["a"], ["b"]])
    with pytest.raises(InputError, match="line 1 field 'scores': not as many scores as items"):
        write_rankings(path, ["q"], [["a"]], [[1, 2]])
    with pytest.raises(InputError, match="line 1 field 'scores': not a finite score, got nan"):
        write_rankings(path, ["q"], [["a"]], [[math.nan]])
    with pytest.raises(InputError, match="line 1: cannot be a field of a TREC run, got 'a b'"):
        write_rankings(path, ["q"], [["a b"]], format="trec")
    with pytest.raises(InputError, match="unknown format"):
        write_rankings(path, ["q"], [["a"]], format="csv")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def truths(path: Path) -> dict[str, list[str]]:
    found = read_truth(path)
    return {query: found.of(i) for i, query in enumerate(found.query_ids)}


@pytest.mark.parametrize(
    "text",
    [
        "q 0 a 1\nr 0 b 2\nq\t0\tc 0\nq 0 d 1\ns 0 a 0\nt 0 a -1\n",
        '{"id": "q", "relevant": ["a", "d"]}\n{"query_id": "r", "relevant": "b"}\n',
        '{"q": ["a", "d"], "r": "b"}',
        '{"q": {"a": 1, "c": 0, "d": 3}, "r": {"b": 1}}',
        '[{"qid": "q", "positives": ["a", "d"]}, {"id": "r", "target": "b"}]',
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_truth(tmp_path, text, packed):
    path = written(tmp_path, gzip.compress(text.encode()) if packed else text)
    assert truths(path) == {"q": ["a", "d"], "r": ["b"]}
    found = read_truth(path)
    assert found.offsets.tolist() == [0, 2, 3]
    assert found.items == ["a", "d", "b"]
    is_qrels = text.startswith("q 0")
    assert found.format == ("qrels" if is_qrels else "json")
    assert found.queries_without_relevant == (2 if is_qrels else 0)


BAD_TRUTH = {
    "three fields": ("q a 1\n", ":1: not a line of TREC qrels"),
    "a run": ("q 0 a 1\nq Q0 a 1 0.5 t\n", ":2: not a line of TREC qrels"),
    "grade": ("q 0 a yes\n", ":1 field 'grade': not a grade, got 'yes'"),
    "fraction": ('{"q": {"a": 0.5}}', "not a grade, got 0.5"),
    "judged twice": ("q 0 a 1\nq 0 a 0\n", ":2: an item that its query already has"),
    "nothing relevant": ("q 0 a 0\n", "holds no relevant items"),
    "no list": ('{"id": "q", "relevant": []}\n', ":1 field 'relevant': a query without a relevant"),
    "null": ('{"q": null}', "field 'q': not an id, got None"),
    "twice": (
        '{"id": 1, "relevant": 1}\n{"id": 1, "relevant": 2}\n',
        ":2: a query that line 1",
    ),
    "item twice": ('{"id": 1, "relevant": [1, "1"]}\n', "an item that its query already has"),
    "map twice": ('{"q": "a", "q": "b"}', "a key occurs twice"),
    "no field": ('{"id": 1, "answer": 2}\n{"id": 2}\n', ":1: a field is missing"),
    "torn": ('{"id": 1, "relevant": 2}\n{"id": 2', ":2: the last line is torn"),
}


@pytest.mark.parametrize("name", BAD_TRUTH)
def test_bad_truth(tmp_path, name):
    text, message = BAD_TRUTH[name]
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        read_truth(path)
    assert str(caught.value).startswith(str(path))


def read_or_refused(path: Path) -> None:
    for read in (read_rankings, read_truth):
        with contextlib.suppress(InputError):
            read(path)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    read_or_refused(written(tmp_path_factory.getbasetemp(), data, "any"))


LEAVES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3)
KEYS = st.sampled_from(["id", "ids", "relevant", "scores", "q"])


@given(st.recursive(LEAVES, lambda x: st.lists(x, max_size=3) | st.dictionaries(KEYS, x)))
def test_any_json_is_read_or_refused(tmp_path_factory, value):
    read_or_refused(written(tmp_path_factory.getbasetemp(), json.dumps(value), "any"))
