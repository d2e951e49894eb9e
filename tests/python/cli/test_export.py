"""`fastvbench export` as a person meets it: the file, the summary, exit codes, refusals."""

from __future__ import annotations

import gzip
import json

import pytest

from fastvbench.cli import main

VIDEO = {
    "key": "v",
    "qa": [
        {"uid": str(n), "question": f"Q{n}?\n(A) red\n(B) blue\n(C) 3\n(D) x", "answer": "B"}
        for n in range(30)
    ],
}


@pytest.fixture
def annotations(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(VIDEO) + "\n")
    return path


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({str(n): "The answer is (C)." for n in range(30)}))
    return path


def run(*arguments):
    return main(["export", "lvbench", *map(str, arguments)])


def test_the_file_and_the_summary(answers, annotations, tmp_path, capsys):
    out = tmp_path / "submission.json"
    assert run(answers, "--annotations", annotations, "-o", out) == 0
    captured = capsys.readouterr()
    assert json.loads(out.read_text()) == {str(n): "C" for n in range(30)}
    assert captured.out == (
        "lvbench-submission of lvbench: 30 questions, 30 answered, as robust reads them\n"
    )
    assert captured.err == f"wrote {out}\n"


def test_rows_without_an_answer_are_counted_and_named(annotations, tmp_path, capsys):
    answers = tmp_path / "few.json"
    answers.write_text(json.dumps({"0": "B", "1": "no idea", "zz": "A"}))
    out = tmp_path / "submission.json.gz"
    assert run(answers, "--annotations", annotations, "-o", out) == 1  # too few for a score
    printed = capsys.readouterr().out
    assert "30 questions, 1 answered" in printed
    assert "predictions: unexpected 1" in printed
    named = ", ".join(str(n) for n in range(1, 21))
    assert f'without an answer, written as "": 29 ({named} and 9 more)' in printed
    document = json.loads(gzip.decompress(out.read_bytes()))
    assert document["0"] == "B"
    assert set(document.values()) == {"B", ""}


def test_standard_output_holds_the_file_alone(answers, annotations, capfdbinary):
    assert run(answers, "--annotations", annotations, "-o", "-") == 0
    captured = capfdbinary.readouterr()
    assert len(json.loads(captured.out)) == 30
    assert b"30 answered" in captured.err


def test_a_result_is_exported_from_its_samples(answers, annotations, tmp_path, capsys):
    result, out = tmp_path / "result.json", tmp_path / "submission.json"
    main(["score", "lvbench", str(answers), "--annotations", str(annotations), "-o", str(result)])
    assert run(result, "--annotations", annotations, "-o", out) == 0
    assert json.loads(out.read_text())["29"] == "C"
    samples = tmp_path / "result.samples.jsonl.gz"
    before = samples.read_bytes()
    assert run(result, "--annotations", annotations, "-o", samples) == 2
    assert samples.read_bytes() == before
    assert "would replace this input" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["answers.json", "gold.jsonl"])
def test_an_output_never_replaces_an_input(answers, annotations, target, tmp_path, capsys):
    before = (tmp_path / target).read_bytes()
    assert run(answers, "--annotations", annotations, "-o", tmp_path / target) == 2
    assert "would replace this input" in capsys.readouterr().err
    assert (tmp_path / target).read_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--rule", "none"], "no rule set of that name"),
        (["--setting", "with_subtitle"], "no input setting of lvbench"),
    ],
)
def test_bad_arguments_write_nothing(answers, annotations, change, message, capsys):
    out = answers.parent / "submission.json"
    assert run(answers, "--annotations", annotations, "-o", out, *change) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_show_says_what_can_be_exported(capsys):
    main(["show", "videomme"])
    printed = capsys.readouterr().out
    assert "input settings (--setting): without_subtitle, with_subtitle" in printed
    assert "submission file: Video-MME: the official template" in printed
