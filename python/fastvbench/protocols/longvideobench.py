"""LongVideoBench: multiple choice on videos of 8 s to 1 h (Wu et al., 2024, arXiv:2407.15754)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers.rules import lmms_eval_2026_08_choices, videollama3_choices, vlmevalkit
from fastvbench.core._numbers import as_float
from fastvbench.core._status import Status
from fastvbench.protocols._annotations import annotation_records, row_id
from fastvbench.protocols._choice_rules import (
    ChoiceRow,
    ChoiceVerdict,
    letter_function_rule,
    row_choice_rule,
)
from fastvbench.protocols._choice_set_rules import careful_set_rule, known_texts
from fastvbench.protocols._choice_sets import (
    ChoiceQuestion,
    gold_of_questions,
    option_texts,
    rows_of_fields,
)
from fastvbench.protocols._gold import ALPHABET, Gold
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._task_plan import VIDEOLLAMA3_ON_VIDEOS, TaskPlan
from fastvbench.results._metrics import ACCURACY, Metric

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastvbench.protocols._rule import Reading, Rule, RuleBatch

# Longest videos of each group, in seconds.
DURATION_GROUPS = ("15", "60", "600", "3600")
QUESTION_CATEGORIES = (
    *("S2E", "S2O", "S2A", "E2O", "O2E", "T2E", "T2O", "T2A"),
    *("E3E", "O3O", "SSS", "SOS", "SAA", "T3E", "T3O", "TOS", "TAA"),
)
LEVELS = ("L1-Perception", "L2-Relation")
_STRATA: dict[str, tuple[str, ...]] = {
    "duration_group": DURATION_GROUPS,
    "question_category": QUESTION_CATEGORIES,
    "level": LEVELS,
    "topic_category": (),
}
MOST_OPTIONS = 5


def _place(value: object) -> object:
    """A right option's place, also where a table made text of it; anything else as it is."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


def _numbered_options(values: Mapping[str, Any]) -> list[str]:
    """Options of the published table: ``option0`` and on, up to N/A."""
    options: list[str] = []
    for place in range(MOST_OPTIONS):
        value = values.get(f"option{place}")
        if not isinstance(value, str) or value == "N/A":
            break
        options.append(value)
    return options


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read ``lvb_val.json``, or rows of the published tables.

    Rows have ``id``, ``video_id``, ``question``, ``candidates`` (or ``option0`` and on),
    ``correct_choice`` from 0, and their categories.
    """
    ledger: dict[str, int] = {}
    questions: list[ChoiceQuestion] = []
    for record in annotation_records(source, ledger=ledger):
        values = record.values
        candidates = option_texts(values.get("candidates")) or _numbered_options(values)
        if not candidates:
            raise record.error("no options", "candidates", "a list of option texts")
        answer = _place(values.get("correct_choice"))
        known = isinstance(answer, int) and 0 <= answer < len(candidates)
        known = known and not isinstance(answer, bool)
        if not known and (answer is not None or not options.without_gold):
            raise record.error("not one of the options", "correct_choice", "a place from 0", answer)
        seconds = values.get("duration")
        questions.append(
            ChoiceQuestion(
                ident=row_id(values.get("id"), record, "id"),
                video=record.text("video_id", "video_path"),
                query=record.text("question"),
                options=candidates,
                answer=answer,
                categories=_categories(values),
                duration_seconds=as_float(seconds)
                if isinstance(seconds, int | float)
                else float("nan"),
                columns={"video_path": values.get("video_path")},
            )
        )
    return gold_of_questions(questions, _STRATA, ledger=ledger, durations=options.durations)


def _categories(values: Mapping[str, Any]) -> dict[str, str | None]:
    return {name: _as_name(values.get(name)) for name in _STRATA}


def _as_name(value: object) -> str | None:
    return str(value) if isinstance(value, str | int) and value != "" else None


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves: places or letters of options."""
    placed = {**fields, "gold": [_place(value) for value in fields["gold"]]}
    questions = [
        ChoiceQuestion(
            ident=row.ident,
            video=row.video,
            query=row.query,
            options=row.options,
            answer=row.answer,
            option_count=MOST_OPTIONS,
            categories=_categories(row.fields) | {"question_category": row.text("question_type")},
        )
        for row in rows_of_fields(placed)
    ]
    return gold_of_questions(questions, _STRATA)


