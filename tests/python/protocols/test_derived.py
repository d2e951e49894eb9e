"""Circular accuracy, macro means and judged rows through a whole protocol."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from fastvbench import InputError, Status, get_protocol, score
from fastvbench.protocols._choice_rules import (
    METRICS,
    ChoiceRow,
    ChoiceVerdict,
    careful_choice_rule,
    row_choice_rule,
)
from fastvbench.protocols._derived import circular_scores
from fastvbench.protocols._gold import Gold
from fastvbench.protocols._groups import id_in_order, rows_in_orders
from fastvbench.protocols._protocol import AnswerProtocol
from fastvbench.protocols._rule import RuleBatch, apply_verdicts
from fastvbench.results._metrics import (
    ACCURACY,
    CIRCULAR_ACCURACY,
    macro_accuracy,
    macro_mean,
)
from fastvbench.results._strata import Stratum

ORDERS = [
    {
        "uid": ident,
        "order": order,
        "key": f"v{ident}",
        "question": "Q?\n(A) x\n(B) y" if order == 0 else "Q?\n(A) y\n(B) x",
        "answer": "AB"[order],
        "question_type": [kind],
    }
    for ident, kind in (("1", "reasoning"), ("2", "reasoning"), ("3", "summarization"))
    for order in (0, 1)
]


def ordered_predictions(texts):
    return [
        {"id": row["uid"], "order": row["order"], "text": text}
        for row, text in zip(ORDERS, texts, strict=True)
        if text is not None
    ]


# --- circular accuracy


def test_a_question_is_right_when_all_its_orders_are():
    result = score("lvbench", ordered_predictions(["A", "B", "A", "A", "A", "B"]), ORDERS)
    for rule in ("robust", "official", "lmms-eval-2026-08"):
        overall = result.data["rules"][rule]["overall"]
        assert overall["accuracy"]["value"] == pytest.approx(5 / 6)
        assert overall["circular_accuracy"]["value"] == pytest.approx(2 / 3)
        assert overall["circular_accuracy"]["n"] == 3
    types = result.data["rules"]["robust"]["strata"]["question_type"]
    assert types["reasoning"]["circular_accuracy"]["value"] == 0.5
    assert types["summarization"]["circular_accuracy"]["value"] == 1.0
    assert result.data["metrics"]["circular_accuracy"]["unit"] == "fraction"
    assert list(result.data["rules"]["robust"]["overall"]) == [
        "accuracy",
        "circular_accuracy",
        "answered_accuracy",
    ]


def test_an_absent_order_is_wrong_where_absent_rows_are_wrong():
    rows = ordered_predictions(["A", None, "A", "B", "A", "B"])
    data = score("lvbench", rows, ORDERS, rules="robust,official").data["rules"]
    assert data["robust"]["overall"]["circular_accuracy"]["value"] == pytest.approx(2 / 3)
    assert data["official"]["overall"]["circular_accuracy"]["value"] == 1.0
    assert data["official"]["overall"]["circular_accuracy"]["n"] == 3


def test_circular_accuracy_follows_a_subset_and_runs():
    rows = ordered_predictions(["A", "A", "A", "B", "A", "B"])
    result = score("lvbench", rows, ORDERS, rules="robust", subset=["1#1", "2#0", "2#1"])
    assert result.data["rules"]["robust"]["overall"]["circular_accuracy"]["value"] == 0.5
    runs = [row | {"sample": s} for s in (0, 1) for row in rows]
    runs[1]["text"] = "B"  # question 1 is right in both orders of run 0 only
    repeats = score("lvbench", runs, ORDERS, rules="robust").data["repeats"]["rules"]["robust"]
    assert repeats["circular_accuracy"]["runs"] == pytest.approx([1.0, 2 / 3])


def test_questions_that_stand_once_have_no_circular_accuracy():
    rows = [{k: v for k, v in row.items() if k != "order"} for row in ORDERS if row["order"] == 0]
    overall = score("lvbench", {"1": "A"}, rows).data["rules"]["robust"]["overall"]
    assert "circular_accuracy" not in overall


def test_files_that_carry_their_gold_carry_their_orders():
    rows = [
        {"id": r["uid"], "order": r["order"], "text": "A", "gold": r["answer"], "video": r["key"]}
        for r in ORDERS
    ]
    result = score("lvbench", rows, rules="robust")
    assert result.data["coverage"]["expected"] == 6
    overall = result.data["rules"]["robust"]["overall"]
    assert (overall["accuracy"]["value"], overall["circular_accuracy"]["value"]) == (0.5, 0.0)


def test_a_macro_mean_of_circular_accuracy():
    metrics = (macro_mean(CIRCULAR_ACCURACY, "question_type"), CIRCULAR_ACCURACY, ACCURACY)
    lvbench = get_protocol("lvbench")
    rule = careful_choice_rule("robust", "", metrics=metrics)
    protocol = dataclasses.replace(lvbench, rules=(rule,))
    result = score(protocol, ordered_predictions(["A", "B", "A", "A", "A", "B"]), ORDERS)
    overall = result.data["rules"]["robust"]["overall"]
    assert overall["macro_circular_accuracy"]["value"] == pytest.approx((0.5 + 1.0) / 2)
    assert overall["circular_accuracy"]["value"] == pytest.approx(2 / 3)
    assert overall["accuracy"]["value"] == pytest.approx(5 / 6)


def test_circular_scores_by_hand():
    accuracy = np.array([[1, 1, np.nan, 0, np.nan], [np.nan, 1, 1, 1, np.nan]])
    given = circular_scores(accuracy, ["q", "q", "r", "r", "s"])
    np.testing.assert_array_equal(
        given, [[1, np.nan, np.nan, 0, np.nan], [np.nan, 1, 1, np.nan, np.nan]]
    )


def test_ids_with_orders():
    assert rows_in_orders(["a", "a"], None) == (["a", "a"], None)
    assert rows_in_orders(["a", "b"], [None, None]) == (["a", "b"], None)
    assert rows_in_orders(["a", "a"], [0, 1.0]) == (["a#0", "a#1"], ["a", "a"])
    assert rows_in_orders(["x", "y"], [0, 1], ["q", "q"]) == (["x", "y"], ["q", "q"])
    assert id_in_order("17", "ABCD") == "17#ABCD"
    with pytest.raises(InputError, match="field 'order': not an order of options"):
        id_in_order("17", [1])


# --- macro means


def toy(*rules, gold):
    return AnswerProtocol(
        name="toy",
        title="Toy",
        citation="none",
        version=1,
        published_size=None,
        rules=rules,
        read_annotations=lambda source, options: gold,
    )


def toy_gold():
    return Gold(
        ids=["1", "2", "3"],
        videos=["v", "v", "w"],
        letters=np.array([0, 0, 1], dtype=np.int8),
        options=[["x", "y"]] * 3,
        strata={"task": Stratum.single(["a", "a", "b"])},
    )


def test_a_rule_set_may_lead_with_a_macro_mean():
    metrics = (macro_accuracy("task"), *METRICS)
    protocol = toy(careful_choice_rule("robust", "toy", metrics=metrics), gold=toy_gold())
    result = score(protocol, {"1": "A", "2": "B", "3": "B"}, [])
    assert result.data["main"]["metric"] == "macro_accuracy"
    assert result.value() == pytest.approx(0.75)
    assert result.value("accuracy") == pytest.approx(2 / 3)
    assert result.data["metrics"]["macro_accuracy"]["over"] == "task"
    sample = next(iter(result.samples()))
    assert sample["rules"]["robust"]["scores"]["macro_accuracy"] == 1.0


def test_each_run_has_its_own_macro_mean_and_its_own_bound():
    metrics = (macro_accuracy("task"), *METRICS)
    rule = row_choice_rule("robust", "toy", first_word, metrics=metrics)
    texts = {"1": ("A", "A"), "2": ("A", "B"), "3": ("B", "hm")}
    rows = [{"id": i, "text": pair[s], "sample": s} for i, pair in texts.items() for s in (0, 1)]
    data = score(toy(rule, gold=toy_gold()), rows, []).data
    repeats = data["repeats"]["rules"]["robust"]
    assert repeats["macro_accuracy"]["runs"] == pytest.approx([1.0, 0.25])
    overall = data["rules"]["robust"]["overall"]
    # Means over the runs: 1, 1/2 and 1/2; row 3 waits in one of its two runs.
    assert overall["macro_accuracy"]["value"] == pytest.approx((0.75 + 0.5) / 2)
    assert overall["macro_accuracy"]["value_if_all_right"] == pytest.approx((0.75 + 1.0) / 2)


def test_a_macro_mean_needs_the_metric_that_it_averages():
    with pytest.raises(ValueError, match="macro_accuracy without accuracy"):
        careful_choice_rule("robust", "toy", metrics=(macro_accuracy("task"),))
    with pytest.raises(ValueError, match="circular_accuracy without accuracy"):
        careful_choice_rule("robust", "toy", metrics=(CIRCULAR_ACCURACY,))


def test_what_a_macro_mean_is_over_is_in_the_fingerprint():
    rules = [
        careful_choice_rule("robust", "toy", metrics=(ACCURACY, macro_accuracy(name)))
        for name in ("task", "length")
    ]
    assert rules[0].fingerprint() != rules[1].fingerprint()
    assert dataclasses.replace(rules[0]).fingerprint() == rules[0].fingerprint()


# --- scorers that look at the row


def first_word(text: str, row: ChoiceRow) -> ChoiceVerdict:
    """A letter; else a judge decides, except where the text is the gold option."""
    if text in row.alphabet:
        return ChoiceVerdict(row.alphabet.index(text))
    if text == row.gold_text:
        return ChoiceVerdict(correct=True)
    if text == "leave":
        return ChoiceVerdict(score=float("nan"))
    return ChoiceVerdict(status=Status.NEEDS_JUDGE)


def judged_protocol():
    return toy(row_choice_rule("official", "toy", first_word), gold=toy_gold())


def test_a_scorer_sees_options_and_gold():
    result = score(judged_protocol(), {"1": "B", "2": "x", "3": "B"}, [])
    assert result.value() == pytest.approx(2 / 3)
    assert result.data["rules"]["official"]["status"] == {"ok": 3}
    excluded = score(judged_protocol(), {"1": "A", "2": "leave", "3": "A"}, [])
    assert excluded.data["rules"]["official"]["overall"]["accuracy"]["n"] == 2
    assert excluded.value() == 0.5


def test_a_text_in_no_file_is_what_the_scorer_makes_of_none():
    rule = row_choice_rule("official", "toy", first_word, missing_text=ChoiceVerdict(correct=True))
    assert score(toy(rule, gold=toy_gold()), {"1": "A"}, []).value() == 1.0
    assert score(judged_protocol(), {"1": "A"}, []).value() == pytest.approx(1 / 3)


def test_rows_that_wait_for_a_judge_are_wrong_and_bounded():
    result = score(judged_protocol(), {"1": "A", "2": "hm", "3": "hm"}, [])
    entry = result.data["rules"]["official"]
    assert entry["status"] == {"ok": 1, "needs_judge": 2}
    assert entry["overall"]["accuracy"]["value"] == pytest.approx(1 / 3)
    assert entry["overall"]["accuracy"]["value_if_all_right"] == 1.0
    assert entry["overall"]["answered_accuracy"]["value"] == 1.0
    assert entry["overall"]["answered_accuracy"]["value_if_all_right"] == 1.0
    assert entry["strata"]["task"]["b"]["accuracy"]["value_if_all_right"] == 1.0
    assert "judged" not in entry


def test_without_such_rows_no_bound_is_given():
    result = score(judged_protocol(), {"1": "A", "2": "A", "3": "A"}, [])
    assert "value_if_all_right" not in result.data["rules"]["official"]["overall"]["accuracy"]


# --- verdicts


def test_a_judge_decides_the_rows_that_need_one_and_no_other():
    answers = {"1": "B", "2": "hm", "3": "hm"}
    verdicts = {"1": True, "2": True, "9": False}
    result = score(judged_protocol(), answers, [], verdicts=verdicts)
    entry = result.data["rules"]["official"]
    assert entry["status"] == {"ok": 2, "needs_judge": 1}
    assert entry["judged"] == 1
    assert result.value() == pytest.approx(1 / 3)
    assert entry["overall"]["accuracy"]["value_if_all_right"] == pytest.approx(2 / 3)
    assert result.data["inputs"]["verdicts"] == {
        "name": "<memory>",
        "verdicts": 2,
        "unknown": 1,
        "repeated": 0,
        "blank": 0,
        "used": 1,
        "not_needed": 1,
        "unknown_examples": ["9"],
    }


def test_apply_verdicts_changes_only_waiting_rows():
    status = np.array([Status.NEEDS_JUDGE, Status.NEEDS_JUDGE, Status.OK], dtype=np.uint8)
    correct = np.zeros(3)
    batch = RuleBatch(["a", "b", "c"], {}, np.arange(3), toy_gold(), [None, True, True])
    assert apply_verdicts(batch, status, correct).tolist() == [False, True, False]
    assert correct.tolist() == [0.0, 1.0, 0.0]
    assert status.tolist() == [Status.NEEDS_JUDGE, Status.OK, Status.OK]


def test_verdicts_of_several_runs_name_their_run():
    rows = [{"id": "1", "text": "hm", "sample": s} for s in (0, 1)]
    verdicts = [
        {"id": "1", "run": "sample 0", "verdict": "correct"},
        {"id": "1", "sample": 1, "verdict": 0},
    ]
    result = score(judged_protocol(), rows, [], verdicts=verdicts)
    runs = result.data["repeats"]["rules"]["official"]["accuracy"]["runs"]
    assert runs == pytest.approx([1 / 3, 0.0])
    assert result.data["rules"]["official"]["judged"] == 2
    with pytest.raises(InputError, match=r"a verdict names no run, and there are 2.*'sample 0'"):
        score(judged_protocol(), rows, [], verdicts={"1": True})
    unknown = [{"id": "1", "sample": 7, "verdict": 1}]
    with pytest.raises(InputError, match="unknown run, got 'sample 7'"):
        score(judged_protocol(), rows, [], verdicts=unknown)


def test_verdicts_that_belong_nowhere_are_refused():
    with pytest.raises(InputError, match=r"no verdict belongs .*such as 77.*ids such as 1, 2, 3"):
        score(judged_protocol(), {"1": "hm"}, [], verdicts={"77": True})
    clash = [{"id": "1", "verdict": 1}, {"id": "1", "verdict": 0}]
    with pytest.raises(InputError, match="two verdicts on one answer, got '1'"):
        score(judged_protocol(), {"1": "hm"}, [], verdicts=clash)


def test_verdicts_of_ordered_questions_name_id_and_order():
    gold = dataclasses.replace(toy_gold(), ids=["1#0", "1#1", "2"], groups=["1", "1", "2"])
    protocol = toy(row_choice_rule("official", "toy", first_word), gold=gold)
    verdicts = [{"id": "1", "order": 1, "verdict": True}, {"id": "1#0", "verdict": True}]
    answers = {"1#0": "hm", "1#1": "hm", "2": "A"}
    result = score(protocol, answers, [], verdicts=verdicts)
    assert result.value("circular_accuracy") == 0.5


@pytest.mark.parametrize("name", ["lvbench", "charades_sta", "foreseaqa"])
def test_declared_protocols_keep_their_metrics(name):
    for rule in get_protocol(name).rules:
        assert all(metric.base == metric.key for metric in rule.metrics)
