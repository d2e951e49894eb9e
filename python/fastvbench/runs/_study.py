"""A study: one benchmark and model at several frame budgets, each a run folder of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats import write_atomic
from fastvbench.results._strict_json import strict_json
from fastvbench.runs._run import Outcome, carry_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fastvbench.runs._answer import Watcher
    from fastvbench.runs._options import RunOptions

__all__ = ["StudyRow", "folder_name", "frame_budgets", "study"]

STUDY = "study.json"
_BEGINS_BUDGET = re.compile(r"\d+$|\d*\.?\d+fps$|[a-z][a-z0-9-]*(:|$)")


def frame_budgets(text: str) -> list[str]:
    """Frame policies of a list with commas, which policies have inside too (``fps:1,max=180``).

    Example:
        >>> frame_budgets("0,4,fps:1,max=180,1fps")
        ['0', '4', 'fps:1,max=180', '1fps']
    """
    budgets: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        inside = bool(budgets) and ("=" in part or not _BEGINS_BUDGET.match(part.lower()))
        if inside:
            budgets[-1] += f",{part}"
        else:
            budgets.append(part)
    return budgets


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One budget of a study.

    Attributes:
        frames: the policy's canonical name.
        outcome: the run.
    """

    frames: str
    outcome: Outcome

    def summary(self) -> dict[str, Any]:
        """Value, cost and time of the budget."""
        result = self.outcome.result
        entry: dict[str, Any] = {"policy": self.frames, "folder": self.outcome.folder.name}
        if result is None:
            return entry | {"value": None, "complete": False}
        main = result.data["main"]
        overall = result.data["rules"][main["rule"]]["overall"][main["metric"]]
        return entry | {
            "rule": main["rule"],
            "metric": main["metric"],
            "value": overall["value"],
            "interval": overall.get("interval"),
            "complete": self.outcome.complete,
            "answered": result.data["run"]["answered"],
            **result.data["run"]["cost"],
        }


def study(
    options: RunOptions, budgets: list[str], watch_of: Callable[[str], Watcher]
) -> Iterator[StudyRow]:
    """Run each budget in ``OUT/frames-<policy>``, one after the other.

    ``study.json`` in `options.out` holds one entry a finished budget, and is written after each.

    Args:
        options: the run; its frames are those of the budgets.
        budgets: frame policies.
        watch_of: makes what is told how far a budget's run is.

    Raises:
        InputError: a policy that is none, or two that are one.
    """
    from fastvbench.video import parse_policy  # noqa: PLC0415 - its room loads on use

    names = [parse_policy(budget).name for budget in budgets]
    for name in names:
        if names.count(name) > 1:
            raise InputError("the same frame budget twice", field="frames", value=name)
    rows: list[StudyRow] = []
    for name in names:
        part = replace(options, frames=name, out=options.out / folder_name(name))
        rows.append(StudyRow(name, carry_out(part, watch_of(name))))
        _write(options.out, rows)
        yield rows[-1]
        if rows[-1].outcome.progress.interrupted:
            return


def folder_name(policy: str) -> str:
    """The folder of one budget of a study."""
    return f"frames-{re.sub('[^a-z0-9.]+', '-', policy)}"


def _write(folder: Path, rows: list[StudyRow]) -> None:
    data = {"schema": 1, "kind": "study", "budgets": [row.summary() for row in rows]}
    write_atomic(folder / STUDY, strict_json(data))
