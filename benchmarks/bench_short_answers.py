"""Short answers from text and their careful scores, against the plain meaning of the same rules.

The plain ANLS counts distances with rapidfuzz too, one pair at a time, so the ratio says what is
gained around it.
"""

from __future__ import annotations

import numpy as np
from benchmarks.rivals import short_answers_data
from rapidfuzz.distance import Levenshtein
from tests.reference import short_answer_scores as twin_scores
from tests.reference import short_answers as twin

from fastvbench.answers._careful_scores import careful_anls, careful_relaxed
from fastvbench.answers._short_answers import read_short_answers

ROWS = 20_000
SEED = 0


def bench_list_one_thread(compare):
    lines = short_answers_data.words(ROWS, SEED).texts

    def same(name, ours, theirs):
        assert ours.status.tolist() == [int(answer.status) for answer in theirs], name
        assert ours.spans.tolist() == [list(answer.span) for answer in theirs], name
        assert ours.wholes.tolist() == [list(answer.whole) for answer in theirs], name

    compare(
        lambda: read_short_answers(lines, threads=1),
        {"twin": lambda: [twin.read(line) for line in lines]},
        same,
        case="short answers/list, 1 thread",
        rounds=5,
    )


def bench_relaxed_accuracy(compare):
    data = short_answers_data.numbers(ROWS, SEED)
    _compare_scores(compare, data, careful_relaxed, twin_scores.relaxed, "relaxed accuracy")


def bench_anls(compare):
    data = short_answers_data.words(ROWS, SEED)

    def plain(text, golds):
        return twin_scores.anls(text, golds, Levenshtein.distance)

    _compare_scores(compare, data, careful_anls, plain, "ANLS")


def _compare_scores(compare, data, ours, plain, name):
    rows = np.array(data.rows)

    def careful():
        answers = read_short_answers(data.texts, threads=1)
        return ours(answers, data.golds, rows), answers.status

    def one_by_one():
        pairs = zip(data.texts, data.rows, strict=True)
        return [plain(text, data.golds[row]) for text, row in pairs]

    def same(rival, given, theirs):
        scores, status = given
        assert scores.tolist() == [score for score, _ in theirs], rival
        assert status.tolist() == [int(state) for _, state in theirs], rival

    compare(careful, {"twin": one_by_one}, same, case=f"short answers/{name}, 1 thread", rounds=3)
