"""`fastvbench run` and `merge`: what they print, and how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from tests.python.runs.made_up import MadeUpModel, said_letter, write_questions

from fastvbench.cli import main
from fastvbench.cli._run_progress import RunProgress, length_text
from fastvbench.report._sources import open_sources
from fastvbench.runs._answer import Progress
from fastvbench.runs._running_score import RunningScore
from fastvbench.runs._study import frame_budgets


@pytest.fixture
def gold(tmp_path):
    return write_questions(tmp_path / "gold.jsonl", 24)


@pytest.fixture
def said(tmp_path):
    path = tmp_path / "said.json"
    path.write_text(json.dumps({f"q{k}": f"({said_letter(f'q{k}')})" for k in range(24)}))
    return path


def run(gold, model, out, *more):
    command = ["run", "lvbench", "--model", model, "--annotations", str(gold), "-o", str(out)]
    return main([*command, *more])


def test_a_run_prints_its_score_and_where_it_departs(gold, said, tmp_path, capsys):
    assert run(gold, f"answers:{said}", tmp_path / "run", "--temperature", "0.7") == 0
    captured = capsys.readouterr()
    assert "robust" in captured.out
    assert "deviation  temperature: 0.7 (published: not confirmed)" in captured.out
    assert "deviation  questions: 24 annotated (published: 1,549)" in captured.out
    assert f"run folder {tmp_path / 'run'}" in captured.err
    result = json.loads((tmp_path / "run" / "result.json").read_bytes())
    entry = result["diagnostics"]["protocol_deviations"]
    assert (entry["value"], entry["alarm"]) == (2, True)
    assert run(gold, f"answers:{said}", tmp_path / "run") == 2
    assert "holds a run already" in capsys.readouterr().err
    assert run(gold, f"answers:{said}", tmp_path / "run", "--resume", "--temperature", "0.7") == 0


def test_low_coverage_and_an_incomplete_run_have_codes_of_their_own(gold, said, tmp_path, capsys):
    answers = json.loads(said.read_text())
    said.write_text(json.dumps(dict(list(answers.items())[:20])))
    assert run(gold, f"answers:{said}", tmp_path / "run") == 4
    captured = capsys.readouterr()
    assert "incomplete: 20 of 24 answered, 0 failed, 4 not asked" in captured.err
    assert "missing  q20, q21, q22, q23" in captured.err
    assert "--resume goes on with it" in captured.err


def test_shards_are_merged(gold, said, tmp_path, capsys):
    folders = []
    for number in range(3):
        folders.append(str(tmp_path / f"s{number}"))
        assert run(gold, f"answers:{said}", folders[-1], "--shard", f"{number}/3") == 0
    command = ["merge", *folders, "--annotations", str(gold), "-o", str(tmp_path / "merged")]
    assert main(command) == 0
    assert "robust" in capsys.readouterr().out
    holes = [*command[:3], *command[4:-1], str(tmp_path / "holes")]
    assert main(holes) == 2
    assert "have no answer in any shard" in capsys.readouterr().err
    assert main([*holes, "--allow-holes"]) == 4


def test_a_study_has_a_folder_for_each_budget(gold, said, tmp_path, capsys):
    assert run(gold, f"answers:{said}", tmp_path / "study", "--frames", "0,4,fps:1,max=180") == 0
    out = capsys.readouterr().out
    for name in ("0", "uniform-linspace:4", "fps:1,max=180"):
        assert name in out
    study = json.loads((tmp_path / "study" / "study.json").read_bytes())
    assert [entry["policy"] for entry in study["budgets"]] == [
        "0",
        "uniform-linspace:4",
        "fps:1,max=180",
    ]
    assert {entry["complete"] for entry in study["budgets"]} == {True}
    for entry in study["budgets"]:
        assert (tmp_path / "study" / entry["folder"] / "result.json").exists()
    sources = open_sources([tmp_path / "study"])
    assert [source.path.parent.name for source in sources] == [
        entry["folder"] for entry in study["budgets"]
    ]
    assert main(["report", str(tmp_path / "study"), "-o", str(tmp_path / "budgets.csv")]) == 0
    assert run(gold, f"answers:{said}", tmp_path / "twice", "--frames", "1fps,fps:1,max=180") == 2
    assert "the same frame budget twice" in capsys.readouterr().err


def test_budgets_are_told_apart_at_the_right_commas():
    assert frame_budgets("0,1,4,8,50,1fps") == ["0", "1", "4", "8", "50", "1fps"]
    assert frame_budgets("times:1.5,20.25,keyframes") == ["times:1.5,20.25", "keyframes"]
    assert frame_budgets("fps:1,max=180") == ["fps:1,max=180"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--shard", "3/3"], "not a shard"),
        (["--frames", "many"], "not a frame policy"),
        (["--blind", "--frames", "4"], "shows no frame"),
        (["--subtitles-only"], "needs subtitles"),
        (["--prompt", "nobody"], "no such prompt"),
        (["--prompt", "paper", "--prompt-file", "x"], "two prompts"),
        (["--model-option", "fast"], "no option"),
        (["--model-option", "size={1"], "not JSON"),
        (["--model-option", "size=2"], "an option that this kind of model does not have"),
        (["--limit", "0"], "0 is none"),
        (["--subtitles", "."], "no published prompt with subtitles"),
    ],
)
def test_what_cannot_be_is_one_line(words, complaint, said, tmp_path, capsys):
    gold = write_questions(tmp_path / "gold.jsonl", 24)
    try:
        code = run(gold, f"answers:{said}", tmp_path / "run", *words)
    except SystemExit as leaving:
        code = leaving.code
    assert code == 2
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_prompt_of_ones_own_is_a_deviation(gold, said, tmp_path, capsys):
    template = tmp_path / "mine.txt"
    template.write_text("{question}\n{options}\nLetter, please.\n")
    assert run(gold, f"answers:{said}", tmp_path / "run", "--prompt-file", str(template)) == 0
    out = capsys.readouterr().out
    assert "deviation  prompt: mine.txt (published: that of paper, card, videollama3)" in out
    row = json.loads((tmp_path / "run" / "responses.jsonl").read_bytes().split(b"\n")[0])
    assert row["prompt"].endswith("(D) four\nLetter, please.")


class Leaving(MadeUpModel):
    """Somebody ends the process while it is at work."""

    signal_number = signal.SIGINT

    def generate(self, requests, settings):
        if len(self.asked) >= 8:
            os.kill(os.getpid(), self.signal_number)
        return super().generate(requests, settings)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_termination_end_a_run_in_order(number, gold, tmp_path, capsys, monkeypatch):
    model = Leaving()
    model.signal_number = number
    monkeypatch.setattr("fastvbench.runs._run.load_generator", lambda name: model)
    before = signal.getsignal(signal.SIGTERM)
    assert run(gold, "made:up", tmp_path / "run", "--blind") == 130
    assert signal.getsignal(signal.SIGTERM) == before
    captured = capsys.readouterr()
    assert "interrupted; what is finished is kept" in captured.err
    assert "incomplete: 8 of 24 answered" in captured.err
    monkeypatch.setattr("fastvbench.runs._run.load_generator", lambda name: MadeUpModel())
    assert run(gold, "made:up", tmp_path / "run", "--blind", "--resume") == 0


def test_progress_says_rate_time_left_failures_and_the_score_so_far():
    line = RunProgress("lvbench")
    line._begin -= 10.0
    progress = Progress(expected=100, before=20, answered=28, failed=2)
    text = line.text(progress)
    assert text.startswith("lvbench [##########..........] 50 of 100, ")
    assert "3 a second, 17 s left" in text.replace("2.99", "3").replace("3.0 ", "3 ")
    assert "2 failed" in text
    assert "so far" not in text


def test_running_score_is_that_of_the_main_rule():
    from tests.python.runs.made_up import questions

    from fastvbench import get_protocol
    from fastvbench.protocols._protocol import ScoreOptions

    protocol = get_protocol("lvbench")
    gold = protocol.read_annotations(questions(4), ScoreOptions())
    score = RunningScore(protocol.rules[0], gold)
    assert score.value is None
    score.add([{"id": "q0", "text": "A", "error": None}, {"id": "q1", "text": "C", "error": None}])
    score.add([{"id": "q2", "text": None, "error": "gone"}, {"id": "who", "text": "A"}])
    assert score.value == 0.5


def test_lengths_of_time():
    texts = [length_text(seconds) for seconds in (0.2, 42, 100, 3599, 3600 * 3 + 300)]
    assert texts == ["0 s", "42 s", "2 min", "1 h 00 min", "3 h 05 min"]


def test_interrupted_while_it_is_scored(gold, said, tmp_path, monkeypatch, capsys):
    def interrupt(*order, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("fastvbench.runs._run.score_folder", interrupt)
        assert run(gold, f"answers:{said}", tmp_path / "run") == 130
    assert capsys.readouterr().err.endswith("what is finished is kept, see --resume\n")
    assert run(gold, f"answers:{said}", tmp_path / "run", "--resume") == 0


LOADED_AND_INTERRUPTED = """
import sys

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "fastvbench.cli._main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from fastvbench.cli import main
sys.exit(main(["list"]))
"""


def test_interrupted_while_commands_are_loaded():
    command = [sys.executable, "-c", LOADED_AND_INTERRUPTED]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 130
    assert ended.stderr == "fastvbench: interrupted, nothing was written\n"
