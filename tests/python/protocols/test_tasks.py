"""What a model is asked: published prompts, filled with a benchmark's own rows."""

from __future__ import annotations

import pytest

from fastvbench import InputError, get_protocol, list_protocols
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._tasks import Task, choose_prompt, fill, tasks_of


def tasks(name: str, rows: object, **choice: object) -> list[Task]:
    protocol = get_protocol(name)
    assert isinstance(protocol, AnswerProtocol)
    gold = protocol.read_annotations(rows, ScoreOptions())
    prompt = choose_prompt(protocol, **choice)
    return list(tasks_of(protocol, gold, prompt, range(len(gold))))


def test_every_benchmark_of_questions_can_be_run():
    for name in list_protocols():
        protocol = get_protocol(name)
        if isinstance(protocol, AnswerProtocol):
            assert protocol.tasks is not None, name
            assert choose_prompt(protocol).templates, name
            stacks = {source.split(", ")[0] for source in protocol.prompts}
            assert set(protocol.tasks.published) <= stacks, name
            assert set(protocol.tasks.answer_prefixes) <= stacks, name


LVBENCH = [
    {
        "key": "vid",
        "qa": [
            {
                "uid": "7",
                "question": "What {is} it?\n(A) red\n(B) blue\n(C) a\nb\n(D) none",
                "answer": "B",
            }
        ],
    }
]


def test_lvbench_by_paper_and_by_videollama3():
    [paper] = tasks("lvbench", LVBENCH)
    assert (paper.id, paper.video, paper.media_names) == ("7", "vid", ("vid",))
    assert paper.prompt == (
        "What {is} it?\n(A) red\n(B) blue\n(C) a\nb\n(D) none\nPlease select the best answer to "
        "the following options above and directly provide the letter representing your choice "
        "without giving any explanation."
    )
    [stack] = tasks("lvbench", LVBENCH, rule="videollama3")
    assert stack.prompt == (
        "What {is} it?\n(A) red\n(B) blue\n(C) a\nb\n(D) none\n"
        "Answer with the option's letter from the given choices directly."
    )


def test_options_beside_a_question_are_shown_all_the_same():
    rows = [{"uid": "1", "key": "v", "question": "Q?", "options": ["x", "y"], "answer": "A"}]
    assert tasks("lvbench", rows, source="videollama3")[0].prompt.startswith("Q?\n(A) x\n(B) y\n")
    assert tasks("lvbench", rows, source="card")[0].prompt.startswith("Q?\n(A) x\n(B) y\nPlease")


VIDEOMME = [
    {
        "video_id": "001",
        "videoID": "abc",
        "question_id": "001-1",
        "question": "How many?",
        "options": ["A. 1.", "B. 2.", "C. 3.", "D. 4."],
        "answer": "C",
    }
]


def test_videomme_with_and_without_subtitles():
    [official] = tasks("videomme", VIDEOMME)
    assert official.media_names == ("001", "abc")
    assert official.prompt == (
        "Select the best answer to the following multiple-choice question based on the video. "
        "Respond with only the letter (A, B, C, or D) of the correct option.\nHow many?\nA. 1.\n"
        "B. 2.\nC. 3.\nD. 4.\nThe best answer is:"
    )
    [shown] = tasks("videomme", VIDEOMME, subtitles=True, source="videollama3")
    assert shown.prompt.startswith("This video's subtitles are listed below:\n{subtitles}\nSelect")
    assert "only give the best option. The best answer is:" in shown.prompt
    assert fill(shown.prompt, {"subtitles": "{question}"}).count("{question}") == 1


def test_mlvu_begins_the_answer_for_the_model():
    rows = [
        {
            "video": "a.mp4",
            "question": "Which?",
            "candidates": ["x", "y"],
            "answer": "y",
            "question_type": "ego",
        }
    ]
    protocol = get_protocol("mlvu")
    official = choose_prompt(protocol, rule="official")
    assert official.answer_prefix == "Best Option: ("
    [task] = tasks("mlvu", rows, rule="official")
    assert task.prompt.endswith("Options:\n(A) x\n(B) y\nOnly give the best option.")
    assert tasks("mlvu", rows, source="videollama3")[0].prompt == (
        "Question: Which?\nOptions:\n(A) x\n(B) y\nAnswer with the option's letter from the given "
        "choices directly and only give the best option."
    )


def test_mvbench_knows_the_clip():
    rows = [
        {
            "video": "v.mp4",
            "question": "Q?",
            "candidates": ["x", "y"],
            "answer": "x",
            "task_type": "action_count",
            "start": 3,
            "end": 9.5,
        },
        {
            "video": "v.mp4",
            "question": "Q2?",
            "candidates": ["x", "y"],
            "answer": "x",
            "task_type": "action_count",
        },
    ]
    first, second = tasks("mvbench", rows)
    assert (first.begin_seconds, first.end_seconds) == (3.0, 9.5)
    assert (second.begin_seconds, second.end_seconds) == (None, None)
    with pytest.raises(InputError, match="not a time"):
        tasks("mvbench", [rows[0] | {"start": "3"}])