def _lmms_eval(text: str, row: ChoiceRow) -> ChoiceVerdict:
    del row
    letter = lmms_eval_2026_08_choices.longvideobench_letter(text)
    return ChoiceVerdict(ALPHABET.index(letter) if letter else -1)


def _with_expected_draws(rule: Rule) -> Rule:
    """The rule with what its random draws are worth on average beside it."""

    def read(batch: RuleBatch) -> Reading:
        reading = rule.read(batch)
        scores = reading.scores[ACCURACY.key]
        drawn = (reading.status == Status.NO_ANSWER) & ~np.isnan(scores)
        reading.scores[EXPECTED_ACCURACY.key] = np.where(drawn, 1.0 / batch.option_counts(), scores)
        return reading

    return replace(rule, read=read, metrics=(rule.metrics[0], EXPECTED_ACCURACY, *rule.metrics[1:]))


def _videollama3(text: str, row: ChoiceRow) -> ChoiceVerdict:
    return ChoiceVerdict(
        ALPHABET.index(videollama3_choices.longvideobench_letter(text, known_texts(row)))
    )


def _vlmevalkit(text: str) -> str:
    letter = vlmevalkit.longvideobench_letter(text)
    return "" if letter == vlmevalkit.NO_OPTION else letter


EXPECTED_ACCURACY = Metric("expected_accuracy", "acc with draws %")

_LETTER_PROMPT = (
    "{question}\n{options}\nAnswer with the option's letter from the given choices directly."
)
VIDEOLLAMA3_PROMPT = "Question: " + _LETTER_PROMPT
VLMEVALKIT_PROMPT = _LETTER_PROMPT

PROTOCOL = AnswerProtocol(
    name="longvideobench",
    title="LongVideoBench",
    citation="Wu et al., 2024, LongVideoBench: A Benchmark for Long-context Interleaved "
    "Video-Language Understanding, arXiv:2407.15754",
    version=1,
    published_size=1337,
    rules=(
        careful_set_rule(
            "robust",
            "a careful reader's judgement of each answer among the question's own three to five "
            "options, their texts included; of options with the same text either is right",
        ),
        row_choice_rule(
            "videollama3",
            "VideoLLaMA3, evaluation/benchmarks/longvideobench.py: first capital letter of one of "
            "the question's options, else an option's text",
            _videollama3,
            missing="dropped",
            denominator="rows of the result file",
        ),
        _with_expected_draws(
            row_choice_rule(
                "lmms-eval-2026-08",
                "lmms-eval, tasks/longvideobench as of August 2026: phrases removed, first A-E "
                "anywhere; without one an option is drawn at random, without a seed: such rows "
                "count as wrong here, and by their chance in the accuracy with draws",
                _lmms_eval,
                text="filtered",
            )
        ),
        letter_function_rule(
            "vlmevalkit",
            "VLMEvalKit, dataset/longvideobench.py as of August 2026: first A-E anywhere, so that "
            "the message of a failed request is A; anything else is Z, which is wrong. It prints "
            "fractions of three decimals",
            _vlmevalkit,
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(media_columns=("video_path",), published={"videollama3": VIDEOLLAMA3_ON_VIDEOS}),
    gold_fields=gold_from_fields,
    notes=(
        "Annotations and videos are CC-BY-NC-SA-4.0 and not part of this package.",
        "LongVideoBench's repository holds no scorer, so there is no rule set named official.",
        "lmms-eval draws at random where an answer has no letter: two runs of it differ.",
        "Prompt of lmms-eval: not confirmed.",
    ),
    settings={
        "videollama3": "1 frame per second, at most 180 frames, 16K visual tokens, temperature 0, "
        "no sampling; subtitles between the frames",
        "vlmevalkit": "number of frames and subtitles are the caller's choice",
    },
    prompts={"videollama3": VIDEOLLAMA3_PROMPT, "vlmevalkit": VLMEVALKIT_PROMPT},
    score_fields={"duration_group": DURATION_GROUPS, "question_category": QUESTION_CATEGORIES},
)
