"""Questions and a model for tests of runs: no torch, no videos, answers that only ids decide."""

from __future__ import annotations

import json
import time
import zlib
from pathlib import Path

from fastvbench.models import GenerationSettings, Request, Response


def questions(count: int, videos: int = 10) -> list[dict[str, object]]:
    """LVBench rows; a video's questions do not stand side by side."""
    return [
        {
            "uid": f"q{number}",
            "key": f"v{number % videos}",
            "question": f"What is number {number}?\n(A) one\n(B) two\n(C) three\n(D) four",
            "answer": "ABCD"[number % 4],
            "question_type": ["reasoning"] if number % 3 else ["reasoning", "summarization"],
        }
        for number in range(count)
    ]


def write_questions(path: Path, count: int, videos: int = 10) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in questions(count, videos)))
    return path


class MadeUpModel:
    """Answers by the id alone, so that what a run holds can be told from what it should hold.

    Args:
        seconds: that every call takes.
        failing: ids that fail.
        batch_size: see `Generator`.
    """

    name = "made-up"

    def __init__(
        self, seconds: float = 0.0, failing: frozenset[str] = frozenset(), batch_size: int = 4
    ) -> None:
        self.seconds = seconds
        self.failing = failing
        self.batch_size = batch_size
        self.asked: list[str] = []
        self.seen: list[Request] = []

    def describe(self) -> dict[str, object]:
        return {"kind": "made-up", "revision": "1"}

    def generate(self, requests: list[Request], settings: GenerationSettings) -> list[Response]:
        if self.seconds:
            time.sleep(self.seconds)
        self.asked += [request.id for request in requests]
        self.seen += requests
        return [self._answer(request.id) for request in requests]

    def _answer(self, ident: str) -> Response:
        if ident in self.failing:
            return Response.failed(ident, "made up to fail")
        text = f"The answer is {said_letter(ident)}."
        return Response(ident, text, "stop", 7, 5, latency_seconds=0.001)

    def close(self) -> None:
        pass

    def __enter__(self) -> MadeUpModel:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def said_letter(ident: str) -> str:
    return "ABCD"[zlib.crc32(ident.encode()) % 4]
