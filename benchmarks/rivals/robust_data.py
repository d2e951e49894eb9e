"""A million answers a benchmark, as batches that a rule set reads, from a seed.

Answers are made for a hundred thousand rows, no two alike by design but for bare letters, and
stand ten times. Questions are as many as the benchmark has, so rows share them as samples do.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from benchmarks.rivals import choices_data, grounding_sets_data, short_answers_data

from fastvbench.intervals import Intervals
from fastvbench.protocols._gold import Gold
from fastvbench.protocols._rule import RuleBatch

SEED = 0
ROWS = 1_000_000
MADE_ROWS = 100_000
MADE_SUBMISSIONS = 10_000  # each holds a hundred numbers


def repeated(
    texts: Sequence[str | None], fields: dict[str, list[Any]], rows: Iterable[int], gold: Gold
) -> RuleBatch:
    """The same rows again and again, a million in all."""
    times = ROWS // len(texts)
    return RuleBatch(
        [*texts] * times,
        {name: column * times for name, column in fields.items()},
        np.tile(np.fromiter(rows, np.int64), times),
        gold,
    )


def _gold(count: int, **columns: Any) -> Gold:
    return Gold(
        ids=[str(k) for k in range(count)], videos=[f"v{k // 8}" for k in range(count)], **columns
    )


def choices(columns: dict[str, list[Any]] | None = None) -> RuleBatch:
    """Letters, letters with option texts, option texts alone and in sentences.

    Args:
        columns: further gold columns, one value for every question each.
    """
    source = random.Random(SEED)
    texts, options = choices_data.rows_with_options(MADE_ROWS, SEED)
    questions = options[: choices_data.QUESTIONS]
    gold = _gold(
        len(questions),
        letters=np.array([source.randrange(4) for _ in questions], np.int8),
        options=questions,
        columns={name: values * len(questions) for name, values in (columns or {}).items()},
    )
    return repeated(texts, {}, [k % len(questions) for k in range(MADE_ROWS)], gold)


def letters_and_intervals() -> RuleBatch:
    """A letter and one to four moments in one text."""
    source = random.Random(SEED)
    batch = choices()
    annotations, sentences = grounding_sets_data.vue_tr(len(batch.gold), SEED)
    moments = [row["gt"] for row in annotations]
    batch.gold.intervals = Intervals.from_rows(moments)
    batch.gold.raw_intervals = np.array([row[0] for row in moments])
    batch.gold.durations = np.array([row["duration"] for row in annotations])
    shapes = ("{L}. {m}", "({L}) {m}", "{m} The answer is {L}.", "Answer: {L}\n{m}")
    rows = batch.rows[:MADE_ROWS].tolist()
    texts = [
        source.choice(shapes).format(L=source.choice("ABCD"), m=sentences[row]) for row in rows
    ]
    return repeated(texts, {}, rows, batch.gold)


def one_moment() -> RuleBatch:
    """Charades-STA: a moment in words."""
    source = random.Random(SEED)
    annotations, texts = grounding_sets_data.activitynet(MADE_ROWS, SEED)
    kept = source.sample(range(MADE_ROWS), 3_720)
    rows = list(annotations.values())
    moments = [rows[k]["timestamps"][0] for k in kept]
    gold = _gold(
        len(kept),
        intervals=Intervals.from_rows([[moment] for moment in moments]),
        raw_intervals=np.array(moments),
        durations=np.array([rows[k]["duration"] for k in kept]),
    )
    return repeated(texts, {}, [k % len(kept) for k in range(MADE_ROWS)], gold)


def short_answers(*, numbers: bool) -> RuleBatch:
    """Names and phrases, or counts, years and amounts, as models word them."""
    made = (short_answers_data.numbers if numbers else short_answers_data.words)(MADE_ROWS, SEED)
    return repeated(made.texts, {}, made.rows, _gold(len(made.golds), answers=made.golds))


def typed_answers() -> RuleBatch:
    """MathVista: options, whole numbers, decimals and words, in equal parts."""
    source = random.Random(SEED)
    texts, options = choices_data.rows_with_options(MADE_ROWS, SEED)
    questions = options[: choices_data.QUESTIONS]
    names = short_answers_data.words(MADE_ROWS, SEED)
    types = ("text", "integer", "float", "text")
    golds, columns = [], {"question_type": [], "answer_type": [], "precision": []}
    for k, question in enumerate(questions):
        kind = types[k % 4]
        columns["question_type"].append("free_form" if k % 4 else "multi_choice")
        columns["answer_type"].append(kind)
        columns["precision"].append(2.0 if kind == "float" else None)
        golds.append(
            {
                "integer": [str(source.randrange(200))],
                "float": [f"{source.uniform(0, 90):.2f}"],
                "text": names.golds[k % len(names.golds)] if k % 4 else [question[0]],
            }[kind]
        )
    given: list[str | None] = []
    for row in range(MADE_ROWS):
        k = row % len(questions)
        if k % 4 == 0:
            given.append(texts[row])
            continue
        right = golds[k][0] if source.random() < 0.6 else golds[(k + 4) % len(golds)][0]
        shape = source.choice(
            ("{a}", "{a}.", "The answer is {a}.", "**Answer:** {a}", "So it is {a}")
        )
        given.append(shape.format(a=right))
    gold = _gold(
        len(questions),
        letters=np.array([0 if k % 4 == 0 else -1 for k in range(len(questions))], np.int8),
        options=[question if k % 4 == 0 else [] for k, question in enumerate(questions)],
        answers=golds,
        columns=columns,
    )
    return repeated(given, {}, [row % len(questions) for row in range(MADE_ROWS)], gold)


def submissions(fields: dict[str, list[Any]], gold: Gold) -> RuleBatch:
    """Rows that give numbers, as a result file's reader makes them."""
    made = len(next(iter(fields.values())))
    return repeated([None] * made, fields, range(made), gold)
