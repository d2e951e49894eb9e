"""What departs from a publication is found, whatever it is, and nothing else is."""

from __future__ import annotations

import pytest
from tests.python.runs.made_up import questions

from fastvbench import get_protocol
from fastvbench.models import GenerationSettings
from fastvbench.protocols._protocol import ScoreOptions
from fastvbench.protocols._tasks import choose_prompt
from fastvbench.runs._guard import UNKNOWN, deviations, diagnostic
from fastvbench.runs._options import FRAME_PIXELS
from fastvbench.video import parse_policy


def found(
    *,
    prompt="videollama3",
    frames="fps:1,max=180",
    rows=None,
    pixels=FRAME_PIXELS,
    text=None,
    **settings,
):
    protocol = get_protocol("lvbench")
    gold = protocol.read_annotations(rows or questions(1549), ScoreOptions())
    choice = choose_prompt(protocol, source=prompt, text=text)
    policy = parse_policy(frames)
    given = GenerationSettings(**settings)
    return {
        each.what: (each.published, each.used)
        for each in deviations(protocol, gold, choice, policy, given, frame_pixels=pixels)
    }


def test_a_run_by_the_book_departs_in_nothing():
    assert found() == {}
    assert found(frames="fps-videollama3:1,max=180") == {}
    assert found(prompt="paper", frames="uniform:32") == {}
    assert found(prompt="paper", frames="uniform-interior:96") == {}
    assert found(prompt="paper", frames="fps:1,max=none") == {}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {"temperature": 0.7},
            {"temperature": ("0", "0.7"), "sampling": ("none", "drawn, seed 0")},
        ),
        (
            {"temperature": 1.0, "top_p": 0.9, "top_k": 5, "seed": 3},
            {"temperature": ("0", "1"), "sampling": ("none", "drawn, top_p 0.9, top_k 5, seed 3")},
        ),
        (
            {"frames": "uniform:32"},
            {"frames": ("fps-videollama3:1,max=180 or fps:1,max=180", "uniform-linspace:32")},
        ),
        (
            {"frames": "fps:1,max=none"},
            {
                "frames": ("fps-videollama3:1,max=180 or fps:1,max=180", "fps:1,max=none"),
                "frame cap": ("180", "inf"),
            },
        ),
        (
            {"frames": "200"},
            {
                "frames": ("fps-videollama3:1,max=180 or fps:1,max=180", "uniform-linspace:200"),
                "frame cap": ("180", "200"),
            },
        ),
        ({"frames": "0"}, {"frames": ("fps-videollama3:1,max=180 or fps:1,max=180", "0")}),
        ({"pixels": 50_000}, {"frame size": ("the model's own", "at most 50,000 pixels")}),
        ({"thinking_tokens": 4096}, {"thinking": (UNKNOWN, "4,096 tokens")}),
        (
            {"prompt": "mine", "text": "{question}"},
            {
                "prompt": ("that of paper, card, videollama3", "mine"),
                "frames": (UNKNOWN, "fps:1,max=180"),
            },
        ),
        ({"rows": questions(10)}, {"questions": ("1,549", "10 annotated")}),
    ],
)
def test_each_departure_is_named(change, expected):
    assert found(**change) == expected


def test_changed_options_are_counted():
    rows = questions(1549)
    rows[3] = rows[3] | {"question": "Q?\n(A) x\n(B) y\n(C) z\n(D) w\n(E) v"}
    assert found(rows=rows) == {"options": ("4 a question", "others in 1 questions")}


def test_what_nobody_could_confirm_is_no_alarm():
    protocol = get_protocol("foreseaqa")
    rows = [{"id": "1", "video": "v", "question": "Q", "options": ["a", "b"], "answer": "A"}]
    gold = protocol.read_annotations(rows, ScoreOptions())
    each = deviations(
        protocol,
        gold,
        choose_prompt(protocol),
        parse_policy("1fps"),
        GenerationSettings(),
        frame_pixels=FRAME_PIXELS,
    )
    assert [(one.what, one.published) for one in each] == [("prompt", UNKNOWN), ("frames", UNKNOWN)]
    entry = diagnostic(each, 1)
    assert (entry["value"], entry["alarm"]) == (2, False)
    assert entry["deviations"][0] == {"what": "prompt", "published": UNKNOWN, "used": "fastvbench"}
