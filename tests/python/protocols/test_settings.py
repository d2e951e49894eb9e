"""One benchmark run in two settings: which rows are of which, both side by side, the difference."""

from __future__ import annotations

import json

import pytest
from tests.python.protocols.test_videomme import by_id, flat_rows, template

from fastvbench import InputError, export, score


def result_list(texts, first_id):
    """One of the two lists of a VideoLLaMA3 file; data ids alternate between them."""
    rows = [
        {
            "data_id": first_id + 2 * number,
            "response": text,
            "prediction": "?",
            "ground_truth": row["answer"],
            "matching": False,
            "task_type": row["task_type"],
            "meta_data": {
                "question_id": row["question_id"],
                "question": row["question"],
                "options": row["options"],
                "video_path": f"videos/{row['videoID']}.mp4",
            },
        }
        for number, (row, text) in enumerate(zip(flat_rows(), texts, strict=True))
    ]
    return [{"Overall": 0.0}, *rows]


WITHOUT = ["B", "A", "I cannot tell.", "A"]  # gold: B, C, D, A
WITH = ["B", "C", "D", "B"]


@pytest.fixture
def both(tmp_path):
    path = tmp_path / "videomme.json"
    document = {"without_subtitle": result_list(WITHOUT, 0), "with_subtitle": result_list(WITH, 1)}
    path.write_text(json.dumps(document))
    return path


def accuracy(rules, rule="robust"):
    return rules[rule]["overall"]["accuracy"]["value"]


@pytest.mark.parametrize("gold", [None, template(), flat_rows()], ids=["own", "template", "rows"])
def test_a_file_of_both(both, gold):
    data = score("videomme", both, gold).data
    assert data["setting"] == "without_subtitle"
    assert accuracy(data["rules"]) == 0.5
    beside = data["settings"]["with_subtitle"]
    assert accuracy(beside["rules"]) == 0.75
    for coverage in (data["coverage"], beside["coverage"]):
        assert coverage["expected"] == coverage["scored"] == 4
        assert coverage["duplicates"] == coverage["unexpected"] == 0
    assert list(beside["rules"]["robust"]["strata"]["task_type"]) == [
        "OCR Problems",
        "Counting Problem",
        "Temporal Reasoning",
    ]


def test_the_difference_is_that_of_the_values_and_its_interval_pairs_videos(both):
    contrasts = score("videomme", both).data["setting_contrasts"]
    robust = {entry["metric"]: entry for entry in contrasts["robust"]}
    assert robust["accuracy"]["value"] == 0.25
    assert (robust["accuracy"]["a"], robust["accuracy"]["b"]) == (
        "with_subtitle",
        "without_subtitle",
    )
    # The first video gains one of two answers, the second one loses one and gains one: paired by
    # video, no resample is below 0 or above 0.5.
    assert robust["accuracy"]["interval"] == [0.0, 0.5]
    official = {entry["metric"]: entry for entry in contrasts["official"]}
    # The third answer without subtitles is counted nowhere.
    assert official["accuracy"]["value"] == pytest.approx(3 / 4 - 2 / 3)


def test_values_by_setting(both):
    result = score("videomme", both, rules="robust,official")
    assert result.value() == result.value(setting="without_subtitle") == 0.5
    assert result.value(setting="with_subtitle") == 0.75
    assert result.value(rule="official", setting="with_subtitle") == 0.75


def test_twice_the_questions_and_no_word_of_settings(tmp_path):
    path = tmp_path / "results.jsonl"
    rows = [*result_list(WITHOUT, 0)[1:], *result_list(WITH, 1)[1:]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    data = score("videomme", path, template()).data
    assert data["coverage"]["duplicates"] == 4
    assert any("4 questions stand twice" in warning for warning in data["warnings"])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows[:5]))
    data = score("videomme", path, template()).data
    assert data["coverage"]["duplicates"] == 1
    assert not any("stand twice" in warning for warning in data["warnings"])


