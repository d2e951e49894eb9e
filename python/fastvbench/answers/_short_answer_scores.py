"""Scores of short answers: the published definitions by name, and the careful ones."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers._careful_scores import careful_anls, careful_match, careful_relaxed
from fastvbench.answers._short_answers import read_short_answers
from fastvbench.answers.rules import PublicScriptAborts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    Careful = Callable[[Any, Sequence[Sequence[str]], NDArray[np.int64]], Column]
    ScoreFunction = Callable[[str, Sequence[str]], float | bool | None]

__all__ = ["anls", "exact_match", "relaxed_accuracy"]

# Module of answers.rules and function, by the names that protocols give these rule sets.
_ANLS = {
    "official": ("docvqa_official", "anls"),
    "videollama3": ("videollama3_images", "docvqa_similarity"),
    "lmms-eval-2026-08": ("lmms_eval_images", "anls"),
    "vlmevalkit": ("vlmevalkit_images", "anls"),
    "pix2struct": ("pix2struct", "anls"),
    "pix2struct-2024": ("pix2struct", "anls_2024"),
}
_RELAXED = {
    "official": ("pix2struct", "relaxed_accuracy"),
    "videollama3": ("videollama3_images", "chartqa_match"),
    "lmms-eval-2026-08": ("lmms_eval_images", "relaxed_accuracy"),
    "vlmevalkit": ("vlmevalkit_images", "relaxed_accuracy"),
    "vlmevalkit-pre-1204": ("vlmevalkit_images", "relaxed_accuracy_pre_1204"),
}
_NORMALISED = {
    "paper": ("videollama3_card", "is_short_answer_match"),
    "vqa": ("evalai_vqa", "is_match"),
}


def anls(pred: Sequence[str | None], golds: Sequence[Any], *, rule: str = "official") -> Column:
    """Average normalised Levenshtein similarity, row by row.

    Args:
        pred: n texts; None for an absent answer, which scores 0.
        golds: n accepted answers, each a text or a list of texts.
        rule: ``official`` (Robust Reading Competition: 0 below one half), ``videollama3`` (no
            threshold), ``lmms-eval-2026-08``, ``vlmevalkit``, ``pix2struct`` (0 at one half),
            ``pix2struct-2024``, or ``robust`` (the official formula on the answer proper).

    Returns:
        float64[n]; NaN where a row has no accepted answer. A row on which the public script would
        stop scores 0.

    Raises:
        TypeError: a prediction or an answer that is no text.
        ValueError: no such rule, or columns of different lengths.

    Example:
        >>> anls(["It is 'ITC Ltd.'", "ITC"], [["ITC Ltd."], ["ITC Limited"]], rule="robust")
        array([1., 0.])
    """
    texts, answers = _columns(pred, golds)
    if rule == "robust":
        return _careful(careful_anls, texts, answers)
    return _published(texts, answers, _named(_ANLS, rule, "rule"))


def relaxed_accuracy(
    pred: Sequence[str | None], gold: Sequence[Any], *, rule: str = "official"
) -> Column:
    """1 where a number is within 5 % of the gold one, or the texts are the same.

    Args:
        pred: n texts; None for an absent answer, which scores 0.
        gold: n accepted answers, each a text or a list of texts.
        rule: ``official`` (pix2struct's definition), ``videollama3`` (also a hundred times too
            large or too small; what it would put to a judge scores 0), ``lmms-eval-2026-08``,
            ``vlmevalkit``, ``vlmevalkit-pre-1204`` (sides swapped), or ``robust``: numbers read
            carefully on both sides; a gold year (four plain digits from 1800 to 2099) must match
            exactly.

    Returns:
        float64[n]; NaN where a row has no accepted answer. A row on which the public script would
        stop scores 0.

    Raises:
        TypeError: a prediction or an answer that is no text.
        ValueError: no such rule, or columns of different lengths.

    Example:
        >>> relaxed_accuracy(["It is 1,020.", "2019"], ["1000", "2021"], rule="robust")
        array([1., 0.])
    """
    texts, answers = _columns(pred, gold)
    if rule == "robust":
        return _careful(careful_relaxed, texts, answers)
    return _published(texts, answers, _named(_RELAXED, rule, "rule"))


def exact_match(
    pred: Sequence[str | None],
    gold: Sequence[Any],
    *,
    normalize: str | Callable[[str], str] = "none",
) -> Column:
    """1 where a text is an accepted answer once both are normalised.

    Args:
        pred: n texts; None for an absent answer, which scores 0.
        gold: n accepted answers, each a text or a list of texts.
        normalize: ``none``; ``paper`` (trimmed, lower case, single spaces, as VideoLLaMA3's
            evaluation card is read here); ``vqa`` (EvalAI's VQA rules); ``robust`` (the words of
            the answer proper); or a function of one text.

    Returns:
        float64[n]; NaN where a row has no accepted answer.

    Raises:
        TypeError: a prediction or an answer that is no text.
        ValueError: no such normalisation, or columns of different lengths.

    Example:
        >>> exact_match(["The two dogs.", "cat"], [["2 dogs", "dogs"], "cat"], normalize="vqa")
        array([1., 1.])
    """
    texts, answers = _columns(pred, gold)
    if normalize == "robust":
        return _careful(careful_match, texts, answers)
    if normalize == "none":
        return _published(texts, answers, lambda text, accepted: text in accepted)
    if isinstance(normalize, str):
        return _published(texts, answers, _named(_NORMALISED, normalize, "normalize"))
    change = normalize

    def same(text: str, accepted: Sequence[str]) -> bool:
        given = change(text)
        return any(given == change(answer) for answer in accepted)

    return _published(texts, answers, same)


def _careful(
    score: Careful, texts: Sequence[str | None], answers: Sequence[Sequence[str]]
) -> Column:
    rows = np.arange(len(texts), dtype=np.int64)
    return score(read_short_answers(texts), answers, rows)


def _named(published: Mapping[str, tuple[str, str]], rule: str, argument: str) -> ScoreFunction:
    if rule not in published:
        known = ", ".join(["robust", *published])
        raise ValueError(f"{argument}={rule!r}: expected one of {known}")
    module, function = published[rule]
    score: ScoreFunction = getattr(import_module(f"fastvbench.answers.rules.{module}"), function)
    return score


def _published(
    texts: Sequence[str | None],
    golds: Sequence[Sequence[str]],
    score: ScoreFunction,
) -> Column:
    """Scores of a published rule; None, where it would ask a judge, is 0."""
    scores = np.zeros(len(texts))
    for row, (text, answers) in enumerate(zip(texts, golds, strict=True)):
        if not answers:
            scores[row] = np.nan
        elif text is not None:
            try:
                scores[row] = float(score(text, answers) or 0.0)
            except PublicScriptAborts:
                scores[row] = 0.0
    return scores


def _columns(
    pred: Sequence[str | None], golds: Sequence[Any]
) -> tuple[list[str | None], list[Sequence[str]]]:
    texts = list(pred)
    for row, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"pred[{row}]: expected str or None, got {type(text).__name__}")
    return texts, _answer_lists(golds, len(texts))


def _answer_lists(golds: Sequence[Any], row_count: int) -> list[Sequence[str]]:
    lists: list[Sequence[str]] = [[gold] if isinstance(gold, str) else list(gold) for gold in golds]
    if len(lists) != row_count:
        raise ValueError(f"gold has {len(lists)} rows; expected {row_count}, one per prediction")
    for row, answers in enumerate(lists):
        for answer in answers:
            if not isinstance(answer, str):
                raise TypeError(
                    f"gold[{row}]: expected a text or a list of texts, got one of "
                    f"{type(answer).__name__}"
                )
    return lists
