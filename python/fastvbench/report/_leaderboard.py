"""Many results as one table: models by benchmarks, who is best, and who is tied with whom."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError
from fastvbench.report._costs import Costs, Prices, costs_of
from fastvbench.report._model_names import NameMap
from fastvbench.results._compare import compare
from fastvbench.results._metrics import Metric, metrics_of
from fastvbench.results._model_names import model_of
from fastvbench.results._result import samples_path
from fastvbench.results._ties import TIE_GROUPS_DEFINITION, tie_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fastvbench.report._sources import ReportSource

__all__ = ["Cell", "Column", "Leaderboard", "build_leaderboard"]

PAIRED = (
    "paired differences of the rows, clustered by video, p-values corrected by Holm's method, "
    "at 0.05"
)
OVERLAP = "95 % intervals that overlap, since rows of some results are not at hand"


@dataclass(frozen=True, slots=True)
class Cell:
    """One model on one benchmark.

    Attributes:
        value: None where no row counts.
        interval: its 95 % interval.
        n: rows in the denominator.
        group: number of its tie group, from 1; None without a value.
        best: whether no model has a higher value (a lower one, for ranks).
        tied: whether it is statistically tied with the best one, and not the best itself.
    """

    value: float | None
    interval: tuple[float, float] | None
    n: int
    group: int | None = None
    best: bool = False
    tied: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One benchmark (and input setting), and how its models are measured.

    Attributes:
        protocol: its name.
        version: version of the protocol's declaration.
        setting: the input setting, None where the results name none.
        title: what tables call it.
        metric: what is shown.
        rule: the rule set that it is by.
        cells: by model.
        ranking: models with a value, the best first.
        ties: how ties were judged; empty for a single model.
        costs: what a question cost, by model, for results of runs.
    """

    protocol: str
    version: int
    setting: str | None
    title: str
    metric: Metric
    rule: str
    cells: dict[str, Cell]
    ranking: tuple[str, ...]
    ties: str
    costs: dict[str, Costs] = field(default_factory=dict)

    @property
    def footnote(self) -> str:
        """Metric, rule set, denominator and ties in one line."""
        sizes = sorted({cell.n for cell in self.cells.values()})
        n = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
        text = f"{self.title}: {self.metric.key}, rule set {self.rule}, n = {n}"
        text += f", protocol version {self.version}"
        return f"{text}; ties: {self.ties}" if self.ties else text

    def groups(self) -> list[list[str]]:
        """Tie groups of the ranking."""
        found: dict[int, list[str]] = {}
        for model in self.ranking:
            group = self.cells[model].group
            assert group is not None
            found.setdefault(group, []).append(model)
        return [found[number] for number in sorted(found)]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Models by benchmarks.

    Attributes:
        models: in the order of the results, or ranked where there is one benchmark.
        columns: benchmarks, in the order of the results.
        currency: of costs; empty without prices.
    """

    models: tuple[str, ...]
    columns: tuple[Column, ...]
    currency: str = ""

    @property
    def notes(self) -> list[str]:
        """What has to stand below the table."""
        notes = [column.footnote for column in self.columns]
        if any(column.ties for column in self.columns):
            notes.append(
                f"Bold: best. Underlined: statistically tied with it. Groups: "
                f"{TIE_GROUPS_DEFINITION}."
            )
        return notes


@dataclass(frozen=True, slots=True)
class _Held:
    """One result of one model on one benchmark; `model` may carry a label, `plain_model` not."""

    model: str
    plain_model: str
    label: str
    path: Path
    data: dict[str, Any]
    has_rows: bool


def build_leaderboard(
    sources: Sequence[ReportSource],
    *,
    names: NameMap | None = None,
    rule: str | None = None,
    metric: str | None = None,
    mixed: bool = False,
    prices: Prices | None = None,
    seed: int = 0,
) -> Leaderboard:
    """Put results side by side.

    Args:
        sources: results of benchmarks and suites.
        names: names to show; None for those of files.
        rule: rule set of every column; None for each benchmark's main one.
        metric: metric of every column; None for each result's main one.
        mixed: show results of different declarations of a protocol in one column.
        prices: what models charge, by the names that tables show.
        seed: of the resampling.

    Raises:
        InputError: nothing that has a place in such a table, a rule set or metric that a result
            lacks, or different declarations of a protocol.
    """
    shown, charged = names or NameMap(), prices or Prices()
    held = _told_apart([one for source in sources for one in _held(source, shown)])
    if not held:
        raise InputError("no result that a table of models can hold", expected="kind score")
    by_column: dict[tuple[str, str | None], dict[str, _Held]] = {}
    for one in held:
        key = (one.data["protocol"]["name"], one.data.get("setting"))
        by_column.setdefault(key, {})[one.model] = one
    columns = tuple(
        replace(
            _column(results, shown, rule, metric, mixed=mixed, seed=seed),
            costs=_costs(results, charged),
        )
        for results in by_column.values()
    )
    models = tuple(dict.fromkeys(one.model for one in held))
    if len(columns) == 1:
        ranked = columns[0].ranking
        models = (*ranked, *(model for model in models if model not in ranked))
    return Leaderboard(models, columns, charged.currency)


def _costs(results: Mapping[str, _Held], prices: Prices) -> dict[str, Costs]:
    """What a question cost, of results that a run's record is in."""
    found = {
        model: costs_of(one.data, model if model in prices.rates else one.plain_model, prices)
        for model, one in results.items()
    }
    return {model: costs for model, costs in found.items() if costs is not None}


