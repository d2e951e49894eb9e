"""Charades-STA: annotation layouts, and what each rule set makes of the same answer."""

from __future__ import annotations

import json

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

LINES = "V1 10.0 20.0##a person opens a door.\nV2 0.0 5.0##two people sit, sneezing 2 times.\n"


@pytest.fixture
def annotations(tmp_path):
    path = tmp_path / "test.txt"
    path.write_text(LINES)
    return path


@pytest.fixture
def durations(tmp_path):
    path = tmp_path / "durations.json"
    path.write_text(json.dumps({"V1": 40.0, "V2": {"duration": 50.0}}))
    return path


def overall(data, rule):
    return {key: entry["value"] for key, entry in data["rules"][rule]["overall"].items()}


def test_official_lines_have_line_numbers_for_ids(annotations):
    gold = get_protocol("charades_sta").read_annotations(annotations, ScoreOptions())
    assert gold.ids == ["0", "1"]
    assert gold.videos == ["V1", "V2"]
    assert gold.queries[1] == "two people sit, sneezing 2 times."
    assert gold.raw_intervals.tolist() == [[10.0, 20.0], [0.0, 5.0]]


@pytest.mark.parametrize(
    "records",
    [
        [{"image_id": "V1.mp4", "caption": "opens", "timestamp": [1, 2], "id": 7}],
        [{"question_id": 7, "video": "V1", "conversation": [{"content": "opens"}],
          "timestamps": [[1, 2]]}],
        [{"annotations": [{"image_id": "V1", "caption": "opens", "timestamp": [1, 2], "id": 7}]}],
        [{"id": "7", "video": "V1", "query": "opens", "interval": [1, 2]}],
    ],
)  # fmt: skip
def test_other_layouts(records):
    gold = get_protocol("charades_sta").read_annotations(records, ScoreOptions())
    assert gold.ids == ["7"]
    assert gold.queries == ["opens"]
    assert gold.raw_intervals.tolist() == [[1.0, 2.0]]


def test_repeated_interval_passes_one_under_the_sum_and_not_merged(annotations):
    answers = {"0": "10 to 20, and 10 to 20", "1": "0 to 5"}
    data = score("charades_sta", answers, annotations, rules=["robust", "videollama3"]).data
    assert overall(data, "robust")["mean_iou"] == 1.0
    assert overall(data, "videollama3")["mean_iou"] > 1.0


def test_first_interval_stands_beside_the_merged_one(annotations):
    answers = {"0": "10 to 15 and 15 to 20", "1": "0 to 5"}
    data = score("charades_sta", answers, annotations, rules=["robust"]).data
    assert overall(data, "robust")["mean_iou"] == 1.0
    assert overall(data, "robust")["first_mean_iou"] == 0.75
    assert overall(data, "robust")["first_recall@0.7"] == 0.5


def test_vtimellm_rounds_before_the_thresholds_and_needs_durations(annotations, durations):
    answers = {"0": "from 25 to 40", "1": "from 00 to 10"}
    without = score("charades_sta", answers, annotations, rules=["vtimellm"])
    assert without.value() is None
    assert any("--durations" in warning for warning in without.data["warnings"])
    data = score("charades_sta", answers, annotations, rules=["vtimellm"], durations=durations).data
    # Gold fractions 0.25-0.5 and 0-0.1: 0.15 / 0.25 = 0.6 and 1.0.
    assert overall(data, "vtimellm")["mean_iou"] == pytest.approx(0.8)


def test_times_in_seconds_become_fractions_for_vtimellm(annotations, durations):
    rows = [{"id": "0", "intervals": [[10, 20]], "text": ""}, {"id": "1", "text": "from 00 to 10"}]
    data = score("charades_sta", rows, annotations, rules=["vtimellm"], durations=durations).data
    assert overall(data, "vtimellm")["mean_iou"] == 1.0


def test_percent_needs_the_duration(annotations, durations):
    answers = {"0": "25% to 50%", "1": "0 to 5"}
    without = score("charades_sta", answers, annotations, rules=["robust"]).data
    assert without["coverage"]["status"] == {"ok": 1, "no_duration": 1}
    data = score("charades_sta", answers, annotations, rules=["robust"], durations=durations).data
    assert overall(data, "robust")["mean_iou"] == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("V1 10.0##x\n", r":1: not a Charades-STA line, got 'V1 10.0##x'"),
        ("V1 1 2##x\nV1 a b##y\n", r":2: not a Charades-STA line"),
        ("V1 1 nan##x\n", r":1 field 'start end': not an interval"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, message):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        score("charades_sta", {"0": "1 to 2"}, path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("d.csv", "id,length\nV1,-3\n", r"d\.csv:2 field 'length': not a duration, got '-3'"),
        ("d.csv", "a,b\n1,2\n", r"no duration columns among \['a', 'b'\]"),
        ("d.json", '{"V1": "long"}', r"field 'V1': not a duration, got 'long'"),
    ],
)
def test_bad_durations_are_named(annotations, tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        score("charades_sta", {"0": "1 to 2"}, annotations, durations=path)


@pytest.mark.parametrize("text", ["id,length\nV1,40\nV2,50\n", "video\tduration\nV1\t40\nV2\t50\n"])
def test_durations_from_tables(annotations, tmp_path, text):
    path = tmp_path / "durations.txt"
    path.write_text(text)
    gold = get_protocol("charades_sta").read_annotations(annotations, ScoreOptions(durations=path))
    assert gold.durations.tolist() == [40.0, 50.0]


def test_lengths_are_found_by_bare_video_names(annotations, tmp_path):
    path = tmp_path / "durations.json"
    path.write_text('{"V1.mp4": 40, "charades/V2.webm": 50}')
    gold = get_protocol("charades_sta").read_annotations(annotations, ScoreOptions(durations=path))
    assert gold.durations.tolist() == [40.0, 50.0]


def test_vtimellm_logs_join_by_the_sentence_of_the_video(tmp_path):
    gold, log, lengths = tmp_path / "g.txt", tmp_path / "log.jsonl", tmp_path / "d.json"
    gold.write_text("V1 0.0 50.0##a\nV2 10.0 20.0##b\nV1 50.0 100.0##c\n")
    lengths.write_text('{"V1": 100, "V2": 100}')
    line = {"video_id": "V1", "task": "grounding", "query_id": 0, "info": {"sentence_id": 1}}
    texts = {0: "from 50 to 99", 1: "from 00 to 49"}
    log.write_text(
        "".join(
            json.dumps(line | {"query_id": query, "answer": text}) + "\n"
            for query, text in texts.items()
        )
    )
    data = score("charades_sta", log, gold, rules=["vtimellm"], durations=lengths).data
    value = data["rules"]["vtimellm"]["overall"]["mean_iou"]
    assert (value["value"], value["n"]) == (pytest.approx(0.98 / 2), 1)  # two wordings of one
    assert data["coverage"]["duplicates"] == 0


def test_nested_records_without_ids_are_numbered():
    row = {"image_id": "V1.mp4", "caption": "a", "timestamp": [1, 2]}
    records = [{"annotations": [row, row | {"caption": "b"}]}]
    gold = get_protocol("charades_sta").read_annotations(records, ScoreOptions())
    assert gold.ids == ["0", "1"]
