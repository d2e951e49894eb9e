"""Video-MME: annotations of every layout, strata, each rule set's reading and denominator."""

from __future__ import annotations

import importlib
import json
import random
import re

import pytest
from tests.python.answers.rules import original_patterns as original
from tests.python.formats.samples import separated, xlsx_of

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

OPTIONS = ["A. Apples.", "B. Candles.", "C. Berries.", "D. 3."]
VIDEOS = (
    ("001", "fQ1", "short", "Knowledge", "Law"),
    ("002", "gR2", "long", "Multilingual", "Multilingual"),
)
# id, task type, gold
QUESTIONS = (
    ("001-1", "Counting Problem", "B"),
    ("001-2", "OCR Problems", "C"),
    ("002-1", "Counting Problem", "D"),
    ("002-2", "Temporal Reasoning", "A"),
)
API_FAILURE = "Failed to obtain answer via API."


def template(responses=None):
    """The official nested file, with responses by id or without any."""
    videos = []
    for video_id, _, duration, domain, sub_category in VIDEOS:
        questions = [
            {
                "question_id": ident,
                "task_type": task_type,
                "question": f"What of {ident}?",
                "options": OPTIONS,
                "answer": gold,
            }
            | ({} if responses is None else {"response": responses.get(ident, "")})
            for ident, task_type, gold in QUESTIONS
            if ident.startswith(video_id)
        ]
        videos.append(
            {
                "video_id": video_id,
                "duration": duration,
                "domain": domain,
                "sub_category": sub_category,
                "questions": questions,
            }
        )
    return videos


def flat_rows():
    """Rows of the published data set."""
    names = ("video_id", "videoID", "duration", "domain", "sub_category")
    return [
        dict(zip(names, video, strict=True))
        | {
            "question_id": ident,
            "task_type": task_type,
            "question": f"What of {ident}?",
            "options": OPTIONS,
            "answer": gold,
        }
        for video in VIDEOS
        for ident, task_type, gold in QUESTIONS
        if ident.startswith(video[0])
    ]


def table_rows(predictions):
    """VLMEvalKit's table: rows are numbered, options are a list printed by Python."""
    return [
        {
            "index": number,
            "video": row["videoID"],
            "duration": row["duration"],
            "domain": row["domain"],
            "candidates": str(OPTIONS),
            "sub_category": row["sub_category"],
            "task_type": row["task_type"],
            "question": row["question"],
            "answer": row["answer"],
            "prediction": prediction,
        }
        for number, (row, prediction) in enumerate(zip(flat_rows(), predictions, strict=True))
    ]


def overall(result, metric="accuracy"):
    return {
        rule: (entry["overall"][metric]["value"], entry["overall"][metric]["n"])
        for rule, entry in result.data["rules"].items()
    }


def by_id(*texts):
    return dict(zip((ident for ident, _, _ in QUESTIONS), texts, strict=True))


def test_each_rule_set_reads_its_own_way():
    # Gold: B, C, D, A.
    given = overall(score("videomme", template(by_id("Best answer: B", "berries", "d", "A"))))
    assert given == {
        "robust": (1.0, 4),
        "paper": (0.5, 4),
        "official": (1.0, 2),  # two of four texts hold a capital A to D
        "videollama3-mcqa": (1.0, 2),
        "videollama3": (0.75, 4),  # "berries" too, and it stops on "d"
        "lmms-eval-pre-1274": (0.5, 4),
        "lmms-eval-2026-08": (0.5, 4),
        "vlmevalkit": (0.5, 4),
    }


def test_unreadable_answers_leave_only_the_official_denominators():
    texts = by_id("I cannot tell.", "C", "", "Best answer: A")
    result = score("videomme", template(texts))
    given = overall(result)
    assert given["official"] == (0.5, 2)
    assert given["videollama3-mcqa"] == (0.5, 2)
    assert given["robust"] == (0.5, 4)
    assert given["vlmevalkit"] == (0.25, 4)
    # Left in the denominator, the official reading has what lmms-eval's copy has.
    assert given["lmms-eval-pre-1274"] == (0.25, 4)
    assert result.data["rules"]["official"]["status"] == {"ok": 2, "no_answer": 2}


