"""``fastvbench timing``: how long retrieval takes, with and without input and output."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.cli._arguments import check_output, finite_number, whole_numbers
from fastvbench.cli._timing_tables import has_wrong_answers, print_study
from fastvbench.core import InputError
from fastvbench.formats import write_atomic
from fastvbench.results._result import check_target
from fastvbench.results._strict_json import strict_json

if TYPE_CHECKING:
    from typing import Any

    from fastvbench.cli._types import Commands
    from fastvbench.retrieval.timing import StudyPlan

INCOMPLETE = 4
# An engine that is not installed was not asked for by name, and no encoder is no omission.
_COMPLETE = {"ok", "not_installed", "not_measured"}
PLOT_FORMATS = (".png", ".svg", ".pdf")

_EPILOG = """\
two times, never one column:
  time_without_io_ms  similarity and ranking of resident vectors, the index prepared
  time_with_io_ms     from opening the files to the ranking on disk; a ledger of its stages adds up
Text encoding is in neither and has a line of its own (--encoder). Decoding and encoding of video is
another study, whose sums belong in neither.

  fastvbench timing lovr -o timing.json          LoVR's sizes; also timing.csv and timing.png
  fastvbench timing lovr --sizes 467,40804,1000000 --dimensions 512 -o timing.json
  fastvbench timing lovr --gallery clips.npy --query-vectors captions.npy
  fastvbench timing lovr --gallery https://host/clips.npy --query-vectors https://host/captions.npy
"""


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "timing",
        help="measure retrieval time, with and without I/O",
        description="Measure exact retrieval: fastvbench, faiss, torch and numpy, each in its own "
        "process with its best settings, its answers checked.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", choices=["lovr"], help="lovr: 467 videos and 40,804 clips")
    vectors = parser.add_argument_group("vectors")
    vectors.add_argument(
        "--sizes", type=whole_numbers, metavar="N,N", help="rows of generated galleries (467,40804)"
    )
    vectors.add_argument(
        "--dimensions", type=whole_numbers, metavar="D,D", help="of generated vectors (512,768)"
    )
    vectors.add_argument("--gallery", metavar="F", help="file or URL, instead of generated vectors")
    vectors.add_argument("--query-vectors", metavar="F", help="file or URL of its queries")
    vectors.add_argument("--metric", choices=["cosine", "dot"], help="of given vectors (cosine)")
    vectors.add_argument("--seed", type=int, metavar="N", help="of generated vectors (0)")
    vectors.add_argument("--folder", type=Path, metavar="DIR", help="for files in between")
    vectors.add_argument(
        "--memory-gb", type=finite_number, metavar="GB", help="memory to use (what is available)"
    )
    vectors.add_argument(
        "--encoder", metavar="M:F", help="MODULE:FUNCTION or FILE.py:FUNCTION, timed on its own"
    )
    vectors.add_argument("--texts", metavar="FILE", help="its texts, one a line")
    work = parser.add_argument_group("work")
    work.add_argument("--queries", type=int, metavar="N", help="queries of a batch pass (1000)")
    work.add_argument(
        "--single-queries", type=int, metavar="N", help="queries asked one at a time (100)"
    )
    work.add_argument("--batch-size", type=int, metavar="N", help="queries a call (all at once)")
    work.add_argument("-k", type=int, metavar="K", help="neighbours (10)")
    work.add_argument(
        "--engines", metavar="E,E", help="only these; one that is not installed is an error"
    )
    work.add_argument("--threads", type=int, metavar="N", help="of each engine (every core)")
    work.add_argument("--device", choices=["cpu", "cuda"], help="of torch (cpu)")
    clock = parser.add_argument_group("clock")
    clock.add_argument("--minimum-seconds", type=finite_number, metavar="S", help="each time (0.5)")
    clock.add_argument("--minimum-passes", type=int, metavar="N", help="each time (3)")
    clock.add_argument(
        "--time-limit", type=finite_number, metavar="S", help="an engine, a gallery (900)"
    )
    clock.add_argument("--no-cold", action="store_true", help="leave out cold page caches")
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", metavar="FILE", help="JSON, and beside it CSV and a plot; - for stdout"
    )
    output.add_argument("--csv", type=Path, metavar="FILE", help="where the CSV goes")
    output.add_argument("--plot", type=Path, metavar="FILE", help=".png, .svg or .pdf")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure, write, print."""
    # Only this command needs them: they bring numpy's random numbers and subprocess with them.
    from fastvbench.retrieval.engines import check_installed  # noqa: PLC0415
    from fastvbench.retrieval.timing import run_study  # noqa: PLC0415

    plan = _plan(arguments)
    plan.check()
    if arguments.engines is not None:
        for name in plan.engines:
            check_installed(name)
    targets = _Targets(arguments)
    targets.check()

    study = run_study(plan, say=lambda text: print(text, file=sys.stderr, flush=True))
    # Files come first: the reader of the tables may go away, the files are still wanted.
    targets.write(study)
    print_study(study, sys.stderr if targets.to_stdout else sys.stdout)
    ends = {run["status"] for run in [*study["runs"], study["text_encoding"]]}
    return 0 if ends <= _COMPLETE and not has_wrong_answers(study) else INCOMPLETE


