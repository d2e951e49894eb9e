"""Score saved answers: read, join, apply every rule set, summarise. No model, no GPU, no key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.core._collection import paused_collection
from fastvbench.core._errors import InputError
from fastvbench.protocols._protocol import (
    AnswerProtocol,
    Protocol,
    ScoreOptions,
    chosen_rules,
)
from fastvbench.protocols._registry import get_protocol
from fastvbench.protocols._retrieval_rule import RetrievalProtocol
from fastvbench.protocols._retrieve import retrieve
from fastvbench.protocols._score_answers import ScoreRequest, gold_of_files, open_files
from fastvbench.protocols._settings import files_by_setting, score_settings
from fastvbench.protocols._suite import score_suite
from fastvbench.protocols._suite_protocol import SuiteProtocol

if TYPE_CHECKING:
    from fastvbench.protocols._verdicts import VerdictSource
    from fastvbench.results._result import Result

__all__ = ["score"]


@paused_collection()
def score(
    protocol: str | Protocol,
    predictions: object,
    annotations: object = None,
    *,
    rules: str | Sequence[str] | None = None,
    format: str | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
    durations: str | os.PathLike[str] | None = None,
    repeats: bool = False,
    subset: str | os.PathLike[str] | Iterable[str] | None = None,
    exclude: str | os.PathLike[str] | Iterable[str] | None = None,
    verdicts: VerdictSource | None = None,
    setting: str | Sequence[str] | None = None,
    seed: int = 0,
    samples: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Result:
    r"""Score what a model said, or finished rankings.

    Args:
        protocol: name of a benchmark (`list_protocols()`) or a Protocol.
        predictions: a path, several paths (one run), ``{id: text}``, or a list of dicts with
            ``id`` and ``text``. For a retrieval benchmark, finished rankings: a path, or
            ``{query id: [item ids, best first]}``; `retrieve` takes embeddings, and options.
        annotations: a path or a list of dicts; None where the prediction files carry their gold.
            For a suite both are folders. For a retrieval benchmark the truth: a path, or
            ``{query id: [item ids]}``; None where a query's item has the query's id.
        rules: names of rule sets to apply (a list, or one text with commas), the first being the
            main one; None for all.
        format: name of the prediction format, None to detect it.
        id_field: field that holds the id, None to detect it.
        text_field: field that holds the text, None to detect it.
        durations: file with video lengths, for annotations that have none.
        repeats: each file is one more run of the same model.
        subset: ids (or a file of ids) to restrict the denominator to.
        exclude: ids (or a file of ids) to take out of the denominator.
        verdicts: a judge's verdicts on answers that no rule can read: a file, ``{id: bool}``, or
            a list of dicts with ``id``, ``verdict`` and, for several runs, ``run``.
        setting: how the model was run where the benchmark knows several ways (Video-MME with
            subtitles and without): recorded in the result, and chosen from files that hold
            several. Names for several (a list, or a text with commas) put them side by side,
            from one file or from a file each; None takes every one that a file holds.
        seed: of the confidence intervals.
        samples: keep each row's excerpt and readings for the samples file and the row diff.
        progress: called with the number of rows read so far.

    Returns:
        The Result; ``result.data`` is what result.json holds.

    Raises:
        InputError: a file, row or argument that cannot be used, in one line.

    Example:
        >>> gold = [{"uid": "1", "key": "v", "question": "Q?\n(A) x\n(B) y", "answer": "B"}]
        >>> result = score("lvbench", {"1": "The answer is B."}, gold, rules=["robust"])
        >>> result.value("accuracy")
        1.0
    """
    declared = get_protocol(protocol) if isinstance(protocol, str) else protocol
    beside = {
        "format": format,
        "id_field": id_field,
        "text_field": text_field,
        "durations": durations,
        "repeats": repeats or None,
        "subset": subset,
        "exclude": exclude,
        "verdicts": verdicts,
        "setting": setting,
    }
    if isinstance(declared, RetrievalProtocol):
        _refuse_options(
            f"is about answers, and {declared.name} scores rankings",
            "fastvbench retrieve (fastvbench.retrieve) for everything but rankings",
            beside,
        )
        rankings = _only_rankings(declared.name, predictions)
        return retrieve(
            declared, rankings=rankings, truth=annotations, rules=rules, seed=seed, samples=samples
        )
    if isinstance(declared, SuiteProtocol):
        _refuse_options(
            f"is about one benchmark, and {declared.name} has several",
            "the benchmark scored on its own",
            beside,
        )
        folders: Any = predictions
        return score_suite(
            declared, folders, _folder(annotations), rules=rules, seed=seed, progress=progress
        )
    if not isinstance(declared, AnswerProtocol):
        raise TypeError(f"a protocol of unknown kind: {type(declared).__name__}")
    chosen = chosen_rules(declared.rules, rules, declared.name)
    files = open_files(predictions, format, id_field, text_field)
    by_setting = files_by_setting(declared, files, setting)
    options = ScoreOptions(durations=None if durations is None else Path(durations))
    if annotations is not None:
        gold = declared.read_annotations(annotations, options)
    elif durations is None:
        gold = gold_of_files(declared, [file for part in by_setting.values() for file in part])
    else:
        raise InputError(
            "video lengths complete an annotation file, and none is given",
            path=durations,
            expected="--annotations FILE beside --durations FILE",
        )
    request = ScoreRequest(
        repeats=repeats,
        subset=subset,
        exclude=exclude,
        verdicts=verdicts,
        seed=seed,
        samples=samples,
        progress=progress,
    )
    return score_settings(
        declared, chosen, by_setting, gold, annotations=annotations, request=request
    )


def _refuse_options(problem: str, expected: str, beside: Mapping[str, object]) -> None:
    """Refuse options that mean nothing to a kind of benchmark.

    Raises:
        InputError: one of them was given.
    """
    for option, value in beside.items():
        if value is not None:
            raise InputError(problem, field=option, value=value, expected=expected)


def _folder(annotations: object) -> str | os.PathLike[str] | None:
    """The folder of a suite's annotations.

    Raises:
        InputError: it is no path.
    """
    if annotations is None or isinstance(annotations, str | os.PathLike):
        return annotations
    raise InputError(
        "a suite's annotations are files",
        field="annotations",
        value=annotations,
        expected="a folder of annotation files",
    )


def _only_rankings(name: str, predictions: object) -> Any:
    """The one file (or mapping) of rankings.

    Raises:
        InputError: several.
    """
    if isinstance(predictions, Sequence) and not isinstance(predictions, str):
        if len(predictions) != 1:
            raise InputError(
                f"{name} scores one file of rankings",
                value=f"{len(predictions)} files",
                expected="one",
            )
        return predictions[0]
    return predictions
