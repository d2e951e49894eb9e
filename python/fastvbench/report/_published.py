"""Numbers that others report, and where they lie beside ours."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

from fastvbench.core import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Beside", "PublishedValue", "beside", "published_benchmarks", "read_published"]

KINDS = ("model", "human", "random")
UNITS = {"percent": 100.0, "fraction": 1.0, "of ten": 10.0}
Place = Literal["in our interval", "above our interval", "below our interval"]


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """One number as one source gives it.

    Attributes:
        model: what it is of, as the source calls it.
        kind: ``model``, ``human`` or ``random`` (guessing).
        metric: key of the metric where it is one of ours, else the source's words.
        stratum: where it is about a part of the rows; None for all rows.
        category: which part.
        input_setting: how the model was run; empty where there is one way, or it is not stated.
        value: on the scale of result files (percent become fractions).
        shown: the value as the source has it.
        n: rows, None where not stated.
        frames: frames of a video, in words; empty where not stated.
        rule: how answers were read and counted; empty where not stated.
        note: what else must be known to compare it.
        quoted: whether the source took it from elsewhere.
        source: repository at a commit, or paper and table.
        date: of publication, or of the source's commit; empty where not seen.
    """

    model: str
    kind: str
    metric: str
    stratum: str | None
    category: str | None
    input_setting: str
    value: float
    shown: str
    n: int | None
    frames: str
    rule: str
    note: str
    quoted: bool
    source: str
    date: str


@dataclass(frozen=True, slots=True)
class Beside:
    """A published number and ours.

    Attributes:
        published: theirs.
        rule: the rule set of ours that it is held against: the one it names, else the main one.
        value: ours, None where no row counts.
        interval: our 95 % interval, None where there is none.
        n: our rows.
        place: where theirs lies; None where we have no interval.
    """

    published: PublishedValue
    rule: str
    value: float | None
    interval: tuple[float, float] | None
    n: int
    place: Place | None

    def as_dict(self) -> dict[str, Any]:
        """The pair as JSON values, for result files."""
        theirs = self.published
        return {
            "model": theirs.model,
            "kind": theirs.kind,
            "metric": theirs.metric,
            "stratum": theirs.stratum,
            "category": theirs.category,
            "value": theirs.value,
            "n": theirs.n,
            "frames": theirs.frames,
            "rule": theirs.rule,
            "note": theirs.note,
            "quoted": theirs.quoted,
            "source": theirs.source,
            "date": theirs.date,
            "against": {
                "rule": self.rule,
                "value": self.value,
                "interval": None if self.interval is None else list(self.interval),
                "n": self.n,
                "place": self.place,
            },
        }


def _folder() -> Any:
    return resources.files("fastvbench.report") / "published"


def published_benchmarks() -> tuple[str, ...]:
    """Names of the benchmarks that numbers are at hand for."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".csv") for name in names if name.endswith(".csv")))


@cache
def read_published(benchmark: str) -> tuple[PublishedValue, ...]:
    """What others report on a benchmark, in the order of the file; nothing for unknown ones.

    Args:
        benchmark: name of its protocol.

    Raises:
        InputError: a damaged file; the message names the line.

    Example:
        >>> [row.shown for row in read_published("lvbench") if row.kind == "human"][:1]
        ['94.4']
    """
    if benchmark not in published_benchmarks():
        return ()
    source = _folder() / f"{benchmark}.csv"
    lines = source.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(lines)
    return tuple(
        _row(row, f"published/{benchmark}.csv", line) for line, row in enumerate(rows, start=2)
    )


def _row(row: Mapping[str, str], path: str, line: int) -> PublishedValue:
    try:
        scale = UNITS[row["unit"]]
        value = round(float(row["value"]) / scale, 12)  # 94.4 percent are 0.944
        stratum, _, category = row["part"].partition("/")
        if row["kind"] not in KINDS or row["measured_by"] not in ("source", "quoted"):
            raise ValueError(row["kind"] + " " + row["measured_by"])
        return PublishedValue(
            model=row["model"],
            kind=row["kind"],
            metric=row["metric"],
            stratum=stratum or None,
            category=category or None,
            input_setting=row["input"],
            value=value,
            shown=row["value"],
            n=int(row["n"]) if row["n"] else None,
            frames=row["frames"],
            rule=row["rule"],
            note=row["note"],
            quoted=row["measured_by"] == "quoted",
            source=row["source"],
            date=row["date"],
        )
    except (KeyError, ValueError, TypeError) as error:
        raise InputError("not a published number", path=path, line=line, value=str(error)) from None


def beside(data: Mapping[str, Any], *, parts: bool = True) -> list[Beside]:
    """What others report on the benchmark of a result, beside the result's own values.

    Numbers of another input setting are left out, and those whose metric or part the result does
    not have.

    Args:
        data: the content of result.json, kind ``score``.
        parts: include numbers about parts of the rows.
    """
    setting = data.get("setting")
    pairs = []
    for theirs in read_published(data["protocol"]["name"]):
        if theirs.stratum is not None and not parts:
            continue
        if setting is not None and theirs.input_setting != setting:
            continue
        rule = theirs.rule if theirs.rule in data["rules"] else data["main"]["rule"]
        ours = _ours(data["rules"][rule], theirs)
        if ours is not None:
            interval = None if ours["interval"] is None else tuple(ours["interval"])
            place = _place(theirs.value, interval)
            pairs.append(Beside(theirs, rule, ours["value"], interval, ours["n"], place))
    return pairs


def _ours(entry: Mapping[str, Any], theirs: PublishedValue) -> Mapping[str, Any] | None:
    """Our entry of the same metric and part, None where there is none."""
    if theirs.stratum is None:
        found = entry["overall"].get(theirs.metric)
    else:
        category = entry["strata"].get(theirs.stratum, {}).get(theirs.category, {})
        found = category.get(theirs.metric)
    return found if isinstance(found, dict) else None


def _place(value: float, interval: tuple[float, float] | None) -> Place | None:
    if interval is None:
        return None
    low, high = interval
    if value < low:
        return "below our interval"
    return "above our interval" if value > high else "in our interval"
