"""``fastvbench run``: put a benchmark's questions to a model, and score the answers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.cli._arguments import (
    finite_number,
    from_one,
    named_options,
    whole_number,
)
from fastvbench.cli._interrupt import TerminationAsInterrupt
from fastvbench.cli._outcome import exit_code
from fastvbench.cli._run_progress import RunProgress
from fastvbench.cli._run_tables import print_ending, print_outcome, print_study
from fastvbench.core import InputError
from fastvbench.models import GenerationSettings
from fastvbench.runs._options import FRAME_PIXELS, RunOptions, parse_shard
from fastvbench.runs._run import Outcome, carry_out
from fastvbench.runs._study import frame_budgets, study

if TYPE_CHECKING:
    from fastvbench.cli._types import Commands

INCOMPLETE = 4
INTERRUPTED = 130

_MODELS = """
models:
  hf:PATH-or-NAME      a transformers image-text-to-text model, in this process
  openai:URL#MODEL     a server that speaks OpenAI's protocol; its key comes from the environment
  answers:FILE         somebody's saved answers, of any format that `fastvbench score` reads

frames:
  1fps, fps:1,max=180, uniform:50 (or 50), uniform-interior:32, every:10, keyframes:64; 0 for none.
  Several with commas make a study: one run folder for each, and a table of values and costs.

