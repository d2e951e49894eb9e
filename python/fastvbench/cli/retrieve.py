"""``fastvbench retrieve``: who finds whom, by embeddings or by finished rankings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from fastvbench.cli._arguments import (
    check_output,
    check_outputs_apart,
    thread_count,
    whole_number,
    whole_numbers,
)
from fastvbench.cli._outcome import exit_code, write_result
from fastvbench.cli._retrieval_tables import print_retrieval
from fastvbench.cli._score_tables import print_difference
from fastvbench.protocols import get_protocol, retrieve
from fastvbench.protocols._retrieval_output import rankings_paths
from fastvbench.protocols._retrieval_rule import RetrievalProtocol
from fastvbench.protocols._retrieve import SIDES
from fastvbench.results._result import check_target, samples_path
from fastvbench.retrieval._tie_groups import Ties
from fastvbench.retrieval.stores import find_sidecar

if TYPE_CHECKING:
    from fastvbench.cli._types import Commands


DESCRIPTION = """\
Score retrieval by every rule set, side by side, from embeddings or from finished rankings.
No model is run. One of these inputs is needed:

  --queries F --gallery F          one direction, named with --direction
  --text F --video F               LoVR's text.pt and video.pt: clips and whole videos are told
                                   apart by their ids, and all four directions are scored
  --text-clips F --clips F and/or  any direction whose two sides are there
  --text-videos F --videos F
  --rankings F                     finished rankings of one direction

Embeddings are .npy, .npz, .safetensors, .parquet or .pt files of float32, float16 or bfloat16,
read through a memory map where they can be; nothing in a file is ever executed. Ids come from
the file, from a list beside it (clips.ids.txt beside clips.npy), or from one of the options for
ids; captions without any take those of --captions, row by row.

A query's relevant item is the one of its own id, unless --truth says otherwise. Rows of one id
are several captions of an item on the caption side. Rows that are nobody's query, or nobody's
item, are distractors.
"""

EPILOG = """\
examples:
  fastvbench retrieve lovr --text text.pt --video video.pt --captions all_clip.jsonl \\
      all_video.jsonl -o result.json
  fastvbench retrieve lovr --queries captions.npy --query-ids caption_ids.txt \\
      --gallery clips.npy --gallery-ids clip_ids.txt --direction text_to_clip
  fastvbench retrieve lovr --rankings run.trec --truth qrels.txt --direction text_to_clip

A relevant id that is not in a finished ranking counts as not found: its reciprocal rank is 0, and
where that is so for the median query, the median rank is "beyond". What commonly goes wrong (rows
that are not normalised, several rows an id, captions cut at a token limit, vectors shared by
queries and gallery, a small gallery) is counted in the result and said on standard error.
"""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "retrieve",
        help="score retrieval by embeddings or rankings",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("protocol", metavar="PROTOCOL", help="name of a benchmark: lovr")
    _add_inputs(parser)
    _add_settings(parser)
    parser.set_defaults(run=run)


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("input")
    group.add_argument("--queries", metavar="F", help="embeddings that search")
    group.add_argument("--gallery", metavar="F", help="embeddings that are searched")
    group.add_argument("--query-ids", metavar="F", help="ids of --queries, one a line")
    group.add_argument("--gallery-ids", metavar="F", help="ids of --gallery, one a line")
    group.add_argument("--text", metavar="F", help="captions of clips and videos (text.pt)")
    group.add_argument("--video", metavar="F", help="clips and videos (video.pt)")
    for side in SIDES:
        option = side.replace("_", "-")
        what = f"captions of {side[5:]}" if side.startswith("text_") else side
        group.add_argument(f"--{option}", metavar="F", help=f"embeddings of {what}")
        group.add_argument(f"--{option}-ids", metavar="F", help=f"ids of --{option}, one a line")
    group.add_argument("--rankings", metavar="F", help="JSON Lines of id and ranking, or TREC run")
    group.add_argument(
        "--captions",
        metavar="F",
        nargs="+",
        help="all_clip.jsonl, all_video.jsonl: each caption is an expected query; word counts",
    )
    group.add_argument("--truth", metavar="F", help="relevant ids by query: JSON, or TREC qrels")
    group.add_argument(
        "--direction",
        metavar="D",
        help="text_to_video, text_to_clip, video_to_text, clip_to_text; several with commas",
    )


def _add_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("scoring")
    group.add_argument("--metric", choices=("cosine", "dot"), default="cosine")
    group.add_argument("--rules", metavar="R,R", help="rule sets; the first is the main one")
    group.add_argument(
        "--ties",
        choices=get_args(Ties),
        default="expected",
        help="order of equal scores under robust (expected: the mean over all orders)",
    )
    group.add_argument("--k", metavar="K,K", type=whole_numbers, help="numbers of places (1,5,10)")
    group.add_argument(
        "--invalid",
        choices=("raise", "drop"),
        default="raise",
        help="rows of NaN, infinity or zeros: refuse the file, or leave them out and count them",
    )
    group.add_argument("--threads", metavar="N", type=thread_count, default=0, help="0 for all (0)")
    group.add_argument("--seed", type=whole_number, default=0, help="seed of the intervals (0)")
    group = parser.add_argument_group("output")
    group.add_argument("--diff", action="store_true", help="list queries on which rule sets differ")
    group.add_argument(
        "--diff-rows",
        metavar="N",
        type=whole_number,
        default=20,
        help="queries that --diff lists (20)",
    )
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write result.json and its samples file; - for stdout",
    )
    group.add_argument(
        "--rankings-out",
        metavar="F",
        help="write the best ids of each query: JSON Lines, or a TREC run if it ends in .trec or "
        ".run; several directions: one file each, F.DIRECTION",
    )
    group.add_argument(
        "--top",
        metavar="N",
        type=whole_number,
        help="ids a query in --rankings-out (10, or the largest k)",
    )


def _sides(arguments: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """Embeddings and id files by side, as far as they are given."""
    given = vars(arguments)
    sides = {side: given[side] for side in SIDES if given[side] is not None}
    ids = {side: given[f"{side}_ids"] for side in SIDES if given[f"{side}_ids"] is not None}
    return sides, ids


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, outputs that cannot be written or would replace an input."""
    inputs = _input_files(arguments)
    results: list[Path] = []
    if arguments.output is not None and arguments.output != "-":
        output = Path(arguments.output)
        check_target(output)
        results = [output, samples_path(output)]
        check_output("-o", results, inputs)
    if arguments.rankings_out is not None:
        written = rankings_paths(arguments.rankings_out, _possible_directions(arguments))
        for path in written:
            check_target(path)
        check_output("--rankings-out", written, inputs)
        check_outputs_apart("--rankings-out", written, results)


