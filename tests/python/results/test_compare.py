"""Comparisons of models: paired, clustered, corrected, refused where they would mean nothing."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import fastvbench as fvb
from fastvbench import InputError, compare, score
from fastvbench.results._comparison_words import pair_words
from fastvbench.results._metrics import ACCURACY
from fastvbench.results._samples_file import samples_of
from fastvbench.results._ties import tie_groups

VIDEOS, QUESTIONS = 40, 10


def annotations(videos=VIDEOS, seed=0):
    generator = np.random.default_rng(seed)
    return [
        {
            "key": f"v{v}",
            "type": "tv" if v % 2 else "sport",
            "qa": [
                {
                    "uid": f"{v}-{i}",
                    "question": "Q?\n(A) x\n(B) y\n(C) z\n(D) w",
                    "answer": "ABCD"[int(generator.integers(4))],
                    "question_type": ["reasoning" if i % 2 else "summarization"],
                }
                for i in range(QUESTIONS)
            ],
        }
        for v in range(videos)
    ]


GOLD = annotations()
LETTERS = {q["uid"]: q["answer"] for video in GOLD for q in video["qa"]}


def answers(share, seed, letters=LETTERS):
    """Right with this chance, any letter otherwise."""
    generator = np.random.default_rng(seed)
    return {
        ident: letter if generator.random() < share else "ABCD"[int(generator.integers(4))]
        for ident, letter in letters.items()
    }


def scored(share, seed, **options):
    return score("lvbench", answers(share, seed), GOLD, rules=["robust", "official"], **options)


@pytest.fixture(scope="module")
def three():
    return [scored(0.7, 1), scored(0.4, 2), scored(0.69, 5)]


def test_the_difference_is_that_of_the_rows_and_the_flips_are_counted(three):
    a, b, _ = three
    found = compare(a, b, names=["a", "b"])
    metric = found.pair()["metrics"]["accuracy"]
    assert found.difference == pytest.approx(a.value() - b.value())
    assert metric["n"] == 400
    assert found.interval[0] < found.difference < found.interval[1]
    assert metric["p"] < 0.01
    assert metric["p_holm"] == metric["p"]
    assert found.tied is False
    flips = found.pair()["flips"]
    exact = metric["mcnemar"]
    assert (exact["only_a"], exact["only_b"]) == (len(flips["only_a"]), len(flips["only_b"]))
    assert exact["only_a"] - exact["only_b"] == pytest.approx(400 * found.difference)
    assert sum((flips["both_right"], flips["both_wrong"], exact["only_a"], exact["only_b"])) == 400
    for row in flips["only_a"]:
        assert row["a"] == LETTERS[row["id"]] != row["b"]
        assert row["cluster"] == f"v{row['id'].split('-')[0]}"
    assert "a is ahead of b in acc" in found.words()[0]


def test_the_first_model_being_worse_turns_the_sentence_and_not_the_data(three):
    a, b, _ = three
    forth, back = compare(a, b, names=["a", "b"]), compare(b, a, names=["b", "a"])
    assert back.difference == -forth.difference
    assert back.interval == pytest.approx((-forth.interval[1], -forth.interval[0]))
    values = f"{100 * a.value():.2f} against {100 * b.value():.2f}"
    assert values in forth.words()[0]
    assert values in back.words()[0]
    assert "a is ahead of b" in back.words()[0]


def test_models_that_cannot_be_told_apart_are_called_tied(three):
    found = compare(three[0], three[2], names=["a", "c"])
    assert found.tied is True
    assert found.interval[0] <= 0 <= found.interval[1]
    assert "a and c are statistically tied in acc" in found.words()[0]
    assert "cannot be told from none" in found.words()[0]


def test_a_model_equals_itself():
    a = scored(0.5, 9)
    found = compare(a, a, names=["a", "again"])
    assert found.pair()["metrics"]["accuracy"]["interval"] == [0.0, 0.0]
    assert found.pair()["metrics"]["accuracy"]["p"] == 1.0
    assert "score the same in acc on each of 400 questions of 40 videos" in found.words()[0]


def test_several_models_are_corrected_and_grouped(three):
    found = compare(*three, names=["a", "b", "c"])
    entries = [entry["metrics"]["accuracy"] for entry in found.data["pairs"]]
    assert [e["p_holm"] >= e["p"] for e in entries] == [True] * 3
    assert min(e["p_holm"] for e in entries) == pytest.approx(3 * min(e["p"] for e in entries))
    assert found.data["correction"]["comparisons"] == 3
    assert found.data["tie_groups"] == [["a", "c"], ["b"]]
    assert found.words()[-1] == "Ranked by acc: 1. a (tied with it: c); 2. b."
    assert "after Holm's correction for 3 pairs" in found.words()[0]
    baseline = compare(*three, names=["a", "b", "c"], pairs="first")
    assert [(e["a"], e["b"]) for e in baseline.data["pairs"]] == [("a", "b"), ("a", "c")]
    assert "tie_groups" not in baseline.data


def test_a_gain_within_a_category_stands_in_its_stratum():
    before = answers(0.5, 4)
    after = {k: LETTERS[k] if int(k.split("-")[1]) % 2 else v for k, v in before.items()}
    found = compare(
        score("lvbench", after, GOLD), score("lvbench", before, GOLD), names=["seen", "blind"]
    )
    strata = found.pair()["strata"]["question_type"]
    assert strata["summarization"] == {"difference": 0.0, "n": 200, "interval": [0.0, 0.0]}
    assert strata["reasoning"]["difference"] == pytest.approx(2 * found.difference)
    assert strata["reasoning"]["interval"][0] > 0


def test_pairing_is_by_video_and_tells_apart_what_two_separate_intervals_do_not():
    # Videos are easy or hard for both models alike: only the paired interval sees past that.
    generator = np.random.default_rng(7)
    ease = dict(zip(range(VIDEOS), generator.uniform(0.05, 0.95, VIDEOS), strict=True))
    first, second = {}, {}
    for ident, letter in LETTERS.items():
        draw, wrong = generator.random(), "ABCD"["BADC".index(letter)]
        first[ident] = letter if draw < ease[int(ident.split("-")[0])] + 0.05 else wrong
        second[ident] = letter if draw < ease[int(ident.split("-")[0])] else wrong
    a, b = score("lvbench", first, GOLD), score("lvbench", second, GOLD)
    overall = [r.data["rules"]["robust"]["overall"]["accuracy"]["interval"] for r in (a, b)]
    assert overall[0][0] < overall[1][1]  # they overlap
    assert compare(a, b).tied is False


def test_runs_of_one_model_are_averaged_and_their_spread_is_told():
    runs = [scored(0.6, seed) for seed in (21, 22, 23)]
    found = compare(runs, scored(0.3, 24), names=["mean of three", "other"])
    spread = found.data["models"][0]["runs"]["accuracy"]
    values = [run.value() for run in runs]
    assert spread["values"] == values
    assert spread["mean"] == pytest.approx(np.mean(values))
    assert spread["std"] == pytest.approx(np.std(values, ddof=1))
    assert found.pair()["metrics"]["accuracy"]["a"] == pytest.approx(np.mean(values))
    assert "mcnemar" not in found.pair()["metrics"]["accuracy"]  # a row is right in a third of them
    assert "over 3 runs, between" in found.words()[-1]
    rows = [
        {"id": ident, "text": text, "sample": seed}
        for seed in (21, 22, 23)
        for ident, text in answers(0.6, seed).items()
    ]
    one_file = compare(score("lvbench", rows, GOLD), scored(0.3, 24))
    assert one_file.difference == pytest.approx(found.difference)
    assert one_file.data["models"][0]["runs"]["accuracy"]["values"] == values


def test_rows_that_one_model_lacks_are_not_compared_and_that_is_said():
    subset = list(LETTERS)[:300]
    found = compare(scored(0.5, 1, subset=subset), scored(0.4, 2), names=["part", "whole"])
    assert found.pair()["rows"] == 300
    assert found.pair()["only_in_b"] == 100
    assert "0 questions are only in part, 100 only in whole" in found.data["warnings"][0]
    # A published rule set drops absent answers: they pair with nothing.
    few = score("lvbench", dict(list(answers(0.5, 1).items())[:390]), GOLD)
    metric = compare(few, scored(0.4, 2), rule="official").pair()["metrics"]["accuracy"]
    assert (metric["n"], metric["counted_for_one_only"]) == (390, 10)


def test_few_videos_and_one_video_are_said_to_be_few():
    gold = annotations(videos=3)
    letters = {q["uid"]: q["answer"] for video in gold for q in video["qa"]}
    two = [score("lvbench", answers(p, 1, letters), gold) for p in (0.9, 0.2)]
    assert "share 3 videos: with fewer than 20" in compare(*two).data["warnings"][0]
    of_one_video = [samples_of(result).take(np.arange(10)) for result in two]
    found = compare(*of_one_video, names=["a", "b"])
    assert found.tied is None
    assert found.interval is None
    assert "cannot be told" in found.words()[0]


def changed(result, path, change):
    result.write(path)
    data = json.loads(path.read_bytes())
    change(data)
    path.write_text(json.dumps(data))
    return path


def test_other_benchmarks_declarations_and_annotations_are_refused(tmp_path, three):
    a, b, _ = three
    other = changed(b, tmp_path / "b.json", lambda d: d["protocol"].update(fingerprint="0" * 64))
    with pytest.raises(InputError, match=r"another declaration of lvbench.*--mixed"):
        compare(a, other)
    assert "scored by different declarations" in compare(a, other, mixed=True).data["warnings"][0]
    foreign = changed(b, tmp_path / "c.json", lambda d: d["protocol"].update(name="videomme"))
    with pytest.raises(InputError, match=r"result of videomme.*results of one benchmark"):
        compare(a, foreign, mixed=True)
    moved = score("lvbench", answers(0.5, 1), annotations(seed=5))
    with pytest.raises(InputError, match=r"the right answer differs on 3\d\d rows"):
        compare(a, moved)
    assert compare(a, moved, mixed=True).pair()["rows"] == 400
    elsewhere = [{"uid": "x", "key": "v", "question": "Q?\n(A) x\n(B) y", "answer": "B"}]
    with pytest.raises(InputError, match="no question in common"):
        compare(a, score("lvbench", {"x": "A"}, elsewhere))


def test_rules_metrics_names_and_settings_that_are_not_there(three):
    a, b, _ = three
    with pytest.raises(InputError, match=r"not scored by this rule set.*got 'vlm'"):
        compare(a, b, rule="vlm")
    with pytest.raises(InputError, match="expected accuracy, answered_accuracy"):
        compare(a, b, metric="mean_iou")
    with pytest.raises(InputError, match="2 different names"):
        compare(a, b, names=["x", "x"])
    with pytest.raises(InputError, match="no such input setting"):
        compare(a, b, setting="with subtitles")
    with pytest.raises(TypeError, match="not dict"):
        compare(a, {})


def test_models_are_named_after_runs_files_or_folders(tmp_path, three):
    a, b, _ = three

    def names(*paths):
        return [model["name"] for model in compare(*paths).data["models"]]

    for name, result in (("x", a), ("y", b)):
        (tmp_path / name).mkdir()
        result.write(tmp_path / name / "result.json")
        result.write(tmp_path / name / "lvbench.json")
        result.write(tmp_path / f"{name}.json")
    assert names(tmp_path / "x", tmp_path / "y" / "result.json") == ["x", "y"]
    assert names(tmp_path / "x.json", tmp_path / "y.samples.jsonl.gz") == ["x", "y"]
    assert names(tmp_path / "x" / "lvbench.json", tmp_path / "y" / "lvbench.json") == ["x", "y"]
    # Two results of one model: the files tell them apart.
    assert names(tmp_path / "x" / "lvbench.json", tmp_path / "x.json") == ["lvbench", "x"]
    assert names(a, b) == ["model 1", "model 2"]
    assert names(tmp_path / "x", tmp_path / "x") == ["x (1)", "x (2)"]


def test_grounding_flips_at_half_and_compares_every_metric():
    gold = [
        {"id": str(i), "video": f"v{i // 4}", "question": "Q?", "options": ["x", "y"],
         "answer": "A", "interval": [10.0, 20.0], "duration": 100}
        for i in range(100)
    ]  # fmt: skip
    near = [{"id": str(i), "answer": "A", "interval": [10, 18 + i % 3]} for i in range(100)]
    far = [{"id": str(i), "answer": "A", "interval": [15 + i % 5, 30]} for i in range(100)]
    found = compare(
        score("foreseaqa", near, gold), score("foreseaqa", far, gold), metric="mean_iou"
    )
    assert found.tied is False
    assert found.pair()["flips"]["metric"] == "recall@0.5"
    assert len(found.pair()["flips"]["only_a"]) == 100
    assert found.pair()["metrics"]["accuracy"]["difference"] == 0
    assert found.pair()["metrics"]["recall@0.5"]["mcnemar"]["only_a"] == 100


def test_medians_of_ranks_are_left_out_and_macro_means_are_not(tmp_path):
    rankings = {f"q{i}": ["a", "b", "c"] for i in range(30)}
    good = {f"q{i}": ["c", "b", "a"] if i % 3 else ["a", "b", "c"] for i in range(30)}
    truth = {f"q{i}": ["c"] for i in range(30)}
    results = [fvb.retrieve("lovr", rankings=r, truth=truth) for r in (good, rankings)]
    found = compare(*results)
    assert "median_rank" not in found.metrics
    assert found.metrics["recall@1"].scale == 100
    assert found.pair()["metrics"]["recall@1"]["difference"] == pytest.approx(2 / 3)


def test_the_file_says_the_same_again(tmp_path, three):
    found = compare(*three, names=["a", "b", "c"])
    found.write(tmp_path / "comparison.json")
    data = json.loads((tmp_path / "comparison.json").read_bytes())
    assert data["kind"] == "comparison"
    assert data == json.loads(json.dumps(found.data))
    again = compare(*three, names=["a", "b", "c"])
    assert again.data == found.data
    with pytest.raises(InputError, match="no such folder"):
        found.write(tmp_path / "nowhere" / "comparison.json")


def test_tie_groups_are_made_around_leaders():
    # a ties with b, b with c, but a is ahead of c: c leads a group of its own.
    ties = {("a", "b"), ("b", "c"), ("c", "d")}
    assert tie_groups("abcd", lambda x, y: (x, y) in ties) == [["a", "b"], ["c", "d"]]
    assert tie_groups([], lambda x, y: True) == []


def test_a_pair_without_a_common_row_that_counts_says_so():
    entry = {"a": "x", "b": "y", "videos": 3, "metrics": {"accuracy": {"difference": None}}}
    assert "no question in common that counts" in pair_words(entry, ACCURACY, comparisons=1)


def with_setting(result, setting):
    table = samples_of(result)
    return replace(table, settings=None if setting is None else [setting] * len(table))


def test_one_input_setting_against_another_is_refused(three):
    a, b, _ = three
    plain, subtitled = with_setting(a, "without_subtitle"), with_setting(b, "with_subtitle")
    with pytest.raises(InputError, match=r"of another setting than .*got 'with_subtitle'"):
        compare(plain, subtitled, names=["a", "b"])
    said = compare(plain, subtitled, names=["a", "b"], mixed=True).data["warnings"]
    assert said == ["a and b differ in their setting: without_subtitle and with_subtitle"]
    unsaid = compare(plain, with_setting(b, None), names=["a", "b"]).data["warnings"]
    assert unsaid == ["a and b differ in their setting: without_subtitle and not said"]
    same = compare(plain, with_setting(b, "without_subtitle"), names=["a", "b"])
    assert same.data["warnings"] == []
    assert same.data["setting"] == "without_subtitle"


def test_rankings_made_in_different_ways_are_refused():
    truth = {f"q{i}": ["c"] for i in range(30)}
    lists = {query: ["a", "b", "c"] for query in truth}
    results = [
        fvb.retrieve("lovr", rankings=lists, truth=truth, ties=ties)
        for ties in ("expected", "pessimistic")
    ]
    with pytest.raises(InputError, match=r"another order of equal scores.*got 'pessimistic'"):
        compare(*results)


def test_judged_rows_and_deviations_of_one_model_alone_are_said(three):
    a, b, _ = (samples_of(result) for result in three)
    deviation = {"what": "temperature", "published": "0", "used": "0.7"}
    entry = {"deviations": [deviation], "alarm": True}
    told = replace(b, result=b.result | {
        "inputs": b.result["inputs"] | {"verdicts": {"name": "v.json"}},
        "diagnostics": b.result["diagnostics"] | {"protocol_deviations": entry},
    })  # fmt: skip
    assert compare(a, told, names=["a", "b"]).data["warnings"] == [
        "a judge decided rows of b and none of a: those that wait for one count as wrong",
        "b was run otherwise than published: temperature 0.7 (published: 0)",
    ]
    assert compare(told, told, names=["a", "b"]).data["warnings"] == []
