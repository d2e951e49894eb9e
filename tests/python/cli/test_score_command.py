"""`fastvbench score` as a person meets it: tables, files, exit codes, one-line errors."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import time

import pytest

from fastvbench.cli import main

VIDEO = {
    "key": "vid",
    "type": "live",
    "qa": [
        {"uid": str(i), "question": f"Q{i}?\n(A) x\n(B) y\n(C) z", "answer": "B"} for i in range(4)
    ],
}


@pytest.fixture
def annotations(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(VIDEO) + "\n")
    return path


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    texts = ["B", "The answer is B.", "C", "A bird? B"]
    path.write_text(
        "".join(json.dumps({"id": str(i), "text": t}) + "\n" for i, t in enumerate(texts))
    )
    return path


def run(*arguments):
    return main(["score", "lvbench", *map(str, arguments)])


def test_tables_go_to_standard_output(answers, annotations, capsys):
    assert run(answers, "--annotations", annotations) == 0
    captured = capsys.readouterr()
    assert "4 of 1,549 published rows" in captured.out
    assert re.search(r"robust +75\.00 ", captured.out)
    assert re.search(r"official +25\.00 ", captured.out)
    assert (
        "coverage: expected 4 · scored 4 · missing 0 · unexpected 0 · duplicates 0" in captured.out
    )
    assert captured.err == ""


def test_result_file_and_samples_file(answers, annotations, tmp_path, capsys):
    out = tmp_path / "result.json"
    assert run(answers, "--annotations", annotations, "-o", out) == 0
    data = json.loads(out.read_text(), parse_constant=pytest.fail)
    assert data["schema"] == 1
    assert data["kind"] == "score"
    assert data["main"] == {"rule": "robust", "metric": "accuracy"}
    assert data["rules"]["robust"]["overall"]["accuracy"]["value"] == 0.75
    assert data["inputs"]["predictions"][0]["format"] == "jsonl"
    assert len(data["inputs"]["predictions"][0]["sha256"]) == 64
    rows = [
        json.loads(line)
        for line in gzip.decompress(
            (tmp_path / "result.samples.jsonl.gz").read_bytes()
        ).splitlines()
    ]
    assert [row["id"] for row in rows] == ["0", "1", "2", "3"]
    robust = rows[1]["rules"]["robust"]
    assert robust["read"] == "B"
    assert robust["status"] == "ok"
    assert robust["scores"]["accuracy"] == 1.0
    begin, end = robust["span"]
    assert rows[1]["excerpt"].encode()[begin:end] == b"B"
    assert "wrote" in capsys.readouterr().err


def test_the_same_input_gives_the_same_bytes(answers, annotations, tmp_path):
    for name in ("one", "two"):
        run(answers, "--annotations", annotations, "-o", tmp_path / f"{name}.json")
    for suffix in (".json", ".samples.jsonl.gz"):
        one, two = (tmp_path / f"{name}{suffix}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_dash_leaves_standard_output_to_json(answers, annotations, capsys):
    assert run(answers, "--annotations", annotations, "-o", "-") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["kind"] == "score"
    assert "rule set" in captured.err


def test_diff_lists_the_rows_that_rule_sets_read_differently(answers, annotations, capsys):
    assert run(answers, "--annotations", annotations, "--diff", "--diff-rows", 1) == 0
    out = capsys.readouterr().out
    assert "2 of 4 rows differ between rule sets" in out
    assert "official: accuracy 0 · not_an_option · read The answer is B." in out
    assert "(the first 1 are shown" in out


def test_low_coverage_is_exit_code_one(answers, annotations, tmp_path, capsys):
    few = tmp_path / "few.json"
    few.write_text('{"0": "B", "9": "B"}')
    assert run(few, "--annotations", annotations) == 1
    assert "scored 1 · missing 3 · unexpected 1" in capsys.readouterr().out


def test_duplicates_last_one_wins_and_is_counted(annotations, tmp_path, capsys):
    path = tmp_path / "twice.jsonl"
    rows = [("0", "A"), ("1", "B"), ("0", "B"), ("2", "B"), ("3", "B"), ("0", "C"), ("0", "B")]
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows))
    assert run(path, "--annotations", annotations, "--rules", "robust") == 0
    out = capsys.readouterr().out
    assert "duplicates 3" in out
    assert "100.00" in out


def test_subset_and_exclude_restrict_the_denominator(answers, annotations, tmp_path, capsys):
    subset, exclude, out = tmp_path / "s.txt", tmp_path / "e.csv", tmp_path / "r.json"
    subset.write_text("0\n2\n3\n")
    exclude.write_text("id,reason\n3,video is gone\n")
    arguments = ("--annotations", annotations, "--subset", subset, "--exclude", exclude, "-o", out)
    assert run(answers, *arguments) == 0
    data = json.loads(out.read_text())
    assert data["coverage"]["expected"] == 2
    assert data["rules"]["robust"]["overall"]["accuracy"] | {"interval": None} == {
        "value": 0.5, "n": 2, "interval": None, "unit": "fraction", "interval_unclustered":
        data["rules"]["robust"]["overall"]["accuracy"]["interval_unclustered"],
    }  # fmt: skip
    assert data["subset"]["exclude"] == {"ids": 1, "reasons": {"video is gone": 1}}
    assert len(data["subset"]["sha256"]) == 64
    assert "restricted to 2 rows" in capsys.readouterr().out


@pytest.fixture
def bad(tmp_path):
    """Files that cannot be scored, by name."""
    contents = {
        "empty.json": b"",
        "broken.jsonl": b'{"id": "0", "text": "B"}\n{"id": "1",\n{"id": "2", "text": "B"}\n',
        "nan-id.jsonl": b'{"id": NaN, "text": "B"}\n',
        "no-text.jsonl": b'{"id": "0", "colour": "red"}\n' * 2,
        "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(64),
        "cut.json.gz": gzip.compress(b'{"0": "B"}' * 100)[:-9],
        "other.json": b'{"some": "B", "other": "C"}',
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent.json", r"absent\.json"),
        ("folder", r"folder"),
        ("empty.json", r"empty\.json.*empty"),
        ("broken.jsonl", r"broken\.jsonl:2"),
        ("nan-id.jsonl", r"nan-id\.jsonl:1.*'id'.*nan"),
        ("no-text.jsonl", r"no-text\.jsonl.*colour.*--text-field"),
        ("picture.png", r"picture\.png"),
        ("cut.json.gz", r"cut\.json\.gz.*truncated"),
        ("other.json", r"no prediction belongs to an annotated row \(ids such as some, other\)"),
    ],
)
def test_bad_predictions_are_one_line_and_exit_code_two(bad, annotations, name, message, capsys):
    out = bad / "result.json"
    assert run(bad / name, "--annotations", annotations, "-o", out) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("fastvbench: ")
    assert captured.err.count("\n") == 1
    assert re.search(message, captured.err), captured.err
    assert not list(bad.glob("result*"))


@pytest.mark.parametrize("name", ["absent.json", "empty.json", "broken.jsonl", "picture.png"])
def test_bad_annotations_are_one_line_and_exit_code_two(bad, answers, name, capsys):
    assert run(answers, "--annotations", bad / name) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert name in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rules", "robust,nonsense"], "no rule set of that name, got 'nonsense'"),
        (["-o", "no/such/folder/r.json"], "no such folder"),
        (["--subset", "{missing}"], "missing.txt"),
        (["--id-field", "nope"], "nope"),
    ],
)
def test_bad_options_are_one_line(answers, annotations, arguments, message, capsys):
    arguments = [a.replace("{missing}", str(answers.with_name("missing.txt"))) for a in arguments]
    assert run(answers, "--annotations", annotations, *arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_unknown_benchmark(answers, capsys):
    assert main(["score", "nobench", str(answers)]) == 2
    assert "no such protocol, got 'nobench'" in capsys.readouterr().err


def test_without_annotations_says_what_is_needed(answers, capsys):
    assert run(answers) == 2
    assert "--annotations FILE" in capsys.readouterr().err


def test_same_id_in_two_files(answers, annotations, tmp_path, capsys):
    other = tmp_path / "other.json"
    other.write_text('{"2": "B"}')
    assert run(answers, other, "--annotations", annotations) == 2
    assert re.search(
        r"other\.json:1.*same id stands in .*answers\.jsonl too", capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("content", "ledger"),
    [
        (b'{"id": "0", "text": "B"}\n{"id": "1", "te', {"torn_last_line": 1}),
        (b'{"id": "0", "text": "B"}{"id": "1", "text": "B"}\n', {"glued_objects": 1}),
        (b'\xef\xbb\xbf{"id": "0", "text": "B"}\n', {"byte_order_mark": 1}),
        ('{"id": "0", "text": "B"}\n'.encode("utf-16"), {"utf16": 1}),
        ('{"id": "0", "text": "Well.\u2028Answer: B"}\n'.encode(), {}),
        (b'{"id": "0", "text": "\\ud800 Answer: B"}\n', None),
        (b'{"id": "0", "text": "\xff Answer: B"}\n', {"invalid_utf8": 1}),
        (b'{"id": "0", "text": NaN}\n{"id": "1", "text": "B"}\n', {"nan_as_missing": 1}),
    ],
    ids=["torn", "glued", "bom", "utf16", "u2028", "surrogate", "invalid", "nan"],
)
def test_damage_that_is_read_and_counted(annotations, tmp_path, content, ledger, capsys):
    path, out = tmp_path / "damaged.jsonl", tmp_path / "r.json"
    path.write_bytes(content)
    assert run(path, "--annotations", annotations, "-o", out, "--rules", "robust,official") in (
        0,
        1,
    )
    data = json.loads(out.read_text())
    if ledger is not None:
        given = data["inputs"]["predictions"][0]["ledger"]
        assert {name: n for name, n in given.items() if name in ledger} == ledger
    assert data["coverage"]["status"].get("ok", 0) >= 1
    capsys.readouterr()


def test_hostile_texts_pass_every_rule_set_quickly(annotations, tmp_path, capsys):
    path = tmp_path / "hostile.jsonl"
    texts = ["1" * 100_000, "(" * 100_000, "<think>" * 20_000, "Answer: " * 1_250_000]
    path.write_text(
        "".join(json.dumps({"id": str(i), "text": t}) + "\n" for i, t in enumerate(texts))
    )
    begin = time.perf_counter()
    assert run(path, "--annotations", annotations, "--diff") == 0
    assert time.perf_counter() - begin < 20
    capsys.readouterr()


def test_interrupted_leaves_no_file_behind(answers, annotations, tmp_path, monkeypatch, capsys):
    def interrupt(self, rows):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("fastvbench.cli._progress.RowProgress.__call__", interrupt)
    out = tmp_path / "result.json"
    assert run(answers, "--annotations", annotations, "-o", out) == 130
    assert capsys.readouterr().err == "fastvbench: interrupted, nothing was written\n"
    assert not list(tmp_path.glob("*result*"))


def test_list_and_show(capsys):
    assert main(["list"]) == 0
    assert "charades_sta" in capsys.readouterr().out
    assert main(["show", "lvbench"]) == 0
    out = capsys.readouterr().out
    assert "denominator: questions present in the prediction file" in out
    assert "directly provide the letter" in out


def test_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "fastvbench", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.fullmatch(r"fastvbench \d+\.\d+\.\d+\n", done.stdout)
