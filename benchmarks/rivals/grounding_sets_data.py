"""Answers about several moments of a video, in words and as submissions: seeded, no two alike."""

from __future__ import annotations

import random
from typing import Any

LEAD_INS = ("It happens from", "The moments are", "I can see this at", "Relevant segments:", "From")


def _windows(source: random.Random, most: int, duration: float) -> list[list[float]]:
    windows = []
    for _ in range(source.randint(1, most)):
        start = source.uniform(0.0, 0.9 * duration)
        end = min(duration, start + source.expovariate(1 / 12.0) + 0.5)
        windows.append([round(start, 1), round(end, 1)])
    return windows


def _clock(seconds: float) -> str:
    return f"{int(seconds // 60)}:{seconds % 60:04.1f}"


def _words(source: random.Random, windows: list[list[float]]) -> str:
    shown = _clock if source.random() < 0.4 else lambda x: f"{x:.1f}"
    unit = "" if shown is _clock else source.choice(("s", " seconds"))
    parts = [f"{shown(start)}{unit} to {shown(end)}{unit}" for start, end in windows]
    return f"{source.choice(LEAD_INS)} {', and '.join(parts)}."


def vue_tr(row_count: int, seed: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Annotations, and answers in words that miss their moments by some seconds."""
    source = random.Random(seed)
    gold, texts = [], []
    for k in range(row_count):
        duration = source.uniform(60.0, 3600.0)
        wanted = _windows(source, 4, duration)
        gold.append(
            {"query_id": k, "video_id": f"v{k // 8}", "duration": duration, "query": "q"}
            | {"gt": wanted}
        )
        said = [
            [max(0.0, a + source.gauss(0, 3)), b + abs(source.gauss(0, 3)) + 1] for a, b in wanted
        ]
        texts.append(_words(source, said))
    return gold, texts


def vue_tr_numbers(
    row_count: int, seed: int
) -> tuple[list[dict[str, Any]], list[list[list[float]]]]:
    """The same annotations, and windows that miss their moments by some seconds."""
    source = random.Random(seed + 1)
    gold, _ = vue_tr(row_count, seed)
    given = [
        [[max(0.0, a + source.gauss(0, 3)), b + abs(source.gauss(0, 3)) + 1] for a, b in row["gt"]]
        for row in gold
    ]
    return gold, given


def activitynet(row_count: int, seed: int) -> tuple[dict[str, Any], list[str]]:
    """The official map of videos, one sentence each, and answers in words."""
    source = random.Random(seed)
    gold, texts = {}, []
    for k in range(row_count):
        duration = source.uniform(60.0, 240.0)
        window = _windows(source, 1, duration)[0]
        gold[f"v_{k}"] = {"duration": duration, "timestamps": [window], "sentences": ["A."]}
        texts.append(_words(source, [[window[0] + source.uniform(0, 5), window[1] + 6.0]]))
    return gold, texts


def qvhighlights(row_count: int, seed: int) -> tuple[list[dict[str, Any]], dict[str, list[Any]]]:
    """Annotations with clip grades, and the columns that a submission's reader makes."""
    source = random.Random(seed)
    gold: list[dict[str, Any]] = []
    fields: dict[str, list[Any]] = {"intervals": [], "scores": [], "saliency_scores": []}
    for k in range(row_count):
        wanted = _windows(source, 3, 150.0)
        clips = sorted(source.sample(range(75), source.randint(2, 20)))
        grades = [[source.randint(0, 4) for _ in range(3)] for _ in clips]
        gold.append(
            {"qid": k, "query": "q", "vid": f"v{k}", "duration": 150, "relevant_windows": wanted}
            | {"relevant_clip_ids": clips, "saliency_scores": grades}
        )
        windows = [window for _ in range(4) for window in _windows(source, 3, 150.0)][:10]
        fields["intervals"].append(windows)
        fields["scores"].append([source.random() for _ in windows])
        fields["saliency_scores"].append([source.gauss(0, 1) for _ in range(75)])
    return gold, fields
