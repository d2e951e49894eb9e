"""parse_timestamps: the cases that a person decided, the column it returns, and its arguments."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.reference import timestamps as twin

import fastvbench as fvb
from fastvbench.core import Flag, InputError, Status

GOLDEN = Path(__file__).parents[2] / "golden"
CASES = json.loads((GOLDEN / "timestamp_cases.json").read_text(encoding="utf-8"))


def case_name(case: dict[str, object]) -> str:
    return f"{case['rule']}: {str(case['text'])[:40]}"


def flag_names(bits: int) -> list[str]:
    return [flag.name.lower() for flag in Flag if flag in Flag(bits)]


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_case_in_kernel_and_twin(case):
    column = fvb.parse_timestamps([case["text"]], durations=[case["duration"]])
    assert [list(pair) for pair in column.rows()[0]] == case["intervals"]
    assert [flag_names(int(bits)) for bits in column.flags] == case["flags"]
    assert column.reasons() == [case["status"]]
    parsed = twin.parse(case["text"], case["duration"])
    assert [[found.start, found.end] for found in parsed.intervals] == case["intervals"]
    assert parsed.status.name.lower() == case["status"]


def test_every_rule_has_several_cases():
    rules = [case["rule"] for case in CASES]
    assert len(set(rules)) >= 20
    assert all(rules.count(rule) >= 2 for rule in rules)


def test_spans_are_the_bytes_that_were_read():
    text = "<think>x</think>事件：从 12秒 到 20秒, then 1:05 (a) until 1:30."
    column = fvb.parse_timestamps([text])
    raw = text.encode()
    assert [raw[begin:end].decode() for begin, end in column.spans] == [
        "12秒 到 20秒",
        "1:05 (a) until 1:30",
    ]


def test_missing_rows_keep_their_place():
    column = fvb.parse_timestamps(["5 to 9", None, float("nan"), "", "1 to 2, 3 to 4"])
    assert column.offsets.tolist() == [0, 1, 1, 1, 1, 3]
    assert column.reasons() == ["ok", "missing", "missing", "empty", "ok"]
    assert column.values.dtype == np.float64
    assert column.status.dtype == np.uint8
    assert column.flags.dtype == np.uint16
    assert column.spans.dtype == np.int64


def test_no_rows():
    column = fvb.parse_timestamps([])
    assert column.offsets.tolist() == [0]
    assert column.values.shape == (0, 2)


def test_lone_surrogates_are_read():
    column = fvb.parse_timestamps(["\ud800 5 to 9"])
    assert column.rows() == [[(5.0, 9.0)]]
    assert column.spans.tolist() == [[4, 10]]


def test_durations_differ_by_row():
    column = fvb.parse_timestamps(
        ["50% to 100%"] * 3 + ["last 5 s"], durations=[10.0, None, float("nan"), 60]
    )
    assert column.rows() == [[(5.0, 10.0)], [], [], [(55.0, 60.0)]]
    assert column.reasons() == ["ok", "no_duration", "no_duration", "ok"]


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf")])
def test_a_duration_that_is_none_is_refused_with_its_row(value):
    with pytest.raises(InputError, match=r"durations\[1\].*positive seconds"):
        fvb.parse_timestamps(["5", "6"], durations=[10.0, value])


def test_durations_of_another_length_are_refused():
    with pytest.raises(ValueError, match="durations has 1 values; expected 2"):
        fvb.parse_timestamps(["5", "6"], durations=[10.0])


@pytest.mark.parametrize("durations", [["a", "b"], [[1.0], [2.0]], [1.0, {}]])
def test_durations_that_are_no_numbers_are_refused(durations):
    with pytest.raises(TypeError, match="durations"):
        fvb.parse_timestamps(["5", "6"], durations=durations)


def test_a_text_that_is_no_text_is_refused_with_its_row():
    with pytest.raises(TypeError, match=r"texts\[1\]: expected str or None, got int"):
        fvb.parse_timestamps(["5 to 9", 7])


def test_negative_threads_are_refused():
    with pytest.raises(ValueError, match="threads=-1"):
        fvb.parse_timestamps(["5 to 9"], threads=-1)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_the_column(threads):
    texts = [f"from {k % 97} to {k % 89} s" if k % 7 else None for k in range(9000)]
    texts += ["1 to 2, 3 to 4, 5 to 6"] * 3000
    wanted = fvb.parse_timestamps(texts, threads=1)
    column = fvb.parse_timestamps(texts, threads=threads)
    for name in ("values", "offsets", "status", "flags", "spans"):
        np.testing.assert_array_equal(getattr(column, name), getattr(wanted, name), err_msg=name)


def test_arrow_columns_are_read_like_lists():
    pa = pytest.importorskip("pyarrow")
    texts = ["5 to 9", None, "", "starts at 1:05, ends at 1:30 in a text that is not short"]
    wanted = fvb.parse_timestamps(texts)
    chunked = pa.chunked_array([pa.array(texts[:1]), pa.array(texts[1:], pa.string())])
    for column in (pa.array(texts), pa.array(texts, pa.large_string()), chunked):
        found = fvb.parse_timestamps(column)
        assert found.rows() == wanted.rows()
        assert found.reasons() == wanted.reasons()


def test_statuses_are_those_of_the_closed_list():
    seen = {case["status"] for case in CASES}
    assert seen <= {status.name.lower() for status in Status}
    wanted = {"ok", "empty", "truncated", "refused", "no_duration", "not_finite"}
    assert seen >= wanted | {"out_of_range", "one_number", "no_number"}


PROBES = json.loads((GOLDEN / "published_interval_probes.json").read_text(encoding="utf-8"))["rows"]

# What a careful reader takes from each published probe; the twin's docstring says why where the
# text alone leaves it open.
PROBE_READINGS: dict[str, list[tuple[float, float]] | str] = {
    "30.4 - 24.3": [(24.3, 30.4)],
    "00:24.5 - 00:30.2": [(24.5, 30.2)],
    "00:00:24.5 to 00:00:30.5": [(24.5, 30.5)],
    "from 01:05 to 01:30": [(65.0, 90.0)],
    "starts at 00:00:18 and ends at 00:00:23": [(18.0, 23.0)],
    "1:05:10 - 1:06:00": [(3910.0, 3960.0)],
    "[[1.2, 4.5], [10.0, 13.75]]": [(1.2, 4.5), (10.0, 13.75)],
    "at 24.3 seconds": "one_number",
    "24.3, 27.0, 30.4": [(24.3, 27.0)],
    "20% to 40%": "no_duration",
    "from 00 to 99": [(0.0, 99.0)],
    "no event": "no_number",
    "": "empty",
    "event 1: 5 to 9": [(5.0, 9.0)],
    "5to9": [(5.0, 9.0)],
    "-3.0 - 4.0": [(0.0, 4.0)],
    ".5 - .9": [(0.5, 0.9)],
    "1,000 - 1,200": [(1000.0, 1200.0)],
    "The 2 events happen in 5.0 - 9.0 and 12.0 - 15.0": [(5.0, 9.0), (12.0, 15.0)],
    "<answer>1.05 to 7.62</answer>": [(1.05, 7.62)],
    "<think>3 to 5</think><answer>1.05 to 7.62</answer>": [(1.05, 7.62)],
    "<time>1.0 - 2.0 seconds</time>": [(1.0, 2.0)],
    "1.5.2 - 3": "one_number",
    "5..6 - 9": "one_number",
    "12:30": "one_number",
    "The event does not start or end.": "no_number",
    "9999999999999999999 - 1": [(1.0, 1e19)],
}


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe["text"] or "empty")
def test_published_probe(probe):
    text = probe["text"]
    wanted = PROBE_READINGS.get(text, [(24.3, 30.4)])
    column = fvb.parse_timestamps([text])
    if isinstance(wanted, str):
        assert column.reasons() == [wanted]
    else:
        assert column.rows() == [wanted]
