"""``fastvbench video``: what is in a video file, and what a policy shows a model of it."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.cli._arguments import check_output, finite_number, whole_number
from fastvbench.cli._progress import ShareProgress
from fastvbench.cli._video_tables import print_description, print_frames
from fastvbench.core import InputError
from fastvbench.core._atomic import write_atomic
from fastvbench.results._result import check_target
from fastvbench.results._strict_json import strict_json

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from fastvbench.cli._types import Commands
    from fastvbench.video import Video
    from fastvbench.video._policy import FramePolicy

USUAL_POLICIES = (
    "fps:1,max=180",
    "fps-videollama3:1,max=180",
    "uniform-linspace:32",
    "uniform-interior:32",
    "uniform-floor:32",
    "every:10",
    "keyframes:64",
)
TIME_LIMIT_SECONDS = 120.0  # for the scan and for each chunk: nobody waits longer at a terminal
FRAME_WIDTH = 320
CHUNK = 8
OTHER_PICTURES = (".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".pdf", ".svg")

_EPILOG = """\
policies:
  1fps, fps:2, fps:1,max=64   a rate, at most so many frames (180)
  fps-videollama3:1           the frames that VideoLLaMA3's reader takes
  50, uniform:50              evenly spread, first and last frame included (lmms-eval)
  uniform-interior:32         evenly spread, neither of them (VLMEvalKit)
  uniform-floor:32            evenly spread, the first but not the last (transformers)
  every:10                    every 10th frame
  keyframes:64                key frames
  times:3.5,20                frames shown at these seconds
  clips:0-10x4,60-90x8        so many frames of each part
