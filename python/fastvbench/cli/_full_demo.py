"""``fastvbench demo --full``: a made video is decoded, read and asked about, and that is scored."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.cli._run_progress import RunProgress
from fastvbench.cli._score_tables import print_result
from fastvbench.cli._text import table
from fastvbench.core import InputError
from fastvbench.runs._demo_reader import OcrReader
from fastvbench.runs._demo_video import DEMO_QUESTIONS, VIDEO_NAME, write_demo_media
from fastvbench.runs._options import RunOptions
from fastvbench.runs._run import carry_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.results import Result

__all__ = ["full_demo"]

LEAST_IOU = 0.8
MOST_CLOCK_ERROR_SECONDS = 0.051  # half of what the clock's last digit stands for
FAILED = 1

_REMARK = """\
A video of 48 seconds is made: signs come and go, a clock runs, and half-way its frame rate halves.
Five questions in the manner of ForeSeaQA, two of them with a reference image, ask what stands
where, and when. They are answered by reading the frames (RapidOCR) and a rule, made for this video:
this is no model and no score of one. It shows that frames reach a reader with their true times."""


def full_demo(output: str | None) -> int:
    """Make the video, run the reader over it, print what it said; 1 where anything is wrong.

    Args:
        output: folder to keep everything in; None for one that is removed.

    Raises:
        MissingExtraError: an optional part is not installed.
        InputError: the folder holds a run already.
    """
    reader = OcrReader()
    print(f"{_REMARK}\n")
    with _folder(output) as folder:
        write_demo_media(folder)
        progress = RunProgress("reading")
        try:
            outcome = carry_out(
                RunOptions(
                    protocol="foreseaqa",
                    model=reader,
                    annotations=list(DEMO_QUESTIONS),
                    out=folder / "run",
                    media=folder,
                    frames="1fps",
                ),
                progress,
            )
        finally:
            progress.close()
        result = outcome.result
        if result is None or not outcome.complete:
            raise InputError("the made video could not be read", path=folder / f"{VIDEO_NAME}.mp4")
        right = _print_answers(result)
        print_result(result, sys.stdout)
    clock = reader.most_clock_error_seconds
    exact = reader.clocks_read > 0 and clock <= MOST_CLOCK_ERROR_SECONDS
    print(
        f"\nclock in the picture against the time of its frame: {reader.clocks_read} read, "
        f"largest difference {clock:.3f} s"
    )
    print("every letter right, every IoU above 0.8" if right and exact else "NOT AS IT SHOULD BE")
    return 0 if right and exact else FAILED


@contextlib.contextmanager
def _folder(output: str | None) -> Iterator[Path]:
    if output is None:
        with tempfile.TemporaryDirectory() as made:
            yield Path(made)
        return
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


def _print_answers(result: Result) -> bool:
    """Each question with what was said; whether all letters and intervals are as they should be."""
    gold = {row["id"]: row for row in DEMO_QUESTIONS}
    cells, good = [], True
    for sample in result.samples():
        question = gold[sample["id"]]
        scores: dict[str, Any] = sample["rules"]["robust"]["scores"]
        good &= scores["accuracy"] == 1.0 and scores["mean_iou"] > LEAST_IOU
        start, end = question["interval"]
        cells.append(
            [
                question["question"] + (" [image]" if question["image"] else ""),
                f"({question['answer']}) {start:.1f} - {end:.1f} s",
                sample["excerpt"],
                f"{scores['mean_iou']:.3f}",
            ]
        )
    print(table(["question", "right", "said", "IoU"], cells, align="<<<"))
    print()
    return good