def _plan(arguments: argparse.Namespace) -> StudyPlan:
    from fastvbench.retrieval.timing import StudyPlan  # noqa: PLC0415

    given = {
        "sizes": None if arguments.sizes is None else tuple(arguments.sizes),
        "dimensions": None if arguments.dimensions is None else tuple(arguments.dimensions),
        "gallery": arguments.gallery,
        "queries": arguments.query_vectors,
        "metric": arguments.metric,
        "encoder": arguments.encoder,
        "texts": arguments.texts,
        "seed": arguments.seed,
        "folder": arguments.folder,
        "query_count": arguments.queries,
        "single_queries": arguments.single_queries,
        "batch_size": arguments.batch_size,
        "k": arguments.k,
        "engines": None if arguments.engines is None else tuple(arguments.engines.split(",")),
        "threads": arguments.threads,
        "device": arguments.device,
        "minimum_seconds": arguments.minimum_seconds,
        "minimum_passes": arguments.minimum_passes,
        "time_limit_seconds": arguments.time_limit,
        "memory_bytes": None if arguments.memory_gb is None else int(1e9 * arguments.memory_gb),
        "cold": False if arguments.no_cold else None,
    }
    return StudyPlan(**{name: value for name, value in given.items() if value is not None})


class _Targets:
    """The files of one study, checked before the work and written after it."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.to_stdout = arguments.output == "-"
        self._json = None
        if arguments.output is not None and not self.to_stdout:
            self._json = Path(arguments.output)
        self._csv: Path | None = arguments.csv
        self._plot: Path | None = arguments.plot
        # A plot that nobody named is left out where matplotlib is missing, and that is said.
        self._plot_wanted = self._plot is not None
        if self._json is not None:
            stem = self._json.name.removesuffix(".json")
            self._csv = self._csv or self._json.with_name(f"{stem}.csv")
            self._plot = self._plot or self._json.with_name(f"{stem}.png")
        self._inputs = [arguments.gallery, arguments.query_vectors, arguments.texts]

    def check(self) -> None:
        """Refuse files that cannot be written, and a plot that cannot be drawn.

        Raises:
            InputError: a folder, an unknown kind of picture, or two outputs of one name.
            MissingExtraError: a plot was asked for and matplotlib is missing.
        """
        from fastvbench.retrieval.timing import check_plot  # noqa: PLC0415

        targets = [path for path in (self._json, self._csv, self._plot) if path is not None]
        for path in targets:
            check_target(path)
            check_output("output", [path], self._inputs)
        if len({path.absolute() for path in targets}) < len(targets):
            raise InputError("two outputs have one name", path=targets[0], expected="a name each")
        if self._plot is not None and self._plot.suffix not in PLOT_FORMATS:
            raise InputError(
                "no such kind of picture", path=self._plot, expected=" or ".join(PLOT_FORMATS)
            )
        if self._plot_wanted:
            check_plot()

    def write(self, study: dict[str, Any]) -> None:
        """Write them; each appears whole or not at all."""
        from fastvbench.core import MissingExtraError  # noqa: PLC0415
        from fastvbench.retrieval.timing import plot_study, study_csv  # noqa: PLC0415

        if self._csv is not None:
            _write(self._csv, study_csv(study))
        if self._plot is not None:
            try:
                _write(self._plot, plot_study(study, self._plot))
            except MissingExtraError as error:
                print(f"no plot: {error}", file=sys.stderr)
        if self._json is not None:
            _write(self._json, strict_json(study))
        if self.to_stdout:
            sys.stdout.buffer.write(strict_json(study))


def _write(path: Path, content: bytes | str) -> None:
    write_atomic(path, content)
    print(f"wrote {path}", file=sys.stderr)
