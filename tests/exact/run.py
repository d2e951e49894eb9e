"""One configuration: the library's answers at every CPU level, held against the proof."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import numpy as np
from tests.exact import data
from tests.reference.search_fast import Checker, WrongAnswerError

from fastvbench import _core, retrieval
from fastvbench.retrieval import _gallery

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from tests.exact.configurations import Configuration

THREADS = (1, 2, 5)

# (prepared, path): as users ask, then whatever else the library may choose at other sizes.
FILTERS = tuple(path for path in _gallery._PATH_NAMES if path not in ("auto", "stream"))
EVERY_WAY = (
    (True, "auto"),
    (False, "auto"),
    *((prepared, path) for path in FILTERS for prepared in (True, False)),
    (True, "stream"),
)

# How much work a run may be (see Configuration.work), and what the checker may cost: it proves a
# seeded part of the queries where all would take too long.
MOST_WORK = {"scalar": 1_500_000_000, "avx2": 25_000_000_000}
MOST_WORK_EVERY_WAY = 150_000_000
MOST_CHECKED = 6_000_000_000
CHECK_OF_A_ROW = 300  # what it does with each key costs as much as that many products
MOST_CHECKED_WHOLE = 60_000_000  # where k is the whole gallery every row is summed the slow way
MOST_RELEVANT = 4


class Run(NamedTuple):
    """One way to ask the library."""

    level: str
    threads: int
    prepared: bool
    path: str = "auto"

    def __str__(self) -> str:
        asked = "Gallery" if self.prepared else "one shot"
        return f"{self.level}, {self.threads} threads, {self.path} path, {asked}"


class Answers(NamedTuple):
    top_k: retrieval.TopK
    ranks: retrieval.Ranks


class Problem(NamedTuple):
    """What is asked, and the proven answers for some of the queries."""

    data: data.Data
    k: int
    metric: str
    ids: list[str] | None
    relevant: list[list[int]]
    checked: NDArray[np.int64]
    checker: Checker
    top_k: list
    ranks: NDArray[np.int64]
    order: NDArray[np.int64]


def bfloat16() -> np.dtype | None:
    """NumPy's bfloat16, where the package that brings it is installed."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)


def dtype_of(name: str) -> np.dtype | None:
    return bfloat16() if name == "bfloat16" else np.dtype(name)


def runs(configuration: Configuration, levels: Sequence[str]) -> Iterator[Run]:
    """Each level that can afford it, prepared and not; thread counts take turns.

    The library chooses its way by the size; small configurations go every other way too.
    """
    ways = EVERY_WAY if configuration.work <= MOST_WORK_EVERY_WAY else EVERY_WAY[:2]
    turn = configuration.number
    for level in levels:
        if configuration.work > MOST_WORK.get(level, configuration.work):
            continue
        for prepared, path in ways:
            if prepared or not configuration.with_invalid:
                yield Run(level, THREADS[turn % len(THREADS)], prepared, path)
                turn += 1


def trec_places(ids: Sequence[str]) -> NDArray[np.int64]:
    """The place of each row where larger id strings come first."""
    places = np.empty(len(ids), np.int64)
    places[sorted(range(len(ids)), key=ids.__getitem__, reverse=True)] = np.arange(len(ids))
    return places


def problem_of(configuration: Configuration) -> Problem:
    """Draw the data and prove the answers."""
    c = configuration
    made = data.make(
        c.number,
        c.kind,
        row_count=c.row_count,
        dimension=c.dimension,
        query_count=c.query_count,
        metric=c.metric,
        row_scale=c.row_scale,
        query_scale=c.query_scale,
        dtype=dtype_of(c.dtype),
        with_invalid=c.with_invalid,
    )
    if c.query_dtype != c.dtype:
        made = made._replace(queries=made.query_values)
    generator = np.random.default_rng([c.number, 1])
    ids = None
    if c.with_ids:
        ids = [f"clip{number}" for number in generator.permutation(c.row_count)]
    return prove(made, c.k, c.metric, ids, generator)


def prove(
    made: data.Data,
    k: int,
    metric: str,
    ids: list[str] | None,
    generator: np.random.Generator,
) -> Problem:
    """Choose relevant rows, and prove the answers of as many queries as time allows."""
    row_count, dimension = made.row_values.shape
    whole = k >= len(made.valid)
    affordable = MOST_CHECKED // (row_count * (dimension + CHECK_OF_A_ROW))
    if whole:
        affordable = MOST_CHECKED_WHOLE // (row_count * dimension)
    query_count = len(made.query_values)
    checked_count = int(np.clip(affordable, 1, query_count))
    checked = np.sort(generator.choice(query_count, checked_count, replace=False))
    values = made.row_values
    if len(made.valid) != row_count:
        values = values[made.valid]
    checker = Checker(values, metric)
    top_k = checker.top_k(made.query_values[checked], k)
    relevant = relevant_rows(made, checked, top_k, generator)
    place_of = np.full(row_count, -1)
    place_of[made.valid] = np.arange(len(made.valid))
    order = trec_places([str(row) for row in range(row_count)] if ids is None else ids)[made.valid]
    ranks = checker.ranks(
        made.query_values[checked], [place_of[relevant[query]] for query in checked], order
    )
    return Problem(made, k, metric, ids, relevant, checked, checker, top_k, ranks, order)


