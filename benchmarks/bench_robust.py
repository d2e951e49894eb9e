"""`robust` of every benchmark on a million answers, against the plain-Python meaning.

The plain reader takes minutes for a million rows, so it reads the first of them and its time is
divided by their share; its scores are checked against ours of the same rows.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.rivals import grounding_sets_data, robust_data
from rapidfuzz.distance import Levenshtein
from tests.reference import choices as choice_twin
from tests.reference import grounding_sets as set_twin
from tests.reference import intervals as interval_twin
from tests.reference import short_answer_numbers as number_twin
from tests.reference import short_answer_scores as short_answer_twin
from tests.reference import timestamps as timestamp_twin

from fastvbench.protocols import get_protocol
from fastvbench.protocols._protocol import ScoreOptions
from fastvbench.protocols._rule import RuleBatch

TWIN_ROWS = 5_000
CHOICE_SETS = {
    "lvbench": {},
    "videomme": {},
    "mlvu": {"twin_of": [None], "unanswerable": [False]},
    "mvbench": {"twin_of": [None], "unanswerable": [False]},
    "longvideobench": {"twin_of": [None], "unanswerable": [False]},
    "vnbench": {"twin_of": [None], "unanswerable": [False]},
    "tempcompass": {"twin_of": [None], "unanswerable": [False], "kind": ["multi-choice"]},
}


def head(batch):
    places = slice(TWIN_ROWS)
    fields = {name: column[places] for name, column in batch.fields.items()}
    return RuleBatch(batch.texts[places], fields, batch.rows[places], batch.gold)


def against_twin(compare, protocol, batch, plain, *, case=None):
    rule = get_protocol(protocol).rule("robust")
    few = head(batch)

    def same(name, ours, theirs):
        for key, column in theirs.items():
            given = ours.scores[key][:TWIN_ROWS]
            np.testing.assert_allclose(given, column, rtol=1e-9, err_msg=f"{name} {key}")
            assert len(np.unique(given[~np.isnan(given)])) > 1, f"{key}: nothing to tell apart"

    compare(
        lambda: rule.read(batch),
        {"twin": lambda: plain(few)},
        same,
        case=f"robust/{case or protocol}, 1 M answers",
        rounds=3,
        warmup=1,
        rival_share=TWIN_ROWS / len(batch),
    )


def moments_of(batch, k):
    said = timestamp_twin.parse(batch.texts[k], batch.gold.durations[batch.rows[k]]).intervals
    return [(interval.start, interval.end) for interval in said]


def all_gold_moments(batch):
    rows = [[tuple(pair) for pair in row] for row in batch.gold.intervals.rows()]
    return [rows[row] for row in batch.rows.tolist()]


def right_letters(batch):
    for text, row in zip(batch.texts, batch.rows.tolist(), strict=True):
        parsed = choice_twin.parse(text, batch.gold.options[row])
        yield float(parsed.index == batch.gold.letters[row])


@pytest.mark.parametrize("protocol", CHOICE_SETS)
def bench_choices(compare, protocol):
    batch = robust_data.choices(CHOICE_SETS[protocol])
    against_twin(compare, protocol, batch, lambda few: {"accuracy": list(right_letters(few))})


def bench_foreseaqa(compare):
    def plain(few):
        ious = [
            interval_twin.set_iou(moments_of(few, k), gold)
            for k, gold in enumerate(all_gold_moments(few))
        ]
        return {"accuracy": list(right_letters(few)), "mean_iou": ious}

    against_twin(compare, "foreseaqa", robust_data.letters_and_intervals(), plain)


@pytest.mark.parametrize("protocol", ["charades_sta", "activitynet_captions"])
def bench_one_moment(compare, protocol):
    def plain(few):
        pairs = [(moments_of(few, k), gold) for k, gold in enumerate(all_gold_moments(few))]
        return {
            "mean_iou": [interval_twin.set_iou(pred, gold) for pred, gold in pairs],
            "first_mean_iou": [interval_twin.first_iou(pred, gold) for pred, gold in pairs],
        }

    against_twin(compare, protocol, robust_data.one_moment(), plain)


def vue_tr_scores(rows, gold):
    conventions = [
        set_twin.conventions(pred, wanted) for pred, wanted in zip(rows, gold, strict=True)
    ]
    shares = [
        set_twin.precision_and_recall(pred, wanted) for pred, wanted in zip(rows, gold, strict=True)
    ]
    return {
        "iou_auc": [row["union"] for row in conventions],
        "first_mean_iou": [row["first"] for row in conventions],
        "one_to_one_mean_iou": [row["one_to_one"] for row in conventions],
        "best_mean_iou": [row["best"] for row in conventions],
        "precision_auc": [row[0] for row in shares],
        "recall_auc": [row[1] for row in shares],
    }


def vue_tr_gold(rows):
    return get_protocol("vue_tr").read_annotations(rows, ScoreOptions())


def bench_vue_tr_in_words(compare):
    annotations, texts = grounding_sets_data.vue_tr(robust_data.MADE_ROWS, robust_data.SEED)
    batch = robust_data.repeated(texts, {}, range(len(texts)), vue_tr_gold(annotations))

    def plain(few):
        rows = [moments_of(few, k) for k in range(len(few))]
        return vue_tr_scores(rows, all_gold_moments(few))

    against_twin(compare, "vue_tr", batch, plain, case="vue_tr in words")


def bench_vue_tr_in_numbers(compare):
    """As VUE-TR's own result files hold them."""
    annotations, windows = grounding_sets_data.vue_tr_numbers(
        robust_data.MADE_SUBMISSIONS, robust_data.SEED
    )
    fields = {"intervals": windows}
    batch = robust_data.submissions(fields, vue_tr_gold(annotations))

    def plain(few):
        rows = [
            [(start, end) for _, start, end in set_twin.usable(given, few.gold.durations[row])]
            for given, row in zip(few.fields["intervals"], few.rows.tolist(), strict=True)
        ]
        return vue_tr_scores(rows, all_gold_moments(few))

    against_twin(compare, "vue_tr", batch, plain, case="vue_tr in numbers")


