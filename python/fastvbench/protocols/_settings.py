"""Input settings of one benchmark (with subtitles, without): which rows are of which, side by side.

A result is of one setting, the main one. Where several are at hand, the others stand beside it
under ``settings``, each with its values and its coverage, and ``setting_contrasts`` holds the
differences, whose intervals keep the answers to one video together.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.protocols._derived import reported_metrics
from fastvbench.protocols._report import build_report, rule_scores
from fastvbench.protocols._sample_rows import sample_rows
from fastvbench.protocols._score_answers import ScoreRequest, read_answers
from fastvbench.results._result import Result
from fastvbench.results._strata import Stratum
from fastvbench.results._summary import Clusters, contrast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastvbench.formats import PredictionFile
    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._protocol import AnswerProtocol
    from fastvbench.protocols._report import ScoredRuns
    from fastvbench.protocols._rule import Rule

__all__ = ["FilesOfSetting", "files_by_setting", "score_settings"]

FilesOfSetting = dict[str | None, list["PredictionFile"]]

_FIELD = "subset"
MOST_CHANCE_REPEATS = 0.5  # of the questions; more are no resumed run
_FORMATS_WITHOUT_FIELDS = frozenset({"id-to-text", "lvbench-submission", "videomme"})


def files_by_setting(
    protocol: AnswerProtocol, files: list[PredictionFile], wanted: str | Sequence[str] | None
) -> FilesOfSetting:
    """The files (or parts of them) of each setting, the main one first; None: it is not known.

    Args:
        protocol: the benchmark.
        files: what the model said.
        wanted: names of settings: those to score of files that hold several; of files that say
            nothing of settings, one name for all of them, or a name for each in their order.

    Raises:
        InputError: a setting that the benchmark or the files do not have.
    """
    names = _checked_names(protocol, wanted)
    if not protocol.input_settings:
        return {None: files}
    held = [_settings_of(file, protocol) for file in files]
    found = [name for name in protocol.input_settings if any(name in each for each in held)]
    if not found:
        if len(names) <= 1:
            return {names[0] if names else None: files}
        return _one_file_each(names, files)
    missing = next((name for name in names if name not in found), None)
    if missing is not None:
        raise InputError(
            "the file holds no row of this setting",
            path=files[0].path,
            field="setting",
            value=missing,
            expected=", ".join(found),
        )
    return {
        name: [
            file.only(_FIELD, [name])
            for file, each in zip(files, held, strict=True)
            if name in each
        ]
        for name in names or found
    }


def _checked_names(protocol: AnswerProtocol, wanted: str | Sequence[str] | None) -> list[str]:
    if wanted is None:
        return []
    given = wanted.split(",") if isinstance(wanted, str) else wanted
    names = [name.strip() for name in given]
    for name in names:
        if name not in protocol.input_settings:
            raise InputError(
                f"no input setting of {protocol.name}",
                field="setting",
                value=name,
                expected=", ".join(protocol.input_settings) or "none, it has one way to be run",
            )
    if len(set(names)) < len(names):
        raise InputError("the same setting twice", field="setting", value=wanted, expected="once")
    return names


def _settings_of(file: PredictionFile, protocol: AnswerProtocol) -> set[object]:
    if file.format in _FORMATS_WITHOUT_FIELDS:
        return set()
    first = next(file.batches(), None)
    if first is None or _FIELD not in first.fields:
        return set()
    found: set[object] = set()
    for batch in file.batches():
        found.update(batch.fields.get(_FIELD, ()))
    return found & set(protocol.input_settings)


def _one_file_each(names: list[str], files: list[PredictionFile]) -> FilesOfSetting:
    if len(names) != len(files):
        raise InputError(
            f"{len(names)} settings for {len(files)} files, none of which says what it is of",
            path=files[0].path,
            field="setting",
            value=", ".join(names),
            expected="one setting, or one for each file",
        )
    return {name: [file] for name, file in zip(names, files, strict=True)}


def score_settings(
    protocol: AnswerProtocol,
    rules: tuple[Rule, ...],
    by_setting: FilesOfSetting,
    gold: Gold,
    *,
    annotations: object,
    request: ScoreRequest,
) -> Result:
    """Score the files of each setting; the first one's values are those of the result.

    Raises:
        InputError: as `read_answers`.
    """
    scored = [
        read_answers(
            protocol,
            rules,
            files,
            gold,
            annotations=annotations,
            request=request,
            setting=setting,
        )
        for setting, files in by_setting.items()
    ]
    main, others = scored[0], scored[1:]
    data = build_report(main)
    if protocol.input_settings and main.setting is None:
        data["warnings"] += _unsaid(main)
    if others:
        data["settings"] = {str(other.setting): _beside(build_report(other)) for other in others}
        data["setting_contrasts"] = {
            rule.name: [entry for other in others for entry in _contrasts(rule, main, other)]
            for rule in rules
        }
    return Result(
        data,
        metrics={rule.name: reported_metrics(rule, gold) for rule in rules},
        rows=(lambda: _rows(scored)) if request.samples else None,
    )


def _unsaid(scored: ScoredRuns) -> list[str]:
    """Twice the questions in one file, and nothing says which are of which setting."""
    repeated = scored.join.duplicates
    if repeated < MOST_CHANCE_REPEATS * int(scored.table.seen.sum()):
        return []
    names = " and ".join(scored.protocol.input_settings)
    warning = (
        f"{repeated:,} questions stand twice and the last answer counts: if these are the settings "
        f"{names}, each needs a file of its own (--setting), or rows a field setting that names it"
    )
    return [warning]


def _beside(report: dict[str, Any]) -> dict[str, Any]:
    return {key: report[key] for key in ("rules", "coverage", "diagnostics", "warnings")}


def _rows(scored: list[ScoredRuns]) -> Iterator[dict[str, Any]]:
    return itertools.chain.from_iterable(sample_rows(each)() for each in scored)


def _contrasts(rule: Rule, main: ScoredRuns, other: ScoredRuns) -> Iterator[dict[str, Any]]:
    """Each metric's mean in the other setting minus that in the main one.

    Both settings' answers to one video are one cluster of the interval, so what a video makes
    easy or hard in either cancels out.
    """
    first, second = rule_scores(rule, main).columns, rule_scores(rule, other).columns
    count = len(main.gold)
    names = (str(other.setting), str(main.setting))
    stratum = Stratum(
        names, np.arange(2 * count, dtype=np.int64), np.repeat(np.arange(2, dtype=np.int64), count)
    )
    clusters = Clusters.of([*main.gold.videos] * 2, np.tile(main.active, 2))
    for metric in rule.metrics:
        if metric.statistic != "mean":
            continue
        both = np.concatenate([second[metric.key], first[metric.key]])
        difference = contrast(both, stratum, *names, clusters, seed=main.seed)
        yield {"metric": metric.key, "a": names[0], "b": names[1], **difference}