def _held(source: ReportSource, names: NameMap) -> Iterator[_Held]:
    if source.kind == "score":
        model = names.shown(model_of(source.path, source.data))
        has_rows = samples_path(source.path).is_file()
        yield _Held(model, model, source.label, source.path, source.data, has_rows)
    elif source.kind == "suite":
        model = names.shown(model_of(source.path, source.data))
        for data in source.data["results"].values():
            yield _Held(model, model, source.label, source.path, data, False)


def _told_apart(held: list[_Held]) -> list[_Held]:
    """The results, each of its own model: several of one on one benchmark (a sweep) get labels."""
    places = [(one.model, one.data["protocol"]["name"], one.data.get("setting")) for one in held]
    return [
        replace(one, model=f"{one.model} ({one.label})") if places.count(place) > 1 else one
        for one, place in zip(held, places, strict=True)
    ]


def _column(
    results: Mapping[str, _Held],
    names: NameMap,
    rule: str | None,
    metric: str | None,
    *,
    mixed: bool,
    seed: int,
) -> Column:
    first = next(iter(results.values()))
    protocol, setting = first.data["protocol"], first.data.get("setting")
    chosen = rule or first.data["main"]["rule"]
    main, key = first.data["main"], metric
    if key is None:
        own = first.data["rules"].get(chosen, {}).get("overall", {})
        key = main["metric"] if main["metric"] in own else next(iter(own), main["metric"])
    for one in results.values():
        _check(one, first, chosen, key, mixed=mixed)
    shown = metrics_of(first.data, chosen)[key]
    cells = {model: _cell(one.data, chosen, key) for model, one in results.items()}
    lower = shown.unit == "rank"
    valued = [model for model, cell in cells.items() if cell.value is not None]
    ranking = sorted(valued, key=lambda m: _value(cells[m]), reverse=not lower)
    title = names.shown(protocol["name"], protocol.get("title"))
    column = Column(
        protocol["name"],
        protocol["version"],
        setting,
        title if setting is None else f"{title} ({setting.replace('_', ' ')})",
        shown,
        chosen,
        cells,
        tuple(ranking),
        "",
    )
    if len(ranking) < 2:
        return _with_groups(column, [[model] for model in ranking], "")
    tied, how = _ties(results, column, mixed=mixed, seed=seed)
    return _with_groups(column, tie_groups(ranking, tied), how)


def _check(one: _Held, first: _Held, rule: str, metric: str, *, mixed: bool) -> None:
    """Refuse a result that does not belong into the column.

    Raises:
        InputError: it lacks the rule set or metric, or was scored by another declaration.
    """
    rules = one.data["rules"]
    if rule not in rules:
        raise InputError(
            "the result was not scored by this rule set",
            path=one.path,
            field="rule",
            value=rule,
            expected=", ".join(rules),
        )
    if metric not in rules[rule]["overall"]:
        raise InputError(
            f"not a metric of this result by {rule}",
            path=one.path,
            field="metric",
            value=metric,
            expected=", ".join(rules[rule]["overall"]),
        )
    ours, theirs = first.data["protocol"], one.data["protocol"]
    if not mixed and ours["fingerprint"] != theirs["fingerprint"]:
        raise InputError(
            f"was scored by another declaration of {ours['name']} than {first.path.name} (protocol "
            f"version {theirs['version']} and {ours['version']})",
            path=one.path,
            field="fingerprint",
            value=theirs["fingerprint"][:12],
            expected=f"{ours['fingerprint'][:12]}: score both alike (or --mixed)",
        )


def _cell(data: Mapping[str, Any], rule: str, metric: str) -> Cell:
    entry = data["rules"][rule]["overall"][metric]
    interval = entry["interval"]
    return Cell(entry["value"], None if interval is None else tuple(interval), entry["n"])


def _value(cell: Cell) -> float:
    return -math.inf if cell.value is None else cell.value


def _ties(
    results: Mapping[str, _Held], column: Column, *, mixed: bool, seed: int
) -> tuple[Callable[[str, str], bool], str]:
    """Which models are statistically tied, and how that was judged."""
    models = list(column.ranking)
    if all(results[model].has_rows for model in models) and column.metric.statistic != "median":
        found = compare(
            *(results[model].path for model in models),
            rule=column.rule,
            metric=column.metric.key,
            setting=column.setting,
            every_metric=False,
            names=models,
            mixed=mixed,
            seed=seed,
        )
        verdicts = {
            frozenset((entry["a"], entry["b"])): entry["metrics"][column.metric.key]["tied"]
            for entry in found.data["pairs"]
        }
        return lambda leader, other: verdicts[frozenset((leader, other))] is not False, PAIRED

    def overlap(leader: str, other: str) -> bool:
        first, second = column.cells[leader].interval, column.cells[other].interval
        if first is None or second is None:
            return column.cells[leader].value == column.cells[other].value
        return first[0] <= second[1] and second[0] <= first[1]

    return overlap, OVERLAP


def _with_groups(column: Column, groups: list[list[str]], how: str) -> Column:
    cells = dict(column.cells)
    best = None if not column.ranking else cells[column.ranking[0]].value
    for number, group in enumerate(groups, 1):
        for model in group:
            held = cells[model]
            is_best = held.value == best
            cells[model] = Cell(
                held.value,
                held.interval,
                held.n,
                group=number,
                best=is_best,
                tied=number == 1 and not is_best,
            )
    ranking = tuple(model for group in groups for model in group)
    return replace(column, cells=cells, ranking=ranking, ties=how)
