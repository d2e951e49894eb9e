"""QVHighlights: the published metric file, and where `robust` differs from it and why."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.intervals import columns
from tests.reference import grounding_sets as twin

from fastvbench import InputError, _core, get_protocol, score
from fastvbench.protocols._highlight_scores import highlight_scores


def annotation(qid, windows, **other):
    return {
        "qid": qid,
        "query": "q",
        "vid": "v",
        "duration": 20,
        "relevant_windows": windows,
    } | other


def submission(qid, windows, saliency=None):
    row = {"qid": qid, "query": "q", "vid": "v", "pred_relevant_windows": windows}
    return row if saliency is None else row | {"pred_saliency_scores": saliency}


def values(data, rule):
    overall = data["rules"][rule]["overall"]
    return {key: (entry["value"], entry["n"]) for key, entry in overall.items()}


def published_numbers(metrics):
    numbers = dict(metrics["brief"])
    for name in ("full", "short", "middle", "long"):
        for level, value in metrics[name]["MR-mAP"].items():
            numbers[f"MR-{name}-mAP" + ("" if level == "average" else f"@{level}")] = value
        for level, value in metrics[name]["MR-R1"].items():
            numbers[f"MR-{name}-R1@{level}"] = value
    for name in ("Fair", "Good", "VeryGood"):
        for what in ("mAP", "Hit1"):
            numbers[f"HL-min-{name}-{what}"] = metrics[f"HL-min-{name}"][f"HL-{what}"]
    return numbers


def test_published_metric_file(real_data):
    folder = real_data / "qvhighlights"
    data = score(
        "qvhighlights",
        folder / "sample_val_preds.jsonl.gz",
        folder / "highlight_val_release.jsonl.gz",
        samples=False,
    ).data
    published = published_numbers(
        json.loads((folder / "sample_val_preds_metrics_raw.json").read_text())
    )
    found = data["rules"]["official"]["overall"]
    assert len(published) == 90
    assert {key: float(f"{100 * e['value']:.2f}") for key, e in found.items()} == published
    robust = data["rules"]["robust"]["overall"]
    # This submission lists its windows by score, each overlapping some gold window or none at all.
    for key in published:
        if key.startswith("MR-"):
            assert robust[key]["value"] == pytest.approx(found[key]["value"], abs=2e-4), key
    assert robust["MR-full-mAP"]["n"] == data["protocol"]["published_size"] == 1550


def test_the_highest_score_comes_first_in_robust():
    gold = [annotation(1, [[0, 10]])]
    data = score("qvhighlights", [submission(1, [[10, 20, 0.1], [0, 10, 0.9]])], gold).data
    assert values(data, "official")["MR-full-R1@0.5"] == (0.0, 1)
    assert values(data, "robust")["MR-full-R1@0.5"] == (1.0, 1)
    assert values(data, "official")["MR-full-mAP"] == (1.0, 1)


def test_the_ten_best_windows_count_wherever_they_are_listed():
    windows = [[10, 20, 0.1]] * 10 + [[0, 10, 0.9]]
    data = score("qvhighlights", [submission(1, windows)], [annotation(1, [[0, 10]])]).data
    assert values(data, "official")["MR-full-mAP"] == (0.0, 1)
    assert values(data, "robust")["MR-full-mAP"] == (1.0, 1)


def test_subsets_keep_gold_windows_of_their_length():
    gold = [
        annotation(1, [[0, 10], [10, 25]], duration=150),
        annotation(2, [[0, 40]], duration=150),
    ]
    rows = [submission(1, [[10, 25, 1.0]]), submission(2, [[0, 40, 1.0]])]
    data = score("qvhighlights", rows, gold).data
    for rule in ("robust", "official"):
        found = values(data, rule)
        assert found["MR-short-R1@0.5"] == (0.0, 1)
        assert found["MR-middle-R1@0.5"] == (1.0, 1)
        assert found["MR-long-mAP"] == (1.0, 1)
        assert found["MR-full-mAP"] == (0.75, 2)


def test_no_window_is_a_miss_and_stops_the_public_script():
    gold = [annotation(1, [[0, 10]]), annotation(2, [[0, 10]]), annotation(3, [[0, 10]])]
    rows = [submission(1, [[0, 10, 1.0]]), submission(2, [])]
    data = score("qvhighlights", rows, gold).data
    assert values(data, "robust")["MR-full-R1@0.5"] == (pytest.approx(1 / 3), 3)
    assert data["rules"]["official"]["public_script_aborts"] == 1
    assert values(data, "official")["MR-full-R1@0.5"] == (0.5, 2)


def test_answers_in_words_rank_as_listed():
    gold = [annotation(1, [[2, 6], [10, 12]])]
    data = score("qvhighlights", {"1": "From 2s to 6s, and 10s to 12s."}, gold).data
    robust = values(data, "robust")
    assert robust["MR-full-mAP"] == robust["mean_iou"] == (1.0, 1)
    assert robust["HL-min-Fair-mAP"] == (None, 0)
    assert data["rules"]["official"]["public_script_aborts"] == 1


def graded(qid, grades, **other):
    clips = list(range(len(grades)))
    return annotation(qid, [[0, 2]], relevant_clip_ids=clips, saliency_scores=grades, **other)


def test_clips_without_a_score_rank_last_and_not_before_negative_ones():
    gold = [graded(1, [[4, 4, 4], [0, 0, 0]], duration=4)]
    data = score("qvhighlights", [submission(1, [[0, 2, 1.0]], [-1.0])], gold).data
    assert values(data, "robust")["HL-min-Good-mAP"] == (1.0, 1)
    assert values(data, "official")["HL-min-Good-mAP"] == (0.5, 1)


def test_a_constant_score_gets_what_chance_gets():
    gold = [graded(1, [[4, 4, 4], *[[0, 0, 0]] * 3], duration=8)]
    data = score("qvhighlights", [submission(1, [[0, 2, 1.0]], [0.5] * 4)], gold).data
    assert values(data, "robust")["HL-min-Good-Hit1"] == (0.25, 1)
    assert values(data, "official")["HL-min-Good-Hit1"] == (1.0, 1)


def test_missing_saliency_counts_zero_where_others_have_it():
    gold = [graded(1, [[4, 4, 4]]), graded(2, [[4, 4, 4]]), graded(3, [[0, 0, 0]])]
    rows = [submission(1, [[0, 2, 1.0]], [1.0] + [0.0] * 9), submission(3, [[0, 2, 1.0]], [1.0])]
    data = score("qvhighlights", rows, gold).data
    assert values(data, "robust")["HL-min-Fair-mAP"] == (0.5, 2)  # nothing to find in the third
    assert values(data, "official")["HL-min-Fair-mAP"] == (0.5, 2)  # 1 and 0, the second dropped


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"saliency_scores": [[1, 2, 9]]}, "field 'saliency_scores': not clip grades"),
        ({"saliency_scores": []}, "field 'saliency_scores': not clip grades"),
        ({"saliency_scores": [[[1], 2, 3]]}, "field 'saliency_scores': not clip grades"),
        ({"saliency_scores": [[]]}, "field 'saliency_scores': not clip grades"),
        ({"duration": 1e300}, "field 'duration': too long for grades"),
        ({"duration": 10**400}, "field 'duration': not a duration"),
        ({"relevant_clip_ids": [-1]}, "field 'relevant_clip_ids': not a clip, got -1"),
        ({"relevant_windows": None}, "field 'relevant_windows': not windows"),
    ],
)
def test_bad_annotations_are_named(change, message):
    with pytest.raises(InputError, match=message):
        score("qvhighlights", {"1": "x"}, [graded(1, [[1, 2, 3]]) | change])


@pytest.mark.parametrize("score_of_clip", ["x", None, [1], 10**400])
def test_a_saliency_score_that_is_no_number_stops_the_public_script_alone(score_of_clip):
    gold = [graded(1, [[4, 4, 4], [0, 0, 0]], duration=4)]
    rows = [submission(1, [[0, 2, 1.0]], [1.0, score_of_clip])]
    data = score("qvhighlights", rows, gold).data
    assert values(data, "robust")["HL-min-Good-mAP"] == (1.0, 1)
    assert data["rules"]["official"]["public_script_aborts"] == 1


@pytest.mark.parametrize("windows", [[0, 10, 0.5], [[0, 10, 10**400]], [[0, 10**400, 0.5]]])
def test_a_bare_window_and_numbers_beyond_float64_are_read(windows):
    data = score("qvhighlights", [submission(1, windows)], [annotation(1, [[0, 10]])]).data
    assert data["rules"]["official"]["public_script_aborts"] == 0


def test_clips_beyond_the_video_are_counted():
    gold = [graded(1, [[1, 2, 3]] * 3, duration=4)]
    data = score("qvhighlights", {"1": "x"}, gold, rules=["robust"]).data
    assert data["inputs"]["annotations"]["ledger"]["gold_clip_beyond_video"] == 1


def test_tables_show_the_brief_list():
    shown = [m.key for m in get_protocol("qvhighlights").rule("official").metrics if m.in_tables]
    assert len(shown) == 14
    assert shown[0] == "MR-full-mAP"


few = st.sampled_from([0.0, 0.5, 0.5, 1.0, -1.0])
scored_windows = st.lists(
    st.tuples(st.integers(-2, 45), st.integers(-2, 45), few).map(lambda w: [float(x) for x in w]),
    max_size=13,
)
gold_windows = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40)).map(sorted), min_size=1, max_size=4
)


@columns.without_deadline
@given(st.lists(st.tuples(scored_windows, gold_windows), min_size=1, max_size=4))
def test_moments_are_their_twin(cases):
    gold = [annotation(k, wanted, duration=40) for k, (_, wanted) in enumerate(cases)]
    rows = [submission(k, windows) for k, (windows, _) in enumerate(cases)]
    result = score("qvhighlights", rows, gold, rules=["robust"])
    found = {row["id"]: row for row in result.samples()}
    for k, (windows, wanted) in enumerate(cases):
        usable = twin.usable([window[:2] for window in windows], 40)
        expected = twin.moments(
            [(start, end) for _, start, end in usable],
            [windows[place][2] for place, _, _ in usable],
            [tuple(map(float, pair)) for pair in wanted],
        )
        scores = found[str(k)]["rules"]["robust"]["scores"]
        for name, (precisions, first_iou) in expected.items():
            for level, precision in zip(twin.THRESHOLDS, precisions, strict=True):
                if math.isnan(precision):
                    assert scores[f"MR-{name}-mAP@{level:g}"] is None
                    assert scores[f"MR-{name}-R1@{level:g}"] is None
                else:
                    assert scores[f"MR-{name}-mAP@{level:g}"] == pytest.approx(precision)
                    assert scores[f"MR-{name}-R1@{level:g}"] == (first_iou >= level)


saliency = st.none() | st.lists(few | st.just(math.nan), max_size=9)
grade_rows = st.integers(1, 4).flatmap(
    lambda annotators: st.lists(
        st.lists(st.integers(0, 4), min_size=annotators, max_size=annotators),
        min_size=1,
        max_size=7,
    )
)


@columns.without_deadline
@given(st.lists(st.tuples(saliency, grade_rows), min_size=1, max_size=5))
def test_highlights_are_their_twin(cases):
    grades = [np.array(row, np.int8) for _, row in cases]
    for threads in columns.every_run():
        found = highlight_scores([scores for scores, _ in cases], grades, (2, 4), threads=threads)
        for minimum, (precision, hit) in found.items():
            expected = [twin.highlights(scores, row, minimum) for scores, row in cases]
            np.testing.assert_array_equal(precision, [e[0] for e in expected])
            np.testing.assert_array_equal(hit, [e[1] for e in expected])


def test_highlights_of_many_rows_are_those_of_each():
    source = np.random.default_rng(3)
    counts = source.integers(1, 90, 600)
    grades = [source.integers(0, 5, (count, 3)).astype(np.int8) for count in counts]
    scores = [np.round(source.normal(size=count), 1).tolist() for count in counts]
    together = highlight_scores(scores, grades, (4,))[4]
    alone = [
        highlight_scores([row], [clips], (4,))[4] for row, clips in zip(scores, grades, strict=True)
    ]
    np.testing.assert_array_equal(together[0], [precision[0] for precision, _ in alone])
    np.testing.assert_array_equal(together[1], [hit[0] for _, hit in alone])


@pytest.mark.parametrize(
    ("offsets", "grades"), [([0, 3], 2), ([1, 2], 2), ([0, 2, 1, 2], 2), ([], 2), ([0, 2], 3)]
)
def test_the_kernel_refuses_columns_that_do_not_fit(offsets, grades):
    with pytest.raises(ValueError, match="expected"):
        _core.highlight_scores(
            np.zeros(2), np.zeros((grades, 3), np.int8), np.array(offsets, np.int64), np.int8([2])
        )
