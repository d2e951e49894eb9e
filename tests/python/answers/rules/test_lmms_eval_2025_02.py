from __future__ import annotations

import pytest
from hypothesis import given
from tests.python.answers.rules import original_patterns as original
from tests.python.answers.rules.fuzzed_texts import differential, interval_texts

from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.answers.rules.lmms_eval_2025_02 import charades_intervals


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 to 9", [(5.0, 9.0)]),
        ("5tomato9", []),
        ("A specific example is : 20.8 - 30.0 seconds. 1 to 2", [(1.0, 2.0)]),
        ("A specific example is : 20.8 - 30.0 seconds", []),
        ("A specific example is : 20.8 to 30.0 seconds", [(20.8, 30.0)]),  # not the prompt's words
    ],
)
def test_intervals(text, expected):
    assert charades_intervals(text) == expected


@differential
@given(interval_texts)
def test_intervals_equal_the_original(text):
    paragraph = text.lower().replace(original.PROMPT_EXAMPLE.lower(), "").replace("to", "-")
    try:
        expected = original.timechat_intervals(paragraph)
    except ValueError:
        with pytest.raises(PublicScriptAborts, match="ValueError"):
            charades_intervals(text)
    else:
        assert charades_intervals(text) == expected
