"""A suite: several benchmarks that one paper reports together, scored from one folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastvbench.protocols._protocol import Protocol

if TYPE_CHECKING:
    from fastvbench.protocols._rule import AnyRule

__all__ = ["Setting", "SuitePart", "SuiteProtocol"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One of several ways in which a benchmark is run, for example with subtitles.

    Attributes:
        subset: value of a row's ``subset`` field where one file holds several settings.
        pattern: what a file's name says for it, searched in lower case.
        default: files that name no setting are of this one.
    """

    subset: str
    pattern: str
    default: bool = False

    def is_named_by(self, text: str) -> bool:
        """Whether a file's name says that it is of this setting."""
        return re.search(self.pattern, text.lower()) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePart:
    """One row of a suite's table.

    Attributes:
        key: name of the row in result files.
        title: name of the row in tables.
        protocol: the benchmark that scores it.
        names: how files name the benchmark, in lower case without separators.
        not_names: names of other benchmarks that hold one of `names` within.
        formats: prediction formats that are this benchmark's own.
        rules: rule set of the benchmark behind each column of the suite, where that is not the
            one of the column's name; the first that the benchmark has.
        setting: which of the benchmark's settings the row is; None where there is one only.
        core: the suite is not complete without it.
    """

    key: str
    title: str
    protocol: str
    names: tuple[str, ...]
    not_names: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    rules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    setting: Setting | None = None
    core: bool = True

    def is_named_by(self, text: str) -> bool:
        """Whether a file or folder name is about this row's benchmark."""
        plain = re.sub(r"[^a-z0-9]", "", text.lower())
        for other in self.not_names:
            plain = plain.replace(other, "")
        return any(name in plain for name in self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteProtocol(Protocol):
    """Benchmarks that are reported in one table.

    Attributes:
        rules: the columns of the table; each benchmark has a rule set behind each of them.
        parts: the rows of the table.
    """

    rules: tuple[AnyRule, ...]
    parts: tuple[SuitePart, ...]

    @property
    def size_text(self) -> str:
        """The published size as tables show it."""
        return f"{len({part.protocol for part in self.parts})} benchmarks"

    def _declared(self) -> dict[str, object]:
        return Protocol._declared(self) | {
            "parts": [
                [
                    part.key,
                    part.protocol,
                    sorted((column, list(names)) for column, names in part.rules.items()),
                    None if part.setting is None else part.setting.subset,
                    part.core,
                ]
                for part in self.parts
            ]
        }
