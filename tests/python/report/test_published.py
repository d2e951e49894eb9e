"""Numbers that others report: every file reads, sources stay apart, and ours are put beside."""

from __future__ import annotations

import json
import re

import pytest

from fastvbench import list_protocols, score
from fastvbench.cli import main
from fastvbench.report import _published
from fastvbench.report._published import (
    KINDS,
    PublishedValue,
    beside,
    published_benchmarks,
    read_published,
)

GOLD = [
    {
        "key": f"v{v}",
        "type": "tv",
        "qa": [
            {
                "uid": f"{v}-{i}",
                "question": "Q?\n(A) x\n(B) y\n(C) z\n(D) w",
                "answer": "ABCD"[(v + i) % 4],
                "question_type": ["reasoning"],
            }
            for i in range(10)
        ],
    }
    for v in range(40)
]
LETTERS = {q["uid"]: q["answer"] for video in GOLD for q in video["qa"]}


@pytest.fixture(scope="module")
def result():
    """Right on nine of twenty questions: 45 %."""
    wrong = dict(zip("ABCD", "BCDA", strict=True))
    texts = {k: v if i % 20 < 9 else wrong[v] for i, (k, v) in enumerate(LETTERS.items())}
    return score("lvbench", texts, GOLD, samples=False)


@pytest.mark.parametrize("name", published_benchmarks())
def test_every_number_has_a_source_and_a_possible_value(name):
    rows = read_published(name)
    assert rows
    for row in rows:
        assert row.kind in KINDS
        assert row.model
        assert row.source
        assert 0 <= row.value <= 1
        assert re.fullmatch(r"(20\d\d(-\d\d(-\d\d)?)?)?", row.date), row.date
        assert row.n is None or row.n > 0
        assert (row.stratum is None) == (row.category is None)


def test_files_are_named_after_benchmarks():
    assert set(published_benchmarks()) - set(list_protocols()) == {"charades_timelens"}
    assert read_published("no such benchmark") == ()


def test_people_guessing_and_the_cards_numbers_are_there():
    rows = read_published("lvbench")
    whole = [row for row in rows if row.stratum is None]
    assert {row.shown for row in whole if row.kind == "human"} == {"94.4"}
    assert [row.value for row in whole if row.kind == "random"] == [0.25]
    card = {row.model: row.shown for row in whole if "evaluation card" in row.source}
    assert card == {"Human": "94.4", "Gemini-2.5-Pro": "67.4", "Seed1.5-VL": "64.0"}


def test_sources_that_contradict_each_other_are_all_kept():
    held = [r for r in read_published("lvbench") if r.stratum is None]
    gpt = {row.shown for row in held if row.model.startswith("GPT-4o")}
    assert {"27.0", "30.8", "34.7", "48.9"} <= gpt
    llama = {row.shown for row in held if row.model == "VideoLLaMA3-7B"}
    assert {"43.7", "45.3"} <= llama


def test_each_lies_in_above_or_below_our_interval(result):
    pairs = beside(result.data)
    entry = result.data["rules"]["robust"]["overall"]["accuracy"]
    low, high = entry["interval"]
    assert {pair.place for pair in pairs} == {
        "in our interval", "above our interval", "below our interval",
    }  # fmt: skip
    for pair in pairs:
        if pair.published.stratum is None and pair.rule == "robust":
            assert pair.value == entry["value"]
            inside = low <= pair.published.value <= high
            assert (pair.place == "in our interval") == inside
    by_model = {(p.published.model, p.published.shown): p for p in pairs}
    assert by_model["Human", "94.4"].place == "above our interval"
    assert by_model["Guessing", "25"].place == "below our interval"


def test_a_number_is_held_against_the_rule_set_that_it_names(result):
    rules = {pair.published.rule: pair.rule for pair in beside(result.data)}
    assert rules["videollama3"] == "videollama3"
    assert rules["official"] == "official"
    assert rules[""] == "robust"


def test_parts_are_compared_where_ours_has_them(result):
    parts = {(p.published.stratum, p.published.category) for p in beside(result.data)}
    assert ("question_type", "reasoning") in parts
    assert ("question_type", "summarization") not in parts  # no such question here
    assert all(p.published.stratum is None for p in beside(result.data, parts=False))


