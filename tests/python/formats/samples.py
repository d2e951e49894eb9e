"""A small file of every format, written here by hand."""

from __future__ import annotations

import io
import json


def _lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _document(value: object) -> bytes:
    return json.dumps(value, indent=2).encode()


VLM_ROWS = [
    {
        "index": 0,
        "video": "v1",
        "question": "Which colour?",
        "answer": "B",
        "candidates": "['A. red', \"B. it's blue\"]",
        "task_type": "Colour",
        "prediction": "B.",
    },
    {
        "index": 1,
        "video": "v2",
        "question": "How\nmany?",
        "answer": "A",
        "candidates": "['A. 1', 'B. 2']",
        "task_type": "Count",
        "prediction": None,
    },
]


def xlsx_of(rows: list[dict[str, object]]) -> bytes:
    import openpyxl

    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    data = io.BytesIO()
    workbook.save(data)
    return data.getvalue()


def separated(rows: list[dict[str, object]], delimiter: str) -> bytes:
    def cell(value: object) -> str:
        return '"' + ("" if value is None else str(value)).replace('"', '""') + '"'

    lines = [delimiter.join(map(cell, rows[0]))]
    lines += [delimiter.join(map(cell, row.values())) for row in rows]
    return ("\n".join(lines) + "\n").encode()


_LMMS_DOC = {
    "video": "v1",
    "question": "Which colour?",
    "candidates": ["(A) red", "(B) blue"],
    "answer": "(B) blue",
    "question_type": ["reasoning"],
    "type": "cartoon",
    "time_reference": "00:10-00:20",
}

