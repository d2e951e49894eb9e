"""The demo runs from bundled data and shows what it promises."""

from __future__ import annotations

import re

from fastvbench.cli import main


def test_demo_scores_every_protocol_and_says_what_next(capsys):
    assert main(["demo"]) == 0
    captured = capsys.readouterr()
    for title in ("LVBench", "ForeSeaQA", "Charades-STA"):
        assert f"{title} ·" in captured.out
    assert "rows differ between rule sets" in captured.out
    assert "What to run next" in captured.out
    assert captured.err == ""


def test_demo_shows_an_iou_above_one_and_a_careful_reading_of_all_answers(capsys):
    main(["demo"])
    out = capsys.readouterr().out
    lvbench = out.split("ForeSeaQA ·")[0]
    assert re.search(r"robust +75\.00 .*100\.00", lvbench)  # 9 of 12: one missing, refused, none
    charades = out.split("Charades-STA ·")[1]
    assert re.search(r"videollama3: mean_iou 1\.714", charades)
