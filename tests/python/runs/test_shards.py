"""Shards together are the whole run."""

from __future__ import annotations

import json

import pytest
from tests.python.runs.made_up import MadeUpModel, questions

import fastvbench as fvb
from fastvbench import InputError
from fastvbench.runs._options import Shard, parse_shard

TIMES = {"latency_seconds"}


def without_times(value):
    """A result without what differs between equal runs: times, and the hash of a file with some."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMES | {"sha256"}}
    return [without_times(each) for each in value] if isinstance(value, list) else value


@pytest.fixture
def shards(tmp_path):
    gold = questions(90, videos=13)
    for number in range(3):
        fvb.run(
            "lvbench",
            MadeUpModel(),
            None,
            gold,
            tmp_path / f"s{number}",
            frames="0",
            shard=f"{number}/3",
        )
    return gold, [tmp_path / f"s{number}" for number in range(3)]


def test_merged_shards_equal_the_whole_run(tmp_path, shards, rows_of):
    gold, folders = shards
    whole = fvb.run("lvbench", MadeUpModel(), None, gold, tmp_path / "whole", frames="0")
    merged = fvb.merge(folders, gold, tmp_path / "merged")
    read = [
        json.loads((tmp_path / name / "result.json").read_bytes()) for name in ("whole", "merged")
    ]
    assert without_times(read[0]) == without_times(read[1])
    assert merged.value() == whole.value()
    by_id = {row["id"]: row for row in rows_of(tmp_path / "whole")}
    assert rows_of(tmp_path / "merged") == [by_id[row["uid"]] for row in gold]
    videos = [{row["video"] for row in rows_of(folder)} for folder in folders]
    assert sum(map(len, videos)) == len(set.union(*videos)) == 13


def test_holes_and_overlaps_are_refused_unless_told(tmp_path, shards, rows_of):
    gold, folders = shards
    with pytest.raises(InputError, match="have no answer in any shard"):
        fvb.merge(folders[:2], gold, tmp_path / "holes")
    assert not (tmp_path / "holes").exists()
    result = fvb.merge(folders[:2], gold, tmp_path / "holes", allow_holes=True)
    missing = len(rows_of(folders[2]))
    assert result.data["run"]["missing"] == missing > 0
    assert not result.data["run"]["complete"]
    with pytest.raises(InputError, match="the same question stands in"):
        fvb.merge([*folders, folders[0]], gold, tmp_path / "overlaps")
    again = fvb.merge([*folders, folders[0]], gold, tmp_path / "overlaps", allow_overlaps=True)
    assert again.data["run"]["complete"]


def test_a_failed_question_is_a_hole(tmp_path):
    gold = questions(20)
    for number in range(2):
        model = MadeUpModel(failing=frozenset({"q4"}))
        fvb.run(
            "lvbench", model, None, gold, tmp_path / f"s{number}", frames="0", shard=f"{number}/2"
        )
    with pytest.raises(InputError, match="1 of 20 questions have no answer"):
        fvb.merge([tmp_path / "s0", tmp_path / "s1"], gold, tmp_path / "m")


def test_shards_of_different_runs_are_refused(tmp_path, shards):
    gold, folders = shards
    other = tmp_path / "other"
    fvb.run("lvbench", MadeUpModel(), None, gold, other, frames="0", shard="2/3", prompt="card")
    with pytest.raises(InputError, match=r"prompt\.source"):
        fvb.merge([*folders[:2], other], gold, tmp_path / "m")
    with pytest.raises(InputError, match="not the annotations"):
        fvb.merge(folders, gold[:-1], tmp_path / "m")
    with pytest.raises(InputError, match="holds no run"):
        fvb.merge([tmp_path], gold, tmp_path / "m")


def test_shard_texts():
    assert parse_shard("2/3") == Shard(2, 3)
    for text in ("3/3", "1", "-1/2", "a/b", "1/0", ""):
        with pytest.raises(InputError, match="not a shard"):
            parse_shard(text)
    parts = [[v for v in range(200) if Shard(k, 4).holds(f"dir/v{v}.mp4")] for k in range(4)]
    assert sorted(v for part in parts for v in part) == list(range(200))
    assert all(20 < len(part) < 80 for part in parts)
    assert [v for v in range(200) if Shard(0, 4).holds(f"v{v}")] == parts[0]