The folder holds run.json, responses.jsonl and result.json. A run that ended early, however it
ended, goes on with --resume: what is finished stays, what failed is tried again."""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "run",
        help="run a model through a benchmark",
        description="Put a benchmark's questions to a model by a published prompt, keep every "
        "answer, and score them.",
        epilog=_MODELS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("protocol", metavar="PROTOCOL", help="name of a benchmark (fastvbench list)")
    add("--model", metavar="SPEC", required=True, help="what answers; see below")
    add("--annotations", metavar="FILE", required=True, help="the benchmark's annotations")
    add("--media", metavar="DIR", help="folder of its videos or images")
    add("-o", "--output", metavar="RUN_DIR", required=True, help="the run folder")
    add("--resume", action="store_true", help="go on with the run that is in the folder")
    add("--shard", metavar="I/N", help="only the videos of one part; see fastvbench merge")
    add("--limit", metavar="N", type=from_one, help="only the first N questions")
    add("--frames", metavar="POLICY", help="frames of a video (the published policy)")
    add("--blind", action="store_true", help="show nothing but the question (--frames 0)")
    add("--subtitles", metavar="DIR", help="show subtitles, whole (.srt, .vtt, .json)")
    add("--subtitles-only", action="store_true", help="subtitles without frames")
    add("--prompt", metavar="SOURCE", help="whose published prompt is used (fastvbench show)")
    add("--prompt-file", metavar="FILE", help="a template of your own with {question}, {options}")
    add("--rules", metavar="R,R", help="rule sets to score by; the first is the main one")
    add("--durations", metavar="FILE", help="video lengths in seconds")
    add("--allow-missing-media", action="store_true", help="count questions without a file failed")
    add(
        "--batch-size",
        metavar="N",
        type=from_one,
        help="questions at once (the model's choice)",
    )
    _add_generation(parser)
    _add_machinery(parser)
    parser.set_defaults(run=run)


def _add_generation(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("generation (deviations from what is published are recorded)")
    add = group.add_argument
    add("--temperature", metavar="T", type=finite_number, default=0.0, help="0 is greedy (0)")
    add("--top-p", metavar="P", type=finite_number, help="of sampling")
    add("--top-k", metavar="K", type=from_one, help="of sampling")
    add(
        "--max-new-tokens",
        metavar="N",
        type=from_one,
        default=1024,
        help="of an answer (1024)",
    )
    add("--thinking-tokens", metavar="N", type=whole_number, help="budget for thinking, 0 for none")
    add("--seed", metavar="N", type=whole_number, default=0, help="of sampling (0)")
    add(
        "--model-option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the model, such as dtype=bfloat16; may be repeated",
    )


def _add_machinery(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("machinery")
    add = group.add_argument
    add("--workers", metavar="N", type=from_one, default=2, help="videos decoded at once (2)")
    add(
        "--frame-pixels",
        metavar="N",
        type=from_one,
        default=FRAME_PIXELS,
        help=f"larger frames are scaled down to so many pixels ({FRAME_PIXELS:,})",
    )
    add("--index-cache", metavar="DIR", help="keep frame indexes here: a video is scanned once")
    add("--video-seconds", metavar="S", type=finite_number, help="time limit of decoding one video")
    add(
        "--most-failures",
        metavar="N",
        type=from_one,
        default=20,
        help="stop after so many failures of the model in a row (20)",
    )


def _budgets(arguments: argparse.Namespace) -> list[str]:
    """The frame policies that are asked for; none where the published one is taken."""
    nothing = arguments.blind or arguments.subtitles_only
    if nothing and arguments.frames is not None:
        raise InputError(
            "shows no frame", field="frames", value=arguments.frames, expected="no --frames beside"
        )
    if arguments.subtitles_only and arguments.subtitles is None:
        raise InputError("needs subtitles", field="subtitles-only", expected="--subtitles DIR")
    if arguments.blind and arguments.subtitles is not None:
        raise InputError(
            "shows the question alone", field="blind", expected="--subtitles-only with --subtitles"
        )
    if nothing:
        return ["0"]
    return [] if arguments.frames is None else frame_budgets(arguments.frames)


def _options(arguments: argparse.Namespace, frames: str | None) -> RunOptions:
    prompt, text = arguments.prompt, None
    if arguments.prompt_file is not None:
        if prompt is not None:
            raise InputError(
                "two prompts", field="prompt-file", expected="--prompt or --prompt-file"
            )
        path = Path(arguments.prompt_file)
        prompt, text = path.name, path.read_text(encoding="utf-8").removesuffix("\n")
    return RunOptions(
        protocol=arguments.protocol,
        model=arguments.model,
        annotations=arguments.annotations,
        out=Path(arguments.output),
        media=None if arguments.media is None else Path(arguments.media),
        frames=frames,
        prompt=prompt,
        prompt_text=text,
        rules=arguments.rules,
        subtitles=None if arguments.subtitles is None else Path(arguments.subtitles),
        settings=GenerationSettings(
            temperature=arguments.temperature,
            top_p=arguments.top_p,
            top_k=arguments.top_k,
            max_new_tokens=arguments.max_new_tokens,
            thinking_tokens=arguments.thinking_tokens,
            seed=arguments.seed,
        ),
        model_options=named_options(arguments.model_option),
        batch_size=arguments.batch_size,
        limit=arguments.limit,
        shard=None if arguments.shard is None else parse_shard(arguments.shard),
        resume=arguments.resume,
        allow_missing_media=arguments.allow_missing_media,
        most_failures=arguments.most_failures,
        frame_pixels=arguments.frame_pixels,
        decode_workers=arguments.workers,
        time_limit_seconds=arguments.video_seconds,
        index_cache=None if arguments.index_cache is None else Path(arguments.index_cache),
        durations=None if arguments.durations is None else Path(arguments.durations),
    )


def run(arguments: argparse.Namespace) -> int:
    """Run, print, and say by the exit code whether it is complete."""
    budgets = _budgets(arguments)
    try:
        return _run(arguments, budgets)
    except KeyboardInterrupt:  # while answers were scored or a model was loaded, not asked
        if not Path(arguments.output).exists():
            raise
        print("fastvbench: interrupted; what is finished is kept, see --resume", file=sys.stderr)
        return INTERRUPTED


def _run(arguments: argparse.Namespace, budgets: list[str]) -> int:
    with TerminationAsInterrupt():
        if len(budgets) > 1:
            return _study(arguments, budgets)
        progress = RunProgress(arguments.protocol)
        try:
            outcome = carry_out(_options(arguments, budgets[0] if budgets else None), progress)
        finally:
            progress.close()
    print_outcome(outcome, sys.stdout)
    print_ending(outcome, sys.stderr)
    return _code(outcome)


def _study(arguments: argparse.Namespace, budgets: list[str]) -> int:
    options = _options(arguments, None)
    options.out.mkdir(parents=True, exist_ok=True)
    rows, lines = [], []

    def watch_of(name: str) -> RunProgress:
        lines.append(RunProgress(f"{arguments.protocol} {name}"))
        return lines[-1]

    for row in study(options, budgets, watch_of):
        lines[-1].close()
        rows.append(row)
        print_ending(row.outcome, sys.stderr)
    print_study(rows, sys.stdout)
    codes = [_code(row.outcome) for row in rows]
    return next((code for code in (INTERRUPTED, INCOMPLETE) if code in codes), max(codes))


def _code(outcome: Outcome) -> int:
    if outcome.progress.interrupted:
        return INTERRUPTED
    if outcome.result is None:
        nothing_to_do = outcome.progress.expected == 0 and outcome.progress.stopped is None
        return 0 if nothing_to_do else INCOMPLETE
    return exit_code(outcome.result) if outcome.complete else INCOMPLETE
