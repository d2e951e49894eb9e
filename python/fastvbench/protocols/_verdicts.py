"""A judge's verdicts, joined to annotated rows and to the runs whose answers they are about."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.formats import file_sha256, read_verdicts
from fastvbench.protocols._groups import id_in_order

if TYPE_CHECKING:
    from fastvbench.formats import Verdict
    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._run_columns import RunTable

__all__ = ["JoinedVerdicts", "join_verdicts"]

MOST_EXAMPLES = 5
MOST_NAME_CHARACTERS = 80

VerdictSource = str | os.PathLike[str] | Mapping[str, Any] | Sequence[Mapping[str, Any]]


class JoinedVerdicts:
    """Verdicts by run and row.

    Args:
        source: where they came from.
        gold: the annotations.
    """

    def __init__(self, source: VerdictSource, gold: Gold) -> None:
        self._source = source
        self._rows_of_run: dict[str | None, dict[int, bool]] = {}
        self._nameless_line: int | None = None
        file = read_verdicts(source)
        self.path = file.path
        self.ledger = {"verdicts": 0, "unknown": 0, "repeated": 0, "blank": file.blank}
        self._unknown_examples: list[str] = []
        for verdict in file.verdicts:
            self._add(verdict, gold)
        if file.verdicts and not self.ledger["verdicts"]:
            raise InputError(
                f"no verdict belongs to an annotated row (ids such as "
                f"{', '.join(self._unknown_examples)})",
                path=self.path,
                field="id",
                expected=f"ids such as {', '.join(gold.ids[:3])}",
            )

    def _add(self, verdict: Verdict, gold: Gold) -> None:
        row = gold.row_of_id.get(verdict.ident)
        if row is None and verdict.query:
            row = gold.row_of_key(verdict.video, verdict.query)
            row = None if row == -1 else row
        if row is None and verdict.order is not None:
            row = gold.row_of_id.get(id_in_order(verdict.ident, verdict.order))
        if row is None:
            self.ledger["unknown"] += 1
            if len(self._unknown_examples) < MOST_EXAMPLES:
                named = verdict.ident or f"{verdict.video} {verdict.query}"[:MOST_NAME_CHARACTERS]
                self._unknown_examples.append(named)
            return
        known = self._rows_of_run.setdefault(verdict.run, {})
        if row in known:
            if known[row] != verdict.correct:
                raise InputError(
                    "two verdicts on one answer",
                    path=self.path,
                    line=verdict.line,
                    field="id",
                    value=verdict.ident,
                    expected="one, or the name of a run beside each",
                )
            self.ledger["repeated"] += 1
            return
        if verdict.run is None and self._nameless_line is None:
            self._nameless_line = verdict.line
        known[row] = verdict.correct
        self.ledger["verdicts"] += 1

    def of_rows(
        self,
        names: list[str],
        run_of_row: npt.NDArray[np.int64] | None,
        rows: npt.NDArray[np.int64],
    ) -> list[bool | None]:
        """What the judge said of each row of a batch, None where it said nothing.

        Args:
            names: names of the runs that the rows belong to.
            run_of_row: int64[k], place in `names` of each row's run; None where all are names[0].
            rows: int64[k] annotated rows.
        """
        tables = [self._of_run(name) for name in names]
        if run_of_row is None:
            return [tables[0].get(row) for row in rows.tolist()]
        return [
            tables[run].get(row)
            for run, row in zip(run_of_row.tolist(), rows.tolist(), strict=True)
        ]

    def _of_run(self, name: str) -> dict[int, bool]:
        return self._rows_of_run.get(None, {}) | self._rows_of_run.get(name, {})

    def check_runs(self, table: RunTable) -> None:
        """Refuse verdicts that leave open which run's answer they are about.

        Raises:
            InputError: there are several runs and a verdict names none, or one names a run that
                there is not.
        """
        if len(table) > 1 and self._nameless_line is not None:
            raise InputError(
                f"a verdict names no run, and there are {len(table):,}",
                path=self.path,
                line=self._nameless_line,
                field="run",
                expected=f"one of {_some_names(table)}",
            )
        for name in self._rows_of_run:
            if name is not None and name not in table.names:
                raise InputError(
                    "a verdict on an answer of an unknown run",
                    path=self.path,
                    field="run",
                    value=name,
                    expected=f"one of {_some_names(table)}",
                )

    def described(self, table: RunTable) -> dict[str, Any]:
        """The verdicts as result.json lists them among its inputs.

        ``used`` decided a row of a rule set; ``not_needed`` are about rows that no rule set wanted
        a judge for.
        """
        judged = np.zeros(table.seen.shape, dtype=np.bool_)
        for columns in table.rules.values():
            judged |= columns.judged
        used = int(judged.sum())
        entry: dict[str, Any] = {"name": self.path.name}
        if isinstance(self._source, str | os.PathLike):
            entry["sha256"] = file_sha256(self._source)
        entry |= self.ledger | {"used": used, "not_needed": self.ledger["verdicts"] - used}
        if self._unknown_examples:
            entry["unknown_examples"] = self._unknown_examples
        return entry


def _some_names(table: RunTable) -> str:
    return ", ".join(repr(name) for name in list(table.names)[:MOST_EXAMPLES])


def join_verdicts(source: VerdictSource | None, gold: Gold) -> JoinedVerdicts | None:
    """Read verdicts and find their rows; None where there are none to read.

    Raises:
        InputError: an unreadable file, two verdicts on one answer, or ids of another benchmark.
    """
    return None if source is None else JoinedVerdicts(source, gold)
