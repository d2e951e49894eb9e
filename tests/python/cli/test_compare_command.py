"""``fastvbench compare`` as people call it."""

from __future__ import annotations

import json

import pytest

from fastvbench import score
from fastvbench.cli import main

GOLD = [
    {
        "key": f"v{v}",
        "type": "tv",
        "qa": [
            {"uid": f"{v}-{i}", "question": "Q?\n(A) x\n(B) y\n(C) z", "answer": "ABC"[(v + i) % 3]}
            for i in range(5)
        ],
    }
    for v in range(24)
]
LETTERS = {q["uid"]: q["answer"] for video in GOLD for q in video["qa"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("results")
    for name, wrong_every in (("best", 9), ("second", 8), ("last", 2)):
        texts = {
            ident: "A" if k % wrong_every == 0 else letter
            for k, (ident, letter) in enumerate(LETTERS.items())
        }
        score("lvbench", texts, GOLD).write(place / f"{name}.json")
    return place


def test_two_models_end_in_a_sentence(folder, capsys):
    assert main(["compare", str(folder / "best.json"), str(folder / "last.json")]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("LVBench · rule set robust · protocol version 1\n")
    assert "best is ahead of last in acc:" in " ".join(shown.split())
    assert "McNemar p" in shown
    assert "only best right: " in shown
    assert "p (Holm)" not in shown


def test_three_models_rank_and_flips_can_be_hidden(folder, capsys):
    names = [str(folder / f"{name}.json") for name in ("last", "best", "second")]
    assert main(["compare", *names, "--flips", "0", "--names", "L,B,S", "--rule", "official"]) == 0
    shown = capsys.readouterr().out
    assert "p (Holm)" in shown
    assert "right: " not in shown
    assert "Ranked by acc: 1. B (tied with it: S); 2. L." in shown


def test_json_goes_to_stdout_alone_or_to_a_file(folder, capsys, tmp_path):
    names = [str(folder / f"{name}.json") for name in ("best", "last")]
    assert main(["compare", *names, "-o", "-"]) == 0
    captured = capsys.readouterr()
    data = json.loads(captured.out)
    assert (data["schema"], data["kind"]) == (1, "comparison")
    assert "ahead" in captured.err
    target = tmp_path / "c.json"
    assert main(["compare", *names, "-o", str(target)]) == 0
    assert json.loads(target.read_bytes()) == data


def test_runs_with_commas_are_one_model(folder, capsys):
    runs = ",".join(str(folder / f"{name}.json") for name in ("best", "second"))
    assert main(["compare", runs, str(folder / "last.json"), "--names", "two,one"]) == 0
    assert "over 2 runs, between" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["best.json"], "one result is nothing to compare"),
        (["best.json", "nowhere.json"], "no such file"),
        (["best.json", "last.json", "--rule", "none"], "not scored by this rule set"),
        (["best.json", "last.json", "--names", "a"], "2 different names"),
        (["best.json", "last.json", "-o", "best.json"], "would replace this input"),
        (["best.json", "last.json", "-o", "last.samples.jsonl.gz"], "would replace this input"),
        (["best.json", "last.json", "-o", "."], "is a folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(folder, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(folder)
    before = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert main(["compare", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert {path.name: path.stat().st_size for path in folder.iterdir()} == before
