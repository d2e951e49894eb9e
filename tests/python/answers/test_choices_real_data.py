"""parse_choice on published raw outputs, beside what their benchmarks' own ratings say."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter

import pytest

from fastvbench.answers import parse_choice


def read_json(path):
    if not path.exists():
        pytest.skip(f"{path.name} is not among the published data")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


# A rating of None for a prediction counts as wrong in the published accuracy, too.
@pytest.mark.parametrize(
    ("model", "right", "rated_right", "reasons"),
    [
        ("gemini", 1009, 1010, {"ok": 1566, "missing": 12, "no_answer": 2}),
        ("video-llava", 720, 720, {"ok": 1580}),
    ],
)
def test_tempcompass(real_data, model, right, rated_right, reasons):
    folder = real_data / "tempcompass"
    predictions = read_json(folder / "predictions" / model / "multi-choice.json.gz")
    ratings = read_json(folder / "official" / model / "multi-choice.json.gz")
    rows = [
        (row, rated)
        for video, dimensions in predictions.items()
        for dimension, questions in dimensions.items()
        for row, rated in zip(questions, ratings[video][dimension], strict=True)
    ]
    options = [
        [re.sub(r"^[A-Z]\. ", "", line) for line in row["question"].split("\n")[1:]]
        for row, _ in rows
    ]
    choices = parse_choice([row["prediction"] for row, _ in rows], options=options)
    gold = [row["answer"][0] for row, _ in rows]
    agrees = [letter == answer for letter, answer in zip(choices.letters(), gold, strict=True)]
    assert Counter(choices.reasons()) == reasons
    assert sum(agrees) == right
    assert sum(rated["rating"] for _, rated in rows) == rated_right
    differs = [
        row["prediction"]
        for (row, rated), agree in zip(rows, agrees, strict=True)
        if agree != bool(rated["rating"])
    ]
    # One row: the judge took an explanation that contradicts the letter before it.
    assert len(differs) == rated_right - right
    assert all(text.startswith("**C. The street was filled") for text in differs)


def test_vnbench_letters(real_data):
    path = real_data / "vnbench" / "llava-ov-7b-videoniah-result.jsonl.gz"
    if not path.exists():
        pytest.skip("vnbench is not among the published data")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    choices = parse_choice([row["pred"] for row in rows])
    assert set(choices.reasons()) == {"ok"}
    assert choices.letters() == [row["pred"][0] for row in rows]


def test_lvbench_logs(real_data):
    right = 0
    for name in ("cartoon", "documentary", "live", "selfmedia", "sport", "tv"):
        path = real_data / "lvbench" / "lmms_eval_logs_pure" / f"lvbench_{name}.json.gz"
        logs = read_json(path)["logs"]
        texts = [log["resps"][0][0] for log in logs]
        choices = parse_choice(texts, options=[log["doc"]["candidates"] for log in logs])
        assert choices.letters() == texts
        right += sum(
            letter == log["doc"]["answer"][1]
            for letter, log in zip(choices.letters(), logs, strict=True)
        )
    assert right == 738


# A gold text said instead of its letter is found again, unless two options have the same text.
def test_lvbench_gold_texts(real_data):
    texts, options, gold, same = [], [], [], 0
    for name in ("cartoon", "documentary", "live", "selfmedia", "sport", "tv"):
        path = real_data / "lvbench" / "lmms_eval_logs_pure" / f"lvbench_{name}.json.gz"
        for log in read_json(path)["logs"]:
            candidates = log["doc"]["candidates"]
            plain = [candidate[4:].strip() for candidate in candidates]
            letter = ord(log["doc"]["answer"][1]) - ord("A")
            texts.append(plain[letter])
            options.append(candidates)
            gold.append(letter)
    choices = parse_choice(texts, options=options)
    for index, reason, text, letter in zip(
        choices.index.tolist(), choices.reasons(), texts, gold, strict=True
    ):
        if index == letter:
            continue
        assert reason in {"ambiguous", "no_answer"}, (text, reason)
        same += 1
    assert same < 15


# Free text of chat models about options. A language model extracted the published letters, now and
# then by working the answer out itself. The rules were refined on these rows: a floor, no estimate.
@pytest.mark.parametrize(
    ("file", "extracted", "least_agreeing"),
    [
        ("bard/output_bard", 522, 505),
        ("chatgpt/output_chatgpt", 483, 477),
        ("claude/output_claude", 528, 527),
    ],
)
def test_mathvista_extractions(real_data, file, extracted, least_agreeing):
    content = read_json(real_data / "mathvista" / f"{file}.json.gz")
    rows = [row for row in content.values() if row["question_type"] == "multi_choice"]
    options = [[str(choice) for choice in row["choices"]] for row in rows]
    texts = [row["response"] if isinstance(row["response"], str) else None for row in rows]
    choices = parse_choice(texts, options=options)
    agreeing = read = 0
    for row, texts_of_row, index in zip(rows, options, choices.index.tolist(), strict=True):
        found = re.fullmatch(r"\(?([A-Z])\)?\.?", str(row["extraction"]).strip())
        letter = ord(found[1]) - ord("A") if found else len(texts_of_row)
        if letter >= len(texts_of_row) and row["extraction"] in texts_of_row:
            letter = texts_of_row.index(row["extraction"])
        if letter < len(texts_of_row):
            read += 1
            agreeing += index == letter
    assert read == extracted
    assert agreeing >= least_agreeing


# Sentences that describe videos choose nothing; "(c)" before a name is the one thing mistaken.
def test_captions_are_no_answers(real_data):
    videos = read_json(real_data / "activitynet" / "val_1.json.gz")
    captions = [sentence.strip() for video in videos.values() for sentence in video["sentences"]]
    path = real_data / "charades_sta" / "charades_sta_test.txt"
    if path.exists():
        lines = path.read_text(encoding="utf-8").splitlines()
        captions += [line.split("##")[1].strip() for line in lines]
    assert len(captions) > 20_000
    choices = parse_choice(captions, options=26)
    chosen = [
        caption
        for caption, letter in zip(captions, choices.letters(), strict=True)
        if letter is not None
    ]
    assert all("(c) M and S productions" in caption for caption in chosen)
    assert set(choices.reasons()) <= {"ok", "no_answer"}
