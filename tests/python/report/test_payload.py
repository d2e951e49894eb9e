"""Rows as a page takes them: spans by UTF-16, columns by difference, within their room."""

from __future__ import annotations

import base64
import gzip
import json

import numpy as np
import pytest

from fastvbench.report._payload import pack_rows, utf16_span
from fastvbench.report._sources import open_sources


def unpacked(packed):
    columns, texts = (
        json.loads(gzip.decompress(base64.b64decode(part)))
        for part in (packed.columns, packed.texts)
    )
    return columns | texts


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("The answer is C.", "C"),
        ("Die Lösung heißt C", "C"),
        ("答えは C です", "C"),
        ("\N{GRINNING FACE}\N{GRINNING FACE} so C then", "C"),
        ("Ｃ", "Ｃ"),
    ],
)
def test_spans_point_at_what_was_read(text, part):
    begin = text.encode().index(part.encode())
    first, last = utf16_span(text, begin, begin + len(part.encode()))
    units = text.encode("utf-16-le")
    assert units[2 * first : 2 * last].decode("utf-16-le") == part


def test_a_span_beyond_the_excerpt_is_beyond_its_end():
    assert utf16_span("ö" * 10, 400, 401)[0] >= 10


def test_columns_hold_what_the_samples_hold(results):
    view = open_sources([results["lvbench"]])[0].view()
    packed = pack_rows(view, most_bytes=10**6)
    data = unpacked(packed)
    rows = view.rows
    assert data["ids"] == rows.ids
    assert data["texts"] == rows.excerpts
    main = data["rules"][0]
    assert [data["statuses"][code] for code in main["status"]] == rows.ledger_class()
    assert main["score"] == [
        None if np.isnan(score) else 100 * score
        for score in rows.rules["robust"].scores["accuracy"]
    ]
    assert [data["videos"]["names"][code] for code in data["videos"]["codes"]] == rows.clusters
    read = [
        text
        for text, (begin, _) in zip(rows.excerpts, rows.rules["robust"].spans, strict=True)
        if begin >= 0
    ]
    assert read  # some row was read from its text
    assert packed.excerpt_characters == 2000


def test_other_rule_sets_hold_their_difference_only(results):
    view = open_sources([results["lvbench"]])[0].view()
    data = unpacked(pack_rows(view, most_bytes=10**6))
    for name, held in zip(view.rows.rules, data["rules"], strict=True):
        column = held["score"]
        if column is None:
            column = data["rules"][0]["score"]
        elif isinstance(column, dict):
            whole = list(data["rules"][0]["score"])
            for at, value in zip(column["at"], column["is"], strict=True):
                whole[at] = value
            column = whole
        known = view.rows.rules[name].scores["accuracy"]
        assert [None if c is None else c / 100 for c in column] == [
            None if np.isnan(score) else score for score in known.tolist()
        ]


def test_texts_are_cut_until_they_fit(results):
    view = open_sources([results["lvbench"]])[0].view()
    packed = pack_rows(view, most_bytes=1)
    assert packed.excerpt_characters == 0
    assert set(unpacked(packed)["texts"]) <= {"", None}
