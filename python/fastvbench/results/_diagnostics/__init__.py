"""What can be wrong with a number although every row was scored: each check with its definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.results._diagnostics._answers import answer_diagnostics
from fastvbench.results._diagnostics._columns import Contrast, DiagnosticColumns
from fastvbench.results._diagnostics._entry import Entry
from fastvbench.results._diagnostics._grounding import grounding_diagnostics
from fastvbench.results._diagnostics._letters import letter_diagnostics
from fastvbench.results._diagnostics._rankings import RankingColumns, ranking_diagnostics
from fastvbench.results._diagnostics._watching import watching_diagnostics

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "NAMES",
    "RANKING_NAMES",
    "Contrast",
    "DiagnosticColumns",
    "Entry",
    "RankingColumns",
    "diagnose",
    "diagnostic_entries",
    "ranking_diagnostics",
]

NAMES = (
    "parse_failures",
    "output_constraint",
    "truncation",
    "near_chance",
    "constant_output",
    "text_equals_gold",
    "response_bias",
    "always_one_letter",
    "bias_adjusted_accuracy",
    "circular_consistency",
    "answered_from_context",
    "prompt_echo",
    "whole_video_baseline",
    "threshold_edge",
    "modality_gap",
    "frames_per_minute",
    "under_count",
    "counting_format",
)
"""What is looked at; a name may be followed by a dot and the metric that it is about."""

RANKING_NAMES = ("near_chance", "ties_at_the_cut", "nothing_to_find")
"""What is looked at in rankings; each name is followed by a dot and the direction."""


def diagnose(columns: DiagnosticColumns) -> dict[str, Entry]:
    """Every diagnostic that the columns allow, by name.

    Each has ``value``, ``definition``, ``alarm``, ``says`` (the finding in one line), ``rows`` it
    is about, and further numbers.
    """
    found: dict[str, Entry] = {}
    for part in (
        answer_diagnostics,
        letter_diagnostics,
        grounding_diagnostics,
        watching_diagnostics,
    ):
        found.update({entry["name"]: entry for entry in part(columns)})
    return found


def diagnostic_entries(data: Mapping[str, Any]) -> list[Entry]:
    """The diagnostics of a result of kind ``score``, alarms first.

    Args:
        data: the content of result.json.
    """
    held = data["diagnostics"].values()
    entries = [entry for entry in held if isinstance(entry, dict) and "definition" in entry]
    return sorted(entries, key=lambda entry: not entry["alarm"])