def relevant_rows(
    made: data.Data,
    checked: NDArray[np.int64],
    top_k: list,
    generator: np.random.Generator,
) -> list[list[int]]:
    """Up to four rows per query: the one it was made from, some at random, some of the best."""
    valid = made.valid
    best_of = {
        int(query): valid[best.rows[:MOST_RELEVANT]]
        for query, best in zip(checked, top_k, strict=True)
    }
    relevant = []
    for query, source in enumerate(made.sources):
        rows = {int(row) for row in generator.choice(valid, generator.integers(0, 3))}
        if query % 2 == 0 and valid[np.searchsorted(valid, source) % len(valid)] == source:
            rows.add(int(source))
        if query in best_of and query % 3 != 1:
            rows.update(best_of[query][: int(generator.integers(1, 3))].tolist())
        if not rows:
            rows.add(int(valid[-1]))
        relevant.append([int(row) for row in generator.permutation(sorted(rows))])
    return relevant


def ask(problem: Problem, run: Run) -> Answers:
    """Search and ranks, with the warning that a clamped k brings, and no other."""
    made, options = problem.data, {"threads": run.threads}
    clamped = problem.k > len(made.valid)
    path = _gallery._PATH_NAMES.index(run.path)
    with warnings.catch_warnings(record=True) as said, mock.patch.object(_gallery, "_AUTO", path):
        warnings.simplefilter("always")
        if run.prepared:
            gallery = retrieval.Gallery(
                made.rows,
                metric=problem.metric,
                ids=problem.ids,
                invalid="drop" if len(made.valid) < len(made.rows) else "raise",
                **options,
            )
            said.clear()  # dropped rows may be mentioned
            top_k = gallery.search(made.queries, problem.k, **options)
            ranks = gallery.ranks(made.queries, problem.relevant, **options)
        else:
            options["metric"] = problem.metric
            top_k = retrieval.search(made.queries, made.rows, problem.k, **options)
            flat = [row for rows in problem.relevant for row in rows]
            offsets = np.cumsum([0, *map(len, problem.relevant)])
            ranks = retrieval.ranks(made.queries, made.rows, (np.array(flat), offsets), **options)
    if [warning.category for warning in said] != [UserWarning] * clamped:
        raise WrongAnswerError(
            f"k={problem.k} of {len(made.valid)} rows: warned {[str(w.message) for w in said]}"
        )
    return Answers(top_k, ranks)


def asked_safely(problem: Problem, run: Run) -> Answers:
    """An error about a valid problem is a wrong answer too."""
    try:
        return ask(problem, run)
    except (ValueError, RuntimeError) as error:
        raise WrongAnswerError(f"{type(error).__name__}: {error}") from error


def check(problem: Problem, run: Run, answers: Answers) -> None:
    """Raises where a proven query is answered wrongly."""
    made, checked = problem.data, problem.checked
    place_of = np.full(len(made.rows) + 1, -1)  # the last place is for -1, which is no row
    place_of[made.valid] = np.arange(len(made.valid))
    top_k, ranks = answers
    problem.checker.check_top_k(
        made.query_values[checked],
        problem.k,
        place_of[top_k.indices[checked]],
        top_k.scores[checked],
        expected=problem.top_k,
    )
    counts = np.cumsum([0, *map(len, problem.relevant)])
    if not np.array_equal(ranks.offsets, counts) or ranks.gallery_size != len(made.valid):
        raise WrongAnswerError(f"ranks: offsets or gallery_size={ranks.gallery_size} do not fit")
    items = np.concatenate([np.arange(counts[query], counts[query + 1]) for query in checked])
    by_id = problem.ids is None or run.prepared  # a one-shot call knows row numbers only
    problem.checker.check_ranks(
        made.query_values[checked],
        [place_of[problem.relevant[query]] for query in checked],
        ranks.above[items],
        ranks.tied[items],
        ranks.tied_before[items],
        tied_before_in_order=ranks.tied_before_trec[items] if by_id else None,
        expected=problem.ranks,
    )


def check_same(first: Answers, second: Answers, same_ids: bool) -> None:
    """Raises where two runs differ in any query, proven or not."""
    columns = ["above", "tied", "tied_before"] + ["tied_before_trec"] * same_ids
    pairs = [(first.top_k.indices, second.top_k.indices), (first.top_k.scores, second.top_k.scores)]
    pairs += [(getattr(first.ranks, name), getattr(second.ranks, name)) for name in columns]
    for name, (one, other) in zip(("indices", "scores", *columns), pairs, strict=True):
        if one.tobytes() != other.tobytes():
            place = np.argwhere(one.view(np.int64) != other.view(np.int64))[0].tolist()
            raise WrongAnswerError(
                f"{name}{place} is {one[tuple(place)]} in the first run and "
                f"{other[tuple(place)]} in this one"
            )


def check_problem(problem: Problem, asked: Sequence[Run]) -> int:
    """Every run against the proof and against the first run; how many there were."""
    before = _core.cpu_level()
    first: tuple[Run, Answers] | None = None
    try:
        for run in asked:
            _core.set_cpu_level(run.level)
            try:
                answers = asked_safely(problem, run)
                check(problem, run, answers)
                if first is not None:
                    same_ids = problem.ids is None or first[0].prepared == run.prepared
                    check_same(first[1], answers, same_ids)
            except WrongAnswerError as error:
                raise WrongAnswerError(f"{run}: {error}") from None
            first = first or (run, answers)
    finally:
        _core.set_cpu_level(before)
    return len(asked)


def check_configuration(configuration: Configuration) -> int:
    """Check one configuration at every level; returns the number of runs.

    Raises:
        WrongAnswerError: naming configuration, run, query, rows and keys.
    """
    asked = list(runs(configuration, _core.available_cpu_levels()))
    try:
        return check_problem(problem_of(configuration), asked)
    except WrongAnswerError as error:
        raise WrongAnswerError(f"{configuration}: {error}") from None
