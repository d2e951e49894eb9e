"""The defects of published scorers, each shown in the one that has it and absent in `robust`.

Every test scores the same answers twice: by the rule set that reproduces the published scorer,
number for number, and by `robust`, which must do what a careful reader would.
"""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench import ranks, recall_at_k, retrieve, score

LVBENCH = [
    {"uid": str(i), "key": f"v{i}", "question": "Q?\n(A) red\n(B) blue\n(C) pink\n(D) grey"}
    | {"answer": letter, "question_type": ["reasoning"]}
    for i, letter in enumerate("CDBA")
]
VIDEOMME = [
    {
        "question_id": f"{i}",
        "videoID": f"v{i}",
        "question": "Which?",
        "options": ["A. red", "B. blue", "C. pink", "D. grey"],
        "answer": letter,
        "duration": "short",
    }
    for i, letter in enumerate("CCAC")
]
GROUNDING = [
    {"id": "0", "video": "v", "query": "opens", "interval": [10.0, 20.0]},
    {"id": "1", "video": "w", "query": "closes", "interval": [0.0, 5.0]},
]


COLOURS = ["red", "blue", "pink", "grey"]
MVBENCH = [
    {"id": f"{i}", "video": f"v{i}", "question": "Which?", "candidates": COLOURS, "answer": "pink"}
    | {"task_type": "action_count"}
    for i in range(4)
]
MLVU = [
    {"question_id": f"{i}", "video": f"v{i}", "question": "Which?", "candidates": COLOURS}
    | {"answer": "pink", "question_type": task}
    for i, task in enumerate(["plotQA", "plotQA", "plotQA", "order"])
]
LONGVIDEOBENCH = [
    {"id": f"v_{i}", "video_id": "v", "question": "Which?", "candidates": COLOURS}
    | {"correct_choice": i, "duration_group": 15}
    for i in range(4)
]
FAILURE = "Failed to obtain answer via API."


def value(result, rule, metric=None):
    overall = result.data["rules"][rule]["overall"]
    return overall[metric or next(iter(overall))]["value"]


def count(result, rule):
    return next(iter(result.data["rules"][rule]["overall"].values()))["n"]


def read(result, rule):
    return [row["rules"][rule]["read"] for row in result.samples()]


# --- 1: VLMEvalKit counts empty, absent and failed answers of MVBench as right


@pytest.mark.parametrize("text", ["", ".", "(", None, FAILURE])
def test_no_answer_is_never_right(text):
    result = score("mvbench", {str(i): text for i in range(4)}, MVBENCH)
    assert value(result, "vlmevalkit") == 1.0
    assert value(result, "robust") == 0.0
    assert result.data["rules"]["robust"]["status"].get("ok", 0) == 0


def test_absent_rows_are_never_right():
    result = score("mvbench", {"0": "(A)"}, MVBENCH)
    assert value(result, "vlmevalkit") == 0.75
    assert (value(result, "robust"), count(result, "robust")) == (0.0, 4)


# --- 2: the message of a failed request is read as a letter


def test_the_message_of_a_failed_request_is_no_answer():
    result = score("videomme", {str(i): FAILURE for i in range(4)}, VIDEOMME)
    assert read(result, "vlmevalkit") == ["A"] * 4
    assert value(result, "vlmevalkit") == 0.25
    assert read(result, "robust") == [None] * 4
    assert value(result, "robust") == 0.0


def test_nor_is_it_one_of_longvideobenchs_letters():
    result = score("longvideobench", {row["id"]: FAILURE for row in LONGVIDEOBENCH}, LONGVIDEOBENCH)
    assert value(result, "vlmevalkit") == 0.25
    assert value(result, "robust") == 0.0


# --- 3: Video-MME's script drops what it cannot read, and reads letters inside words


def test_refusals_stay_in_the_denominator():
    answers = {"0": "C", "1": "i do not know", "2": "", "3": "c"}
    result = score("videomme", answers, VIDEOMME)
    assert (value(result, "official"), count(result, "official")) == (1.0, 1)
    assert (value(result, "robust"), count(result, "robust")) == (0.5, 4)


@pytest.mark.parametrize(
    ("text", "published", "careful"),
    [
        ("Best answer: C", "B", "C"),
        ("Best option: C", "B", "C"),
        ("All of them are pink. C", "A", "C"),
        ("Answer：C", "A", "C"),
        ("Cannot determine", "C", None),
        ("According to the video, nothing happens.", "A", None),
    ],
)
def test_a_letter_inside_a_word_is_no_answer(text, published, careful):
    result = score("videomme", {"0": text}, VIDEOMME[:1])
    assert read(result, "official") == [published]
    assert read(result, "robust") == [careful]


