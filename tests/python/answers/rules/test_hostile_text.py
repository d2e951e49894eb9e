"""No text makes a rule slow, or makes it raise anything but PublicScriptAborts."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastvbench.answers.rules as rules_room
from fastvbench.answers.rules import (
    PublicScriptAborts,
    cg_bench,
    docvqa_official,
    lmms_eval_2025_02,
    lmms_eval_2025_10,
    lmms_eval_2026_08,
    lmms_eval_2026_08_choices,
    lmms_eval_images,
    lmms_eval_pre_1274,
    lvbench_official,
    mathvista_official,
    mlvu_official,
    omtg,
    pix2struct,
    tempcompass_official,
    timechat,
    timelens,
    videochat_r1,
    videollama3,
    videollama3_card,
    videollama3_choices,
    videollama3_images,
    videomme_official,
    vlmevalkit,
    vlmevalkit_choices,
    vlmevalkit_images,
    vnbench_official,
    vtimellm,
)

ANSWERS = ["$1,234.5 million", "12.5%"]
CHOICES = ["135°", "140°", "145°"]
OPTIONS = ["one", "the answer is", "1", "A. "]


TEXT_RULES = {
    "docvqa_official.anls": lambda text: docvqa_official.anls(text, ANSWERS),
    "lmms_eval_images.relaxed_accuracy": lambda text: lmms_eval_images.relaxed_accuracy(
        text, ANSWERS
    ),
    "lmms_eval_images.mathvista_extract": lambda text: lmms_eval_images.mathvista_extract(
        text, "multi_choice", "text", CHOICES
    ),
    "lmms_eval_images.is_mathvista_match": lambda text: lmms_eval_images.is_mathvista_match(
        text, "multi_choice", "text", CHOICES, "140°"
    ),
    "mathvista_official.extract": lambda text: [
        mathvista_official.extract(text, "free_form", kind, None) for kind in ("integer", "float")
    ],
    "mathvista_official.normalise": lambda text: [
        mathvista_official.normalise(text, "multi_choice", "text", CHOICES, None),
        mathvista_official.normalise(text, "free_form", "integer", None, None),
        mathvista_official.normalise(text, "free_form", "float", None, 2),
    ],
    "mathvista_official.normalise_2023": lambda text: mathvista_official.normalise_2023(
        text, "free_form", "integer", None, None
    ),
    "pix2struct.anls": lambda text: pix2struct.anls(text, ANSWERS),
    "pix2struct.anls_2024": lambda text: pix2struct.anls_2024(text, ANSWERS),
    "pix2struct.relaxed_accuracy": lambda text: pix2struct.relaxed_accuracy(text, ANSWERS),
    "videollama3_card.is_letter_match": lambda text: videollama3_card.is_letter_match(text, "A"),
    "videollama3_card.is_short_answer_match": lambda text: videollama3_card.is_short_answer_match(
        text, ANSWERS
    ),
    "videollama3_images.docvqa_similarity": lambda text: videollama3_images.docvqa_similarity(
        text, ANSWERS
    ),
    "videollama3_images.chartqa_match": lambda text: videollama3_images.chartqa_match(
        text, ANSWERS
    ),
    "vlmevalkit_images.relaxed_accuracy": lambda text: vlmevalkit_images.relaxed_accuracy(
        text, ANSWERS
    ),
    "vlmevalkit_images.relaxed_accuracy_pre_1204": lambda text: (
        vlmevalkit_images.relaxed_accuracy_pre_1204(text, ANSWERS)
    ),
    "vlmevalkit_images.mathvista_prefetch": lambda text: [
        vlmevalkit_images.mathvista_prefetch(text, "multi_choice", "text", CHOICES, "B"),
        vlmevalkit_images.mathvista_prefetch(text, "free_form", "integer", None, "7"),
    ],
    "lvbench_official.is_correct": lambda text: lvbench_official.is_correct(text, "A"),
    "lvbench_official.is_bare_letter": lvbench_official.is_bare_letter,
    "lvbench_official.polish_answer": lvbench_official.polish_answer,
    "videollama3.lvbench_letter": videollama3.lvbench_letter,
    "videollama3.charades_intervals": videollama3.charades_intervals,
    "lmms_eval_pre_1274.letter": lmms_eval_pre_1274.letter,
    "lmms_eval_2025_02.charades_intervals": lmms_eval_2025_02.charades_intervals,
    "lmms_eval_2026_08.letter": lmms_eval_2026_08.letter,
    "lmms_eval_2026_08.charades_intervals": lmms_eval_2026_08.charades_intervals,
    "videomme_official.letter": videomme_official.letter,
    "vlmevalkit.videomme_letter": vlmevalkit.videomme_letter,
    "vlmevalkit.can_infer": lambda text: vlmevalkit.can_infer(text, [*OPTIONS, text]),
    "videollama3_choices.videomme_letter": lambda text: videollama3_choices.videomme_letter(
        text, [f"{letter}. {text}" for letter, text in zip("ABCD", OPTIONS, strict=True)]
    ),
    "videollama3_choices.videomme_letter, option": lambda text: videollama3_choices.videomme_letter(
        "nothing", [f"A. {text}"]
    ),
    "mlvu_official.is_right": lambda text: mlvu_official.is_right(text, "A"),
    "lmms_eval_pre_1274.mlvu_letter": lmms_eval_pre_1274.mlvu_letter,
    "lmms_eval_2026_08_choices.mvbench_letter": lmms_eval_2026_08_choices.mvbench_letter,
    "lmms_eval_2026_08_choices.longvideobench_letter": (
        lmms_eval_2026_08_choices.longvideobench_letter
    ),
    "vlmevalkit.longvideobench_letter": vlmevalkit.longvideobench_letter,
    "vlmevalkit_choices.mlvu_score": lambda text: vlmevalkit_choices.mlvu_score(
        text, [*OPTIONS, text], "1"
    ),
    "vlmevalkit_choices.mvbench_is_right": lambda text: vlmevalkit_choices.mvbench_is_right(
        text, [*OPTIONS, text], "1"
    ),
    "videollama3_choices.mlvu_letter": lambda text: videollama3_choices.mlvu_letter(text, OPTIONS),
    "videollama3_choices.mvbench_letter": lambda text: videollama3_choices.mvbench_letter(
        text, [*OPTIONS, text]
    ),
    "videollama3_choices.longvideobench_letter": (
        lambda text: videollama3_choices.longvideobench_letter(text, [*OPTIONS, text])
    ),
    "videollama3_choices.tempcompass_choice": lambda text: videollama3_choices.tempcompass_choice(
        text, "A. one"
    ),
    "videollama3_choices.tempcompass_yes_no": lambda text: videollama3_choices.tempcompass_yes_no(
        text, "yes"
    ),
    "videollama3_choices.tempcompass_caption": lambda text: videollama3_choices.tempcompass_caption(
        text, "Option 1: one"
    ),
    "tempcompass_official.multi_choice": lambda text: tempcompass_official.multi_choice(
        text, "A. one"
    ),
    "tempcompass_official.yes_no": lambda text: tempcompass_official.yes_no(text, "yes"),
    "tempcompass_official.caption_matching": lambda text: tempcompass_official.caption_matching(
        text, f"Which?\nOption 1: {text}", "Option 1: one"
    ),
    "vnbench_official.letter": vnbench_official.letter,
    "timechat.intervals": timechat.intervals,
    "vtimellm.intervals_fraction": vtimellm.intervals_fraction,
    "lmms_eval_2025_10.charades_intervals": lmms_eval_2025_10.charades_intervals,
    "timelens.intervals": timelens.intervals,
    "omtg.intervals": omtg.intervals,
    "videochat_r1.interval": videochat_r1.interval,
    "cg_bench.intervals": lambda text: cg_bench.intervals(text, 60.0),
}

N = 100_000
HOSTILE_TEXTS = {
    "digits": "1" * N,
    "digits and a letter": "1" * N + "a",
    "digits after a point": "1." + "1" * N + "a",
    "digits before points": "1" * N + "." * N,
    "digits, then a range": "9" * N + " - " + "9" * N,
    "small fraction": "0." + "0" * N + "1 - 1",
    "digits of another script": "٣" * N,
    "dots": "." * N,
    "digit and dots": "1" + "." * N + "x",
    "digit and dots, again": ("1" + "." * 300) * (N // 300),
    "round brackets": "(" * N,
    "closing brackets": ")" * N,
    "bracket pairs": "()" * (N // 2),
    "square brackets": "[" * N,
    "braces": "{" * N,
    "ranges": "1-" * (N // 2),
    "ranges with to": "1 to " * (N // 5),
    "broken ranges": "1 - x " * (N // 6),
    "point ranges": "1.-" * (N // 3),
    "points and digits": ".1" * (N // 2),
    "spaces": " " * N,
    "number and spaces": "1" + " " * N + "x",
    "numbers and spaces": ("1" + " " * 300) * (N // 300),
    "number, spaces, s, spaces": "1" + " " * (N // 2) + "s" + " " * (N // 2) + "x",
    "number, dash, spaces": "1 -" + " " * N + "x",
    "number, to, spaces": "1 to" + " " * N + "x",
    "spaces around a dash": "1" + " " * N + "-" + " " * N + "x",
    "dashes": "-" * N,
    "dashes and spaces": "- " * (N // 2),
    "tos": "to" * (N // 2),
    "clocks": "00:00:" * (N // 6),
    "clock and spaces": "00:00:00" + " " * N + "x",
    "clocks and spaces": ("00:00" + " " * 300) * (N // 300),
    "hundredths": "10 to " * (N // 6),
    "opened tags": "<time>" * (N // 6),
    "opened tags, spaces, a closing": "<time>" * (N // 8) + "-" + " " * N + "seconds</time>",
    "tags with hyphens": "<time>-" * (N // 8) + "seconds</time>",
    "closed tags": "seconds</time>" * (N // 14),
    "starts at": "starts at " * (N // 10),
    "json fences": "```json [" * (N // 9),
    "nested json": "```json" + "[" * N + "```",
    "line breaks": "\n" * N,
    "keyword lines": "start 1:\n" * (N // 9),
    "keywords": "start" * (N // 5),
    "option letters": "A" * N,
    "spaced option letters": "A " * (N // 2),
    "lower-case letters": "a" * N,
    "phrases": "the answer is " * (N // 14),
    "is and stars": "answer is " + "*" * N,
    "answers without letters": "answer is **" * (N // 12),
    "nested phrases": "the best answe" * (N // 14),
    "deleted phrases": "The answer is" * (N // 13),
    "marks": ".,'\"" * (N // 4),
    "dotted capital I": "İ" * N,
    "lone surrogates": "\ud800" * N,
    "400 digits": "9" * 400 + " - " + "9" * 400,
    "NUL": "\0" * N,
    "opening quotes": 'The answer is "' * (N // 15),
    "closing quotes": '".' * (N // 2),
    "percent signs": "1" + "%" * N,
    "bracketed letters": "(1" * (N // 2) + "(a)",
}


def check_reads_or_aborts(rule, text):
    reason = "read"
    try:
        TEXT_RULES[rule](text)
    except PublicScriptAborts as aborted:
        reason = aborted.reason
    assert 0 < len(reason) < 200
    assert reason.isascii()
    assert reason.isprintable()


@pytest.mark.parametrize("shape", HOSTILE_TEXTS)
@pytest.mark.parametrize("rule", TEXT_RULES)
def test_under_one_second(rule, shape):
    text = HOSTILE_TEXTS[shape]
    for line in (text, f"It starts {text} ends"):
        started = time.perf_counter()
        check_reads_or_aborts(rule, line)
        assert time.perf_counter() - started < 1.0


@pytest.mark.parametrize("rule", TEXT_RULES)
def test_ten_megabytes(rule):
    text = "The clip shows 12:34 and 5.5 of It, to 9; I'd start here. " * (10_000_000 // 58)
    check_reads_or_aborts(rule, text)


@pytest.mark.parametrize("rule", TEXT_RULES)
@settings(max_examples=300, deadline=None)
@given(text=st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_text_is_read_or_aborts(rule, text):
    check_reads_or_aborts(rule, text)


MODULES = sorted(module.name for module in pkgutil.iter_modules(rules_room.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(f"fastvbench.answers.rules.{name}")
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried or name.startswith("_")
