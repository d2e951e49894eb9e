"""An LVBench-sized question set and a million answers to it, from a seed."""

from __future__ import annotations

import json
import random
from pathlib import Path

from benchmarks.rivals import choices_data

QUESTIONS = 1_549  # as many as LVBench has, over as many videos
VIDEOS = 103


def write_annotations(path: Path, questions: int, videos: int, seed: int) -> None:
    """``video_info.meta.jsonl``: one video a line."""
    generator = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for video in range(videos):
            uids = range(video, questions, videos)
            file.write(json.dumps(_video(video, uids, generator)) + "\n")


def _video(video: int, uids: range, generator: random.Random) -> dict[str, object]:
    return {
        "key": f"video{video}",
        "type": ("tv", "sport", "live")[video % 3],
        "video_info": {"duration_minutes": 30 + video % 80},
        "qa": [_question(uid, generator) for uid in uids],
    }


def _question(uid: int, generator: random.Random) -> dict[str, object]:
    options = "".join(
        f"\n({letter}) {text}"
        for letter, text in zip("ABCD", generator.sample(choices_data.OBJECTS, 4), strict=True)
    )
    return {
        "uid": str(uid),
        "question": f"What does person number {uid} look at after the break?{options}",
        "answer": generator.choice("ABCD"),
        "question_type": [("event understanding", "reasoning", "summarization")[uid % 3]],
        "time_reference": f"{uid % 60:02d}:{uid % 59:02d}-{uid % 60:02d}:59",
    }


def write_answers(path: Path, rows: int, questions: int, seed: int) -> None:
    """JSON Lines with id and text; where rows outnumber questions, samples of each."""
    lines = choices_data.texts(rows, seed)
    with path.open("w", encoding="utf-8") as file:
        for row, text in enumerate(lines):
            answer: dict[str, object] = {"id": str(row % questions), "text": text}
            if rows > questions:
                answer["sample"] = row // questions
            file.write(json.dumps(answer) + "\n")