def test_rows_may_name_their_setting():
    rows = [
        {"id": ident, "text": text, "setting": setting}
        for setting, texts in (("without_subtitle", WITHOUT), ("with_subtitle", WITH))
        for ident, text in by_id(*texts).items()
    ]
    result = score("videomme", rows, template())
    assert (result.value(), result.value(setting="with_subtitle")) == (0.5, 0.75)


def test_one_setting_of_a_file_of_both(both):
    data = score("videomme", both, setting="with_subtitle").data
    assert data["setting"] == "with_subtitle"
    assert "settings" not in data
    assert accuracy(data["rules"]) == 0.75
    assert data["coverage"]["unexpected"] == 0


def test_the_order_is_the_callers(both):
    data = score("videomme", both, setting=["with_subtitle", "without_subtitle"]).data
    assert data["setting"] == "with_subtitle"
    assert list(data["settings"]) == ["without_subtitle"]
    assert {e["metric"]: e for e in data["setting_contrasts"]["robust"]}["accuracy"][
        "value"
    ] == -0.25


def test_a_file_that_says_nothing_is_what_the_caller_says():
    data = score("videomme", by_id(*WITH), template(), setting="with_subtitle").data
    assert data["setting"] == "with_subtitle"
    unsaid = score("videomme", by_id(*WITH), template()).data
    assert "setting" not in unsaid
    assert unsaid["rules"] == data["rules"]


def test_a_file_for_each(tmp_path, both):
    paths = [tmp_path / name for name in ("a.json", "b.json")]
    for path, texts in zip(paths, (WITHOUT, WITH), strict=True):
        path.write_text(json.dumps(by_id(*texts)))
    data = score("videomme", paths, template(), setting="without_subtitle,with_subtitle").data
    together = score("videomme", both, template()).data
    for key in ("setting", "rules", "setting_contrasts"):
        assert data[key] == together[key], key
    assert (
        data["settings"]["with_subtitle"]["rules"]
        == (together["settings"]["with_subtitle"]["rules"])
    )


def test_rows_of_both_are_in_the_samples_file_and_score_again(both, tmp_path):
    result = score("videomme", both, template())
    rows = list(result.samples())
    assert [row["setting"] for row in rows] == ["without_subtitle"] * 4 + ["with_subtitle"] * 4
    assert {row["id"] for row in rows} == {row["question_id"] for row in flat_rows()}
    result.write(tmp_path / "result.json")
    again = score("videomme", tmp_path / "result.samples.jsonl.gz", template()).data
    assert again["rules"] == result.data["rules"]
    assert (
        again["settings"]["with_subtitle"]["rules"]
        == (result.data["settings"]["with_subtitle"]["rules"])
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("subtitles", r"no input setting of videomme, got 'subtitles'; expected without_subtitle"),
        ("with_subtitle,with_subtitle", "the same setting twice"),
        ("without_subtitle,with_subtitle", "2 settings for 1 files"),
    ],
)
def test_refused_settings(setting, message):
    with pytest.raises(InputError, match=message):
        score("videomme", by_id(*WITH), template(), setting=setting)


def test_a_setting_that_the_file_lacks(tmp_path):
    path = tmp_path / "videomme.json"
    path.write_text(json.dumps({"with_subtitle": result_list(WITH, 1)}))
    with pytest.raises(InputError, match="holds no row of this setting"):
        score("videomme", path, setting="without_subtitle")
    assert score("videomme", path).data["setting"] == "with_subtitle"


def test_benchmarks_that_are_run_in_one_way():
    gold = [{"uid": "1", "key": "v", "question": "Q?\n(A) x\n(B) y", "answer": "B"}]
    with pytest.raises(InputError, match="none, it has one way to be run"):
        score("lvbench", {"1": "B"}, gold, setting="with_subtitle")


def test_a_submission_is_of_one_setting(both):
    with pytest.raises(InputError, match="holds several settings, a submission is of one"):
        export("videomme", both)
    submission = export("videomme", both, template(), setting="with_subtitle")
    assert [row.answer for row in submission.rows] == WITH
