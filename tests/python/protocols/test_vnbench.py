"""VNBench: questions in four orders, by id or by video and order, from every layout."""

from __future__ import annotations

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

VIDEOS = ("v1_ret_edit1", "v2_ord_insert2")
ANIMALS = ["cow", "dog", "cat", "hen"]


def options_of(order):
    """The options moved by one place for each order; the dog is right."""
    return ANIMALS[-order:] + ANIMALS[:-order]


GOLD = [
    {
        "video": f"./VNBench_new/{video}.mp4",
        "question": "What runs?",
        "options": options_of(order),
        "gt": "dog",
        "gt_option": "BCDA"[order],
        "type": video.split("_", 1)[1],
        "try": order,
    }
    for video in VIDEOS
    for order in range(4)
]
RIGHT = ["B", "C", "D", "A"]


def results(texts):
    """Rows as the official repository's inference writes them."""
    return [
        {
            "video_path": row["video"],
            "prompt": "<user>\nWhat runs?\n"
            + "\n".join(f"{x}. {y}" for x, y in zip("ABCD", row["options"], strict=True))
            + "\nAnswer with the option's letter.",
            "pred": text,
            "gt": row["gt_option"],
            "task_type": row["type"],
            "try": row["try"],
        }
        for row, text in zip(GOLD, texts, strict=True)
    ]


def overall(result, metric="circular_accuracy"):
    return {
        rule: (entry["overall"][metric]["value"], entry["overall"][metric]["n"])
        for rule, entry in result.data["rules"].items()
    }


@pytest.mark.parametrize("beside", [None, GOLD], ids=["own-gold", "joined-by-video-and-order"])
def test_a_question_is_right_in_all_four_orders(beside):
    result = score("vnbench", results([*RIGHT, "B.", "C", "D. hen", "B"]), beside)
    assert overall(result) == {"robust": (0.5, 2), "official": (0.5, 2)}
    assert overall(result, "accuracy") == {"robust": (7 / 8, 8), "official": (7 / 8, 8)}
    strata = result.data["rules"]["official"]["strata"]
    assert strata["task"]["ret_edit1"]["circular_accuracy"]["value"] == 1.0
    assert strata["task_group"]["ordering"]["circular_accuracy"]["value"] == 0.0
    assert result.data["main"]["metric"] == "circular_accuracy"


def test_robust_reads_option_texts_and_the_script_the_alphabet():
    texts = ["It is a dog.", "the dog", "dog", "A", "B", "C", "D, not A", "A"]
    assert overall(score("vnbench", results(texts))) == {"robust": (1.0, 2), "official": (0.0, 2)}


def test_ids_name_video_and_order():
    texts = {f"{VIDEOS[0]}_{order}": text for order, text in enumerate(RIGHT)}
    given = score("vnbench", texts, GOLD)
    assert overall(given) == {"robust": (0.5, 2), "official": (0.5, 2)}
    assert given.data["coverage"]["missing"] == 4
    gold = get_protocol("vnbench").read_annotations(GOLD, ScoreOptions())
    assert gold.ids[:2] == [f"{VIDEOS[0]}_0", f"{VIDEOS[0]}_1"]
    assert gold.groups[:5] == [VIDEOS[0]] * 4 + [VIDEOS[1]]


def test_the_repositorys_example_layout():
    rows = [
        # The script takes places for letters.
        {"question_id": f"{video}_{order}", "pred": text, "gt": "ABCD".index(text), "try": order}
        for video in VIDEOS
        for order, text in enumerate(RIGHT)
    ]
    result = score("vnbench", rows)
    assert overall(result) == {"robust": (1.0, 2), "official": (1.0, 2)}
    assert list(result.data["rules"]["robust"]["strata"]["task"]) == ["ret_edit1", "ord_insert2"]


def test_an_absent_order_breaks_its_question():
    given = score("vnbench", results([*RIGHT, *RIGHT])[:7], GOLD)
    assert overall(given) == {"robust": (0.5, 2), "official": (0.5, 2)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"try": None}, "field 'try': names no order"),
        ({"gt_option": None}, "field 'gt': not one of the options"),
        ({"options": None}, "field 'options': no options"),
    ],
)
def test_bad_annotations_name_the_field(change, message):
    with pytest.raises(InputError, match=message):
        score("vnbench", {"x": "A"}, [GOLD[0] | change])


# Questions right in all four orders, of 150 each.
PUBLISHED_RUN = {
    "ret_edit1": 133,
    "ret_insert1": 83,
    "ret_insert2": 131,
    "ord_edit1": 105,
    "ord_insert1": 75,
    "ord_insert2": 56,
    "cnt_edit1": 62,
    "cnt_edit2": 13,
    "cnt_insert1": 41,
}


def test_a_published_run(real_data):
    path = real_data / "vnbench" / "llava-ov-7b-videoniah-result.jsonl.gz"
    data = score("vnbench", path, samples=False).data
    for entry in data["rules"].values():
        circular = entry["overall"]["circular_accuracy"]
        assert (round(circular["value"] * 1350), circular["n"]) == (699, 1350)
        assert round(entry["overall"]["accuracy"]["value"] * 5400) == 3392
        assert entry["overall"]["macro_circular_accuracy"]["value"] == pytest.approx(699 / 1350)
        tasks = {
            name: round(task["circular_accuracy"]["value"] * task["circular_accuracy"]["n"])
            for name, task in entry["strata"]["task"].items()
        }
        assert tasks == PUBLISHED_RUN
