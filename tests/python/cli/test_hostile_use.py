"""`fastvbench score` in clumsy or hostile hands: one line and exit code 2, or the right numbers."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import pytest

import fastvbench
from fastvbench.cli import main

MODULE = (sys.executable, "-m", "fastvbench")
VIDEO = {
    "key": "vid",
    "qa": [
        {"uid": str(i), "question": f"Q{i}?\n(A) x\n(B) y\n(C) z", "answer": "B"} for i in range(3)
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
    path.write_text('{"0": "B", "1": "B", "2": "C"}')
    return path


def score(*arguments):
    return main(["score", "lvbench", *map(str, arguments)])


def one_line(capsys):
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize("which", ["answers", "annotations"])
def test_an_output_never_replaces_an_input(answers, annotations, which, capsys):
    target = answers if which == "answers" else annotations
    before = target.read_bytes()
    assert score(answers, "--annotations", annotations, "-o", target) == 2
    assert "would replace this input" in one_line(capsys)
    assert target.read_bytes() == before


def test_the_samples_file_never_replaces_an_input(annotations, tmp_path, capsys):
    path = tmp_path / "run.samples.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "0", "text": "B"}\n'))
    before = path.read_bytes()
    assert score(path, "--annotations", annotations, "-o", tmp_path / "run.json") == 2
    assert "would replace this input" in one_line(capsys)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("", "is a folder"),
        ("folder", "is a folder"),
        ("folder/", "is a folder"),
        ("pipe", "is a pipe"),
        ("missing/r.json", "no such folder"),
    ],
)
def test_an_output_that_is_no_file_leaves_nothing_behind(answers, annotations, output, problem):
    folder = answers.parent
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    before = sorted((path, path.stat().st_mode) for path in folder.rglob("*"))
    process = program(
        *("score", "lvbench", answers, "--annotations", annotations, "-o", output),
        cwd=folder,
        stderr=subprocess.PIPE,
    )
    errors = process.communicate()[1].decode()
    assert (process.returncode, errors.count("\n")) == (2, 1)
    assert problem in errors
    assert sorted((path, path.stat().st_mode) for path in folder.rglob("*")) == before


def test_a_result_is_not_written_over_a_pipe(answers, annotations, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = fastvbench.score("lvbench", answers, annotations)
    with pytest.raises(fastvbench.InputError, match="is a pipe or a device"):
        result.write(pipe)
    assert pipe.is_fifo()
    assert not (tmp_path / "pipe.samples.jsonl.gz").exists()


def test_an_input_that_can_be_read_only_once(annotations, tmp_path, capsys):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert score(pipe, "--annotations", annotations) == 2
    assert "is a pipe or a device; expected a file on a disk" in one_line(capsys)


def test_closed_standard_output(answers, annotations, tmp_path):
    out = tmp_path / "r.json"
    words = [*MODULE, "score", "lvbench", answers, "--annotations", annotations, "-o", out]
    process = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *words], stderr=subprocess.PIPE, check=False
    )
    assert (process.returncode, process.stderr.count(b"\n")) == (0, 2)
    assert out.exists()


@pytest.mark.parametrize("option", ["--seed", "--diff-rows"])
def test_numbers_below_zero_are_refused(answers, annotations, option, capsys):
    with pytest.raises(SystemExit) as stop:
        score(answers, "--annotations", annotations, option, "-1")
    assert stop.value.code == 2
    assert "-1 is below 0" in one_line(capsys)


def test_rule_names_may_have_spaces_and_repeat(answers, annotations, capsys):
    rules = "official, robust,official"
    assert score(answers, "--annotations", annotations, "--rules", rules, "-o", "-") == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["rules"]) == ["official", "robust"]
    assert data["main"]["rule"] == "official"


@pytest.mark.parametrize("rules", ["", " , "])
def test_no_rule_name_is_an_error(answers, annotations, rules, capsys):
    assert score(answers, "--annotations", annotations, "--rules", rules) == 2
    assert "names no rule set" in one_line(capsys)


@pytest.mark.parametrize("sample", ["[1]", '{"a": 1}'])
def test_a_sample_that_is_no_name(annotations, tmp_path, sample, capsys):
    path = tmp_path / "samples.jsonl"
    path.write_text(f'{{"id": "0", "text": "B", "sample": {sample}}}\n')
    assert score(path, "--annotations", annotations) == 2
    assert "samples.jsonl:1 field 'sample': not the number or name" in one_line(capsys)


def test_a_sample_name_on_every_row_is_no_repeat(tmp_path, capsys):
    count = 1_100
    gold, path = tmp_path / "gold.jsonl", tmp_path / "samples.jsonl"
    gold.write_text(
        "".join(
            json.dumps({"uid": f"q{i}", "key": "v", "question": "Q?", "answer": "B"}) + "\n"
            for i in range(count)
        )
    )
    path.write_text(
        "".join(
            json.dumps({"id": f"q{i}", "text": "B", "sample": f"s{i}"}) + "\n" for i in range(count)
        )
    )
    assert score(path, "--annotations", gold) == 2
    assert "more than 1,024 runs" in one_line(capsys)


def test_lone_surrogates_in_ids_and_types_are_written_as_escapes(tmp_path, capsys):
    gold, path, out = tmp_path / "gold.jsonl", tmp_path / "p.jsonl", tmp_path / "r.json"
    gold.write_text(
        '{"uid": "1\\ud800", "key": "v\\ud800", "question": "Q?\\n(A) x\\n(B) y", "answer": "B",'
        ' "question_type": ["t\\ud800"]}\n'
    )
    path.write_text('{"id": "1\\ud800", "text": "A"}\n{"id": "\\udfff", "text": "B"}\n')
    assert score(path, "--annotations", gold, "--diff", "-o", out) == 0
    data = json.loads(out.read_text())
    assert data["coverage"]["unexpected_examples"] == ["\\udfff"]
    assert "t\\ud800" in data["rules"]["robust"]["strata"]["question_type"]
    (row,) = gzip.decompress((tmp_path / "r.samples.jsonl.gz").read_bytes()).splitlines()
    row = json.loads(row)
    assert row["id"] == "1\\ud800"


def program(*arguments, **options):
    return subprocess.Popen([*MODULE, *map(str, arguments)], **options)


def test_a_file_name_that_is_no_text(answers, annotations, tmp_path):
    odd = os.fsencode(tmp_path) + b"/odd\xff.json"
    with open(odd, "wb") as file:
        file.write(answers.read_bytes())
    out = tmp_path / "r.json"
    process = subprocess.run(
        [*MODULE, "score", "lvbench", odd, "--annotations", annotations, "-o", out],
        capture_output=True,
        check=False,
    )
    assert (process.returncode, process.stderr.count(b"\n")) == (0, 2)
    assert json.loads(out.read_text())["inputs"]["predictions"][0]["name"] == "odd\\udcff.json"


def test_a_terminal_that_lacks_characters_is_no_crash(answers, annotations):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    process = program(
        *("score", "lvbench", answers, "--annotations", annotations),
        stdout=subprocess.PIPE,
        env=environment,
    )
    output = process.communicate()[0]
    assert process.returncode == 0
    assert b"LVBench \\xb7 3 of 1,549" in output


def test_files_are_written_though_nobody_reads_the_tables(answers, annotations, tmp_path):
    out = tmp_path / "r.json"
    read, write = os.pipe()
    os.close(read)
    process = program(
        *("score", "lvbench", answers, "--annotations", annotations, "-o", out),
        stdout=write,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    os.close(write)
    errors = process.communicate()[1]
    assert (process.returncode, errors.count(b"\n")) == (0, 2)
    assert json.loads(out.read_text())["coverage"]["scored"] == 3


def test_texts_that_are_null_are_missing_and_said_so(annotations, tmp_path, capsys):
    path = tmp_path / "nulls.jsonl"
    path.write_text('{"id": "0", "text": null}\n{"id": "1", "text": NaN}\n{"id":"2","text":"B"}\n')
    assert score(path, "--annotations", annotations) == 1
    assert "scored 1 · missing 2 (in the file, but without text: 2)" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--subset", "--exclude", "--durations"])
def test_tables_with_an_endless_cell(answers, annotations, tmp_path, option, capsys):
    path = tmp_path / "table.csv"
    path.write_text("id,duration\n0," + "x" * 200_000 + "\n")
    assert score(answers, "--annotations", annotations, option, path) == 2
    assert "table.csv:2: not a table: field larger than" in one_line(capsys)


def test_lengths_without_annotations_are_not_lost_silently(answers, tmp_path, capsys):
    assert score(answers, "--durations", tmp_path / "nosuch.csv") == 2
    assert "--annotations FILE beside --durations FILE" in one_line(capsys)


def test_repeated_annotation_ids_name_the_file(answers, annotations, capsys):
    annotations.write_text(annotations.read_text() * 2)
    assert score(answers, "--annotations", annotations) == 2
    assert "gold.jsonl field 'id': the same id stands twice" in one_line(capsys)
