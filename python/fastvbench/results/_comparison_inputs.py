"""What may be compared: results of one benchmark, scored alike, by a metric that all have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.results._entrants import Entrant
    from fastvbench.results._metrics import Metric

__all__ = ["check_protocols", "chosen_metric", "chosen_rule", "shared_metrics"]


def check_protocols(entrants: Sequence[Entrant], *, mixed: bool) -> list[str]:
    """Refuse results that were not scored alike; what was let pass, in words.

    Raises:
        InputError: another benchmark, or another declaration of it unless `mixed`.
    """
    first = entrants[0].first
    warnings = []
    for entrant in entrants:
        for run in entrant.runs:
            theirs, ours = run.result["protocol"], first.result["protocol"]
            if theirs["name"] != ours["name"]:
                raise InputError(
                    f"a result of {theirs['name']}, and {first.name} is of {ours['name']}",
                    path=run.path,
                    field="protocol",
                    value=theirs["name"],
                    expected="results of one benchmark",
                )
            if theirs["fingerprint"] == ours["fingerprint"]:
                continue
            said = f"protocol version {theirs['version']} and {ours['version']}"
            if not mixed:
                raise InputError(
                    f"was scored by another declaration of {ours['name']} than {first.name} "
                    f"({said})",
                    path=run.path,
                    field="fingerprint",
                    value=theirs["fingerprint"][:12],
                    expected=f"{ours['fingerprint'][:12]}: score both alike (or --mixed)",
                )
            warnings.append(
                f"{entrant.name} and {entrants[0].name} were scored by different declarations of "
                f"the protocol ({said}): part of the difference may be the scorer's"
            )
    return list(dict.fromkeys(warnings))


def chosen_rule(entrants: Sequence[Entrant], rule: str | None) -> str:
    """The rule set to compare by.

    Raises:
        InputError: a result lacks it.
    """
    chosen = entrants[0].first.main_rule if rule is None else rule
    for entrant in entrants:
        for run in entrant.runs:
            if chosen not in run.rules:
                raise InputError(
                    "the result was not scored by this rule set",
                    path=run.path,
                    field="rule",
                    value=chosen,
                    expected=", ".join(run.rules),
                )
    return chosen


def chosen_metric(
    entrants: Sequence[Entrant], metrics: Mapping[str, Metric], rule: str, metric: str | None
) -> str:
    """The metric that decides: the one asked for, the result's main one, or the rule set's first.

    Raises:
        InputError: the results do not have it, or have none that can be compared.
    """
    if metric is not None and metric not in metrics:
        raise InputError(
            f"not a metric that all results have by {rule} and that is a mean",
            field="metric",
            value=metric,
            expected=", ".join(metrics),
        )
    if not metrics:
        raise InputError(f"the results have no metric in common by {rule}")
    main = entrants[0].first.main_metric
    return metric or (main if main in metrics else next(iter(metrics)))


def shared_metrics(entrants: Sequence[Entrant], rule: str) -> Mapping[str, Metric]:
    """Metrics of a rule set that all models have, in the first one's order."""
    first, *others = (entrant.metrics(rule) for entrant in entrants)
    return {key: m for key, m in first.items() if all(key in other for other in others)}
