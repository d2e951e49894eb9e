"""ActivityNet Captions: layouts, published counts, and what each rule set makes of them."""

from __future__ import annotations

import gzip
import json

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

VIDEOS = {
    "v_a": {
        "duration": 100.0,
        "timestamps": [[0, 50], [20, 30]],
        "sentences": ["A man runs.", "He jumps."],
    },
    "v_b": {"duration": 40.0, "timestamps": [[0, 41.5]], "sentences": ["A dog."]},
}


@pytest.fixture
def annotations(tmp_path):
    path = tmp_path / "val_1.json"
    path.write_text(json.dumps(VIDEOS))
    return path


def values(data, rule):
    overall = data["rules"][rule]["overall"]
    return {key: (entry["value"], entry["n"]) for key, entry in overall.items()}


def read(source):
    return get_protocol("activitynet_captions").read_annotations(source, ScoreOptions())


def test_published_counts(real_data):
    path = real_data / "activitynet" / "val_1.json.gz"
    gold = read(path)
    assert len(gold) == get_protocol("activitynet_captions").published_size == 17_505
    assert len(set(gold.videos)) == 4_917
    assert gold.ledger == {"gold_beyond_duration_clamped": 134}
    share = gold.strata["gold_share"]
    assert (share.category == share.categories.index("whole video")).sum() == 528
    videos = json.loads(gzip.decompress(path.read_bytes()))
    answers = {
        f"{video}_{number}": f"The event happens in {start} - {end} seconds."
        for video, entry in videos.items()
        for number, (start, end) in enumerate(entry["timestamps"])
    }
    data = score("activitynet_captions", answers, path, samples=False).data
    for rule in ("robust", "official", "timelens"):
        assert values(data, rule)["mean_iou"] == (pytest.approx(1.0, abs=1e-6), 17_505)
    assert data["interval_method"]["clusters"] == 4_917


def test_ids_and_gold(annotations):
    gold = read(annotations)
    assert gold.ids == ["v_a_0", "v_a_1", "v_b_0"]
    assert gold.raw_intervals.tolist() == [[0, 50], [20, 30], [0, 41.5]]
    assert gold.intervals.values.tolist() == [[0, 50], [20, 30], [0, 40]]
    assert gold.ledger == {"gold_beyond_duration_clamped": 1}
    assert gold.durations.tolist() == [100, 100, 40]


@pytest.mark.parametrize(
    "source",
    [
        VIDEOS,
        [VIDEOS],
        {
            video: {"duration": e["duration"], "spans": e["timestamps"], "queries": e["sentences"]}
            for video, e in VIDEOS.items()
        },
    ],
)
def test_maps_of_videos(source):
    assert read(source).queries == ["A man runs.", "He jumps.", "A dog."]


def test_flat_records():
    gold = read([{"id": 7, "video": "v", "sentence": "s", "timestamp": [1, 2], "duration": 9}])
    assert (gold.ids, gold.videos, gold.raw_intervals.tolist()) == (["7"], ["v"], [[1.0, 2.0]])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"duration": 9, "timestamps": [[1, 2]], "sentences": []}, "'sentences': lengths differ"),
        ({"duration": 9, "timestamps": [[1]], "sentences": ["a"]}, "'timestamps': not an interval"),
        ({"duration": 0, "timestamps": [[1, 2]], "sentences": ["a"]}, "not a duration, got 0"),
        ({"duration": 9, "timestamps": [[1, 2]], "sentences": [5]}, "wrong type, got 5"),
        ({"duration": 9, "sentences": ["a"]}, "'timestamps': wrong type"),
    ],
)
def test_bad_annotations_are_named(entry, message):
    with pytest.raises(InputError, match=message):
        read({"v": entry})


def test_vtimellm_logs_join_by_place(annotations, tmp_path):
    line = {"task": "grounding", "query_id": 0, "video_id": "v_a", "answer": "from 20 to 30"}
    log = tmp_path / "log.jsonl"
    row = json.dumps(line | {"info": {"sentence_id": 1, "iou": 1.0}})
    log.write_text(row + "\n" + row + "\n")
    data = score("activitynet_captions", log, annotations).data
    assert values(data, "vtimellm")["mean_iou"] == (1.0, 1)
    assert values(data, "official")["mean_iou"] == (pytest.approx(1 / 3), 3)


def test_timelens_results_join_by_video_and_sentence(annotations, tmp_path):
    file = tmp_path / "results.json"
    text = "The event happens in 20.0 - 30.0 seconds."
    nothing = {"timestamps": [[-100, -100]], "answers": "It is from 0 to 50 seconds long."}
    file.write_text(json.dumps({
        "v_a.mp4>>>He jumps.>>>[[20, 30]]": {"timestamps": [[20, 30]], "answers": text},
        "v_a.mp4>>>A man runs.>>>[[0, 50]]": nothing,
    }))  # fmt: skip
    data = score("activitynet_captions", file, annotations).data
    assert values(data, "timelens")["recall@0.7"][1] == 2
    assert values(data, "robust")["mean_iou"][1] == 3
    assert data["coverage"]["scored"] == 2


def test_thresholds_are_reached_or_exceeded():
    gold = {"v": {"duration": 100, "timestamps": [[0, 10]], "sentences": ["a"]}}
    data = score("activitynet_captions", {"v_0": "<answer>0 to 5</answer>"}, gold).data
    assert values(data, "videochat-r1")["recall@0.5"] == (1.0, 1)
    assert values(data, "time-r1")["recall@0.5"] == (0.0, 1)
    assert values(data, "cg-bench")["recall@iou"] == (pytest.approx(0.8), 1)


def test_reversed_answers_score_in_robust_only():
    gold = {"v": {"duration": 100, "timestamps": [[10, 20]], "sentences": ["a"]}}
    data = score("activitynet_captions", {"v_0": "20 - 10"}, gold).data
    assert values(data, "robust")["mean_iou"] == (1.0, 1)
    assert values(data, "official")["mean_iou"] == values(data, "timelens")["mean_iou"] == (0.0, 1)


def test_unread_answers_leave_the_denominator_of_cg_bench_alone():
    gold = {"v": {"duration": 100, "timestamps": [[10, 20], [1, 2]], "sentences": ["a", "b"]}}
    data = score("activitynet_captions", {"v_0": "10 to 20", "v_1": "I don't know."}, gold).data
    assert values(data, "cg-bench")["mean_iou"] == (1.0, 1)
    assert values(data, "robust")["mean_iou"] == (0.5, 2)