# --- 4: LVBench's script drops questions that the file does not have


def test_absent_questions_stay_in_the_denominator():
    result = score("lvbench", {"0": "C"}, LVBENCH)
    assert (value(result, "official"), count(result, "official")) == (1.0, 1)
    assert (value(result, "robust"), count(result, "robust")) == (0.25, 4)


# --- 5: VideoLLaMA3


def test_an_unreadable_answer_ends_no_run():
    result = score("lvbench", {"0": "C", "1": "不知道", "2": "B", "3": "A"}, LVBENCH)
    assert result.data["rules"]["videollama3"]["public_script_aborts"] == 1
    assert result.data["rules"]["robust"]["public_script_aborts"] == 0
    assert value(result, "robust") == 0.75
    assert result.data["rules"]["robust"]["status"]["ok"] == 3


@pytest.mark.parametrize("text", ["10 to 20, 10 to 20", "8 - 18 and 12 - 22"])
def test_no_set_of_intervals_has_an_iou_above_one(text):
    result = score("charades_sta", {"0": text}, GROUNDING[:1])
    assert value(result, "videollama3") > 1.0
    assert value(result, "robust") <= 1.0


@pytest.mark.parametrize("text", ["00:10 - 00:20", "0:00:10 to 0:00:20", "[00:10, 00:20]"])
def test_clocks_are_minutes_and_seconds(text):
    result = score("charades_sta", {"0": text}, GROUNDING[:1])
    assert value(result, "videollama3") < 0.6
    assert value(result, "robust") == 1.0


def test_a_wrong_answer_earns_nothing_for_shared_letters():
    gold = [{"questionId": 1, "question": "Who?", "answers": ["ITC Limited"]}]
    result = score("docvqa", {"1": "Tim Collins"}, gold)
    assert value(result, "videollama3") > 0.15
    assert value(result, "official") == value(result, "robust") == 0.0


@pytest.mark.parametrize(
    ("text", "published", "careful"),
    [
        ("5000", 1.0, 0.0),  # a hundred times too large
        ("0.5", 1.0, 0.0),  # a hundred times too small
        ("52", 1.0, 1.0),
        ("about 50 units", None, 1.0),  # put to a judge
    ],
)
def test_a_chart_value_is_neither_scaled_nor_judged(text, published, careful):
    gold = [{"imgname": "c.png", "query": "How many?", "label": "50", "type": "human_test"}]
    result = score("chartqa", {"0": text}, gold)
    status = result.data["rules"]["videollama3"]["status"]
    assert status == ({"needs_judge": 1} if published is None else {"ok": 1})
    assert value(result, "videollama3") == (published or 0.0)
    assert value(result, "robust") == careful
    assert result.data["rules"]["robust"]["status"] == {"ok": 1}


def test_a_year_is_no_measurement():
    gold = [{"imgname": "c.png", "query": "When?", "label": "2021", "type": "human_test"}]
    result = score("chartqa", {"0": "1995"}, gold)
    assert value(result, "official") == 1.0
    assert value(result, "robust") == 0.0


def test_a_refusal_is_no_choice():
    gold = {
        "1": {
            "question": "Which?",
            "choices": ["Yes", "No"],
            "answer": "No",
            "question_type": "multi_choice",
            "answer_type": "text",
        }
    }
    row = gold["1"] | {"response": "I cannot determine that.", "extraction": "None"}
    result = score("mathvista", {"1": row}, gold)
    assert value(result, "official") == 1.0  # the nearest choice to "None"
    assert value(result, "robust") == 0.0
    assert result.data["rules"]["robust"]["status"] == {"refused": 1}


# --- 6 and 10: thresholds


def test_an_iou_is_not_rounded_before_it_meets_a_threshold(tmp_path):
    durations = tmp_path / "durations.csv"
    durations.write_text("video,duration\nv,100\n")
    gold = [{"id": "0", "video": "v", "query": "opens", "interval": [0.0, 49.2]}]
    result = score("charades_sta", {"0": "from 00 to 99"}, gold, durations=durations)
    assert value(result, "vtimellm", "recall@0.5") == 1.0
    assert value(result, "robust", "recall@0.5") == 0.0


def test_an_iou_equal_to_the_threshold_reaches_it():
    result = score("charades_sta", {"0": "10 to 15 s"}, GROUNDING[:1])
    assert value(result, "robust", "mean_iou") == 0.5
    assert value(result, "robust", "recall@0.5") == 1.0


# --- 7: the prompt's own example is scored as an answer

ECHO = "A specific example is : 20.8 - 30.0 seconds"


