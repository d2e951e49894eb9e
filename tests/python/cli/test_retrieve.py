"""`fastvbench retrieve` as a person meets it: tables, files, exit codes, one-line errors."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import re
import zipfile

import numpy as np
import pytest
from tests.python.retrieval.stores.torch_files import Tensor, write_pt

from fastvbench.cli import main

CLIPS = [f"V{i // 4}-Scene-{i % 4:03d}" for i in range(12)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Captions near their clips, one of three a wrong one's; ids in files of their own."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    clips = rng.normal(size=(12, 8)).astype(np.float32)
    texts = clips + 0.01
    texts[::3] = np.roll(clips, 1, axis=0)[::3] + 0.01
    np.save("texts.npy", texts)
    np.save("clips.npy", clips)
    (tmp_path / "ids.txt").write_text("\n".join(CLIPS) + "\n")
    rows = [{"path": f"V/{clip}.mp4", "cap": "so many words"} for clip in CLIPS]
    (tmp_path / "all_clip.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


ONE_WAY = ("--queries", "texts.npy", "--query-ids", "ids.txt", "--gallery", "clips.npy")
ONE_WAY += ("--gallery-ids", "ids.txt", "--direction", "text_to_clip")
BOTH_WAYS = ("--text-clips", "texts.npy", "--text-clips-ids", "ids.txt", "--clips", "clips.npy")
BOTH_WAYS += ("--clips-ids", "ids.txt")


def run(*arguments):
    return main(["retrieve", "lovr", *map(str, arguments)])


def error_of(capsys):
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1, captured.err
    return captured.err


def test_tables_go_to_standard_output_and_warnings_beside_them(files, capsys):
    assert run(*BOTH_WAYS, "--captions", "all_clip.jsonl") == 0
    captured = capsys.readouterr()
    assert "LoVR · by cosine · ties expected" in captured.out
    assert "read texts.npy as npy: 12 x 8 float32" in captured.out
    assert "text_to_clip: 12 queries against 12 rows (published: 467 videos, 40,804" in captured.out
    assert re.search(r"text_to_clip +robust +66\.67 \[", captured.out)
    assert re.search(r"clip_to_text +official +\d+\.\d\d \[", captured.out)
    assert "[95 % interval: cluster bootstrap, percentile, 3 videos]" in captured.out
    assert "coverage: expected 24 · scored 24 · missing 0" in captured.out
    assert "query_words" in captured.out
    assert "warning: text_to_clip: the gallery holds 12 of 40,804 published clips" in captured.err


def test_result_file_samples_and_rankings(files, capsys):
    assert run(*ONE_WAY, "-o", "result.json", "--rankings-out", "top.trec", "--k", "1,3") == 0
    data = json.loads((files / "result.json").read_text(), parse_constant=pytest.fail)
    assert (data["schema"], data["kind"]) == (1, "score")
    assert data["main"] == {"rule": "robust", "metric": "recall@1"}
    assert data["options"] == {"k": [1, 3], "ties": "expected", "metric": "cosine"}
    assert data["rules"]["robust"]["overall"]["recall@1"]["value"] == pytest.approx(2 / 3)
    by_direction = data["rules"]["robust"]["strata"]["direction"]
    assert by_direction["text_to_clip"]["median_rank"]["unit"] == "rank"
    assert [entry["name"] for entry in data["inputs"]["predictions"]] == ["texts.npy", "clips.npy"]
    assert len(data["inputs"]["predictions"][0]["sha256"]) == 64
    packed = (files / "result.samples.jsonl.gz").read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    assert [row["id"] for row in rows] == CLIPS
    assert rows[1]["place"] == {"above": 0, "tied": 1}
    assert rows[1]["rules"]["official"]["scores"] == {"recall@1": 1.0, "recall@3": 1.0}
    assert len((files / "top.trec").read_text().splitlines()) == 12 * 10
    capsys.readouterr()
    assert run("--rankings", "top.trec", "--direction", "text_to_clip", "--k", "1,3") == 0
    out = capsys.readouterr().out
    assert re.search(r"text_to_clip +robust +66\.67 \[", out)
    assert "lists of at most 10 ids" in out
    assert main(["score", "lovr", "top.trec"]) == 0
    assert re.search(r"unknown +paper +66\.67 \[", capsys.readouterr().out)


def test_each_direction_gets_its_rankings(files, capsys):
    assert run(*BOTH_WAYS, "--rankings-out", "top.jsonl.gz", "--top", "2") == 0
    for direction in ("text_to_clip", "clip_to_text"):
        packed = (files / f"top.{direction}.jsonl.gz").read_bytes()
        rows = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
        assert [row["id"] for row in rows] == CLIPS
        assert {len(row["ranking"]) for row in rows} == {2}


def test_standard_output_may_be_json_only(files, capsys):
    assert run(*ONE_WAY, "-o", "-") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["kind"] == "score"
    assert "text_to_clip" in captured.err


def test_a_median_beyond_all_lists_is_no_number(files, capsys):
    rows = [{"id": clip, "ranking": [CLIPS[0]]} for clip in CLIPS]
    (files / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("--rankings", "run.jsonl", "-o", "result.json") == 0
    assert re.search(r"robust .* beyond ", capsys.readouterr().out)
    data = json.loads((files / "result.json").read_text())
    assert data["rules"]["robust"]["overall"]["median_rank"]["value"] is None


def test_low_coverage_is_an_exit_code(files, capsys):
    rows = [{"id": clip, "relevant": clip} for clip in [*CLIPS, "W-Scene-001"]]
    (files / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run(*ONE_WAY, "--truth", "truth.jsonl") == 1
    assert "missing queries 1" in capsys.readouterr().out


# ---- bad files -----------------------------------------------------------------------------------


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("executed",)


def wrong_dimensions():
    np.save("clips.npy", np.ones((12, 5), np.float32))


def an_id_too_few():
    with open("ids.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(CLIPS[:11]) + "\n")


def a_row_of_nan():
    clips = np.load("clips.npy")
    clips[7, 3] = np.nan
    np.save("clips.npy", clips)


def a_truncated_array():
    with open("clips.npy", "rb+") as file:
        file.truncate(300)


def a_pickled_array():
    np.save("clips.npy", np.array([[Bomb()] * 2] * 12), allow_pickle=True)


def an_unsafe_torch_file():
    with zipfile.ZipFile("clips.npy", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"feat": Bomb()}, protocol=2))
        archive.writestr("archive/version", "3\n")


def a_bare_pickle():
    with open("clips.npy", "wb") as file:
        pickle.dump(Bomb(), file)


def float64():
    np.save("clips.npy", np.load("clips.npy").astype(np.float64))


def nothing_there():
    os.remove("clips.npy")


def no_numbers():
    with open("clips.npy", "w", encoding="utf-8") as file:
        file.write("clip,vector\n")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (wrong_dimensions, r"texts\.npy: embeddings of 8 dimensions ask clips\.npy, which has 5"),
        (an_id_too_few, r"ids\.txt: not as many ids as rows .* got 11; expected 12"),
        (a_row_of_nan, r"clips\.npy: 1 of 12 rows hold NaN or infinity: row 7 \(V1-Scene-003\)"),
        (a_truncated_array, r"clips\.npy: a truncated array"),
        (a_pickled_array, r"clips\.npy: an array of pickled Python objects"),
        (an_unsafe_torch_file, r"clips\.npy.* (posix|os|nt)[. ]mkdir"),
        (a_bare_pickle, r"clips\.npy: a pickle, which can run any code; refused"),
        (float64, r"clips\.npy: float64 elements; expected float32"),
        (nothing_there, r"clips\.npy: no such file"),
        (no_numbers, r"clips\.npy: no known format"),
    ],
)
def test_a_bad_file_is_one_line_and_nothing_is_written(spoil, message, files, capsys):
    spoil()
    before = sorted(files.iterdir())
    code = run(*ONE_WAY, "-o", "result.json", "--rankings-out", "top.jsonl")
    assert code == 2
    assert re.search(message, error_of(capsys))
    assert sorted(files.iterdir()) == before  # no result, and no folder that a pickle has made


def test_bad_rows_can_be_left_out_and_are_counted(files, capsys):
    a_row_of_nan()
    assert run(*ONE_WAY, "--invalid", "drop", "--seed", "3") == 1  # 11 of 12 is below the limit
    out = capsys.readouterr().out
    assert "text_to_clip: scored 11 of 12 · missing items 0 of 12 · dropped rows 1" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "one kind of input is needed, got 'none'"),
        (("--queries", "texts.npy"), "half of the input is missing; expected both queries and"),
        ((*ONE_WAY, "--rankings", "x.jsonl"), "'queries and gallery beside rankings'"),
        ((*ONE_WAY, "--k", "0"), "field 'k': not a number of places"),
        ((*ONE_WAY, "--k", "1" + 20 * "0"), "field 'k': not a number of places"),
        ((*ONE_WAY, "--rules", "best"), "no rule set of that name, got 'best'"),
        ((*ONE_WAY[:-1], "sideways"), "no such direction, got 'sideways'"),
        (("--rankings", "ids.txt"), "ids.txt:1: not a line of a TREC run"),
        ((*ONE_WAY, "--truth", "ids.txt"), "ids.txt:1: not a line of TREC qrels"),
        ((*ONE_WAY, "--captions", "ids.txt"), "ids.txt"),
        ((*ONE_WAY, "-o", "clips.npy"), "-o clips.npy would replace this input"),
        ((*ONE_WAY, "--rankings-out", "ids.txt"), "--rankings-out ids.txt would replace"),
        (
            (*BOTH_WAYS, "--direction", "text_to_clip", "--rankings-out", "clips.npy"),
            "--rankings-out clips.npy would replace",
        ),
        ((*ONE_WAY, "-o", "x.json", "--rankings-out", "x.json"), "two outputs have one name"),
        (
            (*ONE_WAY, "-o", "x.json", "--rankings-out", "./x.samples.jsonl.gz"),
            "two outputs have one name",
        ),
        ((*ONE_WAY, "--rankings-out", "absent/x"), "no such folder"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message, files, capsys):
    assert run(*arguments) == 2
    assert message in error_of(capsys)


def test_a_list_of_ids_beside_embeddings_is_an_input_too(files, capsys):
    ids = (files / "ids.txt").read_bytes()
    for name in ("texts.ids.txt", "clips.ids.txt"):
        (files / name).write_bytes(ids)
    arguments = ("--queries", "texts.npy", "--gallery", "clips.npy", "--direction", "text_to_clip")
    assert run(*arguments, "--rankings-out", "clips.ids.txt") == 2
    assert "would replace this input" in error_of(capsys)
    assert (files / "clips.ids.txt").read_bytes() == ids
    assert run(*arguments, "--rankings-out", "top.jsonl") == 0


@pytest.mark.parametrize(
    "arguments", [("--k", "a"), ("--seed", "-1"), ("--ties", "coin"), ("--threads", 12 * "9")]
)
def test_wrong_words_are_one_line_too(arguments, files, capsys):
    with pytest.raises(SystemExit) as stop:
        run(*ONE_WAY, *arguments)
    assert stop.value.code == 2
    assert error_of(capsys).startswith("fastvbench: argument --")


def test_a_benchmark_of_answers_is_refused(files, capsys):
    assert main(["retrieve", "lvbench", *ONE_WAY]) == 2
    assert "scores answers, not rankings, got 'lvbench'" in error_of(capsys)


def test_list_and_show_know_retrieval_benchmarks(capsys):
    assert main(["list"]) == 0
    assert re.search(r"lovr +467 videos, 40,804 clips +robust, paper, off", capsys.readouterr().out)
    assert main(["show", "lovr"]) == 0
    out = capsys.readouterr().out
    assert "torch.topk leaves the order of equal scores undefined" in out
    assert "CLIP_NUM" in out


def test_clips_and_videos_in_one_file_are_told_apart_by_their_ids(files, capsys):
    rng = np.random.default_rng(4)
    ids = np.array([*CLIPS, "V0", "V1", "V2"])
    rows = rng.normal(size=(15, 8)).astype(np.float32)
    np.savez("text.npz", embeddings=rows, ids=ids)
    np.savez("video.npz", embeddings=rows + np.float32(0.01), ids=ids)
    assert run("--text", "text.npz", "--video", "video.npz", "--rules", "official") == 0
    out = capsys.readouterr().out
    for direction, count in (("text_to_video", 3), ("text_to_clip", 12), ("video_to_text", 3)):
        assert re.search(rf"{direction} +official +100\.00 .* {count}\n", out)
    assert "robust" not in out


def test_features_as_the_public_scripts_write_them(files, capsys):
    rng = np.random.default_rng(4)
    videos = ["V2", "V0", "V1"]
    rows = rng.normal(size=(15, 8)).astype(np.float32)
    text = {"feat": Tensor(rows), "source": [*CLIPS, *videos]}
    # Rows of video.pt come video by video, the video behind its clips.
    order = [*range(4), 13, *range(4, 8), 14, *range(8, 12), 12]
    names = [([*CLIPS, *videos][row], row < 12) for row in order]
    video = {
        "image_feats": Tensor(rows[order] + np.float32(0.01)),
        "clip_src": [name if is_clip else None for name, is_clip in names],
        "full_src": [None if is_clip else name for name, is_clip in names],
        "video_dict_cost": 1.5,
    }
    write_pt(files / "text.pt", text)
    write_pt(files / "video.pt", video)
    captions = [{"vid": name, "cap": "what happens"} for name in [*videos, "V9"]]
    (files / "all_video.jsonl").write_text("".join(json.dumps(row) + "\n" for row in captions))
    inputs = ("--text", "text.pt", "--video", "video.pt")
    captions = ("--captions", "all_clip.jsonl", "all_video.jsonl")
    assert run(*inputs, *captions, "-o", "result.json") == 1  # V9 has no embedding
    data = json.loads((files / "result.json").read_text())
    by_direction = data["rules"]["robust"]["strata"]["direction"]
    assert {name: entry["recall@1"]["n"] for name, entry in by_direction.items()} == {
        "text_to_video": 4,
        "text_to_clip": 12,
        "video_to_text": 4,
        "clip_to_text": 12,
    }
    assert by_direction["text_to_video"]["recall@1"]["value"] == 0.75
    assert data["rules"]["official"]["overall"]["recall@1"]["value"] == 1.0
    assert {entry["format"] for entry in data["inputs"]["predictions"]} == {"lovr-pt"}
    one_way = ("--queries", "video.pt", "--gallery", "text.pt", "--direction", "clip_to_text")
    assert run(*one_way) == 0
    assert "clip_to_text: 12 queries against 12 rows" in capsys.readouterr().out


def test_queries_on_which_rule_sets_differ_are_listed(files, capsys):
    clips = np.load("clips.npy")
    clips[6] = clips[5]
    np.save("clips.npy", clips)
    np.save("texts.npy", clips + np.float32(0.01))
    assert run(*ONE_WAY, "--diff", "--k", "1") == 0
    out = capsys.readouterr().out
    assert f"{CLIPS[5]} · gold {CLIPS[5]}" in out
    assert "robust: recall@1 0.5 · ok · read places 1 to 2, tied" in out
    assert "2 of 12 rows differ between rule sets" in out
