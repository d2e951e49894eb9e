"""Made-up questions and answers, among them what a page must not run, hide or choke on."""

from __future__ import annotations

import gzip
import html
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from fastvbench import score
from fastvbench.core._status import STATUS_NAMES
from fastvbench.report import write_report
from fastvbench.report._page import Page
from fastvbench.report._report_page import ROW_BYTES
from fastvbench.report._score_page import add_score
from fastvbench.report._view import ResultView

QUESTION_TYPES = ("reasoning", "summarization", "temporal grounding", "entity recognition")
VIDEO_TYPES = ("sport", "tv", "live")
LONG_ANSWER_BYTES = 10_000_000
SCRIPT = "<script>window.ran = true</script><img src=x onerror='window.ran = true'>"
BIDI = "A\u202eB\u2066 C\u200b"


def annotations(count: int) -> list[dict]:
    """LVBench's layout: ten questions a video."""
    return [
        {
            "key": f"video-{first // 10:05}",
            "type": VIDEO_TYPES[(first // 10) % len(VIDEO_TYPES)],
            "video_info": {"duration_minutes": 30 + (first // 10) % 90},
            "qa": [
                {
                    "uid": str(i),
                    "question": "What happens?\n(A) run\n(B) jump\n(C) swim\n(D) sleep",
                    "answer": "ABCD"[i * 7 % 4],
                    "question_type": [QUESTION_TYPES[i % len(QUESTION_TYPES)]],
                    "time_reference": f"00:{i % 20:02}-00:{i % 20 + 5:02}",
                }
                for i in range(first, min(first + 10, count))
            ],
        }
        for first in range(0, count, 10)
    ]


def plain_answers(count: int) -> dict[str, str]:
    """Answers as models give them: letters, sentences, refusals, silence."""
    shapes = (
        "{0}",
        "The answer is ({0}).",
        "Looking at the frames around minute {1}, the person seems to move, so I choose {0}.",
        "I cannot see the video.",
        "",
        "**{0}**",
        "Best option: {0}",
    )
    return {
        str(i): shapes[i * 5 % len(shapes)].format("ABCD"[i * 3 % 4], i % 60) for i in range(count)
    }


def hostile_answers() -> dict[str, str]:
    """400 answers, the first of them hostile."""
    return plain_answers(400) | {
        "0": SCRIPT + " The answer is A.",
        "1": BIDI + " so the answer is C.",
        "2": "The answer is B. " + "la " * (LONG_ANSWER_BYTES // 3),
        "3": "</textarea></script><!-- --><b onmouseover=alert(1)>bold</b> D",
        "4": "\N{GRINNING FACE}\N{GRINNING FACE} 答えは C です",
    }


def write_result(folder: Path, answers: dict[str, str]) -> Path:
    """Score answers into a result file."""
    questions = folder / "questions.jsonl"
    questions.write_text("\n".join(map(json.dumps, annotations(len(answers)))))
    given = folder / "answers.json.gz"
    given.write_bytes(gzip.compress(json.dumps(answers).encode(), compresslevel=1))
    target = folder / "result.json"
    score("lvbench", given, questions).write(target)
    return target


def write_report_of(folder: Path, answers: dict[str, str]) -> Path:
    """Score answers and write the page about them."""
    return write_report(write_result(folder, answers), folder / "report.html")


def many_rows(view: ResultView, count: int, *, seed: int = 0) -> ResultView:
    """A result's rows repeated under ids of their own, each with a text of its own.

    The texts are of 40 to 400 characters and of words at random, so that packing finds no more in
    them than in real answers.
    """
    assert view.rows is not None
    draw = random.Random(seed)
    words = ["".join(draw.choices("etaoinshrdlucmfw", k=draw.randint(2, 9))) for _ in range(5000)]
    rows = view.rows.take(np.arange(count) % len(view.rows))
    texts = []
    for text in rows.excerpts:
        said = " ".join(draw.choices(words, k=draw.randint(8, 70)))
        texts.append(None if text is None else f"{text} {said}"[:2000])
    ids = [f"question-{i:06}" for i in range(count)]
    return replace(view, rows=replace(rows, ids=ids, excerpts=texts))


def write_page_of(view: ResultView, path: Path) -> Path:
    """The page about a result that is in memory."""
    page = Page(view.title, view.label)
    add_score(page, view, most_bytes=ROW_BYTES)
    path.write_text(page.html(), encoding="utf-8")
    return path


def write_plain_table(view: ResultView, path: Path, *, count: int) -> Path:
    """A plain HTML table of the first rows: the same columns, nothing else."""
    rows = view.rows
    assert rows is not None
    rule = rows.rules[rows.main_rule]
    lines = []
    for i in range(count):
        cells = (
            rows.ids[i],
            rows.clusters[i],
            STATUS_NAMES[rule.status[i]],
            "ABCD"[rows.gold.letters[i]],
            rule.reads[i] or "",
            f"{rule.scores['accuracy'][i]:g}",
            (rows.excerpts[i] or "")[:240],
        )
        lines.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    path.write_text(
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>rows</title></head><body>'
        f"<table>{body}</table></body></html>",
        encoding="utf-8",
    )
    return path
