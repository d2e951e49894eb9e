"""Memory grows with the rows, not with the length of what a model said."""

from __future__ import annotations

import json
import subprocess
import sys

MEASURE = """
import resource, sys
from fastvbench.cli import main
from fastvbench.formats import _batch
_batch._BATCH_CHARACTERS = 4 << 20  # the real limit is 64 MiB of text a batch
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
code = main(sys.argv[1:])
print(code, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, file=sys.stderr)
"""
ROWS = 160
MEGABYTE = 1 << 20


def test_a_file_of_long_answers_needs_a_fraction_of_its_size(tmp_path):
    annotations, answers = tmp_path / "gold.jsonl", tmp_path / "answers.jsonl"
    questions = [
        {"uid": str(i), "question": "Q?\n(A) x\n(B) y", "answer": "B"} for i in range(ROWS)
    ]
    annotations.write_text(json.dumps({"key": "v", "type": "tv", "qa": questions}) + "\n")
    reasoning = "The man walks. " * (MEGABYTE // 15)
    with answers.open("w") as file:
        for i in range(ROWS):
            file.write(json.dumps({"id": str(i), "text": f"{reasoning} Answer: B"}) + "\n")
    command = [sys.executable, "-c", MEASURE, "score", "lvbench", str(answers)]
    done = subprocess.run(
        [*command, "--annotations", str(annotations), "--rules", "robust,official", "--diff"],
        capture_output=True,
        text=True,
        check=True,
    )
    code, megabytes = map(int, done.stderr.split()[-2:])
    assert code == 0
    assert f"scored {ROWS}" in done.stdout
    assert answers.stat().st_size > 155 * MEGABYTE
    assert megabytes < 130
