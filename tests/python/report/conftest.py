"""Results that tests of reports share: the bundled answers, scored once."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from fastvbench import score

DEMO = {
    "lvbench": ("lvbench_answers.jsonl", "lvbench_annotations.jsonl", {}),
    "foreseaqa": ("foreseaqa_answers.jsonl", "foreseaqa_annotations.jsonl", {}),
    "charades_sta": (
        "charades_sta_answers.json",
        "charades_sta_annotations.txt",
        {"durations": "charades_sta_durations.json"},
    ),
}


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> dict[str, Path]:
    """Result files of the bundled answers, with the rows beside them, by benchmark."""
    folder = tmp_path_factory.mktemp("results")
    data = Path(str(files("fastvbench.cli") / "demo_data"))
    written = {}
    for name, (answers, questions, options) in DEMO.items():
        given = {key: data / value for key, value in options.items()}
        result = score(name, data / answers, data / questions, **given)
        written[name] = folder / f"{name}.json"
        result.write(written[name])
    return written