# name: (format that must be detected, file content)
SAMPLES: dict[str, tuple[str, bytes]] = {
    "id-to-text": ("id-to-text", _document({"17": "B", "18": None, "19": "(C) blue"})),
    "id-to-row": ("id-to-row", _document({"1": {"response": "B", "answer": "A"}})),
    "jsonl": ("jsonl", _lines({"id": 17, "text": "B"}, {"id": 18, "text": None})),
    "one line": ("json-rows", _lines({"id": 17, "text": "B"})),
    "json-rows": ("json-rows", _document([{"uid": "17", "response": "B"}])),
    "foreseaqa": (
        "jsonl",
        _lines(
            {"id": "q1", "answer": "B", "interval": [1.5, 2]},
            {"id": "q2", "answer": "A", "interval": None},
        ),
    ),
    "fastvbench-samples": (
        "fastvbench-samples",
        _lines(
            {
                "id": "q1",
                "cluster": "v1",
                "strata": {"duration": ["short"]},
                "gold": {"answer": "B"},
                "rules": {"robust": {"status": "ok", "read": "B", "scores": {"accuracy": 1.0}}},
                "excerpt": "The answer is B",
            },
            {"id": "q2", "cluster": "v1", "strata": {}, "gold": {}, "rules": {}, "excerpt": None},
        ),
    ),
    "lmms-eval-samples": (
        "lmms-eval-samples",
        _lines(
            {
                "doc_id": 0,
                "target": "B",
                "filtered_resps": ["B"],
                "resps": [["The answer is B"]],
                "lvbench_score": True,
                "input": "Which?",
            },
            {"doc_id": 1, "target": "A", "filtered_resps": "C", "input": "Which?"},
        ),
    ),
    "lmms-eval-log": (
        "lmms-eval-log",
        _document(
            {
                "args": {},
                "model_configs": {},
                "logs": [
                    {
                        "doc_id": 0,
                        "doc": _LMMS_DOC,
                        "target": "(B) blue",
                        "resps": [["B "]],
                        "filtered_resps": ["B"],
                    }
                ],
                "time": "0101_0000",
            }
        ),
    ),
    "vlmevalkit json": ("vlmevalkit", _document(VLM_ROWS)),
    "vlmevalkit tsv": ("vlmevalkit", separated(VLM_ROWS, "\t")),
    "vlmevalkit csv": ("vlmevalkit", separated(VLM_ROWS, ",")),
    "table": ("table", b"id\ttext\n17\tB\n18\t\n"),
    "videollama3": (
        "videollama3",
        _document(
            [
                {"Overall": 50.0},
                {
                    "data_id": 0,
                    "response": "B",
                    "prediction": "B",
                    "ground_truth": "A",
                    "matching": False,
                    "task_type": "reasoning",
                    "meta_data": {"video_id": "v1"},
                },
            ]
        ),
    ),
    "videollama3 grounding": (
        "videollama3",
        _document(
            [
                {"mIoU": 1.0},
                {
                    "data_id": "a",
                    "response": "1 to 2",
                    "prediction": [[1, 2]],
                    "ground_truth": [1, 3],
                    "iou": 0.5,
                },
            ]
        ),
    ),
    "videollama3 subsets": (
        "videollama3",
        _document(
            {
                "without_subtitle": [{"Overall": 1}, {"data_id": "001-1", "response": "A"}],
                "with_subtitle": [{"Overall": 1}, {"data_id": "001-1", "response": "B"}],
            }
        ),
    ),
    "videollama3 lines": (
        "videollama3",
        _lines({"Overall": 1}, {"data_id": 3, "response": "A", "ground_truth": "A"}),
    ),
    "timechat": (
        "timechat",
        _document(
            {
                "3": {"timestamp": [[1.0, 2.5]], "query": "a door opens", "vid": "v1.mp4"},
                "4": {"timestamp": [], "query": "rain", "vid": "v2.mp4"},
            }
        ),
    ),
    "timelens": (
        "timelens",
        _document(
            {
                "v1>>>a door opens>>>[1.0, 2.5]": {
                    "timestamps": [1, 2],
                    "answers": "From 1 to 2 seconds",
                }
            }
        ),
    ),
    "charades submission": (
        "timelens",
        _document({"v1>>>a >>> sign>>>[1.0, 2.5]": "1.0 - 2.0", "v2>>>rain>>>[0, 9]": None}),
    ),
    "vtimellm": (
        "vtimellm",
        _lines(
            {
                "video_id": "v1",
                "task": "grounding",
                "query_id": 0,
                "answer": "From 17 to 34.",
                "info": {"sentence_id": 2, "iou": 0.5},
            }
        )
        * 2,
    ),
    "vue-tr": (
        "vue-tr",
        _document(
            [
                {
                    "query_id": 0,
                    "video_id": "v1",
                    "duration": 32.5,
                    "query": "a door opens",
                    "answer": [[5.0, 4.0], [7, 7]],
                },
                {"query_id": 1, "video_id": "v1", "duration": 9, "query": "rain", "answer": []},
            ]
        ),
    ),
    "qvhighlights": (
        "qvhighlights",
        _lines(
            {
                "qid": 7,
                "query": "cooking",
                "vid": "v1",
                "pred_relevant_windows": [[0.0, 7.0, 0.9], [8, 9, 0.1]],
                "pred_saliency_scores": [0.5],
            }
        )
        * 2,
    ),
    "videomme": (
        "videomme",
        (
            b'[{"video_id": "001", "duration": "short", "domain": "Knowledge", "questions": ['
            b'{"question_id": "001-1", "task_type": "Counting Problem",'
            b' "question": "How many, [x,]?",'
            b""
            b' "options": ["A. 1.", "B. 2."], "answer": "B", "response": "B. 2.",},\n]},]'
        ),
    ),
    "mathvista": (
        "mathvista",
        _document(
            {
                "7": {
                    "question": "Which?",
                    "choices": ["red", "blue"],
                    "answer": "blue",
                    "question_type": "multi_choice",
                    "answer_type": "text",
                    "precision": None,
                    "metadata": {"task": "figure", "skills": ["logic"]},
                    "response": "It is (B).",
                    "extraction": "B",
                    "error": "None",
                },
                "8": {
                    "question": "How long?",
                    "choices": None,
                    "answer": "1.2",
                    "question_type": "free_form",
                    "answer_type": "float",
                    "precision": 1,
                    "metadata": {"task": "textbook"},
                    "error": "timed out",
                },
            }
        ),
    ),
    "lmms-eval mathvista": (
        "lmms-eval-samples",
        _lines(
            {
                "doc_id": 0,
                "target": "1.2",
                "filtered_resps": ["about 1.2 m"],
                "llm_as_judge_eval": {
                    "question_id": "1",
                    "query": "Hint: ...",
                    "choices": None,
                    "answer": "1.2",
                    "extraction": "1.2",
                    "prediction": None,
                    "question_type": "free_form",
                    "answer_type": "float",
                    "precision": 1.0,
                    "metadata": {"task": "textbook"},
                },
            }
        ),
    ),
    "lmms-eval docvqa test": (
        "lmms-eval-samples",
        _lines(
            {
                "doc_id": 0,
                "target": "None",
                "filtered_resps": ["ITC"],
                "anls": {"questionId": 57344, "answer": "ITC"},
            }
        ),
    ),
    "docvqa submission": ("json-rows", _document([{"questionId": 49153, "answer": "0.28"}])),
    "videollama3 chartqa": (
        "videollama3",
        _document(
            [
                {"human": 50.0, "Overall": 50.0},
                {
                    "data_id": "human_0",
                    "response": "dark blue",
                    "prediction": "dark blue",
                    "ground_truth": ["blue"],
                    "score": True,
                    "task_type": "human",
                    "meta_data": {"question": "Which colour?"},
                },
                {
                    "data_id": "3",
                    "response": "It is (B).",
                    "prediction": "B",
                    "ground_truth": "blue",
                    "matching": True,
                    "task_type": "multi_choice",
                    "meta_data": {"answer_type": "text", "options": ["red", "blue"]},
                },
            ]
        ),
    ),
    "vlmevalkit mathvista": (
        "vlmevalkit",
        _document(
            [
                {
                    "index": 0,
                    "question": "Which?",
                    "choices": "['red', 'blue']",
                    "answer": "blue",
                    "answer_option": "B",
                    "question_type": "multi_choice",
                    "answer_type": "text",
                    "skills": "['logic']",
                    "prediction": "It is (B).",
                    "res": "B",
                    "log": "Prefetch succeed",
                }
            ]
        ),
    ),
    "mlvu": (
        "mlvu",
        _document(
            {
                "acc_dict": {"count": [1, 1]},
                "res_list": [
                    {
                        "pred": "B) 2",
                        "gt": "(B) 2",
                        "question": "Question: How many?\nOptions:\n(A) 1\n(B) 2",
                        "question_type": "count",
                        "video": "./count/v.mp4",
                    }
                ],
            }
        ),
    ),
    "tempcompass": (
        "tempcompass",
        _document(
            {"123": {"action": [{"question": "What?", "answer": "A. run", "prediction": "A"}]}}
        ),
    ),
}
