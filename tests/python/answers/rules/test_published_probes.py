"""Every probe gives, for every scorer, exactly what the public script gave."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path

import pytest

from fastvbench.answers.rules import PublicScriptAborts

GOLDEN = Path(__file__).parents[3] / "golden"


def load_cases(name):
    rows = json.loads((GOLDEN / name).read_text(encoding="utf-8"))["rows"]
    return [(rule, row["text"], row[rule]) for row in rows for rule in row if rule != "text"]


OPTIONS = json.loads((GOLDEN / "published_choice_probes.json").read_text(encoding="utf-8"))[
    "options"
]
LINES = [f"{letter}. {text}." for letter, text in zip("ABCD", OPTIONS, strict=True)]
# What a rule may ask for beside the text, by the name of its second parameter.
BESIDE = {"options": OPTIONS, "option_lines": LINES}

CASES = load_cases("published_choice_probes.json") + load_cases("published_interval_probes.json")


def right_for(function, text):
    """The gold letters for which a rule says that the answer is right."""
    wants_line = "answer" in inspect.signature(function).parameters
    golds = {line[0]: line.removesuffix(".") if wants_line else line[0] for line in LINES}
    return "".join(letter for letter, gold in golds.items() if function(text, gold))


@pytest.mark.parametrize(("rule", "text", "expected"), CASES)
def test_probe(rule, text, expected):
    module_name, function_name = rule.split(".")
    module = importlib.import_module(f"fastvbench.answers.rules.{module_name}")
    function = getattr(module, function_name)
    beside = [BESIDE[name] for name in inspect.signature(function).parameters if name in BESIDE]
    if expected == {"aborts": True}:
        with pytest.raises(PublicScriptAborts, match=r"^[\x20-\x7e]+$") as caught:
            function(text, *beside)
        assert caught.value.reason == str(caught.value)
        return
    if isinstance(expected, dict):
        assert right_for(function, text) == expected["right_for"]
        return
    result = function(text, *beside)
    if isinstance(expected, list):
        nested = bool(expected) and isinstance(expected[0], list)
        expected = [tuple(pair) for pair in expected] if nested else expected
        result = list(result) if isinstance(result, tuple) else result
    assert result == expected
    assert type(result) is type(expected)


def test_every_scorer_is_probed_on_every_row():
    counts = {}
    for rule, _, _ in CASES:
        counts[rule] = counts.get(rule, 0) + 1
    assert counts == {
        "lvbench_official.polish_answer": 40,
        "videollama3.lvbench_letter": 40,
        "lmms_eval_pre_1274.letter": 40,
        "lmms_eval_2026_08.letter": 40,
        "videomme_official.letter": 40,
        "vlmevalkit.videomme_letter": 40,
        "videollama3_choices.videomme_letter": 40,
        "vlmevalkit.can_infer": 40,
        "mlvu_official.is_right": 40,
        "videollama3_choices.mlvu_letter": 40,
        "videollama3_choices.mvbench_letter": 40,
        "lmms_eval_2026_08_choices.longvideobench_letter": 40,
        "lmms_eval_2026_08_choices.mvbench_letter": 40,
        "vlmevalkit_choices.mvbench_accepts": 40,
        "tempcompass_official.multi_choice": 40,
        "videollama3.charades_intervals": 36,
        "timechat.intervals": 36,
        "lmms_eval_2025_02.charades_intervals": 36,
        "lmms_eval_2026_08.charades_intervals": 36,
        "vtimellm.intervals_fraction": 36,
        "lmms_eval_2025_10.charades_intervals": 36,
        "timelens.intervals": 36,
        "omtg.intervals": 36,
        "videochat_r1.interval": 36,
        "cg_bench.number_pairs": 36,
    }