"""


def add_parser(commands: Commands) -> None:
    """Declare the command and its two parts."""
    parser = commands.add_parser("video", help="look into a video file, and at its frames")
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)

    inspect = parts.add_parser(
        "inspect",
        help="index, rate, gaps, and what policies pick",
        description="Scan a video's packets, decoding nothing: when each frame is shown, what is "
        "wrong with the file, and which frames each policy takes.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_common(inspect)
    inspect.add_argument(
        "--policy", metavar="P", action="append", help="only this one; may be given several times"
    )
    inspect.add_argument("-o", "--output", metavar="FILE", help="JSON; - for stdout")
    inspect.set_defaults(run=run_inspect)

    frames = parts.add_parser(
        "frames",
        help="write the frames that a policy picks",
        description="Write frames as pictures: one sheet with times burned in, or a file each.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_common(frames)
    frames.add_argument("--policy", metavar="P", default="1fps", help="which frames (1fps)")
    frames.add_argument(
        "-o",
        "--output",
        metavar="DIR|FILE.png",
        required=True,
        help="FILE.png: a sheet of all of them; otherwise a folder for a file each and frames.json",
    )
    frames.add_argument(
        "--width", type=whole_number, metavar="PIXELS", help="of a frame on the sheet (320)"
    )
    frames.add_argument("--columns", type=whole_number, metavar="N", help="of the sheet")
    frames.add_argument("--burn-in", action="store_true", help="times on single files too")
    frames.add_argument(
        "--backend", choices=["auto", "torchcodec", "pyav"], default="auto", help="decoder (auto)"
    )
    frames.add_argument("--device", default="cpu", metavar="D", help="cpu, cuda or cuda:1 (cpu)")
    frames.set_defaults(run=run_frames)


def run_inspect(arguments: argparse.Namespace) -> int:
    """Scan, describe, print."""
    from fastvbench.video import parse_policy, scan_index  # noqa: PLC0415
    from fastvbench.video._describe import describe_index, describe_pick  # noqa: PLC0415

    policies = [parse_policy(text) for text in arguments.policy or USUAL_POLICIES]
    output = _json_target(arguments.output, arguments.file)
    index = scan_index(
        arguments.file,
        cache=arguments.cache,
        tolerant=arguments.tolerant,
        time_limit_seconds=arguments.time_limit,
    )
    part = (arguments.begin, arguments.end)
    description = {
        "schema": 1,
        "kind": "video",
        "file": Path(arguments.file).name,
        "index": describe_index(index),
        "policies": [describe_pick(index, policy, *part) for policy in policies],
    }
    if output is not None:
        write_atomic(output, strict_json(description))
        print(f"wrote {output}", file=sys.stderr)
    to_stdout = arguments.output == "-"
    if to_stdout:
        sys.stdout.buffer.write(strict_json(description))
    print_description(description, sys.stderr if to_stdout else sys.stdout)
    return 0


def run_frames(arguments: argparse.Namespace) -> int:
    """Decode, draw, write."""
    from fastvbench.video import open_video, parse_policy  # noqa: PLC0415

    policy = parse_policy(arguments.policy)
    target = Path(arguments.output)
    is_sheet = target.suffix.lower() == ".png"
    _check_frames_target(target, arguments.file, is_sheet)
    with open_video(
        arguments.file,
        backend=arguments.backend,
        device=arguments.device,
        cache=arguments.cache,
        tolerant=arguments.tolerant,
        time_limit_seconds=arguments.time_limit,
    ) as video:
        write = _write_sheet if is_sheet else _write_files
        record = write(video, policy, arguments, target)
    print_frames(record, sys.stdout)
    return 0


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a video")
    parser.add_argument(
        "--begin", type=finite_number, metavar="S", help="of the part to look at, seconds"
    )
    parser.add_argument("--end", type=finite_number, metavar="S", help="of it")
    parser.add_argument("--cache", metavar="DIR", help="folder in which indexes are kept")
    parser.add_argument(
        "--tolerant", action="store_true", help="recover what can be recovered of a damaged file"
    )
    parser.add_argument(
        "--time-limit",
        type=finite_number,
        metavar="S",
        default=TIME_LIMIT_SECONDS,
        help=f"for each step of a decoder ({TIME_LIMIT_SECONDS:g})",
    )


def _json_target(output: str | None, source: str) -> Path | None:
    if output is None or output == "-":
        return None
    target = Path(output)
    check_target(target)
    check_output("-o", [target], [source])
    return target


def _check_frames_target(target: Path, source: str, is_sheet: bool) -> None:
    if is_sheet:
        check_target(target)
        check_output("-o", [target], [source])
    elif target.suffix.lower() in OTHER_PICTURES:
        raise InputError("no such kind of picture", path=target, expected=".png, or a folder")
    elif target.exists() and not target.is_dir():
        raise InputError("is no folder", path=target, expected="a folder, or a name in .png")
    elif not target.parent.is_dir():
        raise InputError("no such folder", path=target.parent, expected="an existing folder")


def _write_sheet(
    video: Video, policy: FramePolicy, arguments: argparse.Namespace, target: Path
) -> dict[str, Any]:
    from fastvbench.video._contact_sheet import ContactSheet  # noqa: PLC0415

    numbers = policy.pick(video.index, arguments.begin, arguments.end)
    if len(numbers) == 0:
        raise InputError("no frames to draw", value=policy.name)
    sheet = ContactSheet(
        len(numbers),
        video.index.height,
        video.index.width,
        frame_width=arguments.width or FRAME_WIDTH,
        columns=arguments.columns or None,
    )

    def place(frames: torch.Tensor, labels: list[str], rows: list[dict[str, Any]]) -> None:
        del rows
        sheet.add(frames, labels)

    record = _each_chunk(video, policy, numbers, place)
    write_atomic(target, sheet.png())
    print(f"wrote {target}", file=sys.stderr)
    return record


def _write_files(
    video: Video, policy: FramePolicy, arguments: argparse.Namespace, target: Path
) -> dict[str, Any]:
    from fastvbench.video._contact_sheet import frame_png  # noqa: PLC0415

    numbers = policy.pick(video.index, arguments.begin, arguments.end)
    # All of them or none: a video that breaks off, or Ctrl-C, leaves no half of a folder.
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as beside:
        folder = Path(beside)

        def place(frames: torch.Tensor, labels: list[str], rows: list[dict[str, Any]]) -> None:
            for frame, label, row in zip(frames, labels, rows, strict=True):
                row["file"] = f"frame-{row['index']:07d}-at-{row['seconds']:.3f}s.png"
                burned_in = label if arguments.burn_in else None
                (folder / row["file"]).write_bytes(frame_png(frame, burned_in))

        record = _each_chunk(video, policy, numbers, place)
        (folder / "frames.json").write_bytes(strict_json(record))
        target.mkdir(exist_ok=True)
        for file in folder.iterdir():
            os.replace(file, target / file.name)
    print(f"wrote {len(record['frames'])} frames and frames.json to {target}", file=sys.stderr)
    return record


def _each_chunk(
    video: Video,
    policy: FramePolicy,
    numbers: Any,
    place: Callable[[torch.Tensor, list[str], list[dict[str, Any]]], None],
) -> dict[str, Any]:
    """Decode a few frames at a time, so that a long list takes no more memory than a short one."""
    from fastvbench.video._contact_sheet import clock_text  # noqa: PLC0415

    progress = ShareProgress("decoding", "frames", len(numbers))
    rows: list[dict[str, Any]] = []
    try:
        for batch in video.frames(numbers, chunk=CHUNK):
            seconds = (batch.pts - video.index.begin_seconds).tolist()
            found = [
                {"index": index, "seconds": at, "pts": pts}
                for index, at, pts in zip(
                    batch.indices.tolist(), seconds, batch.pts.tolist(), strict=True
                )
            ]
            labels = [f"{clock_text(row['seconds'])}  #{row['index']}" for row in found]
            place(batch.frames.cpu(), labels, found)
            rows += found
            progress(len(rows))
    finally:
        progress.close()
    return {
        "schema": 1,
        "kind": "video_frames",
        "file": Path(video.path).name,
        "policy": policy.name,
        "source_rate": video.index.average_rate,
        "duration_seconds": video.index.duration_seconds,
        "backend": video.backend.as_dict(),
        "frames": rows,
    }