def _input_files(arguments: argparse.Namespace) -> list[str]:
    """Every file that is read, lists of ids beside embeddings too."""
    given = vars(arguments)
    lists = {"queries": "query_ids", "gallery": "gallery_ids", "text": None, "video": None}
    lists |= {side: f"{side}_ids" for side in SIDES}
    inputs = [given["rankings"], given["truth"], *(arguments.captions or [])]
    for embeddings, ids in lists.items():
        listed = None if ids is None else given[ids]
        inputs += [given[embeddings], listed]
        if listed is None and given[embeddings] is not None and Path(given[embeddings]).is_file():
            beside = find_sidecar(given[embeddings])
            inputs.append(None if beside is None else str(beside))
    return [name for name in inputs if name is not None]


def _possible_directions(arguments: argparse.Namespace) -> list[str]:
    """Directions that may each get a file of rankings."""
    if arguments.direction is not None:
        return list(dict.fromkeys(name.strip() for name in arguments.direction.split(",")))
    protocol = get_protocol(arguments.protocol)
    if arguments.queries is not None or not isinstance(protocol, RetrievalProtocol):
        return [""]
    return list(protocol.directions)


def run(arguments: argparse.Namespace) -> int:
    """Score, print, write."""
    to_stdout = arguments.output == "-"
    _check_outputs(arguments)
    sides, side_ids = _sides(arguments)
    result = retrieve(
        arguments.protocol,
        arguments.queries,
        arguments.gallery,
        direction=arguments.direction,
        query_ids=arguments.query_ids,
        gallery_ids=arguments.gallery_ids,
        text=arguments.text,
        video=arguments.video,
        sides=sides,
        side_ids=side_ids,
        rankings=arguments.rankings,
        captions=arguments.captions,
        truth=arguments.truth,
        metric=arguments.metric,
        rules=arguments.rules,
        ties=arguments.ties,
        k=arguments.k,
        invalid=arguments.invalid,
        rankings_out=arguments.rankings_out,
        top=arguments.top,
        seed=arguments.seed,
        samples=arguments.diff or (arguments.output is not None and not to_stdout),
        threads=arguments.threads,
    )
    # Files come first: the reader of the tables may go away (`| head`), the files are still wanted.
    if arguments.rankings_out is not None:
        directions = list(result.data["coverage"]["directions"])
        for path in rankings_paths(arguments.rankings_out, directions):
            print(f"wrote {path}", file=sys.stderr)
    write_result(result, arguments.output)
    shown = sys.stderr if to_stdout else sys.stdout
    print_retrieval(result, shown)
    if arguments.diff:
        print_difference(result, shown, most=arguments.diff_rows)
    for warning in result.data["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    return exit_code(result)
