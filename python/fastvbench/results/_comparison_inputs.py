"""What may be compared: results of one benchmark, scored alike, by a metric that all have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.results._entrants import Entrant
    from fastvbench.results._metrics import Metric
    from fastvbench.results._samples import SampleTable

__all__ = ["check_protocols", "chosen_metric", "chosen_rule", "shared_metrics"]


def check_protocols(entrants: Sequence[Entrant], *, mixed: bool) -> list[str]:
    """Refuse results that were not scored alike; what was let pass, in words.

    Raises:
        InputError: another benchmark; another declaration of it, another input setting, or another
            order of equal scores or similarity, unless `mixed`.
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
            warnings += _check_ways(entrant, run, entrants[0], mixed=mixed)
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
        warnings += _deviations(entrant, first)
    return list(dict.fromkeys(warnings))


def _check_ways(entrant: Entrant, run: SampleTable, other: Entrant, *, mixed: bool) -> list[str]:
    """What differs in how the rows of two results came about, beside the model.

    Raises:
        InputError: one input setting against another, or rankings made in different ways.
    """
    first = other.first
    warnings = []
    ways = {"setting": _setting(run), **_ranking_ways(run)}
    for name, way in ways.items():
        theirs, ours = way, {"setting": _setting(first), **_ranking_ways(first)}[name]
        if theirs == ours:
            continue
        if None not in (theirs, ours) and not mixed:
            raise InputError(
                f"{entrant.name} is of another {name} than {other.name}",
                path=run.path,
                field=name,
                value=theirs,
                expected=f"{ours} (--setting where results have several, or --mixed)"
                if name == "setting"
                else f"{ours} (or --mixed)",
            )
        said = " and ".join(str(each or "not said") for each in (ours, theirs))
        warnings.append(f"{other.name} and {entrant.name} differ in their {name}: {said}")
    judged = ["verdicts" in table.result.get("inputs", {}) for table in (first, run)]
    if judged[0] != judged[1]:
        names = (other.name, entrant.name) if judged[0] else (entrant.name, other.name)
        warnings.append(
            f"a judge decided rows of {names[0]} and none of {names[1]}: those that wait for one "
            "count as wrong"
        )
    return warnings


def _setting(table: SampleTable) -> str | None:
    return None if table.settings is None else table.settings[0]


def _ranking_ways(table: SampleTable) -> dict[str, str | None]:
    """How items were ranked, for retrieval."""
    options = table.result.get("options", {})
    return {"order of equal scores": options.get("ties"), "similarity": options.get("metric")}


def _deviations(entrant: Entrant, first: SampleTable) -> list[str]:
    """Settings of a run that differ from what is published, where the first model's do not."""
    known = _found_deviations(first)
    found = [words for run in entrant.runs for words in _found_deviations(run)]
    new = [words for words in dict.fromkeys(found) if words not in known]
    return [f"{entrant.name} was run otherwise than published: {'; '.join(new)}"] if new else []


def _found_deviations(table: SampleTable) -> list[str]:
    entry = table.result.get("diagnostics", {}).get("protocol_deviations")
    listed = entry.get("deviations", ()) if isinstance(entry, dict) else ()
    return [
        f"{each['what']} {each['used']} (published: {each['published']})"
        for each in listed
        if isinstance(each, dict) and {"what", "used", "published"} <= each.keys()
    ]


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
