"""The whole command, against merely reading its input with orjson."""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.rivals import lvbench_data, orjson_rival

ROWS = 1_000_000


def score_command(answers, annotations):
    """Scores in a process of its own, start-up included; returns the rows that it read."""
    command = [sys.executable, "-m", "fastvbench", "score", "lvbench", str(answers)]
    done = subprocess.run(
        [*command, "--annotations", str(annotations), "--rules", "robust,official", "-o", "-"],
        capture_output=True,
        check=True,
    )
    data = json.loads(done.stdout)
    assert data["coverage"]["unexpected"] == data["coverage"]["duplicates"] == 0
    return sum(data["coverage"]["status"].values())


def at_least_the_rows(name, ours, theirs):
    assert ours >= ROWS, name  # repeats leave a few questions without a last sample
    assert theirs >= ROWS, name


def bench_samples_of_lvbench(compare, tmp_path):
    """A million answers to LVBench's 1,549 questions: 646 samples of each."""
    answers, annotations = tmp_path / "answers.jsonl", tmp_path / "gold.jsonl"
    lvbench_data.write_annotations(annotations, lvbench_data.QUESTIONS, lvbench_data.VIDEOS, 0)
    lvbench_data.write_answers(answers, ROWS, lvbench_data.QUESTIONS, 0)
    compare(
        lambda: score_command(answers, annotations),
        {"orjson-read": lambda: orjson_rival.read_lines(answers)},
        at_least_the_rows,
        case="score/lvbench robust,official",
        rounds=5,
        warmup=1,
    )


def bench_a_million_questions(compare, tmp_path):
    """A million questions of their own, whose annotations are four times as long as the answers."""
    answers, annotations = tmp_path / "answers.jsonl", tmp_path / "gold.jsonl"
    lvbench_data.write_annotations(annotations, ROWS, ROWS // 15, 0)
    lvbench_data.write_answers(answers, ROWS, ROWS, 0)
    compare(
        lambda: score_command(answers, annotations),
        {"orjson-read-both": lambda: orjson_rival.read_lines(answers, annotations) and ROWS},
        at_least_the_rows,
        case="score/a million questions, robust,official",
        rounds=3,
        warmup=1,
    )
