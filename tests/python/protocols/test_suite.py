"""A suite: which file belongs to which benchmark, one row each, and what is missing."""

from __future__ import annotations

import io
import json

import pytest

from fastvbench import InputError, score
from fastvbench.cli._outcome import exit_code
from fastvbench.cli._score_tables import print_result
from fastvbench.protocols._rule import AnyRule
from fastvbench.protocols._suite_protocol import Setting, SuitePart, SuiteProtocol
from fastvbench.results._metrics import ACCURACY

WITHOUT = Setting("without_subtitle", r"wo[-_]?sub|without|no[-_]?sub", default=True)
WITH = Setting("with_subtitle", r"(?<!o)[-_ ]?(w|with)[-_]?sub")


def column(name):
    return AnyRule(name=name, source=f"each benchmark's {name}", metrics=(ACCURACY,))


def part(key, protocol, names, **more):
    return SuitePart(key=key, title=key.upper(), protocol=protocol, names=names, **more)


SUITE = SuiteProtocol(
    name="toy_suite",
    title="Toy suite",
    citation="none",
    version=1,
    published_size=None,
    coverage_limit=1.0,
    rules=(column("robust"), column("paper"), column("lmms-eval-2026-08")),
    parts=(
        part("vm_plain", "videomme", ("videomme",), formats=("videomme",), setting=WITHOUT),
        part("vm_subs", "videomme", ("videomme",), formats=("videomme",), setting=WITH),
        part("charades", "charades_sta", ("charades",), rules={"paper": ("paper", "videollama3")}),
        part("lv", "lvbench", ("lvbench",), not_names=("mylvbench",), core=False),
    ),
)

LVBENCH = [
    {"uid": f"q{i}", "key": f"v{i}", "question": "Q?\n(A) x\n(B) y\n(C) z\n(D) w", "answer": "B"}
    for i in range(3)
]
CHARADES = "V1 1.0 5.0##someone runs.\nV2 2.0 4.0##someone sits.\n"
VIDEOMME = [
    {
        "video_id": "001",
        "duration": "short",
        "questions": [
            {
                "question_id": f"001-{i}",
                "question": f"Q{i}?",
                "options": ["A. red", "B. blue", "C. pink", "D. grey"],
                "answer": "B",
                "response": text,
            }
            for i, text in enumerate(["B", "(B) blue", "A"], 1)
        ],
    }
]


@pytest.fixture
def folders(tmp_path):
    """Predictions and annotations of all benchmarks of the toy suite."""
    predictions, annotations = tmp_path / "run", tmp_path / "gold"
    predictions.mkdir()
    annotations.mkdir()
    (annotations / "lvbench.jsonl").write_text("\n".join(map(json.dumps, LVBENCH)))
    (annotations / "charades_sta_test.txt").write_text(CHARADES)
    (predictions / "lvbench.json").write_text(json.dumps({"q0": "B", "q1": "B", "q2": "A"}))
    (predictions / "charades_sta.json").write_text(json.dumps({"0": "1 to 5", "1": "3 to 4 s"}))
    (predictions / "videomme_wo_sub.json").write_text(json.dumps(VIDEOMME))
    (predictions / "videomme_w_sub.json").write_text(json.dumps(VIDEOMME).replace('"A"', '"B"'))
    return predictions, annotations


def printed(result):
    out = io.StringIO()
    print_result(result, out)
    return out.getvalue()


def test_each_benchmark_is_a_row(folders):
    result = score(SUITE, *folders)
    data = result.data
    assert data["kind"] == "suite"
    assert result.value("vm_plain") == pytest.approx(2 / 3)
    assert result.value("vm_subs") == 1.0
    assert result.value("charades") == pytest.approx((1.0 + 0.5) / 2)
    assert result.value("lv") == pytest.approx(2 / 3)
    assert data["coverage"]["scored"] == data["coverage"]["expected"] == 3
    assert exit_code(result) == 0
    assert data["unassigned"] == {"predictions": {}, "annotations": {}}
    charades = data["rules"]["paper"]["overall"]["charades"]
    assert (charades["rule"], charades["metric"], charades["n"]) == ("videollama3", "mean_iou", 2)
    assert "charades" in data["rules"]["lmms-eval-2026-08"]["overall"]
    assert data["results"]["lv"]["rules"].keys() == {"robust", "paper", "lmms-eval-2026-08"}


def test_the_values_are_those_of_the_benchmarks_alone(folders):
    predictions, annotations = folders
    result = score(SUITE, predictions, annotations)
    alone = score("lvbench", predictions / "lvbench.json", annotations / "lvbench.jsonl")
    for rule in ("robust", "paper", "lmms-eval-2026-08"):
        entry = alone.data["rules"][rule]["overall"]["accuracy"]
        shown = result.data["rules"][rule]["overall"]["lv"]
        assert {key: shown[key] for key in entry} == entry


