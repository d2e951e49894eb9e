"""What a person sees of rows that only a judge could decide, and of short gold answers."""

from __future__ import annotations

import io
import json

import numpy as np

from fastvbench import Status, score
from fastvbench.cli._main import main
from fastvbench.cli._score_tables import print_difference, print_result
from fastvbench.cli.show import run as show
from fastvbench.protocols._choice_rules import METRICS, ChoiceVerdict, row_choice_rule
from fastvbench.protocols._gold import Gold
from fastvbench.protocols._protocol import AnswerProtocol
from fastvbench.results._metrics import macro_accuracy
from fastvbench.results._strata import Stratum


def reader(letters):
    def judge(text, row):
        if text in letters:
            return ChoiceVerdict(letters.index(text))
        return ChoiceVerdict(status=Status.NEEDS_JUDGE)

    return judge


def protocol(**columns):
    gold = Gold(
        ids=["1", "2", "3", "4"],
        videos=["v", "v", "w", "w"],
        strata={"task": Stratum.single(["a", "a", "a", "b"])},
        **{"letters": np.array([0, 0, 1, 1], dtype=np.int8), **columns},
    )
    return AnswerProtocol(
        name="toy",
        title="Toy",
        citation="none",
        version=1,
        published_size=None,
        rules=(
            row_choice_rule(
                "robust", "reads A", reader("A"), metrics=(macro_accuracy("task"), *METRICS)
            ),
            row_choice_rule("official", "reads A and B", reader("AB")),
        ),
        read_annotations=lambda source, options: gold,
    )


def printed(result):
    out = io.StringIO()
    print_result(result, out)
    print_difference(result, out, most=5)
    return out.getvalue()


ANSWERS = {"1": "A", "2": "B", "3": "B", "4": "hm"}


def test_the_bound_stands_beside_the_value():
    text = printed(score(protocol(), ANSWERS, []))
    robust = next(line for line in text.splitlines() if line.startswith("robust"))
    assert "16.67" in robust
    assert "≤ 100.00" in robust
    assert "needs_judge 3" in text
    assert "rows that only a judge could decide: robust 3, official 1; they count as wrong" in text
    assert "robust: accuracy 0 · needs_judge · read nothing" in text


def test_verdicts_are_accounted_for():
    verdicts = {"1": True, "2": True, "3": True, "9": True}
    text = printed(score(protocol(), ANSWERS, [], verdicts=verdicts))
    assert "verdicts of <memory>: used 2 · not needed 1 · unknown 1" in text
    assert "robust: accuracy 1 · ok, judged · read nothing" in text
    data = score(protocol(), ANSWERS, [], verdicts=verdicts).data
    assert data["coverage"]["judged"] == 2
    assert data["rules"]["official"]["judged"] == 0


def test_no_word_of_judges_where_none_is_needed():
    text = printed(score(protocol(), {str(i): "A" for i in (1, 2, 3, 4)}, []))
    assert "judge" not in text
    assert "≤" not in text


def test_texts_that_are_the_accepted_answers_raise_the_alarm():
    answers = [["red", "Red"], ["7"], [], ["no"]]
    echo = {"1": "Red", "2": "7", "4": "no"}
    result = score(protocol(answers=answers, letters=None), echo, [])
    assert result.data["diagnostics"]["text_equals_gold_share"] == 1.0
    assert "given_letters" not in result.data["diagnostics"]
    assert any("100.0% of the texts equal the gold answer" in w for w in result.data["warnings"])
    assert next(row["gold"] for row in result.samples()) == {"answers": ["red", "Red"]}
    quiet = score(protocol(answers=answers, letters=None), echo | {"4": "No."}, [])
    assert quiet.data["diagnostics"]["text_equals_gold_share"] == 2 / 3
    assert not any("equal the gold" in w for w in quiet.data["warnings"])


def test_show_names_what_a_macro_mean_is_over(capsys, monkeypatch):
    import argparse

    monkeypatch.setattr("fastvbench.cli.show.get_protocol", lambda name: protocol())
    show(argparse.Namespace(protocol="toy", published=False))
    assert "metrics: macro_accuracy (over task), accuracy" in capsys.readouterr().out


def test_the_command_reads_verdicts_and_never_replaces_them(tmp_path, capsys):
    gold = [{"uid": "1", "key": "v", "question": "Q?\n(A) x\n(B) y", "answer": "B"}]
    paths = {name: tmp_path / f"{name}.json" for name in ("gold", "answers", "verdicts", "broken")}
    paths["gold"].write_text(json.dumps(gold))
    paths["answers"].write_text('{"1": "B"}')
    paths["verdicts"].write_text('{"1": false, "2": true}')
    paths["broken"].write_text('{"1": "perhaps"}')
    words = ["score", "lvbench", str(paths["answers"]), "--annotations", str(paths["gold"])]
    assert main([*words, "--verdicts", str(paths["verdicts"])]) == 0
    shown = capsys.readouterr().out
    assert "verdicts of verdicts.json: used 0 · not needed 1 · unknown 1" in shown
    target = str(paths["verdicts"])
    assert main([*words, "--verdicts", target, "-o", target]) == 2
    assert "would replace this input" in capsys.readouterr().err
    assert main([*words, "--verdicts", str(paths["broken"])]) == 2
    error = capsys.readouterr().err
    assert "broken.json:1 field 'verdict': not a verdict, got 'perhaps'; expected true" in error
    assert error.count("\n") == 1
