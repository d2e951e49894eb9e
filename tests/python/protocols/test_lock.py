"""No declaration that moves a score changes without its version."""

from __future__ import annotations

import dataclasses
import json

import pytest

from fastvbench import InputError, get_protocol, list_protocols
from fastvbench.protocols import _lock
from fastvbench.protocols._protocol import AnswerProtocol
from fastvbench.protocols._retrieval_rule import RetrievalProtocol
from fastvbench.protocols._suite_protocol import SuiteProtocol


def test_the_lock_file_is_what_the_code_declares():
    current = _lock.current_lock()
    locked = _lock.read_lock()
    moved = [name for name in current if current[name] != locked.get(name)]
    assert not moved, f"raise the version of {moved}, tell CHANGELOG.md, then run: make lock"
    assert locked.keys() == current.keys()


def test_a_moved_fingerprint_needs_a_new_version(tmp_path):
    path = tmp_path / "lock.json"
    _lock.update_lock(path)
    content = json.loads(path.read_text())
    content["lvbench"]["fingerprint"] = "0" * 64
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="lvbench: its declaration moved, its version did not"):
        _lock.update_lock(path)
    content["lvbench"]["version"] = 0
    path.write_text(json.dumps(content))
    _lock.update_lock(path)
    assert _lock.read_lock(path) == _lock.current_lock()


@pytest.mark.parametrize("name", list_protocols())
def test_each_declared_value_is_in_the_fingerprint(name):
    protocol = get_protocol(name)
    before = protocol.fingerprint()
    assert protocol.fingerprint() == before
    rule = protocol.rules[0]
    variants = [
        dataclasses.replace(protocol, rules=protocol.rules[::-1]),
        dataclasses.replace(protocol, prompts={"x": "y"}),
        dataclasses.replace(protocol, score_fields={"edges": [1, 2]}),
    ]
    of_kind = {
        SuiteProtocol: [],
        AnswerProtocol: [{"text": "filtered"}],
        RetrievalProtocol: [{"relevant": "first"}, {"ties": "trec"}, {"divides_by": "captions"}],
    }
    variants += [
        dataclasses.replace(protocol, rules=(dataclasses.replace(rule, **change),))
        for change in ({"version": 99}, {"missing": "dropped"}, *of_kind[type(protocol)])
    ]
    assert len({before, *(variant.fingerprint() for variant in variants)}) == len(variants) + 1


@pytest.mark.parametrize("name", list_protocols())
def test_declarations_are_complete(name):
    protocol = get_protocol(name)
    assert protocol.name == name
    assert protocol.citation
    assert protocol.main_rule.name == "robust"
    assert len({rule.name for rule in protocol.rules}) == len(protocol.rules)
    for rule in protocol.rules:
        assert rule.source
        assert rule.denominator
        assert rule.metrics