def test_absent_rows():
    given = overall(score("videomme", {"001-1": "B"}, template()))
    for rule in ("official", "videollama3-mcqa", "videollama3"):
        assert given[rule] == (1.0, 1), rule
    for rule in ("robust", "paper", "lmms-eval-pre-1274", "lmms-eval-2026-08", "vlmevalkit"):
        assert given[rule] == (0.25, 4), rule


def test_a_null_response_is_counted_by_nobody_officially():
    given = overall(
        score("videomme", template({"001-1": "B", "001-2": None, "002-1": "", "002-2": ""}))
    )
    assert given["official"] == (1.0, 1)
    assert given["robust"] == (0.25, 4)


def test_a_failed_request_is_an_answer_to_vlmevalkit_alone():
    rows = table_rows(["B", "C", "D", API_FAILURE])
    result = score("videomme", rows)
    given = overall(result)
    assert given["vlmevalkit"] == (1.0, 4)
    assert given["robust"] == (0.75, 4)
    assert result.data["coverage"]["status"] == {"ok": 3, "error": 1}
    assert result.data["coverage"]["missing"] == 1


@pytest.mark.parametrize("write", [lambda rows: separated(rows, "\t"), xlsx_of])
def test_answers_that_pandas_takes_for_empty_cells(write, tmp_path):
    if write is xlsx_of:
        pytest.importorskip("openpyxl", reason="the extra [tables] is not installed")
    path = tmp_path / "model_Video-MME.table"
    path.write_bytes(write(table_rows(["B", "N/A", "nan", "NA"])))
    result = score("videomme", path)
    given = overall(result)
    assert given["robust"] == (0.25, 4)
    assert given["vlmevalkit"] == (0.25, 4)  # "NA" is no A
    assert given["official"] == (pytest.approx(2 / 3), 3)  # which reads the A of it
    assert result.data["rules"]["vlmevalkit"]["status"] == {"ok": 1, "no_answer": 3}


def test_videollama3_stops_on_what_it_cannot_read():
    result = score("videomme", template(by_id("B", "no idea", "", "A")), rules="videollama3,robust")
    entry = result.data["rules"]["videollama3"]
    assert entry["public_script_aborts"] == 2
    assert any("would stop on 2 rows" in warning for warning in result.data["warnings"])
    shown = [row["rules"]["videollama3"]["read"] for row in result.samples()]
    assert shown[1].startswith("public script aborts: AssertionError")


def test_strata_stand_in_the_official_order():
    data = score("videomme", template(by_id("B", "C", "D", "B")), rules="robust").data
    strata = data["rules"]["robust"]["strata"]
    assert {name: list(categories) for name, categories in strata.items()} == {
        "duration": ["short", "long"],
        "domain": ["Knowledge", "Multilingual"],
        "sub_category": ["Law", "Multilingual"],
        "task_type": ["OCR Problems", "Counting Problem", "Temporal Reasoning"],
    }
    assert strata["task_type"]["Counting Problem"]["accuracy"]["value"] == 1.0
    assert strata["duration"]["long"]["accuracy"]["value"] == 0.5
    assert data["interval_method"]["clusters"] == 2


def test_published_lists():
    protocol = get_protocol("videomme")
    assert protocol.published_size == 2700
    module = importlib.import_module("fastvbench.protocols.videomme")
    assert len(module.TASK_TYPES) == 12
    assert len(module.SUB_CATEGORIES) == 30
    assert len(module.DOMAINS) == 6


