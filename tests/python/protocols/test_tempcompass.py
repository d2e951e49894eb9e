"""TempCompass: four kinds of questions, what waits for a judge, ratings as verdicts."""

from __future__ import annotations

import json

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

CHOICE = ("What runs?\nA. a cat\nB. a dog\nC. a man", "B. a dog")
YES_NO = ("Does it run?", "no")
CAPTION = ("Which fits better?\nOption 1: it runs\nOption 2: it sleeps", "Option 2: it sleeps")
GENERATED = ("Describe.\nInformation A: cat\nInformation B: dog\nGenerated Caption:", "A. cat")
QUESTIONS = (
    ("v1", "action", CHOICE),
    ("v1", "speed", YES_NO),
    ("v2", "action", CAPTION),
    ("v2", "order", GENERATED),
)


def predictions(*texts, name="prediction"):
    """The official layout, with a text for each of the four questions."""
    document = {}
    for (video, aspect, (question, answer)), text in zip(QUESTIONS, texts, strict=True):
        row = {"question": question, "answer": answer, name: text}
        document.setdefault(video, {}).setdefault(aspect, []).append(row)
    return document


def results(tmp_path, *texts, **options):
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(predictions(*texts)))
    return score("tempcompass", path, **options)


def right(result):
    """Right of how many, and how many wait, by rule set."""
    return {
        rule: (
            round(entry["overall"]["accuracy"]["value"] * entry["overall"]["accuracy"]["n"]),
            entry["overall"]["accuracy"]["n"],
            entry["status"].get("needs_judge", 0),
        )
        for rule, entry in result.data["rules"].items()
    }


def test_each_rule_set_reads_its_own_way(tmp_path):
    assert right(results(tmp_path, "B", "no", "Option 2", "a cat")) == {
        "robust": (3, 4, 1),
        "official": (3, 4, 1),
        "videollama3": (3, 4, 1),
    }
    # Brackets, a leading word and a lower-case label.
    assert right(results(tmp_path, "(B)", "It is: no.", "option 2 is right", "")) == {
        "robust": (3, 4, 0),
        "official": (0, 4, 4),
        "videollama3": (1, 4, 1),
    }


def test_beginnings_are_read_for_what_they_are_by_robust_only(tmp_path):
    given = right(results(tmp_path, "but it is C", "Nothing moves", "1", None))
    assert given == {"robust": (0, 4, 0), "official": (1, 4, 2), "videollama3": (2, 4, 0)}


def test_the_bound_counts_waiting_rows_as_right(tmp_path):
    entry = results(tmp_path, "(B)", "yes", "Option 1", "x").data["rules"]["official"]["overall"]
    assert entry["accuracy"]["value"] == 0.0
    assert entry["accuracy"]["value_if_all_right"] == 0.5


def test_absent_texts_never_wait_for_a_judge(tmp_path):
    entry = results(tmp_path, None, None, None, None).data["rules"]
    assert entry["official"]["status"] == entry["robust"]["status"] == {"missing": 4}
    assert entry["official"]["overall"]["accuracy"]["n"] == 4


def test_official_ratings_are_verdicts(tmp_path):
    ratings = {}
    for (video, aspect, (question, answer)), rating in zip(QUESTIONS, (1, 0, 0, 1), strict=True):
        row = {"question": question, "gt-answer": answer, "rating": rating}
        ratings.setdefault(video, {}).setdefault(aspect, []).append(row)
    path = tmp_path / "ratings.json"
    path.write_text(json.dumps(ratings))
    for verdicts in (path, ratings):
        result = results(tmp_path, "(B)", "yes", "Option 2", "a cat", verdicts=verdicts)
        assert right(result)["official"] == (3, 4, 0)
        assert right(result)["robust"] == (3, 4, 0)
        used = result.data["inputs"]["verdicts"]
        assert (used["verdicts"], used["unknown"]) == (4, 0)


def test_strata_and_ids():
    document = predictions("B", "no", "2", "x", name="response")
    gold = get_protocol("tempcompass").read_annotations([document], ScoreOptions())
    assert gold.ids == [
        "v1/action/multi-choice/0",
        "v1/speed/yes_no/0",
        "v2/action/caption_matching/0",
        "v2/order/captioning/0",
    ]
    assert gold.strata["kind"].categories == (
        "multi-choice",
        "yes_no",
        "caption_matching",
        "captioning",
    )
    assert gold.strata["aspect"].categories == ("action", "speed", "order")
    assert gold.letters.tolist() == [1, 1, 1, -1]


def test_flat_rows_are_read_too():
    rows = [
        {"video_id": video, "dim": aspect, "question": question, "answer": answer}
        for video, aspect, (question, answer) in QUESTIONS
    ]
    texts = {"v1/action/multi-choice/0": "B. a dog", "v1/speed/yes_no/0": "No."}
    assert right(score("tempcompass", texts, rows))["official"] == (2, 4, 0)


def test_questions_that_differ_in_their_options_only(tmp_path):
    rows = [
        {"question": f"What?\nA. {first}\nB. x", "answer": f"A. {first}", "prediction": text}
        for first, text in (("y", "A"), ("z", "B"))
    ]
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps({"v": {"action": rows[:1], "speed": rows[1:]}}))
    assert right(score("tempcompass", path))["official"] == (1, 2, 0)


@pytest.mark.parametrize("question", [("What?\nA. x\nB. y", "C. z"), ("What?", "B. x")])
def test_an_answer_beyond_the_options_is_refused(question):
    rows = {"video_id": "v", "dim": "action", "question": question[0], "answer": question[1]}
    with pytest.raises(InputError, match="field 'answer': not one of the question's options"):
        score("tempcompass", {"v/action/multi-choice/0": "A"}, [rows])


# Right by the rules, waiting for a judge, missing; right with the judge, published percentage.
PUBLISHED = {"gemini": (940, 110, 12, 1010, 63.9), "video-llava": (720, 0, 0, 720, 45.6)}


@pytest.mark.parametrize("model", PUBLISHED)
def test_published_scores(real_data, model):
    by_rule, waiting, missing, with_judge, published = PUBLISHED[model]
    folder = real_data / "tempcompass"
    path = folder / "predictions" / model / "multi-choice.json.gz"
    ratings = folder / "official" / model / "multi-choice.json.gz"
    entry = score("tempcompass", path, rules=["official"], samples=False).data["rules"]["official"]
    accuracy = entry["overall"]["accuracy"]
    assert round(accuracy["value"] * 1580) == by_rule
    assert accuracy["n"] == 1580
    assert entry["status"].get("needs_judge", 0) == waiting
    assert entry["status"].get("missing", 0) == missing
    if waiting:
        assert round(accuracy["value_if_all_right"] * 1580) == by_rule + waiting
    result = score("tempcompass", path, verdicts=ratings, samples=False)
    entry = result.data["rules"]["official"]
    assert round(entry["overall"]["accuracy"]["value"] * 1580) == with_judge
    assert round(entry["overall"]["accuracy"]["value"] * 100, 1) == published
    assert entry["judged"] == waiting
    assert {name: e["accuracy"]["n"] for name, e in entry["strata"]["aspect"].items()} == {
        "action": 338,
        "direction": 335,
        "speed": 317,
        "order": 302,
        "attribute_change": 288,
    }