def test_the_table_has_a_row_each_and_says_what_was_read(folders):
    (folders[0] / "notes.json").write_text('{"note": 1}')
    (folders[0] / "lvbench.json").unlink()
    (folders[0] / "charades_sta.json").unlink()
    result = score(SUITE, *folders)
    text = printed(result)
    assert "Toy suite · 2 of 3 rows of the suite" in text
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert lines["VM_PLAIN"].split()[1:6] == ["acc", "%", "66.67", "33.33", "66.67"]
    assert "100.0 % of 3" in lines["VM_PLAIN"]
    assert lines["CHARADES"].endswith("missing")
    assert "LV" not in lines  # not in the suite's core, and no file is there
    assert "missing: CHARADES" in text
    assert "VM_SUBS: read videomme_w_sub.json as videomme" in text
    assert "left out of predictions: notes.json: no predictions found" in text
    assert exit_code(result) == 1


def test_rules_choose_columns(folders):
    result = score(SUITE, *folders, rules="paper,robust")
    assert list(result.data["rules"]) == ["paper", "robust"]
    assert result.data["main"]["rule"] == "paper"
    with pytest.raises(InputError, match="has no rule set of that name, got 'vlmevalkit'"):
        score(SUITE, *folders, rules="vlmevalkit")


def test_folders_name_their_files(folders, tmp_path):
    predictions, annotations = folders
    nested = tmp_path / "nested"
    (nested / "LV-Bench").mkdir(parents=True)
    (predictions / "lvbench.json").rename(nested / "LV-Bench" / "samples.json")
    result = score(SUITE, nested, annotations)
    assert result.data["rows"]["lv"]["files"] == [
        {"name": "LV-Bench/samples.json", "format": "id-to-text", "found_by": ["name"]}
    ]


def test_ids_and_formats_find_files_without_names(folders):
    predictions, annotations = folders
    (predictions / "lvbench.json").rename(predictions / "a.json")
    (predictions / "videomme_wo_sub.json").rename(predictions / "b.json")
    (annotations / "lvbench.jsonl").rename(annotations / "questions.jsonl")
    rows = score(SUITE, predictions, annotations).data["rows"]
    assert rows["lv"]["files"][0]["found_by"] == ["ids"]
    assert rows["lv"]["annotations"] == "questions.jsonl"
    assert rows["vm_plain"]["files"][0]["found_by"] == ["format", "default"]


def test_bare_row_numbers_must_be_the_whole_benchmark(folders):
    predictions, annotations = folders
    (predictions / "charades_sta.json").write_text(json.dumps({"0": "1 to 5"}))
    (predictions / "charades_sta.json").rename(predictions / "x.json")
    result = score(SUITE, predictions, annotations)
    reason = result.data["unassigned"]["predictions"]["x.json"]
    assert "its ids are in no annotation file" in reason
    (predictions / "x.json").write_text(json.dumps({"0": "1 to 5", "1": "3 to 4"}))
    assert score(SUITE, predictions, annotations).value("charades") == pytest.approx(0.75)


def test_one_file_may_hold_both_settings(folders):
    predictions, annotations = folders
    for name in ("videomme_wo_sub.json", "videomme_w_sub.json"):
        (predictions / name).unlink()
    (annotations / "videomme.json").write_text(json.dumps(VIDEOMME))
    rows = [{"Overall": 1}]
    rows += [{"data_id": f"001-{i}", "response": "B"} for i in (1, 2, 3)]
    wrong = [{"Overall": 1}, {"data_id": "001-1", "response": "C"}]
    both = {"without_subtitle": rows, "with_subtitle": wrong}
    (predictions / "videomme.json").write_text(json.dumps(both))
    result = score(SUITE, predictions, annotations)
    assert result.value("vm_plain") == 1.0
    assert result.value("vm_subs") == 0.0
    assert result.data["rows"]["vm_subs"]["coverage"]["scored"] == 1
    assert result.data["rows"]["vm_subs"]["files"][0]["found_by"] == ["name", "subset"]
    assert exit_code(result) == 1  # one of three questions was asked with subtitles
    both["with_audio"] = wrong
    (predictions / "videomme.json").write_text(json.dumps(both))
    reason = score(SUITE, predictions, annotations).data["unassigned"]["predictions"]
    assert "unknown settings, got 'with_audio'" in reason["videomme.json"]


def test_a_file_that_cannot_be_scored_spoils_only_its_row(folders):
    predictions, annotations = folders
    (predictions / "lvbench.json").write_text(json.dumps({"other": "B"}))
    result = score(SUITE, predictions, annotations)
    row = result.data["rows"]["lv"]
    assert row["status"] == "failed"
    assert "no prediction belongs to an annotated row" in row["problem"]
    assert result.value("charades") is not None
    assert exit_code(result) == 2
    assert "warning: LV: " in printed(result)


def test_the_same_ids_in_two_files_of_a_row_are_an_error(folders):
    predictions, annotations = folders
    (predictions / "lvbench_again.json").write_text(json.dumps({"q0": "B"}))
    row = score(SUITE, predictions, annotations).data["rows"]["lv"]
    assert row["status"] == "failed"
    assert "the same id stands in" in row["problem"]