def test_tempcompass_asks_each_kind_in_its_own_words():
    rows = [
        {"video_id": "1", "dim": "action", "question": "Is it?", "answer": "yes"},
        {"video_id": "1", "dim": "action", "question": "What?\nA. x\nB. y", "answer": "B. y"},
    ]
    yes_no, choice = tasks("tempcompass", rows)
    assert yes_no.prompt == "Question: Is it?\nPlease answer with 'yes' or 'no' directly."
    assert choice.prompt == (
        "Question: What?\nA. x\nB. y\nPlease answer with the option's letter from the given "
        "choices directly and only give the best option."
    )


def test_grounding_prompt_has_no_space_before_please():
    rows = [{"id": 0, "image_id": "v.mp4", "caption": "a door opens.", "timestamp": [1.0, 2.0]}]
    [task] = tasks("charades_sta", rows)
    assert task.prompt == "a door opens.Please output the start and end timestamps in seconds."


def test_images():
    [doc] = tasks(
        "docvqa",
        [
            {
                "questionId": 5,
                "docId": 9,
                "image": "documents/p_1.png",
                "question": "Who?",
                "answers": ["me"],
            }
        ],
    )
    assert doc.media_names == ("documents/p_1.png", "9")
    assert doc.prompt == "Who?\nAnswer the question with a single word or phrase."
    [chart] = tasks("chartqa", [{"imgname": "c.png", "query": "How much?", "label": "3"}])
    assert (chart.media_names, chart.prompt) == (
        ("c.png",),
        "How much?\nAnswer the question using a single word or phrase.",
    )
    problem = {
        "pid": "1",
        "image": "images/1.jpg",
        "question": "x?",
        "answer": "2",
        "question_type": "free_form",
        "answer_type": "integer",
        "query": "Hint: {x}\nx?",
    }
    assert tasks("mathvista", [problem])[0].prompt == "Hint: {x}\nx?"
    with pytest.raises(InputError, match="the annotation of id 1 has none"):
        tasks("mathvista", [{**problem, "query": None}])


def test_foreseaqa_has_a_prompt_of_this_package_and_an_image_beside_the_video():
    rows = [
        {
            "id": "q",
            "video": "cam",
            "question": "When?",
            "options": ["now", "never"],
            "answer": "A",
            "interval": [1, 2],
            "image": "van.png",
        }
    ]
    [task] = tasks("foreseaqa", rows)
    assert task.reference_image == "van.png"
    assert task.prompt.startswith("When?\nA. now\nB. never\nAnswer with the letter")
    assert not choose_prompt(get_protocol("foreseaqa")).published
    with pytest.raises(InputError, match="has an image, and nothing names its file"):
        tasks("foreseaqa", [rows[0] | {"image": None, "modality": "image+text"}])


def test_a_prompt_that_is_not_there():
    lvbench = get_protocol("lvbench")
    with pytest.raises(InputError, match="expected paper, card, videollama3"):
        choose_prompt(lvbench, source="official")
    with pytest.raises(InputError, match="no published prompt with subtitles by paper"):
        choose_prompt(lvbench, subtitles=True)
    own = choose_prompt(lvbench, source="mine.txt", text="{question} - {subtitles}")
    assert (own.source, own.published, own.with_subtitles) == ("mine.txt", False, True)


PUBLISHED = {
    "lvbench": ("lvbench/video_info.meta.jsonl", 1549),
    "charades_sta": ("charades_sta/charades_sta_test.txt", 3720),
    "activitynet_captions": ("activitynet/val_1.json.gz", 17505),
    "qvhighlights": ("qvhighlights/highlight_val_release.jsonl.gz", 1550),
    "mlvu": ("mlvu", 2175),
    "longvideobench": ("longvideobench/longvideobench_val_include_frame_idx.json.gz", None),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_question_can_be_asked(name, real_data):
    file, count = PUBLISHED[name]
    protocol = get_protocol(name)
    assert isinstance(protocol, AnswerProtocol)
    gold = protocol.read_annotations(real_data / file, ScoreOptions())
    stacks = {source.split(", ")[0] for source in protocol.prompts} or {None}
    for source in stacks:
        prompt = choose_prompt(protocol, source=source)
        asked = list(tasks_of(protocol, gold, prompt, range(len(gold))))
        assert len(asked) == (count or len(gold)) == len(gold)
        template = prompt.templates[""]
        for task, query in zip(asked, gold.queries, strict=True):
            assert task.media_names[0]
            assert query.strip().split("\n")[0].strip() in task.prompt
            if "{options}" in template:
                assert task.prompt.count("\n") >= template.count("\n") + 1


def test_mathvistas_own_file_lacks_the_query_that_its_data_set_has(real_data):
    protocol = get_protocol("mathvista")
    gold = protocol.read_annotations(real_data / "mathvista/testmini.json.gz", ScoreOptions())
    with pytest.raises(InputError, match="the annotation of id 1 has none"):
        list(tasks_of(protocol, gold, choose_prompt(protocol), range(len(gold))))
    own = choose_prompt(protocol, text="{question}\n{options}")
    asked = list(tasks_of(protocol, gold, own, range(len(gold))))
    assert len(asked) == 1000
    assert asked[0].media_names == ("images/1.jpg",)
