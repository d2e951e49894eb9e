from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.video.test_sampling import even_index

from fastvbench import InputError
from fastvbench.video._policy import FpsPolicy, UniformPolicy, parse_policy
from fastvbench.video._sampling import sample_clips, sample_fps, sample_times, sample_uniform

NAMES = {
    "1fps": "fps:1,max=180",
    " 0.5FPS ": "fps:0.5,max=180",
    "fps:2": "fps:2,max=180",
    "fps:1,max=64": "fps:1,max=64",
    "fps:1,max=none": "fps:1,max=none",
    "fps-videollama3:1": "fps-videollama3:1,max=180",
    "50": "uniform-linspace:50",
    "uniform:50": "uniform-linspace:50",
    "uniform-interior:32": "uniform-interior:32",
    "uniform-floor:8": "uniform-floor:8",
    "every:10": "every:10",
    "every:10,max=20": "every:10,max=20",
    "keyframes": "keyframes:64",
    "keyframes:none": "keyframes:none",
    "times:1.5,20": "times:1.5,20",
    "clips:0-10x4,60-90.5x8": "clips:0-10x4,60-90.5x8",
    "0": "0",
}


@pytest.mark.parametrize(("text", "name"), NAMES.items())
def test_a_policy_reads_back_from_its_name(text, name):
    policy = parse_policy(text)
    assert policy.name == str(policy) == name
    assert parse_policy(name) == policy
    assert parse_policy(policy) is policy
    assert hash(parse_policy(name)) == hash(policy)


@pytest.mark.parametrize(
    "text",
    [
        "", "fps", "fps:", "fps:0", "fps:-1", "fps:nan", "fps:1,min=3", "fps:1,max=0", "xfps", "-5",
        "uniform", "uniform:0", "uniform:x", "uniform-middle:3", "every:0", "every:1.5", "times:",
        "times:-1", "times:inf", "clips:5-5x3", "clips:0-5", "clips:0-5x0", "keyframes:-1", "²",
    ],
)  # fmt: skip
def test_what_is_no_policy_is_said(text):
    with pytest.raises(InputError, match="not a frame policy") as caught:
        parse_policy(text)
    assert "uniform-interior:N" in str(caught.value)


@given(st.text(max_size=30))
def test_any_text_is_a_policy_or_one_error(text):
    try:
        policy = parse_policy(text)
    except InputError:
        return
    assert parse_policy(policy.name) == policy


def test_policies_pick_what_their_functions_do():
    index = even_index(9_000, 25)
    part = {"begin_seconds": 20.0, "end_seconds": 50.0}
    same = np.testing.assert_array_equal
    same(FpsPolicy().pick(index, **part), sample_fps(index, **part))
    same(parse_policy("1fps").pick(index), sample_fps(index, 1.0, 180))
    same(
        UniformPolicy(8, "floor").pick(index, 20.0, 50.0), sample_uniform(index, 8, "floor", **part)
    )
    same(parse_policy("times:3,1").pick(index), sample_times(index, [3, 1]))
    same(parse_policy("clips:3-6x2").pick(index), sample_clips(index, [(3, 6, 2)]))
    assert len(parse_policy("0").pick(index, **part)) == 0
    assert parse_policy("every:10").pick(index, **part).tolist() == list(range(500, 1250, 10))
    assert parse_policy("keyframes:3").pick(index).tolist() == [0, 4497, 8997]


@pytest.mark.parametrize("text", ["times:1", "clips:0-1x1"])
def test_a_policy_with_times_of_its_own_takes_no_part(text):
    with pytest.raises(InputError, match="no part"):
        parse_policy(text).pick(even_index(100, 10), begin_seconds=1.0)
