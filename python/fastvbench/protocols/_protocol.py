"""A protocol: everything that defines how one video benchmark is scored, in one declaration."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._rule import AnyRule, Rule
    from fastvbench.protocols._task_plan import TaskPlan

__all__ = ["AnswerProtocol", "Protocol", "ScoreOptions", "chosen_rules"]

RuleT = TypeVar("RuleT", bound="AnyRule")


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """What a caller may say about the annotations beside the file itself.

    Attributes:
        durations: file with video lengths.
        without_gold: questions whose right answer is not public are read too, as rows without
            one; submission files are made from them.
    """

    durations: Path | None = None
    without_gold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """One benchmark. A file of this package that sets ``PROTOCOL`` to one is found by its name.

    What is scored is a matter of the kind: `AnswerProtocol` for what a model said,
    `RetrievalProtocol` for rankings of items.

    Attributes:
        name: equals the file's name.
        title: name in tables.
        citation: the benchmark's paper.
        version: raised whenever a score may move; `protocols.lock.json` holds the fingerprint.
        published_size: rows of the published set, None where it is not public.
        rules: rule sets, the main one first.
        notes: what a reader of the numbers must know (licences, unverified parts).
        coverage_limit: smallest share of expected rows with an answer that is no cause for alarm.
        settings: published generation settings and frame policy, by source.
        prompts: published prompts by source; ``{}`` fields are filled per row.
        score_fields: further values that move a score (strata edges, policies).
    """

    name: str
    title: str
    citation: str
    version: int
    published_size: int | None
    rules: tuple[AnyRule, ...]
    notes: tuple[str, ...] = ()
    coverage_limit: float = 0.95
    settings: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    score_fields: Mapping[str, object] = field(default_factory=dict)

    @property
    def main_rule(self) -> AnyRule:
        """The rule set that headlines a result."""
        return self.rules[0]

    @property
    def size_text(self) -> str:
        """The published size as tables show it."""
        return "not public" if self.published_size is None else f"{self.published_size:,}"

    def rule(self, name: str) -> AnyRule:
        """The rule set of that name.

        Raises:
            InputError: the protocol has none.
        """
        return _named_rule(self.rules, name, self.name)

    def fingerprint(self) -> str:
        """SHA-256 of every declared value that moves a score."""
        declared = json.dumps(self._declared(), sort_keys=True)
        return hashlib.sha256(declared.encode()).hexdigest()

    def _declared(self) -> dict[str, object]:
        return {
            "name": self.name,
            "rules": [rule.fingerprint() for rule in self.rules],
            "prompts": dict(self.prompts),
            "settings": dict(self.settings),
            "score_fields": dict(self.score_fields),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerProtocol(Protocol):
    """A benchmark of questions: scored is the text that a model said to each.

    Attributes:
        rules: see Protocol.
        read_annotations: path or in-memory rows, and options, to Gold.
        gold_fields: from the fields of files that carry their own gold to Gold; None where no
            prediction format does.
        contrasts: differences of one metric between two categories: (metric, stratum, a, b).
        input_settings: ways in which the benchmark is run, the one that headlines a result first;
            a file may hold several, told apart by its rows' ``subset``.
        submission: layout of the file that its server or script is handed (a key of
            ``formats.SUBMISSIONS``); None where there is none.
        tasks: how its rows are put to a model; None where it can only be scored.
    """

    rules: tuple[Rule, ...]
    read_annotations: Callable[[Any, ScoreOptions], Gold]
    gold_fields: Callable[[Mapping[str, list[Any]]], Gold] | None = None
    contrasts: tuple[tuple[str, str, str, str], ...] = ()
    input_settings: tuple[str, ...] = ()
    submission: str | None = None
    tasks: TaskPlan | None = None


def _named_rule(rules: tuple[RuleT, ...], name: str, protocol: str) -> RuleT:
    for rule in rules:
        if rule.name == name:
            return rule
    raise InputError(
        f"protocol {protocol} has no rule set of that name",
        field="rules",
        value=name,
        expected=", ".join(rule.name for rule in rules),
    )


def chosen_rules(
    rules: tuple[RuleT, ...], names: str | Sequence[str] | None, protocol: str
) -> tuple[RuleT, ...]:
    """The rule sets that a caller names, in that order; all of them for None.

    Args:
        rules: what the protocol declares.
        names: a list of names, or one text with commas.
        protocol: the protocol's name, for messages.

    Raises:
        InputError: no name, or one that the protocol does not have.
    """
    if names is None:
        return rules
    wanted = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)]
    if not any(wanted):
        raise InputError("names no rule set", field="rules", value=names, expected="a name")
    return tuple(_named_rule(rules, name, protocol) for name in dict.fromkeys(filter(None, wanted)))