def bench_qvhighlights(compare):
    annotations, fields = grounding_sets_data.qvhighlights(
        robust_data.MADE_SUBMISSIONS, robust_data.SEED
    )
    gold = get_protocol("qvhighlights").read_annotations(annotations, ScoreOptions())
    grades = {"Fair": 2, "Good": 3, "VeryGood": 4}

    def plain(few):
        columns = {}
        clip_grades = few.column("clip_grades")
        for windows, scores, saliency, wanted, clips in zip(
            *few.fields.values(), all_gold_moments(few), clip_grades, strict=True
        ):
            usable = set_twin.usable(windows, 150.0)
            pred = [(start, end) for _, start, end in usable]
            moments = set_twin.moments(pred, [scores[place] for place, _, _ in usable], wanted)
            for name, (precisions, _) in moments.items():
                columns.setdefault(f"MR-{name}-mAP", []).append(math.fsum(precisions) / 10)
            for name, minimum in grades.items():
                precision, hit = set_twin.highlights(saliency, clips.tolist(), minimum)
                columns.setdefault(f"HL-min-{name}-mAP", []).append(precision)
                columns.setdefault(f"HL-min-{name}-Hit1", []).append(hit)
        return columns

    against_twin(compare, "qvhighlights", robust_data.submissions(fields, gold), plain)


def answers_of(batch):
    return [
        (text, batch.gold.answers[row])
        for text, row in zip(batch.texts, batch.rows.tolist(), strict=True)
    ]


def bench_docvqa(compare):
    """The plain reader counts distances with rapidfuzz too, pair by pair."""

    def plain(few):
        scores = [short_answer_twin.anls(*pair, Levenshtein.distance) for pair in answers_of(few)]
        return {"anls": [score for score, _ in scores]}

    against_twin(compare, "docvqa", robust_data.short_answers(numbers=False), plain)


def bench_chartqa(compare):
    def plain(few):
        scores = [short_answer_twin.relaxed(*pair) for pair in answers_of(few)]
        return {"relaxed_accuracy": [score for score, _ in scores]}

    against_twin(compare, "chartqa", robust_data.short_answers(numbers=True), plain)


def bench_mathvista(compare):
    def number_is_right(text, gold, decimals):
        _, parts = short_answer_twin.parts(text)
        given = number_twin.read_numbers(parts[0])
        if math.isnan(given.value) and not given.several and len(parts) > 1:
            given = number_twin.read_numbers(parts[1])
        allowed = 0.0 if decimals is None else 0.5 * 10**-decimals * (1 + 1e-9)
        return float(abs(given.value * given.scale - float(gold)) <= allowed)

    def plain(few):
        kinds = few.column("answer_type")
        choices = [kind == "multi_choice" for kind in few.column("question_type")]
        decimals = few.column("precision")
        right = []
        for k, (text, golds) in enumerate(answers_of(few)):
            row = few.rows[k]
            if choices[k]:
                parsed = choice_twin.parse(text, few.gold.options[row])
                right.append(float(parsed.index == few.gold.letters[row]))
            elif kinds[k] == "text":
                right.append(short_answer_twin.match(text, golds)[0])
            else:
                right.append(number_is_right(text, golds[0], decimals[k]))
        return {"accuracy": right}

    against_twin(compare, "mathvista", robust_data.typed_answers(), plain)
