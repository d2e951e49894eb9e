"""The worked example of CONTRIBUTING.md is a protocol that runs, and its test passes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import fastvbench.protocols
from fastvbench import get_protocol, list_protocols
from fastvbench.protocols import _lock

CONTRIBUTING = Path(__file__).resolve().parents[3] / "CONTRIBUTING.md"


@pytest.fixture
def blocks(tmp_path, monkeypatch):
    """The example's protocol file put where protocols are found; returns its test's code."""
    section = CONTRIBUTING.read_text(encoding="utf-8").split("\n## Add a protocol\n")[1]
    section = section.split("\n## ")[0]
    protocol, test = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    (tmp_path / "doorqa.py").write_text(protocol, encoding="utf-8")
    monkeypatch.setattr(
        fastvbench.protocols, "__path__", [*fastvbench.protocols.__path__, str(tmp_path)]
    )
    yield test
    sys.modules.pop("fastvbench.protocols.doorqa", None)


def test_one_file_is_found_listed_and_scored(blocks):
    assert "doorqa" in list_protocols()
    assert get_protocol("doorqa").title == "DoorQA"
    namespace = {}
    exec(compile(blocks, str(CONTRIBUTING), "exec"), namespace)
    namespace["test_doorqa"]()


def test_the_lock_takes_the_new_protocol(blocks, tmp_path):
    path = tmp_path / "lock.json"
    _lock.update_lock(path)
    assert _lock.read_lock(path)["doorqa"]["version"] == 1