def test_an_echo_of_the_prompt_is_no_answer():
    gold = [{"id": "0", "video": "v", "query": "opens", "interval": [20.8, 30.0]}]
    result = score("charades_sta", {"0": ECHO}, gold)
    assert value(result, "timechat") == 1.0
    assert value(result, "robust") == 0.0
    assert result.data["rules"]["robust"]["status"] == {"no_number": 1}


@pytest.mark.parametrize(
    "text", [f"{ECHO}. The query happens in 10 - 20 seconds.", f"10 - 20 seconds. {ECHO}'"]
)
def test_what_stands_beside_an_echo_is_the_answer(text):
    assert value(score("charades_sta", {"0": text}, GROUNDING[:1]), "robust") == 1.0


def test_the_same_times_without_the_prompts_sentence_are_an_answer():
    gold = [{"id": "0", "video": "v", "query": "opens", "interval": [20.8, 30.0]}]
    assert value(score("charades_sta", {"0": "20.8 - 30.0 seconds"}, gold), "robust") == 1.0


# --- 8: lmms-eval


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("The answer is C because the Dog barks.", "D"),
        ("The correct answer is **C**. Here's why: A is wrong.", "A"),
        ("A man enters, so the answer is C.", "A"),
    ],
)
def test_the_letter_that_was_declared_counts(text, published):
    result = score("lvbench", {"0": text}, LVBENCH[:1])
    assert read(result, "lmms-eval-2026-08") == [published]
    assert read(result, "robust") == ["C"]


@pytest.mark.parametrize(
    "text",
    [
        "The event starts at 10 seconds and ends at 20 seconds.",
        "It happens between 10 and 20 seconds.",
        "10 seconds to 20 seconds",
        "[10.0, 20.0]",
        '{"start": 10.0, "end": 20.0}',
    ],
)
def test_the_most_natural_sentences_are_read(text):
    result = score("charades_sta", {"0": text}, GROUNDING[:1])
    assert value(result, "lmms-eval-2026-08") == 0.0
    assert value(result, "robust") == 1.0


# --- 9: which average a number is


def test_both_averages_stand_side_by_side():
    result = score("mlvu", {"0": "(C)", "1": "(C)", "2": "(C)", "3": "(A)"}, MLVU)
    overall = result.data["rules"]["robust"]["overall"]
    assert overall["macro_accuracy"]["value"] == 0.5
    assert overall["accuracy"]["value"] == 0.75
    # One stack publishes 50, the other 75, and both call it the average.
    assert next(iter(result.data["rules"]["official"]["overall"])) == "macro_accuracy"
    assert next(iter(result.data["rules"]["vlmevalkit"]["overall"])) == "accuracy"


# --- 10, once more: VUE-TR's strict thresholds leave a perfect answer short of 1


def test_a_perfect_answer_is_perfect():
    gold = [{"query_id": 1, "video_id": "v", "duration": 100, "query": "q", "gt": [[10, 20]]}]
    answer = [{"query_id": 1, "video_id": "v", "query": "q", "answer": [[10, 20]]}]
    result = score("vue_tr", answer, gold)
    assert value(result, "official", "iou_auc") < 1.0
    assert value(result, "robust", "iou_auc") == 1.0


# --- 12: lmms-eval draws LongVideoBench's unreadable answers at random


def test_no_answer_is_drawn_at_random():
    answers = {row["id"]: "i cannot see it" for row in LONGVIDEOBENCH}
    results = [score("longvideobench", answers, LONGVIDEOBENCH) for _ in range(2)]
    drawn = value(results[0], "lmms-eval-2026-08", "expected_accuracy")
    assert drawn == 0.25  # what its draws are worth on average
    for result in results:
        assert value(result, "robust") == 0.0
        assert read(result, "robust") == [None] * 4
    assert results[0].data["rules"] == results[1].data["rules"]


# --- 11: LoVR


def test_gallery_vectors_that_are_the_queries_raise_the_alarm():
    vectors = np.eye(4, 8, dtype=np.float32)
    result = retrieve("lovr", vectors, vectors, direction="text_to_clip")
    assert any("stand in the gallery" in warning for warning in result.data["warnings"])
    honest = retrieve("lovr", vectors, vectors + 0.25, direction="text_to_clip")
    assert not any("stand in the gallery" in warning for warning in honest.data["warnings"])


def test_a_tie_is_no_hit_by_luck():
    gallery = np.ones((4, 8), dtype=np.float32)
    found = ranks(gallery[:1] * 2, gallery, [[2]])
    assert recall_at_k(found, k=(1,))[1] == 0.25
