"""``fastvbench embed``: captions, clips and videos as vectors, for ``fastvbench retrieve``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.cli._arguments import finite_number, from_one, named_options
from fastvbench.cli._interrupt import TerminationAsInterrupt
from fastvbench.cli._progress import LiveLine
from fastvbench.cli._text import shorten, table
from fastvbench.core import InputError
from fastvbench.runs._embed_lovr import PUBLISHED_FRAMES, EmbedOptions, EmbedOutcome, embed_lovr
from fastvbench.runs._study import frame_budgets

if TYPE_CHECKING:
    from typing import TextIO

    from fastvbench.cli._types import Commands

INCOMPLETE = 4
INTERRUPTED = 130
MOST_FAILURES_SHOWN = 5

DESCRIPTION = """\
Embed LoVR's captions, and the clips and videos that they are about. A video's vector is the mean of
its frames' vectors, each of length one, made to length one again. Clips are files of their own,
or parts of their videos where --clips says which.
"""

EPILOG = """\
models:
  hf:PATH-or-NAME   CLIP, SigLIP, SigLIP2, X-CLIP and their kin; models of text embed captions alone

frames:
  every:10 (LoVR's own), 16, uniform-floor:8, 1fps, keyframes:64 and so on. Several with commas make
  a study: clips and videos of each in a folder of their own, captions once. Without frames (0)
  there is nothing to embed, and --score gives the recall of chance.

The folder holds text_clips, text_videos, clips and videos (.safetensors), their journals and
embeddings.json. The same command goes on where it was stopped, however that was, and gives the
same files; videos that failed are tried again. Then:

  fastvbench retrieve lovr --text-clips OUT/text_clips.safetensors --clips OUT/clips.safetensors
"""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "embed",
        help="embed captions, clips and videos with a model",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("protocol", metavar="PROTOCOL", choices=["lovr"], help="name of a benchmark: lovr")
    add("--model", metavar="SPEC", required=True, help="what embeds; see below")
    add("--captions", metavar="F", nargs="+", required=True, help="all_clip.jsonl, all_video.jsonl")
    add("--media", metavar="DIR", help="folder of the videos; without it, captions alone")
    add("--clips", metavar="F", help="where clips lie in their videos: id, video, begin, end")
    add("-o", "--output", metavar="DIR", required=True, help="the folder of the files")
    add(
        "--frames",
        metavar="P,P",
        default=PUBLISHED_FRAMES,
        help=f"frames of a clip or video ({PUBLISHED_FRAMES}); several make a study",
    )
    add("--score", action="store_true", help="score every budget at once, by robust")
    add(
        "--format",
        choices=("safetensors", "parquet", "npy"),
        default="safetensors",
        help="of the files (safetensors)",
    )
    add("--limit", metavar="N", type=from_one, help="only the first N captions of a file")
    group = parser.add_argument_group("machinery")
    add = group.add_argument
    add("--batch-size", metavar="N", type=from_one, default=32, help="at once (32)")
    add("--workers", metavar="N", type=from_one, default=2, help="videos decoded at once (2)")
    add("--cache", metavar="DIR", help="keep indexes of frames there")
    add("--video-seconds", metavar="S", type=finite_number, help="time limit of a decoder's steps")
    add(
        "--model-option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the model, such as dtype=float32; may be repeated",
    )
    parser.set_defaults(run=run)


class _SideProgress(LiveLine):
    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def __call__(self, done: int, rows: int) -> None:
        if self.is_due():
            rate = done / self.seconds
            self.show(f"{self._what}: {done:,} of {rows:,}, {rate:,.3g} a second")
        if done == rows:
            self.close()


def run(arguments: argparse.Namespace) -> int:
    """Embed, print, and say by the exit code whether all of it is there."""
    if arguments.clips is not None and arguments.media is None:
        raise InputError("clips of which videos?", field="clips", expected="--media DIR beside it")
    options = EmbedOptions(
        model=arguments.model,
        captions=arguments.captions,
        out=Path(arguments.output),
        media=None if arguments.media is None else Path(arguments.media),
        clips=arguments.clips,
        frames=frame_budgets(arguments.frames),
        ending=arguments.format,
        batch_size=arguments.batch_size,
        model_options=named_options(arguments.model_option),
        limit=arguments.limit,
        workers=arguments.workers,
        cache=None if arguments.cache is None else Path(arguments.cache),
        time_limit_seconds=arguments.video_seconds,
        score=arguments.score,
    )
    try:
        with TerminationAsInterrupt():
            outcome = embed_lovr(options, _SideProgress)
    except KeyboardInterrupt:
        print(
            "fastvbench: interrupted; what is done is kept, the same command goes on with it",
            file=sys.stderr,
        )
        return INTERRUPTED
    _print_sides(outcome, sys.stdout)
    if arguments.score:
        _print_recalls(outcome, sys.stdout)
    _print_failures(outcome, sys.stderr)
    print(f"folder {outcome.folder}", file=sys.stderr)
    return 0 if outcome.is_complete else INCOMPLETE


def _print_sides(outcome: EmbedOutcome, file: TextIO) -> None:
    cells = [
        [
            name,
            f"{side.written:,}",
            f"{side.rows - side.written:,}",
            f"{side.units:,} {'tokens' if name.startswith('text_') else 'frames'}",
            f"{side.truncated:,}" if name.startswith("text_") else "",
            f"{side.seconds:,.1f}",
        ]
        for name, side in outcome.sides
    ]
    header = ["side", "embedded", "missing", "seen", "cut texts", "seconds"]
    print(table(header, cells, align="<"), file=file)


def _print_recalls(outcome: EmbedOutcome, file: TextIO) -> None:
    cells = [
        [budget.frames, direction, *(f"{value:.3f}" for value in recalls.values())]
        for budget in outcome.budgets
        for direction, recalls in budget.recalls.items()
    ]
    print(file=file)
    print(table(["frames", "direction", "R@1", "R@5", "R@10"], cells, align="<<"), file=file)


def _print_failures(outcome: EmbedOutcome, file: TextIO) -> None:
    notes = [outcome.note, *(budget.note for budget in outcome.budgets)]
    for note in dict.fromkeys(note for note in notes if note is not None):
        print(f"note: {note}", file=file)
    for name, side in outcome.sides:
        if side.truncated:
            print(
                f"warning: {side.truncated:,} of {side.rows:,} texts of {name} are longer than the "
                "model reads, and were cut",
                file=file,
            )
        for ident, reason in list(side.failures.items())[:MOST_FAILURES_SHOWN]:
            print(f"failed {name}: {shorten(ident, 60)}: {shorten(reason, 200)}", file=file)
        more = len(side.failures) - MOST_FAILURES_SHOWN
        if more > 0:
            print(f"failed {name}: {more:,} more; embeddings.json names them", file=file)