def test_another_input_setting_is_left_out(monkeypatch):
    rows = [
        PublishedValue("m", "model", "accuracy", None, None, setting, 0.5, "50", None, "", "", "",
                       False, "s", "")
        for setting in ("without_subtitle", "with_subtitle")
    ]  # fmt: skip
    monkeypatch.setattr(_published, "read_published", lambda name: tuple(rows))
    entry = {"overall": {"accuracy": {"value": 0.4, "n": 9, "interval": None}}, "strata": {}}
    data = {
        "protocol": {"name": "videomme"},
        "main": {"rule": "robust", "metric": "accuracy"},
        "rules": {"robust": entry},
    }
    assert len(beside(data)) == 2
    (pair,) = beside(data | {"setting": "with_subtitle"})
    assert pair.published.input_setting == "with_subtitle"
    assert pair.place is None  # we have no interval


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(v) + "\n" for v in GOLD))
    texts = {k: v if i % 20 < 9 else "A" for i, (k, v) in enumerate(LETTERS.items())}
    (tmp_path / "answers.json").write_text(json.dumps(texts))
    return [str(tmp_path / "answers.json"), "--annotations", str(tmp_path / "gold.jsonl")]


def test_score_shows_them_and_writes_them(files, tmp_path, capsys):
    target = tmp_path / "r.json"
    assert main(["score", "lvbench", *files, "--published", "-o", str(target)]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^Human +94\.4 .*above our interval by robust \[", shown, re.MULTILINE)
    assert re.search(r"^Guessing +25 ", shown, re.MULTILINE)
    assert "fastvbench show lvbench --published" in shown
    held = json.loads(target.read_bytes())["published"]
    human = next(row for row in held if row["kind"] == "human" and row["stratum"] is None)
    assert human["value"] == 0.944
    assert human["against"]["place"] == "above our interval"
    assert human["source"]


def test_show_lists_all_with_their_sources(capsys):
    assert main(["show", "lvbench", "--published"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("GPT-4o") >= 4
    assert "published accuracy, question_type: reasoning" in shown
    assert main(["show", "vnbench", "--published"]) == 0
    assert "no published number is at hand" in capsys.readouterr().out


def test_a_damaged_file_names_its_line(monkeypatch, tmp_path):
    (tmp_path / "published").mkdir()
    header = "model,kind,metric,part,input,value,unit,n,frames,rule,note,measured_by,source,date\n"
    (tmp_path / "published" / "lvbench.csv").write_text(
        header + "m,model,accuracy,,,fifty,percent,,,,,source,s,\n"
    )
    monkeypatch.setattr(_published, "_folder", lambda: tmp_path / "published")
    read_published.cache_clear()
    with pytest.raises(ValueError, match=r"published/lvbench\.csv:2: not a published number"):
        read_published("lvbench")
    read_published.cache_clear()


@pytest.fixture
def suite_folders(tmp_path):
    """One question of Video-MME in both input settings, as VideoLLaMA3's evaluation writes it."""
    predictions, annotations = tmp_path / "run", tmp_path / "gold"
    predictions.mkdir()
    annotations.mkdir()
    question = {
        "question_id": "001-1", "videoID": "v", "question": "Which?", "duration": "short",
        "options": ["A. red", "B. blue", "C. pink", "D. grey"], "answer": "B",
    }  # fmt: skip
    rows = [{"Overall": 1}, {"data_id": "001-1", "response": "B"}]
    both = {"without_subtitle": rows, "with_subtitle": rows}
    (predictions / "videomme.json").write_text(json.dumps(both))
    (annotations / "Video-MME.json").write_text(json.dumps([question]))
    return predictions, annotations


def test_a_suite_shows_them_benchmark_by_benchmark(suite_folders, tmp_path, capsys):
    predictions, annotations = map(str, suite_folders)
    target = tmp_path / "suite.json"
    words = ["score", "videollama3_suite", predictions, "--annotations", annotations]
    main([*words, "--published", "-o", str(target)])
    shown = capsys.readouterr().out
    assert shown.count("fastvbench show videomme --published") == 2
    held = json.loads(target.read_bytes())["results"]
    settings = {
        name: {row["value"] for row in result["published"] if row["model"] == "VideoLLaMA3-7B"}
        for name, result in held.items()
    }
    assert settings["videomme_without_subtitle"] != settings["videomme_with_subtitle"]
    assert main(["report", str(target), "--published"]) == 0
    assert "fastvbench show videomme --published" in capsys.readouterr().out
