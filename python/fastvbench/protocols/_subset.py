"""Restricting the denominator to some ids, on the record."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.formats import read_text_lines
from fastvbench.protocols._csv_rows import csv_rows

if TYPE_CHECKING:
    from fastvbench.protocols._gold import Gold

__all__ = ["Subset", "read_subset"]

Ids = str | os.PathLike[str] | Iterable[str]


@dataclass(frozen=True, slots=True)
class Subset:
    """Which rows count, and how that is written in the result (None: all do)."""

    active: npt.NDArray[np.bool_]
    described: dict[str, Any] | None


def _read_ids(source: Ids) -> tuple[list[str], dict[str, int]]:
    """Ids, and how often each reason of a second column was given."""
    if not isinstance(source, str | os.PathLike):
        return [str(ident) for ident in source], {}
    ids: list[str] = []
    reasons: dict[str, int] = {}
    lines = [text for _, text in read_text_lines(Path(source)) if text.strip()]
    delimiter = "\t" if any("\t" in line for line in lines) else ","
    for number, cells in enumerate(csv_rows(lines, Path(source), delimiter)):
        ident = cells[0].strip()
        if number == 0 and ident.lower() in {"id", "uid", "question_id"}:
            continue
        ids.append(ident)
        if len(cells) > 1:
            reason = cells[1].strip()
            reasons[reason] = reasons.get(reason, 0) + 1
    return ids, reasons


def read_subset(gold: Gold, subset: Ids | None, exclude: Ids | None) -> Subset:
    """Rows named by `subset`, less those named by `exclude`.

    Files hold one id a line, or a table whose first column is the id and whose second is a reason.

    Raises:
        InputError: an id is in no annotation, or no row is left.
    """
    active = np.ones(len(gold), dtype=np.bool_)
    if subset is None and exclude is None:
        return Subset(active, None)
    described: dict[str, Any] = {}
    for name, source in (("subset", subset), ("exclude", exclude)):
        if source is None:
            continue
        ids, reasons = _read_ids(source)
        rows = []
        for line, ident in enumerate(ids, 1):
            if ident not in gold.row_of_id:
                raise InputError(
                    "no annotation has this id",
                    path=source if isinstance(source, str | os.PathLike) else name,
                    line=line,
                    field="id",
                    value=ident,
                    expected=f"ids such as {', '.join(gold.ids[:3])}",
                )
            rows.append(gold.row_of_id[ident])
        named = np.zeros(len(gold), dtype=np.bool_)
        named[rows] = True
        active &= named if name == "subset" else ~named
        described[name] = {"ids": len(set(ids))} | ({"reasons": reasons} if reasons else {})
    if not active.any():
        raise InputError("no row is left to score", field="subset", expected="at least one id")
    kept = sorted(gold.ids[row] for row in np.flatnonzero(active).tolist())
    described["rows"] = len(kept)
    described["sha256"] = hashlib.sha256(
        "\n".join(kept).encode("utf-8", "surrogatepass")
    ).hexdigest()
    return Subset(active, described)