def test_a_file_that_may_not_be_read_is_left_out(folders, monkeypatch):
    from fastvbench.protocols import _suite_files

    opened = _suite_files.open_predictions

    def refuse(path):
        if path.name == "lvbench.json":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path)

    monkeypatch.setattr(_suite_files, "open_predictions", refuse)
    result = score(SUITE, *folders)
    assert "Permission denied" in result.data["unassigned"]["predictions"]["lvbench.json"]
    assert result.data["coverage"]["scored"] == 3


def test_files_of_one_kind_are_listed_together(folders):
    predictions, annotations = folders
    (predictions / "lvbench.json").unlink()
    for i in range(3):
        (predictions / f"lvbench_{i}.json").write_text(json.dumps({f"q{i}": "B"}))
    (predictions / "lvbench_3.jsonl").write_text('{"id": "x", "text": "B"}\n' * 2)
    text = printed(score(SUITE, predictions, annotations))
    named = "lvbench_0.json, lvbench_1.json, lvbench_2.json as id-to-text"
    assert f"LV: read {named}; lvbench_3.jsonl as jsonl, annotations lvbench.jsonl" in text


def test_two_annotation_files_of_one_benchmark_are_not_chosen_between(folders):
    predictions, annotations = folders
    (annotations / "lvbench_old.jsonl").write_text(json.dumps(LVBENCH[0]))
    row = score(SUITE, predictions, annotations).data["rows"]["lv"]
    assert "several annotation files: lvbench.jsonl, lvbench_old.jsonl" in row["problem"]


def test_video_lengths_stand_beside_annotations(folders):
    predictions, annotations = folders
    (annotations / "charades_durations.json").write_text(json.dumps({"V1": 10, "V2": 20}))
    (predictions / "charades_sta.json").write_text(json.dumps({"0": "10% to 50%", "1": "9 s"}))
    row = score(SUITE, predictions, annotations)
    assert row.data["rows"]["charades"]["durations"]["name"] == "charades_durations.json"
    assert "charades_sta_test.txt, video lengths charades_durations.json\n" in printed(row)
    assert row.value("charades") == 0.5
    (annotations / "charades_notes.json").write_text(json.dumps({"V1": "long"}))
    left = score(SUITE, predictions, annotations).data["unassigned"]["annotations"]
    assert "charades_notes.json" in left


def test_verdicts_are_found_by_name(folders):
    predictions, annotations = folders
    (predictions / "lvbench_verdicts.json").write_text(json.dumps({"q2": True}))
    result = score(SUITE, predictions, annotations)
    assert result.data["rows"]["lv"]["verdicts"] == "lvbench_verdicts.json"
    inputs = result.data["results"]["lv"]["inputs"]["verdicts"]
    assert (inputs["used"], inputs["not_needed"]) == (0, 1)  # every letter could be read
    (predictions / "verdicts.json").write_text("{}")
    left = score(SUITE, predictions, annotations).data["unassigned"]["predictions"]
    assert "verdicts on an unknown benchmark" in left["verdicts.json"]


def test_names_of_two_benchmarks_and_of_others_within_are_not_taken(folders):
    predictions, annotations = folders
    (predictions / "lvbench_and_charades.json").write_text('{"q0": "B"}')
    (predictions / "mylvbench.json").write_text('{"zz": "B"}')
    left = score(SUITE, predictions, annotations).data["unassigned"]["predictions"]
    assert "is the name of several benchmarks" in left["lvbench_and_charades.json"]
    assert "its name is no benchmark's" in left["mylvbench.json"]


def test_what_is_no_suite_is_refused(folders, tmp_path):
    predictions, annotations = folders
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"empty: no result file of Toy suite in it; expected"):
        score(SUITE, empty, annotations)
    with pytest.raises(InputError, match="no such file or folder"):
        score(SUITE, tmp_path / "nowhere", annotations)
    with pytest.raises(InputError, match="field 'repeats': is about one benchmark"):
        score(SUITE, predictions, annotations, repeats=True)
    with pytest.raises(InputError, match="a suite is scored from files"):
        score(SUITE, [{"id": "1", "text": "B"}], annotations)
    with pytest.raises(InputError, match="a suite's annotations are files"):
        score(SUITE, predictions, [{"uid": 1}])
    for i in range(1_001):
        (empty / f"{i}.json").touch()
    with pytest.raises(InputError, match="holds more than 1,000 files"):
        score(SUITE, empty, annotations)


def test_hidden_files_and_files_of_samples_are_no_results(folders):
    predictions, annotations = folders
    (predictions / ".lvbench.json").write_text("{")
    (predictions / "lvbench.samples.jsonl.gz").write_bytes(b"")
    assert score(SUITE, predictions, annotations).data["unassigned"]["predictions"] == {}


def test_an_earlier_result_of_the_suite_is_left_alone(folders):
    predictions, annotations = folders
    score(SUITE, predictions, annotations).write(predictions / "suite.json")
    left = score(SUITE, predictions, annotations).data["unassigned"]["predictions"]
    assert left == {"suite.json": left["suite.json"]}
    assert "this is a result of fastvbench" in left["suite.json"]


def test_progress_counts_all_rows(folders):
    seen = []
    score(SUITE, *folders, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 3 + 3 + 2 + 3
