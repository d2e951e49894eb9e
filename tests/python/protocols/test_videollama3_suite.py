"""VideoLLaMA3's suite: its rows, its columns, and how files of its benchmarks are named."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from fastvbench import get_protocol, score
from fastvbench.cli._main import main
from fastvbench.protocols._protocol import AnswerProtocol
from fastvbench.protocols._suite_files import NamedFile, named_protocol
from fastvbench.protocols.videollama3_suite import PROTOCOL, WITH_SUBTITLES, WITHOUT_SUBTITLES

PARTS = {part.key: part for part in PROTOCOL.parts}


@pytest.mark.parametrize("part", PROTOCOL.parts, ids=list(PARTS))
def test_each_row_has_a_rule_set_behind_every_column(part):
    protocol = get_protocol(part.protocol)
    assert isinstance(protocol, AnswerProtocol)
    names = {rule.name for rule in protocol.rules}
    for column in PROTOCOL.rules:
        assert names & set(part.rules.get(column.name, (column.name,))), column.name
    if part.setting is not None:
        assert part.setting.subset in protocol.input_settings


@pytest.mark.parametrize(
    ("name", "protocol"),
    [
        ("Video-MME/results.json", "videomme"),
        ("VideoLLaMA3-7B_Video-MME_64frame_subs.xlsx", "videomme"),
        ("20260806_samples_videomme_w_subtitle.jsonl", "videomme"),
        ("videomme_v2.json", None),
        ("charades_sta.json", "charades_sta"),
        ("run1/charades/0.json", "charades_sta"),
        ("samples_lvbench.jsonl", "lvbench"),
        ("DocVQA_val.json", "docvqa"),
        ("mpdocvqa.json", None),
        ("Model_ChartQA_TEST.xlsx", "chartqa"),
        ("chartqapro.json", None),
        ("output_mathvista.json", "mathvista"),
        ("longvideobench_val.jsonl", None),
        ("samples_mvbench.jsonl", "mvbench"),
        ("MLVU_dev/pred_test_all_choice.json", "mlvu"),
        ("Qwen_ChartQA_TEST.xlsx", "chartqa"),
        ("docvqa_val.json", "docvqa"),
        ("mathvista_testmini.json", "mathvista"),
        ("scores.json", None),
    ],
)
def test_names_of_files(tmp_path, name, protocol):
    assert named_protocol(NamedFile(tmp_path / name, name), PROTOCOL.parts) == protocol


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("samples_videomme_w_subtitle.jsonl", "with"),
        ("Model_Video-MME_64frame_subs.xlsx", "with"),
        ("videomme_with_subtitles.json", "with"),
        ("videomme-wsub.json", "with"),
        ("videomme_sub.json", "with"),
        ("videomme_without_subtitle.json", "without"),
        ("videomme_wo_sub.json", "without"),
        ("videomme_nosub.json", "without"),
        ("videomme_no_subtitles.json", "without"),
        ("videomme-w-o-subs.json", "without"),
        ("videomme_subset.json", None),
        ("samples_videomme.jsonl", None),
    ],
)
def test_names_of_subtitle_settings(name, setting):
    without, with_ = WITHOUT_SUBTITLES.is_named_by(name), WITH_SUBTITLES.is_named_by(name)
    found = "without" if without else "with" if with_ else None
    assert found == setting


GOLD = [
    {
        "question_id": f"001-{i}",
        "videoID": "v",
        "question": "Which?",
        "options": ["A. red", "B. blue", "C. pink", "D. grey"],
        "answer": "B",
        "duration": "short",
    }
    for i in (1, 2)
]


def videollama3_rows(*texts):
    rows = [{"data_id": f"001-{i}", "response": text} for i, text in enumerate(texts, 1)]
    return [{"Overall": 50.0}, *rows]


@pytest.fixture
def folders(tmp_path):
    predictions, annotations = tmp_path / "run", tmp_path / "gold"
    predictions.mkdir()
    annotations.mkdir()
    both = {
        "without_subtitle": videollama3_rows("B", "C"),
        "with_subtitle": videollama3_rows("B", "The answer is B."),
    }
    (predictions / "videomme.json").write_text(json.dumps(both))
    (annotations / "Video-MME.json").write_text(json.dumps(GOLD))
    grounding = [
        {"data_id": 0, "response": "1 to 5 s", "prediction": [[1, 5]], "ground_truth": [1, 5]}
    ]
    (predictions / "charades.json").write_text(json.dumps([{"mIoU": 1.0}, *grounding]))
    (annotations / "charades_sta_test.txt").write_text("V1 1.0 5.0##someone runs.\n")
    return predictions, annotations


def test_result_files_of_its_own_evaluation_make_the_table(folders):
    result = score("videollama3_suite", *folders)
    assert result.value("videomme_without_subtitle") == 0.5
    assert result.value("videomme_with_subtitle") == 1.0
    assert result.value("videomme_with_subtitle", "paper") == 0.5  # the card wants a bare letter
    assert result.value("charades_sta", "videollama3") == 1.0
    assert result.data["results"]["videomme_with_subtitle"]["setting"] == "with_subtitle"


def test_short_answers_of_its_own_evaluation(folders):
    predictions, annotations = folders
    chart = {"data_id": "h", "response": "navy", "prediction": "navy", "ground_truth": "blue",
             "score": True, "task_type": "human"}  # fmt: skip
    (predictions / "chartqa.json").write_text(json.dumps([{"Overall": 1}, chart]))
    page = {"data_id": 1, "response": "ab", "prediction": "ab", "ground_truth": ["ac"],
            "score": 0.5, "task_type": "val"}  # fmt: skip
    (predictions / "docvqa.json").write_text(json.dumps([{"val": 50.0}, page]))
    result = score("videollama3_suite", predictions, annotations)
    assert result.value("chartqa", "videollama3") == 1.0  # the judge's word stands in the file
    assert result.value("chartqa") == 0.0
    assert result.value("docvqa", "videollama3") == result.value("docvqa") == 0.5
    assert result.value("docvqa", "paper") == 0.0


def test_the_command_prints_writes_and_tells_what_is_missing(folders, tmp_path, capsys):
    predictions, annotations = map(str, folders)
    target = tmp_path / "suite.json"
    words = ["score", "videollama3_suite", predictions, "--annotations", annotations]
    code = main([*words, "-o", str(target)])
    out = capsys.readouterr().out
    core = sum(part.core for part in PROTOCOL.parts)
    assert code == (0 if core == 3 else 1)
    assert f"VideoLLaMA3 suite · 3 of {core} rows" in out
    assert any(line.startswith("Charades-STA ") and "mIoU %" in line for line in out.split("\n"))
    assert json.loads(target.read_text())["kind"] == "suite"
    main([*words, "-o", "-"])
    captured = capsys.readouterr()
    assert json.loads(captured.out)["rows"]["charades_sta"]["status"] == "scored"
    assert "Charades-STA" in captured.err


def test_list_and_show_tell_what_it_is(capsys):
    main(["list"])
    assert "videollama3_suite" in capsys.readouterr().out
    main(["show", "videollama3_suite"])
    shown = capsys.readouterr().out
    assert "Charades-STA: charades_sta" in shown
    assert "LVBench: lvbench (where files are there)" in shown


def test_a_whole_suite_ends_well_and_keeps_the_papers_order(folders, capsys):
    predictions, annotations = folders
    chart = {"imgname": "c.png", "query": "How many?", "label": "3"}
    page = {"questionId": 1, "question": "Who?", "image": "p.png", "answers": ["Ann"]}
    problem = {"pid": "1", "question": "1+1?", "answer": "2", "question_type": "free_form"}
    problem |= {"answer_type": "integer", "precision": None, "choices": None, "image": "i.jpg"}
    clip = {"video": "m.mp4", "question": "Which?", "candidates": ["x", "y"], "answer": "y"}
    (annotations / "chartqa.json").write_text(json.dumps([chart]))
    (annotations / "docvqa.json").write_text(json.dumps([page]))
    (annotations / "mathvista.json").write_text(json.dumps({"1": problem}))
    (annotations / "mlvu").mkdir()
    for task in ("plotQA", "order"):
        row = [clip | {"question_type": task, "duration": 60}]
        (annotations / "mlvu" / f"{task}.json").write_text(json.dumps(row))
    (predictions / "chartqa.json").write_text('{"0": "3"}')
    (predictions / "docvqa.json").write_text('{"1": "Ann"}')
    (predictions / "mathvista.json").write_text('{"1": "2"}')
    (predictions / "mlvu.json").write_text('{"plotQA_0": "B", "order_0": "A"}')
    video = videollama3_rows("B", "B")
    both = {"without_subtitle": video, "with_subtitle": video}
    (predictions / "videomme.json").write_text(json.dumps(both))
    words = ["score", "videollama3_suite", str(predictions), "--annotations", str(annotations)]
    assert main(words) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].startswith("VideoLLaMA3 suite · 6 of 6 rows of the suite")
    shown = [line[:24].strip() for line in lines[4:12]]
    titles = [
        part.title
        for part in PROTOCOL.parts
        if part.key not in {"mvbench", "lvbench", "tempcompass"}
    ]
    assert shown[: len(titles)] == titles
    mlvu = next(line for line in lines if line.startswith("MLVU"))
    assert "macro acc %" in mlvu
    assert "(acc %)" in mlvu


@pytest.mark.skipif("FASTVBENCH_REAL_DATA" not in os.environ, reason="FASTVBENCH_REAL_DATA unset")
def test_real_folders_make_the_table(tmp_path):
    data = Path(os.environ["FASTVBENCH_REAL_DATA"])
    predictions, annotations = tmp_path / "run", tmp_path / "gold"
    for folder in (predictions, annotations):
        folder.mkdir()
    shutil.copytree(data / "lvbench" / "lmms_eval_logs_pure", predictions / "LVBench")
    shutil.copy(data / "lvbench" / "video_info.meta.jsonl", annotations)
    shutil.copytree(data / "charades_sta", annotations / "charades_sta")
    shutil.copytree(data / "mathvista" / "bard", predictions / "bard")
    shutil.copy(data / "mathvista" / "testmini.json.gz", annotations)
    result = score("videollama3_suite", predictions, annotations)
    rows = result.data["rows"]
    assert rows["lvbench"]["annotations"] == "video_info.meta.jsonl"  # found by what it holds
    assert rows["charades_sta"]["durations"]["name"] == "charades.json.gz"
    assert rows["mathvista"]["files"][0]["found_by"] == ["format"]
    assert result.value("lvbench") == pytest.approx(0.4764, abs=5e-5)
    entry = result.data["rules"]["robust"]["overall"]["mathvista"]
    assert entry["n"] == 1000
    assert list(result.data["unassigned"]["predictions"]) == ["bard/scores_bard.json"]