def answers_of_all_kinds(seed):
    """A template of 60 videos, each question answered in one of many ways."""
    generator = random.Random(seed)
    shapes = ("{L}", "{L}.", "({L})", "{l}", "Answer: {L}", "Best answer: {L}", "Based on it, {L}")
    shapes += ("berries", "I cannot tell.", "", "The answer is {L}", API_FAILURE, "NA", "A or {L}")
    module = importlib.import_module("fastvbench.protocols.videomme")
    return [
        {
            "video_id": f"{video:03}",
            "duration": generator.choice(module.DURATIONS),
            "domain": generator.choice(module.DOMAINS),
            "sub_category": generator.choice(module.SUB_CATEGORIES),
            "questions": [
                {
                    "question_id": f"{video:03}-{number}",
                    "task_type": generator.choice(module.TASK_TYPES),
                    "question": f"What of {number}?",
                    "options": OPTIONS,
                    "answer": generator.choice("ABCD"),
                    "response": generator.choice(shapes).format(
                        L=(letter := generator.choice("ABCD")), l=letter.lower()
                    ),
                }
                for number in (1, 2, 3)
            ],
        }
        for video in range(60)
    ]


def official_tables(videos, read):
    """Right and counted answers in all categories, as the official script counts them."""
    tables = {}
    for video in videos:
        for question in video["questions"]:
            letter = read(question["response"])
            if letter == "":
                continue
            for table in ("duration", "domain", "sub_category", "task_type", "overall"):
                name = question[table] if table == "task_type" else video.get(table, table)
                right, counted = tables.get((table, name), (0, 0))
                tables[table, name] = (right + (letter == question["answer"]), counted + 1)
    return tables


@pytest.mark.parametrize(
    ("rule", "phrases"),
    [
        ("official", original.VIDEOMME_PHRASES),
        ("videollama3-mcqa", original.PRE_1274_PHRASES),
    ],
)
def test_every_table_of_the_official_script(rule, phrases):
    videos = answers_of_all_kinds(seed=1)
    entry = score("videomme", videos, rules=rule).data["rules"][rule]
    tables = official_tables(videos, lambda text: original.first_capital_letter(text, phrases))
    found = {("overall", "overall"): entry["overall"]["accuracy"]}
    for stratum, categories in entry["strata"].items():
        found |= {(stratum, name): e["accuracy"] for name, e in categories.items()}
    counts = {
        place: (round(each["value"] * each["n"]), each["n"])
        for place, each in found.items()
        if each["n"]
    }
    assert counts == tables
    assert len(tables) > 40


def with_trailing_commas(document):
    return re.sub(r"([\"}\]])(\n *[}\]])", r"\1,\2", json.dumps(document, indent=1))


def test_a_template_with_trailing_commas_is_counted(tmp_path):
    gold, answers = tmp_path / "template.json", tmp_path / "answers.json"
    gold.write_text(with_trailing_commas(template()))
    answers.write_text(with_trailing_commas(template(by_id("B", "C", "D", "A"))))
    for path in (gold, answers):
        with pytest.raises(json.JSONDecodeError):
            json.loads(path.read_text())
    data = score("videomme", {"001-1": "B"}, gold).data
    assert data["inputs"]["annotations"]["ledger"]["trailing_commas"] > 0
    data = score("videomme", answers).data
    assert data["inputs"]["predictions"][0]["ledger"]["trailing_commas"] > 0
    assert data["rules"]["official"]["overall"]["accuracy"]["value"] == 1.0


FIRST_EDITION = {
    "duration": "duration_category",
    "domain": "video_category",
    "sub_category": "video_subcategory",
    "options": "choices",
}


def in_first_edition(value):
    """The template under the keys that it had at first."""
    if isinstance(value, list):
        return [in_first_edition(each) for each in value]
    if isinstance(value, dict):
        return {FIRST_EDITION.get(k, k): in_first_edition(v) for k, v in value.items()}
    return value


