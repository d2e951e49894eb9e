"""A protocol: everything that defines how one video benchmark is scored, in one declaration."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._rule import Rule

__all__ = ["Protocol", "ScoreOptions"]


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """What a caller may say about the annotations beside the file itself."""

    durations: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """One benchmark. A file of this package that sets ``PROTOCOL`` to one is found by its name.

    Attributes:
        name: equals the file's name.
        title: name in tables.
        citation: the benchmark's paper.
        version: raised whenever a score may move; `protocols.lock.json` holds the fingerprint.
        published_size: rows of the published set, None where it is not public.
        rules: rule sets, the main one first.
        read_annotations: path or in-memory rows, and options, to Gold.
        gold_fields: from the fields of files that carry their own gold to Gold; None where no
            prediction format does.
        notes: what a reader of the numbers must know (licences, unverified parts).
        coverage_limit: smallest share of expected rows with a text that is no cause for alarm.
        settings: published generation settings and frame policy, by source.
        prompts: published prompts by source; ``{}`` fields are filled per row.
        score_fields: further values that move a score (strata edges, policies).
        contrasts: differences of one metric between two categories: (metric, stratum, a, b).
    """

    name: str
    title: str
    citation: str
    version: int
    published_size: int | None
    rules: tuple[Rule, ...]
    read_annotations: Callable[[Any, ScoreOptions], Gold]
    gold_fields: Callable[[Mapping[str, list[Any]]], Gold] | None = None
    notes: tuple[str, ...] = ()
    coverage_limit: float = 0.95
    settings: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    score_fields: Mapping[str, object] = field(default_factory=dict)
    contrasts: tuple[tuple[str, str, str, str], ...] = ()

    @property
    def main_rule(self) -> Rule:
        """The rule set that headlines a result."""
        return self.rules[0]

    def rule(self, name: str) -> Rule:
        """The rule set of that name.

        Raises:
            InputError: the protocol has none.
        """
        for rule in self.rules:
            if rule.name == name:
                return rule
        raise InputError(
            f"protocol {self.name} has no rule set of that name",
            field="rules",
            value=name,
            expected=", ".join(rule.name for rule in self.rules),
        )

    def fingerprint(self) -> str:
        """SHA-256 of every declared value that moves a score."""
        declared = {
            "name": self.name,
            "rules": [rule.fingerprint() for rule in self.rules],
            "prompts": dict(self.prompts),
            "settings": dict(self.settings),
            "score_fields": dict(self.score_fields),
        }
        return hashlib.sha256(json.dumps(declared, sort_keys=True).encode()).hexdigest()
