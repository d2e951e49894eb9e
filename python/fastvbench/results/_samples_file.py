"""One reader of a result and the rows behind it: result.json and its samples file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.core._status import STATUS_NAMES
from fastvbench.formats import iter_json_lines, read_json
from fastvbench.intervals import Intervals
from fastvbench.results._result import Result, samples_path
from fastvbench.results._samples import GoldColumns, RuleSamples, SampleTable
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["read_result", "read_samples", "result_path", "result_paths", "samples_of"]

NEWEST_SCHEMA = 1
_SAMPLES_ENDING = ".samples.jsonl.gz"
_STUDY = "study.json"  # of a run at several frame budgets, a folder each
_STATUS = {name: number for number, name in enumerate(STATUS_NAMES)}
_Row = dict[str, Any]


def result_path(path: str | os.PathLike[str]) -> Path:
    """The result file that is meant: itself, the one beside a samples file, or a run folder's."""
    target = Path(path)
    if target.is_dir():
        return target / "result.json"
    if target.name.endswith(_SAMPLES_ENDING):
        return target.with_name(target.name.removesuffix(_SAMPLES_ENDING) + ".json")
    return target


def result_paths(paths: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """The result files that are meant, as `result_path`; of a study, those of its budgets.

    Args:
        paths: result files, samples files, run folders, folders of studies or their study.json.

    Raises:
        InputError: a study without any result.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        folder = path.parent if path.name == _STUDY else path
        has_own = path.name != _STUDY and (folder / "result.json").is_file()
        if has_own or not (folder / _STUDY).is_file():
            found.append(result_path(path))
            continue
        record = read_json(folder / _STUDY)
        budgets = record.get("budgets") if isinstance(record, dict) else None
        names = [
            entry["folder"]
            for entry in (budgets if isinstance(budgets, list) else ())
            if isinstance(entry, dict) and isinstance(entry.get("folder"), str)
        ]
        results = [folder / name / "result.json" for name in names]
        results = [result for result in results if result.is_file()]
        if not results:
            raise InputError(
                "a study without results", path=folder / _STUDY, expected="a result of any budget"
            )
        found += results
    return found


def read_result(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of a result file of any kind.

    Args:
        path: result.json, its samples file, or a run folder.

    Raises:
        InputError: no result file, or one of a later version of this package.
    """
    target = result_path(path)
    data = read_json(target)
    if not isinstance(data, dict) or "schema" not in data or "kind" not in data:
        raise InputError(
            "not a result file",
            path=target,
            value=data,
            expected="what `fastvbench score -o` writes: an object with schema and kind",
        )
    schema = data["schema"]
    if isinstance(schema, bool) or not isinstance(schema, int) or schema > NEWEST_SCHEMA:
        raise InputError(
            "a result of a version that this one cannot read",
            path=target,
            field="schema",
            value=schema,
            expected=f"at most {NEWEST_SCHEMA}",
        )
    return data


def read_samples(path: str | os.PathLike[str], *, excerpts: bool = True) -> SampleTable:
    """A result and the rows behind it, as columns.

    Args:
        path: result.json, its samples file, or a run folder.
        excerpts: keep what the model said; without, a comparison needs less memory.

    Raises:
        InputError: no such files, a result without rows, or a row that is none; the message names
            the line.

    Example:
        >>> read_samples("result.json").rules["robust"].scores["accuracy"]  # doctest: +SKIP
        array([1., 0., 1.])
    """
    target = result_path(path)
    data = read_result(target)
    if data["kind"] != "score":
        raise InputError(
            "this kind of result has no rows",
            path=target,
            field="kind",
            value=data["kind"],
            expected="score: the result of one benchmark",
        )
    rows_path = samples_path(target)
    if not rows_path.is_file():
        raise InputError(
            "the rows behind this result are missing",
            path=target,
            expected=f"{rows_path.name} beside it (score writes both)",
        )
    ledger: dict[str, int] = {}
    builder = _Builder(data, target.name, rows_path, excerpts=excerpts)
    for line, row in iter_json_lines(rows_path, ledger=ledger):
        builder.add(line, row)
    if "torn_last_line" in ledger:
        raise InputError("its last line is torn", path=rows_path, expected="whole lines")
    return builder.table()


def samples_of(result: Result, *, name: str = "result") -> SampleTable:
    """The rows of a result in memory, as columns.

    Args:
        result: scored with ``samples=True``.
        name: how messages and tables call it.

    Raises:
        InputError: a suite, whose benchmarks have their own results.
        ValueError: rows were not kept.
    """
    if result.data["kind"] != "score":
        raise InputError(
            "this kind of result has no rows",
            field="kind",
            value=result.data["kind"],
            expected="score: the result of one benchmark",
        )
    builder = _Builder(result.data, name, None, excerpts=True)
    for line, row in enumerate(result.samples(), 1):
        builder.add(line, row)
    return builder.table()


class _RuleBuilder:
    """The columns of one rule set while rows are read."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.scores: dict[str, list[float]] = {key: [] for key in keys}
        self.status: list[int] = []
        self.letters: list[int] = []
        self.aborts: list[bool] = []
        self.judged: list[bool] = []
        self.spans: list[Sequence[int]] = []
        self.reads: list[Any] = []
        self.interval_status: list[int] = []
        self.has_intervals = False

    def add(self, entry: _Row) -> None:
        """Add a row.

        Raises:
            KeyError, TypeError, ValueError: it is none.
        """
        scores = entry["scores"]
        for key, column in self.scores.items():
            score = scores[key]
            column.append(np.nan if score is None else float(score))
        self.status.append(_STATUS[entry["status"]])
        read = entry["read"]
        self.letters.append(_letter(entry.get("letter", read)))
        self.aborts.append(bool(entry["aborts"]))
        self.judged.append(bool(entry.get("judged", False)))
        first, last = entry["span"] or (-1, -1)
        self.spans.append((int(first), int(last)))
        self.reads.append(read)
        held = entry.get("interval_status")
        self.has_intervals |= held is not None
        self.interval_status.append(_STATUS["missing" if held is None else held])

    def columns(self) -> RuleSamples:
        """The finished columns."""
        count = len(self.status)
        return RuleSamples(
            scores={key: np.array(column, np.float64) for key, column in self.scores.items()},
            status=np.array(self.status, np.uint8),
            letters=np.array(self.letters, np.int8),
            aborts=np.array(self.aborts, np.bool_),
            judged=np.array(self.judged, np.bool_),
            spans=np.array(self.spans, np.int64).reshape(count, 2),
            reads=self.reads,
            interval_status=np.array(self.interval_status, np.uint8)
            if self.has_intervals
            else None,
        )


def _check_pairs(pairs: Iterable[object]) -> None:
    """Refuse what is no list of intervals.

    Raises:
        TypeError: it is none.
    """
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise TypeError(f"{pair!r} is no interval")
        if not all(isinstance(end, int | float) for end in pair):
            raise TypeError(f"{pair!r} holds no seconds")


def _letter(value: object) -> int:
    """Option of a letter, or of what a rule set read; -1 for anything else."""
    if isinstance(value, dict):
        value = value.get("answer")
    if isinstance(value, str) and len(value) == 1 and "A" <= value <= "Z":
        return ord(value) - ord("A")
    return -1


class _Builder:
    """The columns of a samples file while it is read."""

    def __init__(
        self, data: dict[str, Any], name: str, path: Path | None, *, excerpts: bool
    ) -> None:
        self._data, self._name, self._path, self._keeps_texts = data, name, path, excerpts
        try:
            rules = [data["main"]["rule"], *(r for r in data["rules"] if r != data["main"]["rule"])]
            self._rules = {
                rule: _RuleBuilder(list(data["rules"][rule]["overall"])) for rule in rules
            }
            main = data["rules"][data["main"]["rule"]]
            self._order = {name: list(held) for name, held in main["strata"].items()}
        except (KeyError, TypeError) as error:
            raise InputError(
                "a result file with a part missing",
                path=path,
                value=str(error),
                expected="what `fastvbench score -o` writes",
            ) from None
        self._ids: list[str] = []
        self._clusters: list[str] = []
        self._strata: dict[str, list[list[str]]] = {name: [] for name in self._order}
        self._gold: list[_Row] = []
        self._excerpts: list[str | None] = []
        self._beside: dict[str, list[Any]] = {
            key: [] for key in ("run", "setting", "group", "finish_reason", "frame_count", "place")
        }
        self._placed = False

    def add(self, line: int, row: object) -> None:
        """Add a row of the file.

        Raises:
            InputError: it is none.
        """
        try:
            if not isinstance(row, dict):
                raise TypeError("not an object")
            self._add(row)
        except KeyError as error:
            raise self._bad(line, "a row with a part missing or unknown", error.args[0]) from None
        except (TypeError, ValueError) as error:
            raise self._bad(line, "not a row of a samples file", str(error)) from None

    def _bad(self, line: int, problem: str, value: object) -> InputError:
        return InputError(
            problem,
            path=self._path,
            line=line,
            value=value,
            expected="id, cluster, strata, gold, excerpt and the rule sets of result.json",
        )

    def _add(self, row: _Row) -> None:
        ident, cluster, gold = row["id"], row["cluster"], row["gold"]
        if not isinstance(ident, str) or not isinstance(cluster, str):
            raise TypeError(f"id {ident!r} and cluster {cluster!r} are no texts")
        if not isinstance(gold, dict):
            raise TypeError(f"gold {gold!r} is no object")
        _check_pairs(gold.get("intervals", ()))
        _check_pairs([gold["evidence_seconds"]] if "evidence_seconds" in gold else ())
        strata, rules = row["strata"], row["rules"]
        if not isinstance(strata, dict):
            raise TypeError(f"strata {strata!r} is no object")
        for rule, columns in self._rules.items():
            columns.add(rules[rule])
        for name, column in self._strata.items():
            names = strata.get(name, [])
            if not isinstance(names, list):
                raise TypeError(f"stratum {name}: {names!r} is no list")
            column.append(list(map(str, names)))
        self._ids.append(ident)
        self._clusters.append(cluster)
        self._gold.append(gold)
        text = row["excerpt"]
        self._excerpts.append(text if self._keeps_texts else None)
        self._placed |= "place" in row
        for key, values in self._beside.items():
            values.append(row.get(key))

    def table(self) -> SampleTable:
        """The finished columns.

        Raises:
            InputError: no row was read.
        """
        if not self._ids:
            raise InputError("holds no row", path=self._path, expected="a row for each question")
        beside = self._beside
        return SampleTable(
            result=self._data,
            name=self._name,
            path=self._path,
            ids=self._ids,
            clusters=self._clusters,
            strata={
                name: Stratum.multiple(column, self._order[name])
                for name, column in self._strata.items()
            },
            rules={name: columns.columns() for name, columns in self._rules.items()},
            gold=_gold_columns(self._gold),
            excerpts=self._excerpts,
            runs=_texts_or_none(beside["run"]),
            settings=_texts_or_none(beside["setting"]),
            groups=_texts_or_none(beside["group"]),
            finish_reasons=beside["finish_reason"],
            frame_counts=_numbers(beside["frame_count"]),
            places=_places(beside["place"]) if self._placed else None,
        )


def _texts_or_none(values: list[Any]) -> list[str] | None:
    """The column as texts; None where no row has one."""
    if all(value is None for value in values):
        return None
    return ["" if value is None else str(value) for value in values]


def _numbers(values: Iterable[object]) -> npt.NDArray[np.float64]:
    return np.array(
        [float(v) if isinstance(v, int | float) else np.nan for v in values], np.float64
    )


def _places(values: list[Any]) -> npt.NDArray[np.int64]:
    pairs = [(-1, -1) if v is None else (v["above"], v["tied"]) for v in values]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _gold_columns(rows: list[_Row]) -> GoldColumns:
    pairs = [row.get("evidence_seconds") or (np.nan, np.nan) for row in rows]
    return GoldColumns(
        letters=np.array([_letter(row.get("answer")) for row in rows], np.int8)
        if any("answer" in row for row in rows)
        else None,
        option_counts=np.array([row.get("options") or 0 for row in rows], np.int32),
        intervals=Intervals.from_rows([row.get("intervals") or [] for row in rows])
        if any("intervals" in row for row in rows)
        else None,
        answers=[row.get("answers") or [] for row in rows],
        durations_seconds=_numbers(row.get("duration_seconds") for row in rows),
        evidence_seconds=np.array(pairs, np.float64).reshape(len(rows), 2),
        relevant=[row.get("relevant") or [] for row in rows],
    )
