"""Two input settings of a benchmark as a person meets them on the command line."""

from __future__ import annotations

import json
import re

import pytest
from tests.python.protocols.test_settings import WITH, WITHOUT, result_list
from tests.python.protocols.test_videomme import template

from fastvbench.cli import main


@pytest.fixture
def files(tmp_path):
    answers, gold = tmp_path / "videomme.json", tmp_path / "template.json"
    document = {"without_subtitle": result_list(WITHOUT, 0), "with_subtitle": result_list(WITH, 1)}
    answers.write_text(json.dumps(document))
    gold.write_text(json.dumps(template()))
    return answers, gold


def run(files, *arguments):
    answers, gold = files
    return main(["score", "videomme", str(answers), "--annotations", str(gold), *arguments])


def test_settings_stand_side_by_side(files, capsys):
    assert run(files, "--rules", "robust,official", "--diff") == 0
    printed = capsys.readouterr().out
    assert "setting: without_subtitle\n" in printed
    header = r"settings \(acc %\) +without_subtitle +with_subtitle +with_subtitle minus without"
    assert re.search(header, printed)
    assert re.search(r"\nrobust +50\.00.* 75\.00.* \+25\.00 \[\+0\.0, \+50\.0\]\n", printed)
    assert re.search(r"\nofficial +66\.67.* 75\.00.* \+8\.33", printed)
    assert "with_subtitle: expected 4 · scored 4 · missing 0" in printed
    assert "002-1 (without_subtitle) · gold D" in printed
    assert "1 of 8 rows differ between rule sets" in printed


def test_one_setting(files, tmp_path, capsys):
    out = tmp_path / "result.json"
    assert run(files, "--setting", "with_subtitle", "-o", str(out)) == 0
    assert json.loads(out.read_text())["setting"] == "with_subtitle"
    assert "minus" not in capsys.readouterr().out


def test_coverage_of_each_setting_counts(files, capsys):
    answers, _ = files
    document = json.loads(answers.read_text())
    del document["with_subtitle"][2:]
    answers.write_text(json.dumps(document))
    assert run(files) == 1
    assert "with_subtitle: expected 4 · scored 1 · missing 3" in capsys.readouterr().out


def test_no_such_setting(files, capsys):
    assert run(files, "--setting", "subtitles") == 2
    assert "no input setting of videomme, got 'subtitles'" in capsys.readouterr().err
