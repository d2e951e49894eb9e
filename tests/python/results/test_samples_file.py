"""The one reader of a result and its rows: what was written comes back as columns."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from fastvbench import InputError, score
from fastvbench.core._status import Status
from fastvbench.results._samples_file import read_result, read_samples, result_path, samples_of

FORESEA = [
    {
        "id": "1", "video": "a", "question": "When?", "options": ["x", "y"], "answer": "A",
        "interval": [10.0, 20.0], "modality": "text", "task": "counting", "duration": 100,
    },
    {
        "id": "2", "video": "b", "question": "Who?", "options": ["x", "y", "z"], "answer": "B",
        "interval": [30.0, 50.0], "modality": "image+text", "task": "search", "duration": 100,
    },
]  # fmt: skip
LVBENCH = [
    {
        "key": "v",
        "type": "tv",
        "video_info": {"duration_minutes": 60},
        "qa": [
            {
                "uid": str(i),
                "question": "Q?\n(A) x\n(B) y\n(C) z",
                "answer": "B",
                "question_type": ["reasoning"],
                "time_reference": "01:00-01:30",
            }
            for i in range(4)
        ],
    }
]


@pytest.fixture
def written(tmp_path):
    answers = [
        {"id": "0", "text": "B", "finish_reason": "stop", "frame_count": 32},
        {"id": "1", "text": "The answer is (C).", "finish_reason": "stop", "frame_count": 32},
        {"id": "2", "text": "Well, the man", "finish_reason": "length", "frame_count": 31},
    ]
    score("lvbench", answers, LVBENCH).write(tmp_path / "result.json")
    return tmp_path / "result.json"


def test_letters_gold_and_the_record_of_the_run_come_back(written):
    table = read_samples(written)
    robust = table.rules["robust"]
    assert next(iter(table.rules)) == table.main_rule == "robust"
    assert table.ids == ["0", "1", "2", "3"]
    assert robust.letters.tolist() == [1, 2, -1, -1]
    assert robust.status.tolist() == [
        Status.OK, Status.OK, Status.TRUNCATED, Status.MISSING,
    ]  # fmt: skip
    assert robust.scores["accuracy"].tolist() == [1, 0, 0, 0]
    assert robust.spans.tolist()[1] == [15, 16]
    assert table.ledger_class() == ["ok", "ok", "truncated", "missing"]
    assert table.gold.letters.tolist() == [1, 1, 1, 1]
    assert table.gold.option_counts.tolist() == [3, 3, 3, 3]
    assert table.gold.durations_seconds.tolist() == [3600.0] * 4
    assert table.gold.evidence_seconds.tolist() == [[60.0, 90.0]] * 4
    assert table.finish_reasons == ["stop", "stop", "length", None]
    np.testing.assert_array_equal(table.frame_counts, [32, 32, 31, np.nan])
    assert table.excerpts == ["B", "The answer is (C).", "Well, the man", None]
    assert table.strata["question_type"].of_row()[0] == ["reasoning"]
    # The published script compares texts: what it read is a text, and its letter none.
    assert table.rules["official"].letters.tolist() == [1, -1, -1, -1]
    assert table.rules["official"].reads[1] == "The answer is (C)."
    assert np.isnan(table.rules["official"].scores["accuracy"][3])


def test_memory_and_file_give_the_same_columns(tmp_path):
    answers = [{"id": "1", "text": "A. From 10 to 15 seconds."}, {"id": "2", "text": "B"}]
    result = score("foreseaqa", answers, FORESEA)
    result.write(tmp_path / "r.json")
    for table in (samples_of(result), read_samples(tmp_path / "r.samples.jsonl.gz")):
        robust = table.rules["robust"]
        assert robust.given_intervals().rows() == [[(10.0, 15.0)], []]
        assert robust.interval_status.tolist() == [Status.OK, Status.NO_NUMBER]
        assert table.gold.intervals.rows() == [[(10.0, 20.0)], [(30.0, 50.0)]]
        assert robust.letters.tolist() == [0, 1]
        assert robust.scores["mean_iou"].tolist() == [0.5, 0.0]


def test_runs_are_told_apart_and_taken_by_name():
    answers = [
        {"id": str(i), "text": text, "sample": s} for s in (1, 2) for i, text in enumerate("BBAC")
    ]
    table = samples_of(score("lvbench", answers, LVBENCH))
    assert table.run_names == ["sample 1", "sample 2"]
    assert len(table) == 8
    second = table.of_run("sample 2")
    assert second.ids == ["0", "1", "2", "3"]
    assert second.rules["robust"].letters.tolist() == [1, 1, 0, 2]
    assert second.gold.letters.tolist() == [1, 1, 1, 1]
    assert second.strata["video_type"].of_row()[3] == ["tv"]


def test_a_run_folder_a_result_and_its_samples_name_the_same_file(written):
    folder = written.parent
    assert result_path(folder) == result_path(written) == written
    assert result_path(folder / "result.samples.jsonl.gz") == written
    assert read_result(folder)["kind"] == "score"


def rewrite(path, change):
    samples = path.with_name("result.samples.jsonl.gz")
    rows = [json.loads(line) for line in gzip.decompress(samples.read_bytes()).splitlines()]
    change(rows)
    samples.write_bytes(gzip.compress(b"".join(json.dumps(r).encode() + b"\n" for r in rows)))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda rows: rows[2].pop("id"), ":3: a row with a part missing or unknown, got 'id'"),
        (lambda rows: rows[1]["rules"].pop("robust"), ":2: .* got 'robust'"),
        (lambda rows: rows[0]["rules"]["robust"].update(status="fine"), ":1: .* got 'fine'"),
        (lambda rows: rows[3]["rules"]["robust"]["scores"].update(accuracy="x"), ":4: not a row"),
        (lambda rows: rows[1].update(gold=3), ":2: .*gold 3 is no object"),
        (lambda rows: rows[1]["gold"].update(evidence_seconds=[1]), ":2: .*no interval"),
        (lambda rows: rows[0].update(strata=[]), ":1: .*strata"),
        (lambda rows: rows.clear(), "holds no row|empty|unpacks to nothing"),
        (lambda rows: rows.append(7), ":5: .*not an object"),
    ],
)
def test_a_row_that_is_none_is_named_by_its_line(written, change, place):
    rewrite(written, change)
    with pytest.raises(InputError, match=place):
        read_samples(written)


def test_what_is_no_result_says_so(tmp_path, written):
    (tmp_path / "other.json").write_text('{"id": 1}')
    with pytest.raises(InputError, match="not a result file"):
        read_samples(tmp_path / "other.json")
    (tmp_path / "next.json").write_text('{"schema": 2, "kind": "score"}')
    with pytest.raises(InputError, match=r"schema.*got 2; expected at most 1"):
        read_samples(tmp_path / "next.json")
    (tmp_path / "suite.json").write_text('{"schema": 1, "kind": "suite"}')
    with pytest.raises(InputError, match="this kind of result has no rows"):
        read_samples(tmp_path / "suite.json")
    written.with_name("result.samples.jsonl.gz").unlink()
    with pytest.raises(InputError, match="rows behind this result are missing"):
        read_samples(written)


def test_a_cut_file_is_refused(written):
    samples = written.with_name("result.samples.jsonl.gz")
    samples.write_bytes(samples.read_bytes()[:-40])
    with pytest.raises(InputError, match="truncated"):
        read_samples(written)


def test_a_samples_file_scores_again_with_its_record(written, tmp_path):
    again = score("lvbench", tmp_path / "result.samples.jsonl.gz", LVBENCH)
    assert samples_of(again).finish_reasons == ["stop", "stop", "length", None]
    before = read_result(written)["rules"]["robust"]
    assert again.data["rules"]["robust"] == before


def test_retrieval_places_come_back():
    from fastvbench import retrieve

    rankings = {"q1": ["a", "b"], "q2": ["a", "b"]}
    result = retrieve("lovr", rankings=rankings, truth={"q1": ["a"], "q2": ["b"]})
    table = samples_of(result)
    assert table.places.tolist() == [[0, 1], [1, 1]]
    assert table.gold.letters is None
    assert table.gold.relevant == [["a"], ["b"]]
