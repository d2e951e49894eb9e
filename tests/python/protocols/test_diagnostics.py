"""Every diagnostic has a planted case that sets it off and a clean one that does not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from fastvbench import retrieve, score
from fastvbench.cli import main
from fastvbench.protocols._prompt_echoes import prompt_echoes
from fastvbench.results._diagnostics import NAMES, RANKING_NAMES, diagnostic_entries

COUNT = 120


def lvbench_gold(letters="ABCD", *, minutes=60, evidence="10:00-12:00", options=4):
    question = "Q?" + "".join(f"\n({'ABCD'[k]}) option {k}" for k in range(options))
    return [
        {
            "key": f"v{v}",
            "type": "tv",
            "video_info": {"duration_minutes": minutes},
            "qa": [
                {
                    "uid": f"{v}-{i}",
                    "question": question,
                    "answer": letters[(v * 6 + i) % len(letters)],
                    "question_type": ["reasoning"],
                    "time_reference": evidence,
                }
                for i in range(6)
            ],
        }
        for v in range(COUNT // 6)
    ]


GOLD = lvbench_gold()
RIGHT = {q["uid"]: q["answer"] for video in GOLD for q in video["qa"]}


def with_errors(every=4, letters=None):
    """Right answers with some wrong ones, spread over the letters."""
    letters = RIGHT if letters is None else letters
    wrong = dict(zip("ABCD", "BCDA", strict=True))
    return {
        k: wrong[v] if (i + i // 4) % every == 1 else v for i, (k, v) in enumerate(letters.items())
    }


def lvbench(answers, gold=GOLD):
    return score("lvbench", answers, gold, samples=False).data


def rows(texts, **fields):
    return [
        {"id": ident, "text": text} | {name: value(i) for name, value in fields.items()}
        for i, (ident, text) in enumerate(texts.items())
    ]


def foreseaqa(*, given=None, answers=None, task="search", options=("x", "y", "z"), modality=None):
    gold = [
        {
            "id": str(i), "video": f"v{i // 4}", "question": "Q?", "options": list(options),
            "answer": "ABC"[i % 3], "interval": [10.0 + i % 7, 20.0 + i % 7],
            "modality": modality(i) if modality else "text",
            "task": task(i) if callable(task) else task, "duration": 100,
        }
        for i in range(COUNT)
    ]  # fmt: skip
    predictions = [
        {
            "id": str(i),
            "answer": answers(i) if answers else "ABC"[(i + (i % 5 == 0)) % 3],
            "interval": given(i) if given else [10.0 + i % 7, 19.0 + i % 7],
        }
        for i in range(COUNT)
    ]
    return score("foreseaqa", predictions, gold, samples=False).data


def circular(texts):
    """Forty questions in four orders each; `texts` says the letter that each is answered with."""
    names, gold, answers = ["red", "green", "blue", "white"], [], {}
    for q in range(40):
        for order in range(4):
            turned = names[order:] + names[:order]
            gold.append(
                {
                    "uid": str(q),
                    "key": f"v{q}",
                    "order": order,
                    "question": "Q?"
                    + "".join(f"\n({'ABCD'[k]}) {text}" for k, text in enumerate(turned)),
                    "answer": "ABCD"[turned.index("red")],
                }
            )
            answers[f"{q}#{order}"] = texts(q, order, turned)
    return score("lvbench", answers, gold, samples=False).data


def grounding(texts, *, duration=100.0):
    records = [
        {
            "id": str(i), "video": f"v{i // 4}", "question": "Q?", "options": ["x", "y"],
            "answer": "A", "interval": [40.0, 60.0], "duration": duration,
        }
        for i in range(COUNT)
    ]  # fmt: skip
    answers = [{"id": str(i), "answer": "A", "interval": texts(i)} for i in range(COUNT)]
    return score("foreseaqa", answers, records, samples=False).data


def docvqa(answer):
    gold = [
        {"questionId": str(i), "question": "Q?", "image": "d.png", "answers": ["abcdefghij"]}
        for i in range(COUNT)
    ]
    return score("docvqa", {str(i): answer(i) for i in range(COUNT)}, gold, samples=False).data


class Case(NamedTuple):
    planted: Any
    clean: Any
    value: float | None = None  # of the planted case, where it can be said by hand


skewed = lvbench_gold("ABCD" * 2 + "A" * 12)
skewed_right = {q["uid"]: q["answer"] for video in skewed for q in video["qa"]}
counts = ("1", "2", "3")

CASES = {
    "parse_failures": Case(
        lambda: lvbench(
            {k: "Hard to say." if i % 10 == 0 else v for i, (k, v) in enumerate(RIGHT.items())}
        ),
        lambda: lvbench(with_errors()),
        0.1,
    ),
    "output_constraint": Case(
        lambda: lvbench(
            {k: f"The answer is ({v})." if i % 2 else v for i, (k, v) in enumerate(RIGHT.items())}
        ),
        lambda: lvbench(with_errors()),
        0.5,
    ),
    "truncation": Case(
        lambda: lvbench(rows(RIGHT, finish_reason=lambda i: "stop" if i % 10 else "length")),
        lambda: lvbench(rows(RIGHT, finish_reason=lambda i: "stop")),
        0.1,
    ),
    "near_chance": Case(
        lambda: lvbench(
            {
                k: "ABCD"[int(r)]
                for k, r in zip(RIGHT, np.random.default_rng(0).integers(0, 4, COUNT), strict=True)
            }
        ),
        lambda: lvbench(with_errors()),
    ),
    "constant_output": Case(
        lambda: lvbench(dict.fromkeys(RIGHT, "B")),
        lambda: lvbench(with_errors()),
        1.0,
    ),
    "text_equals_gold": Case(lambda: lvbench(RIGHT), lambda: lvbench(with_errors()), 1.0),
    "response_bias": Case(
        lambda: lvbench({k: "A" if i % 3 else v for i, (k, v) in enumerate(RIGHT.items())}),
        lambda: lvbench(with_errors()),
    ),
    "always_one_letter": Case(
        lambda: lvbench(
            {k: v if i % 5 == 0 else "D" for i, (k, v) in enumerate(skewed_right.items())}, skewed
        ),
        lambda: lvbench(with_errors()),
        14 / 20,
    ),
    "bias_adjusted_accuracy": Case(
        lambda: lvbench(dict.fromkeys(skewed_right, "A"), skewed),
        lambda: lvbench(with_errors()),
        0.25,
    ),
    "circular_consistency": Case(
        lambda: circular(lambda q, order, turned: "ABCD"[q % 4]),
        lambda: circular(lambda q, order, turned: "ABCD"[turned.index("red" if q % 4 else "blue")]),
        0.0,
    ),
    "answered_from_context": Case(lambda: foreseaqa(given=lambda i: [60.0, 90.0]), foreseaqa, 1.0),
    "prompt_echo": Case(
        lambda: foreseaqa(given=lambda i: [20.8, 30.0] if i % 4 == 0 else [10.0, 19.0]),
        foreseaqa,
        0.25,
    ),
    "whole_video_baseline": Case(
        lambda: grounding(lambda i: [0.0, 100.0] if i % 2 else [80.0, 90.0]),
        lambda: grounding(lambda i: [42.0, 60.0]),
        0.2,
    ),
    "threshold_edge": Case(
        lambda: grounding(lambda i: [40.0, 50.0] if i % 2 else [40.0, 58.0]),
        lambda: grounding(lambda i: [40.0, 52.0 + (i % 2) * 4]),
        0.5,
    ),
    "threshold_edge of ANLS": Case(
        lambda: docvqa(lambda i: "abcde#####" if i % 5 == 0 else "abcdefghij"),
        lambda: docvqa(lambda i: "abcdefgh##" if i % 5 == 0 else "abcdefghij"),
        0.2,
    ),
    "modality_gap.accuracy": Case(
        lambda: foreseaqa(
            modality=lambda i: "text" if i % 2 else "image+text",
            answers=lambda i: "ABC"[i % 3] if i % 2 else "ABC"[(i + i // 2 % 2) % 3],
        ),
        lambda: foreseaqa(
            modality=lambda i: "text" if i % 2 else "image+text", answers=lambda i: "ABC"[i % 3]
        ),
        0.5,
    ),
    "frames_per_minute": Case(
        lambda: lvbench(rows(RIGHT, frames=lambda i: 32)),
        lambda: lvbench(rows(RIGHT, frames=lambda i: {"count": 3600, "duration_seconds": 3600.0})),
        32 / 60,
    ),
    "under_count": Case(
        lambda: foreseaqa(task="counting", options=counts, answers=lambda i: "AAB"[i % 3]),
        lambda: foreseaqa(
            task="counting",
            options=counts,
            answers=lambda i: "ABC"[i % 3] if i % 2 else "BCA"[i % 3],
        ),
        1.0,
    ),
    "counting_format": Case(
        lambda: foreseaqa(
            task=lambda i: "counting" if i % 2 else "search",
            options=counts,
            answers=lambda i: "several people" if i % 4 == 1 else "ABC"[i % 3],
        ),
        lambda: foreseaqa(task=lambda i: "counting" if i % 2 else "search", options=counts),
        0.5,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_planted_case_sets_it_off_and_a_clean_one_does_not(name):
    key = name.split(" ")[0]
    case = CASES[name]
    planted, clean = case.planted()["diagnostics"][key], case.clean()["diagnostics"][key]
    assert planted["alarm"], planted["says"]
    assert not clean["alarm"], clean["says"]
    if case.value is not None:
        assert planted["value"] == pytest.approx(case.value)
    for entry in (planted, clean):
        assert entry["name"] == key
        assert "Alarm: " in entry["definition"]
        assert entry["says"]
        assert entry["rows"] >= 20


def test_every_diagnostic_has_a_case():
    assert {name.split(" ")[0].split(".")[0] for name in CASES} == set(NAMES)
    for case in CASES.values():
        for entry in diagnostic_entries(case.planted()):
            assert entry["name"].split(".")[0] in NAMES


def test_no_alarm_from_a_handful_of_rows():
    few = {k: RIGHT[k] for k in list(RIGHT)[:6]}
    data = lvbench(dict.fromkeys(few, "B"), GOLD[:1])
    assert data["diagnostics"]["constant_output"]["value"] == 1.0
    assert not any(entry["alarm"] for entry in diagnostic_entries(data))


def test_bias_numbers_by_hand():
    data = lvbench({k: "A" if i % 3 else v for i, (k, v) in enumerate(RIGHT.items())})
    found = data["diagnostics"]
    # A third of the answers are right, letters in equal parts; the rest says A.
    assert found["response_bias"]["letter"] == "A"
    assert found["response_bias"]["value"] == pytest.approx(2 / 3 + 1 / 12 - 1 / 4)
    assert found["response_bias"]["p"] < 1e-10
    assert found["response_bias"]["degrees"] == 3
    assert found["always_one_letter"]["by_letter"] == dict.fromkeys("ABCD", 0.25)
    recalls = found["bias_adjusted_accuracy"]["recall_by_letter"]
    assert recalls["A"] == 1.0
    assert recalls["B"] == pytest.approx(1 / 3)
    assert found["bias_adjusted_accuracy"]["value"] == pytest.approx(0.5)


def test_truncation_says_what_the_score_is_without():
    answers = rows(RIGHT, finish_reason=lambda i: "length" if i % 4 == 0 else "stop")
    for i, row in enumerate(answers):
        row["text"] = "So the man" if i % 4 == 0 else row["text"]
    found = lvbench(answers)["diagnostics"]["truncation"]
    assert found["value"] == 0.25
    assert found["score"] == pytest.approx(0.75)
    assert found["score_without"] == 1.0


def test_frames_fall_between_short_evidence():
    gold = lvbench_gold(evidence="10:00-10:05")
    found = lvbench(rows(with_errors(), frames=lambda i: 240), gold)["diagnostics"]
    assert found["frames_per_minute"]["value"] == 4.0
    assert found["frames_per_minute"]["missable_share"] == 1.0
    assert found["frames_per_minute"]["alarm"]
    assert found["frames_per_minute"]["accuracy_missable"] == pytest.approx(0.75)
    assert found["frames_per_minute"]["accuracy_others"] is None
    assert "frames_per_minute" not in lvbench(RIGHT)["diagnostics"]  # nothing is known of frames


def test_counting_options_may_be_words_and_runs_count_together():
    words = ("one person", "two persons", "3 persons")
    data = foreseaqa(task="counting", options=words, answers=lambda i: "AAB"[i % 3])
    found = data["diagnostics"]["under_count"]
    assert (found["too_low"], found["too_high"]) == (80, 0)
    assert found["mean_error"] == pytest.approx(-2 / 3)


def test_edges_say_each_threshold():
    found = grounding(lambda i: [40.0, 50.0] if i % 2 else [40.0, 58.0])["diagnostics"]
    half = found["threshold_edge"]["thresholds"]["recall@0.5"]
    assert half == {
        "value": 1.0, "at_the_threshold": 0.5, "at_0.48": 1.0, "at_0.52": 0.5, "near": 0.5,
    }  # fmt: skip


def test_alarms_are_printed_first(capsys, tmp_path):
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(v) + "\n" for v in GOLD))
    (tmp_path / "answers.json").write_text(json.dumps(dict.fromkeys(RIGHT, "B")))
    files = [str(tmp_path / name) for name in ("answers.json", "gold.jsonl")]
    main(["score", "lvbench", files[0], "--annotations", files[1]])
    shown = capsys.readouterr().out
    assert "  alarm: constant output: the letter B is 100.0% of 120 answers" in shown
    assert "  alarm: response bias: B was given 100.0% of the time and is right 25.0%" in shown
    assert "no alarm: parse failures, output constraint" in shown


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("20.8 - 30.0 seconds", True),
        ("from 20.80 to 30 s", True),
        ("<answer>12.54 to 17.83</answer>", True),
        ("20.8 - 30.05 seconds", False),
        ("20.8 - 300 seconds", False),
        ("120.8 - 30.0", False),
        ("20.85 to 30.0", False),
        (None, False),
    ],
)
def test_which_texts_repeat_a_prompt(text, echo):
    assert prompt_echoes([text], {}) == [echo]
    assert prompt_echoes([None], {"intervals": [[[20.8, 30.0]]]}) == [True]
    assert prompt_echoes([None], {"interval": [[12.54, 17.83]]}) == [True]
    assert prompt_echoes([None], {"intervals": [[[1, 2], [20.8, 30.0]]]}) == [False]


@pytest.mark.skipif("FASTVBENCH_REAL_DATA" not in os.environ, reason="FASTVBENCH_REAL_DATA unset")
def test_real_answers_that_repeat_the_prompt_are_found():
    folder = Path(os.environ["FASTVBENCH_REAL_DATA"]) / "timechat"
    if not folder.is_dir():
        pytest.skip("no TimeChat example files")
    data = score(
        "charades_sta", folder / "example_pred_file.json", folder / "example_gt_file.json.gz"
    ).data
    found = data["diagnostics"]["prompt_echo"]
    assert found["alarm"]
    assert found["value"] * found["rows"] >= 39


def test_chance_is_held_against_questions_with_options_only():
    """A benchmark of letters and free answers: the free ones neither help nor hide guessing."""
    options = ["red", "green", "blue", "white"]
    gold = [
        {
            "pid": str(i), "question": "Q?", "choices": options if i % 2 else None,
            "answer": options[i % 4] if i % 2 else "7", "precision": None,
            "question_type": "multi_choice" if i % 2 else "free_form",
            "answer_type": "text" if i % 2 else "integer", "image": f"{i}.jpg",
            "metadata": {}, "query": "Q?", "unit": None,
        }
        for i in range(2 * COUNT)
    ]  # fmt: skip
    answers = {str(i): options[i % 4] if i % 2 else "no idea" for i in range(2 * COUNT)}
    found = score("mathvista", answers, gold, samples=False).data["diagnostics"]["near_chance"]
    assert found["rows"] == COUNT
    assert found["value"] == pytest.approx(0.75)
    assert not found["alarm"]


def test_unread_answers_are_no_constant_output():
    found = foreseaqa(given=lambda i: None if i % 2 else [10.0, 19.0])["diagnostics"]
    assert not found["constant_output"]["alarm"]
    data = lvbench({k: "" if i % 2 else v for i, (k, v) in enumerate(RIGHT.items())})
    assert data["diagnostics"]["constant_output"]["rows"] == COUNT // 2


def rankings(scores, *, queries=None, gallery=None):
    count = len(scores)
    return retrieve(
        "lovr",
        np.array(scores, dtype=np.float32),
        np.eye(count if gallery is None else len(gallery), dtype=np.float32),
        query_ids=[f"V{i}-Scene-000" for i in range(count)] if queries is None else queries,
        gallery_ids=gallery or [f"V{i}-Scene-000" for i in range(count)],
        direction="text_to_clip",
        metric="dot",
        k=[1, 5],
        samples=False,
    ).data["diagnostics"]


def ranked(kind):
    """Forty queries: the own clip first, all clips alike, or clips in random order."""
    generator = np.random.default_rng(4)
    own = np.eye(40)
    if kind == "ties":
        return rankings(np.ones((40, 40)))
    if kind == "random":
        return rankings(generator.random((40, 40)))
    if kind == "absent":
        gallery = [f"V{i}-Scene-000" if i % 4 else f"W{i}-Scene-000" for i in range(40)]
        return rankings(own + generator.random((40, 40)) / 3, gallery=gallery)
    return rankings(own + generator.random((40, 40)) / 3)


@pytest.mark.parametrize(
    ("name", "planted", "value"),
    [("near_chance", "random", None), ("ties_at_the_cut", "ties", 1.0),
     ("nothing_to_find", "absent", 0.25)],
)  # fmt: skip
def test_rankings_have_a_planted_case_and_a_clean_one(name, planted, value):
    assert name in RANKING_NAMES
    key = f"{name}.text_to_clip"
    found, clean = ranked(planted)[key], ranked("own")[key]
    assert found["alarm"], found["says"]
    assert not clean["alarm"], clean["says"]
    if value is not None:
        assert found["value"] == pytest.approx(value)
    assert "Alarm: " in clean["definition"]
