"""The full demo: from a made video over its frames to right letters and intervals."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from fastvbench.cli import main
from fastvbench.intervals import temporal_iou
from fastvbench.models import Frames, GenerationSettings, Request
from fastvbench.runs._demo_reader import OcrReader
from fastvbench.runs._demo_video import DEMO_QUESTIONS, SIGNS

NEEDED = ("torch", "av", "PIL", "rapidocr_onnxruntime")


def test_missing_parts_say_how_to_get_them(capsys):
    if all(importlib.util.find_spec(name) for name in NEEDED):
        pytest.skip("everything is installed")
    assert main(["demo", "--full"]) == 3
    assert "pip install 'fastvbench[demo]'" in capsys.readouterr().err


def test_every_letter_is_right_and_every_iou_high(capsys, tmp_path):
    for name in NEEDED:
        pytest.importorskip(name, reason="the extra [demo] is not installed")
    assert main(["demo", "--full", "-o", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "this is no model and no score of one" in shown
    assert "48 read, largest difference 0.000 s" in shown
    assert "every letter right, every IoU above 0.8" in shown
    assert (tmp_path / "run" / "result.json").exists()


def frames_of(seconds: list[float], duration: float) -> Frames:
    """Pictures that are numbers: the made-up reader below knows what stands in each."""
    pixels = np.zeros((len(seconds), 3, 1, 1), np.uint8)
    pixels[:, 0, 0, 0] = np.arange(len(seconds))
    times = np.array(seconds)
    return Frames(pixels, times, np.arange(len(seconds)), 7.9, duration)


TRUE_SECONDS = [float(second) for second in range(48)]


def read(picture: np.ndarray) -> list[str]:
    second = TRUE_SECONDS[int(picture[0, 0, 0])]
    signs = [s.text.replace(" ", "") for s in SIGNS if s.begin_seconds <= second < s.end_seconds]
    return [f"00:{second:04.1f}", *signs]


def ious(reader: OcrReader, frames: Frames) -> list[float]:
    found = []
    for question in DEMO_QUESTIONS:
        if question["image"]:
            continue
        lines = "\n".join(f"{c}. {o}" for c, o in zip("ABC", question["options"], strict=True))
        request = Request(question["id"], f"{question['question']}\n{lines}", frames)
        [response] = reader.generate([request], GenerationSettings())
        letter, span = response.text.split(" ", 1)
        assert letter == f"({question['answer']})"
        start, end = (float(part) for part in span.removesuffix(" seconds").split(" - "))
        found.append(float(temporal_iou([(start, end)], [tuple(question["interval"])])[0]))
    return found


def test_the_demo_would_notice_wrong_frame_times():
    reader = OcrReader(read)
    right = frames_of(TRUE_SECONDS, 48.0)
    assert min(ious(reader, right)) > 0.8
    assert reader.most_clock_error_seconds == 0.0
    by_number = replace(right, seconds=np.arange(48) / 7.9 * 5)  # frame number by average rate
    assert min(ious(reader, by_number)) < 0.8
    assert reader.most_clock_error_seconds > 1.0


def test_what_cannot_be_seen_is_not_guessed():
    reader = OcrReader(lambda picture: [])
    request = Request(
        "q", "Which vehicle stands at gate 3?\nA. red van\nB. bus", frames_of([0.0], 1)
    )
    assert reader.generate([request], GenerationSettings())[0].text == "I don't see it."
    bare = reader.generate([Request("q", "Which?")], GenerationSettings())[0]
    assert bare.error == "there is no frame to read"
