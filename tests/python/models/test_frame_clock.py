"""The times that processors make of what they are told are those of the frames."""

from __future__ import annotations

import numpy as np
import pytest
from tests.python.models.shown import noise_frames

from fastvbench.models import Request
from fastvbench.models._frame_clock import video_metadata

# Gaps of 40 to 900 ms, as screen recordings have; numbers and an average rate tell nothing.
VARIABLE = [0.0, 0.04, 0.5, 1.4, 1.48, 2.0]


def times(metadata):
    return np.array(metadata["frames_indices"]) / metadata["fps"]


def test_a_constant_rate_keeps_the_numbers_of_the_video():
    metadata = video_metadata(noise_frames(0, count=5, rate=29.97, step=30))
    assert metadata["fps"] == 29.97
    assert metadata["frames_indices"] == [0, 30, 60, 90, 120]


@pytest.mark.parametrize("seconds", [VARIABLE, [0.083 + i for i in range(6)], [600.5, 601.5]])
def test_other_times_come_through_whole(seconds):
    metadata = video_metadata(noise_frames(0, count=len(seconds), seconds=seconds))
    assert np.abs(times(metadata) - seconds).max() <= 0.0005


@pytest.mark.parametrize("rate", [0.0, float("nan"), float("inf")])
def test_an_unknown_rate_is_no_reason_to_lose_the_times(rate):
    frames = noise_frames(0, count=3, seconds=[0.0, 1.0, 2.0])
    object.__setattr__(frames, "source_rate", rate)
    assert times(video_metadata(frames)).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("start", [0.0, 3000.0])
def test_the_time_between_frames_is_theirs_also_in_a_part_of_a_video(start):
    frames = noise_frames(0, count=8, seconds=start + 2.0 * np.arange(8))
    object.__setattr__(frames, "duration_seconds", 7200.0)
    metadata = video_metadata(frames)
    between = metadata["total_num_frames"] / metadata["fps"] / 8  # as processors compute it
    assert between == pytest.approx(2.0, rel=1e-3)
    assert metadata["duration"] == 7200.0


MARKERS = {
    "videollama3": [f"Time {t:.1f}s:" for t in VARIABLE],
    # A patch spans two frames and has the mean of their times.
    "qwen3_vl": [
        f"<{(a + b) / 2:.1f} seconds>" for a, b in zip(VARIABLE[::2], VARIABLE[1::2], strict=True)
    ],
    "smolvlm2": [f"Frame from 00:{int(t):02d}:" for t in VARIABLE],
}


@pytest.mark.parametrize("name", MARKERS)
def test_the_prompt_has_the_true_times(tiny_model, name):
    from transformers import AutoProcessor

    from fastvbench.models._chat import media_shape, prepare

    processor = AutoProcessor.from_pretrained(tiny_model(name))
    request = Request("a", "When?", noise_frames(0, count=6, seconds=VARIABLE))
    inputs = prepare(processor, [request], media_shape(request), "video", {})
    text = processor.tokenizer.decode(inputs["input_ids"][0])
    places = [text.find(marker) for marker in dict.fromkeys(MARKERS[name])]
    assert -1 not in places
    assert places == sorted(places)
    assert text.index("When?") > places[-1]  # what is seen comes before what is asked


def test_seconds_a_patch_are_true(tiny_model):
    from transformers import AutoProcessor

    from fastvbench.models._chat import media_shape, prepare

    processor = AutoProcessor.from_pretrained(tiny_model("qwen2_5_vl"))
    frames = noise_frames(0, count=6, seconds=100.0 + 0.5 * np.arange(6))
    request = Request("a", "When?", frames)
    inputs = prepare(processor, [request], media_shape(request), "video", {})
    assert inputs["second_per_grid_ts"][0] == pytest.approx(2 * 0.5, rel=1e-3)