def test_the_first_edition_of_the_template():
    texts = by_id("B", "berries", "D", "no idea")
    data = score("videomme", in_first_edition(template(texts))).data
    assert data["rules"] == score("videomme", template(texts)).data["rules"]
    joined = score("videomme", texts, in_first_edition(template())).data
    assert joined["rules"] == data["rules"]


def test_published_rows_with_a_response():
    texts = by_id("B", "berries", "D", "no idea")
    rows = [row | {"response": texts[row["question_id"]]} for row in flat_rows()]
    data = score("videomme", rows).data
    assert data["inputs"]["annotations"]["source"] == "carried by the predictions"
    assert data["rules"] == score("videomme", template(texts)).data["rules"]


def layouts(folder):
    """One set of annotations in every layout that is read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = [{k: v for k, v in row.items() if k != "prediction"} for row in table_rows("BCDA")]
    for row, flat in zip(table, flat_rows(), strict=True):
        row["question_id"] = flat["question_id"]
    files = {
        "template.json": json.dumps(template()).encode(),
        "first edition.json": json.dumps(in_first_edition(template())).encode(),
        "rows.json": json.dumps(flat_rows()).encode(),
        "rows.jsonl": "".join(json.dumps(row) + "\n" for row in flat_rows()).encode(),
        "table.tsv": separated(table, "\t"),
        "table.xlsx": xlsx_of(table),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    pq.write_table(pa.Table.from_pylist(flat_rows()), folder / "test-00000-of-00001.parquet")
    return sorted(folder.iterdir())


def test_every_layout_of_annotations_says_the_same(tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("openpyxl")
    expected = None
    for path in layouts(tmp_path):
        gold = get_protocol("videomme").read_annotations(path, ScoreOptions())
        strata = {name: stratum.of_row() for name, stratum in gold.strata.items()}
        found = (
            gold.ids,
            gold.letters.tolist(),
            gold.options,
            gold.columns["option_lines"],
            strata,
        )
        expected = expected or found
        assert found == expected, path.name
    assert expected[2][0] == ["Apples.", "Candles.", "Berries.", "3."]
    assert expected[3][0] == OPTIONS


def test_rows_join_by_id_by_question_id_and_by_video_and_question():
    # lmms-eval's samples number rows and name the question beside.
    samples = [
        {
            "doc_id": number,
            "target": row["answer"],
            "filtered_resps": [row["answer"]],
            "videomme_perception_score": {
                "question_id": row["question_id"],
                "duration": row["duration"],
                "category": row["domain"],
                "sub_category": row["sub_category"],
                "task_category": row["task_type"],
                "pred_answer": row["answer"],
                "answer": row["answer"],
            },
        }
        for number, row in enumerate(flat_rows())
    ]
    for gold in (None, template(), flat_rows()):
        data = score("videomme", samples, gold, rules="lmms-eval-2026-08").data
        entry = data["rules"]["lmms-eval-2026-08"]
        assert entry["overall"]["accuracy"]["value"] == 1.0
        assert entry["overall"]["accuracy"]["n"] == 4
        assert list(entry["strata"]["duration"]) == ["short", "long"]
        assert list(entry["strata"]["domain"]) == ["Knowledge", "Multilingual"]
        assert len(entry["strata"]["task_type"]) == 3
    # A table of VLMEvalKit numbers rows too; video and question tell them.
    data = score("videomme", table_rows(["B", "C", "D", "A"]), flat_rows()).data
    assert data["coverage"]["scored"] == 4


def test_logs_of_lmms_eval_carry_the_whole_question(tmp_path):
    log = {
        "args": {},
        "logs": [
            {"doc_id": n, "doc": row, "target": row["answer"], "resps": [["The answer is B."]]}
            for n, row in enumerate(flat_rows())
        ],
    }
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    data = score("videomme", path, rules="robust").data
    assert data["inputs"]["predictions"][0]["format"] == "lmms-eval-log"
    robust = data["rules"]["robust"]
    assert robust["overall"]["accuracy"]["value"] == 0.25
    assert list(robust["strata"]["domain"]) == ["Knowledge", "Multilingual"]
    assert list(robust["strata"]["duration"]) == ["short", "long"]


@pytest.mark.parametrize(
    ("written", "lines", "texts"),
    [
        (OPTIONS, OPTIONS, ["Apples.", "Candles.", "Berries.", "3."]),
        (["(A) x", "(B) y "], ["(A) x", "(B) y "], ["x", "y"]),
        (["A.x", "B: y"], ["A.x", "B: y"], ["x", "y"]),
        (["x", "y"], ["A. x", "B. y"], ["x", "y"]),
        (["A. x", "C. y"], ["A. A. x", "B. C. y"], ["A. x", "C. y"]),  # not their letters
        ("['A. it\\'s', \"B. 'q'\"]", ["A. it's", "B. 'q'"], ["it's", "'q'"]),
        (None, [], None),
    ],
)
def test_options_with_and_without_letters(written, lines, texts):
    row = flat_rows()[0] | {"options": written, "answer": "B"}
    gold = get_protocol("videomme").read_annotations([row], ScoreOptions())
    assert gold.columns["option_lines"] == [lines]
    assert gold.options == (None if texts is None else [texts])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "E"}, r"field 'answer': not one of the options, got 'E'"),
        ({"answer": None}, r"field 'answer': wrong type, got None"),
        ({"question_id": 1.5}, r"field 'question_id': not an id, got 1.5"),
        ({"video_id": None, "videoID": None}, r"field 'video_id': wrong type"),
    ],
)
def test_bad_annotations_name_the_field(change, message):
    with pytest.raises(InputError, match=message):
        score("videomme", {"001-1": "B"}, [flat_rows()[0] | change])


def test_bad_questions_of_the_template():
    broken = template()
    broken[0]["questions"] = "none"
    with pytest.raises(InputError, match="a list of questions"):
        score("videomme", {"001-1": "B"}, broken)
    broken[0]["questions"] = ["none"]
    with pytest.raises(InputError, match="a list of objects"):
        score("videomme", {"001-1": "B"}, broken)


def test_circular_accuracy_where_rows_carry_an_order():
    rows = [row | {"order": order} for row in flat_rows() for order in (0, 1)]
    answers = [
        {"id": row["question_id"], "order": row["order"], "text": row["answer"]} for row in rows
    ]
    answers[0]["text"] = "D"
    data = score("videomme", answers, rows, rules="robust").data
    values = data["rules"]["robust"]["overall"]
    assert values["accuracy"]["value"] == 7 / 8
    assert values["circular_accuracy"]["value"] == 3 / 4


# What the public scorers get wrong, and `robust` must not.
DEFECTS = {
    "a message of a failed request is no answer": (API_FAILURE, None, "vlmevalkit", "A"),
    "phrases that a missing comma keeps": ("Best answer: C", "C", "official", "B"),
    "letters inside words": ("Based on what is seen, the answer is C.", "C", "official", "B"),
    "an article is no answer": ("A man enters, so the answer is D.", "D", "lmms-eval-2026-08", "A"),
    "the last letter after a phrase": (
        "The answer is B because the Dog barks.",
        "B",
        "lmms-eval-2026-08",
        "D",
    ),
    "lower case": ("(c)", "C", "official", None),
    "thoughts are no answer": ("<think>A? no.</think>\n<answer>C</answer>", "C", "official", "A"),
    "an option's text": ("It shows berries.", "C", "vlmevalkit", None),
    "nothing of the kind": ("According to the video", None, "official", "A"),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_robust_has_none_of_the_public_defects(name):
    text, letter, public, misread = DEFECTS[name]
    result = score("videomme", template({"001-1": text}), rules=["robust", public])
    rules = next(iter(result.samples()))["rules"]
    assert rules["robust"]["read"] == letter
    assert rules[public]["read"] == misread
