"""Every format is found by its content, and gives the right columns."""

from __future__ import annotations

import gzip
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.formats.samples import SAMPLES, VLM_ROWS, separated

import fastvbench.formats._batch as batch_module
from fastvbench.core._errors import InputError
from fastvbench.formats import BATCH_ROWS, FORMATS, PredictionFile, open_predictions

if TYPE_CHECKING:
    from pathlib import Path


def read(file: PredictionFile) -> dict[str, Any]:
    """All rows as one set of columns."""
    columns: dict[str, Any] = {"ids": [], "texts": [], "lines": [], "fields": {}}
    for batch in file.batches():
        assert len(batch) <= BATCH_ROWS
        assert len(batch.ids) == len(batch.texts) == len(batch.lines) == len(batch)
        for name, values in batch.fields.items():
            assert len(values) == len(batch)
            before = columns["fields"].setdefault(name, [None] * len(columns["ids"]))
            before.extend(values)
        columns["ids"] += batch.ids
        columns["texts"] += batch.texts
        columns["lines"] += batch.lines
        for column in columns["fields"].values():
            column.extend([None] * (len(columns["ids"]) - len(column)))
    return columns


def opened(tmp_path: Path, data: bytes, **options: Any) -> PredictionFile:
    path = tmp_path / hashlib.sha256(data).hexdigest()[:12]  # the name says nothing
    path.write_bytes(data)
    return open_predictions(path, **options)


@pytest.mark.parametrize("name", SAMPLES)
def test_format_is_found_by_content_plain_and_gzip(tmp_path: Path, name: str) -> None:
    expected, data = SAMPLES[name]
    file = opened(tmp_path, data)
    assert file.format == expected
    assert expected in FORMATS
    columns = read(file)
    assert read(file) == columns  # a second pass reads the same
    assert file.sha256 == hashlib.sha256(data).hexdigest()

    packed = gzip.compress(data)
    twin = opened(tmp_path, packed)
    assert twin.format == expected
    assert twin.carries_gold == file.carries_gold
    assert read(twin) == columns
    assert twin.sha256 == hashlib.sha256(packed).hexdigest()


@pytest.mark.parametrize("name", SAMPLES)
def test_naming_the_format_changes_nothing(tmp_path: Path, name: str) -> None:
    expected, data = SAMPLES[name]
    file = opened(tmp_path, data, format=expected)
    assert (file.format, read(file)) == (expected, read(opened(tmp_path, data)))


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_are_read_alike(tmp_path: Path, name: str, encoding: str) -> None:
    _, data = SAMPLES[name]
    if data.startswith(b"id") and encoding.endswith("e"):
        pytest.skip("UTF-16 without a mark is recognised for JSON only")
    file = opened(tmp_path, data.decode().encode(encoding))
    assert read(file) == read(opened(tmp_path, data))
    marks = {"byte_order_mark"} if encoding == "utf-8-sig" else {"utf16"}
    assert marks <= file.ledger.keys()


def columns_of(tmp_path: Path, name: str) -> tuple[PredictionFile, dict[str, Any]]:
    file = opened(tmp_path, SAMPLES[name][1])
    return file, read(file)


def test_id_to_text(tmp_path: Path) -> None:
    file, columns = columns_of(tmp_path, "id-to-text")
    assert columns == {
        "ids": ["17", "18", "19"],
        "texts": ["B", None, "(C) blue"],
        "lines": [1, 2, 3],
        "fields": {},
    }
    assert not file.carries_gold


def test_foreseaqa_answers_are_texts_and_not_gold(tmp_path: Path) -> None:
    file, columns = columns_of(tmp_path, "foreseaqa")
    assert columns["texts"] == ["B", "A"]
    assert columns["fields"] == {"answer": ["B", "A"], "interval": [[1.5, 2], None]}
    assert not file.carries_gold


def test_answer_beside_a_response_is_gold(tmp_path: Path) -> None:
    file, columns = columns_of(tmp_path, "id-to-row")
    assert (columns["texts"], columns["fields"]["gold"]) == (["B"], ["A"])
    assert file.carries_gold


def test_lmms_eval_samples(tmp_path: Path) -> None:
    file, columns = columns_of(tmp_path, "lmms-eval-samples")
    assert columns["ids"] == ["0", "1"]
    assert columns["texts"] == ["The answer is B", "C"]  # resps left out where equal
    assert columns["fields"] == {"filtered": ["B", "C"], "gold": ["B", "A"]}
    assert file.carries_gold


def test_mathvista_files_carry_what_their_rules_need(tmp_path: Path) -> None:
    file, columns = columns_of(tmp_path, "mathvista")
    assert columns["ids"] == ["7", "8"]
    assert columns["texts"] == ["It is (B).", None]
    assert columns["fields"] == {
        "answer_type": ["text", "float"],
        "error": [None, "timed out"],
        "extraction": ["B", None],
        "gold": ["blue", "1.2"],
        "options": [["red", "blue"], None],
        "precision": [None, 1],
        "query": ["Which?", "How long?"],
        "question_type": ["multi_choice", "free_form"],
        "skills": [["logic"], None],
        "task": ["figure", "textbook"],
    }
    assert file.carries_gold


def test_ids_in_the_payload_of_lmms_eval_are_the_data_sets_own(tmp_path: Path) -> None:
    _, columns = columns_of(tmp_path, "lmms-eval mathvista")
    assert columns["ids"] == ["1"]
    assert columns["fields"]["extraction"] == ["1.2"]
    assert columns["fields"]["precision"] == [1.0]
    _, columns = columns_of(tmp_path, "lmms-eval docvqa test")
    assert columns["ids"] == ["57344"]


def test_videollama3_files_carry_extractions_and_recorded_verdicts(tmp_path: Path) -> None:
    _, columns = columns_of(tmp_path, "videollama3 chartqa")
    assert columns["fields"]["gold"] == [["blue"], "blue"]
    assert columns["fields"]["recorded_verdict"] == [True, None]
    assert columns["fields"]["extraction"] == [None, "B"]
    assert columns["fields"]["answer_type"] == [None, "text"]


def test_vlmevalkit_tables_carry_the_judges_extraction(tmp_path: Path) -> None:
    _, columns = columns_of(tmp_path, "vlmevalkit mathvista")
    assert columns["fields"]["extraction"] == ["B"]
    assert columns["fields"]["options"] == [["red", "blue"]]


def test_lmms_eval_log_joins_by_video_and_query(tmp_path: Path) -> None:
    file, columns = columns_of(tmp_path, "lmms-eval-log")
    assert columns["ids"] == [None]
    assert columns["texts"] == ["B "]
    assert columns["fields"] == {
        "filtered": ["B"],
        "gold": ["(B) blue"],
        "options": [["(A) red", "(B) blue"]],
        "query": ["Which colour?"],
        "question_type": [["reasoning"]],
        "time_reference": ["00:10-00:20"],
        "video": ["v1"],
        "video_type": ["cartoon"],
    }
    assert file.carries_gold


@pytest.mark.parametrize("name", ["vlmevalkit json", "vlmevalkit tsv", "vlmevalkit csv"])
def test_vlmevalkit(tmp_path: Path, name: str) -> None:
    file, columns = columns_of(tmp_path, name)
    assert columns["ids"] == ["0", "1"]
    assert columns["texts"] == ["B.", None]
    assert columns["fields"]["options"] == [["A. red", "B. it's blue"], ["A. 1", "B. 2"]]
    assert columns["fields"]["query"] == ["Which colour?", "How\nmany?"]
    assert columns["fields"]["gold"] == ["B", "A"]
    assert file.carries_gold


def test_vlmevalkit_nan_is_missing_and_lettered_columns_are_options(tmp_path: Path) -> None:
    options = '"A": "x", "B": 2, "C": NaN'
    row = '{"index": 0, "question": "?", "answer": "A", "prediction": NaN, ' + options + "}"
    file = opened(tmp_path, f"[{row}]".encode())
    columns = read(file)
    assert columns["texts"] == [None]
    assert columns["fields"]["options"] == [["x", "2"]]
    assert file.ledger == {"nan_as_missing": 1}


def test_a_tsv_cell_of_one_megabyte(tmp_path: Path) -> None:
    rows = [{**VLM_ROWS[0], "prediction": "x" * 1_000_000}]
    assert read(opened(tmp_path, separated(rows, "\t")))["texts"] == ["x" * 1_000_000]


def test_videollama3(tmp_path: Path) -> None:
    file, columns = columns_of(tmp_path, "videollama3")
    assert columns["ids"] == ["0"]
    assert columns["texts"] == ["B"]
    assert columns["fields"] == {
        "gold": ["A"],
        "question_type": ["reasoning"],
        "video": ["v1"],
    }
    assert file.carries_gold
    _, columns = columns_of(tmp_path, "videollama3 grounding")
    assert columns["fields"] == {"gold": [[1, 3]], "intervals": [[[1.0, 2.0]]]}
    _, columns = columns_of(tmp_path, "videollama3 subsets")
    assert columns["ids"] == ["001-1", "001-1"]
    assert columns["fields"]["subset"] == ["without_subtitle", "with_subtitle"]
    file, columns = columns_of(tmp_path, "videollama3 lines")
    assert (columns["ids"], columns["texts"], columns["lines"]) == (["3"], ["A"], [2])
    assert file.ledger == {"rows_without_prediction": 1}


def test_grounding_files(tmp_path: Path) -> None:
    _, columns = columns_of(tmp_path, "timechat")
    assert columns["fields"] == {
        "intervals": [[[1.0, 2.5]], []],
        "query": ["a door opens", "rain"],
        "video": ["v1.mp4", "v2.mp4"],
    }
    file, columns = columns_of(tmp_path, "timelens")
    assert columns["fields"] == {
        "gold": [[[1.0, 2.5]]],
        "intervals": [[[1.0, 2.0]]],
        "query": ["a door opens"],
        "video": ["v1"],
    }
    assert (columns["ids"], columns["texts"]) == ([None], ["From 1 to 2 seconds"])
    assert file.carries_gold
    _, columns = columns_of(tmp_path, "charades submission")
    assert columns["fields"]["query"] == ["a >>> sign", "rain"]
    assert columns["texts"] == ["1.0 - 2.0", None]
    _, columns = columns_of(tmp_path, "vue-tr")
    assert columns["fields"]["intervals"] == [[[5.0, 4.0], [7.0, 7.0]], []]
    assert columns["ids"] == ["0", "1"]
    _, columns = columns_of(tmp_path, "vtimellm")
    assert columns["fields"]["sentence_id"] == [2, 2]
    assert columns["texts"] == ["From 17 to 34."] * 2
    _, columns = columns_of(tmp_path, "qvhighlights")
    assert columns["fields"]["intervals"][0] == [[0.0, 7.0], [8.0, 9.0]]
    assert columns["fields"]["scores"][0] == [0.9, 0.1]


def test_a_log_of_one_line_is_a_log(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(
        '{"video_id": "v", "task": "grounding", "query_id": 0, "answer": "From 17 to 34.", '
        '"info": {"sentence_id": 2, "iou": 0.5}}\n'
    )
    file = open_predictions(path)
    columns = read(file)
    assert file.format == "vtimellm"
    assert columns["texts"] == ["From 17 to 34."]
    assert columns["fields"]["sentence_id"] == [2]


def test_nested_templates(tmp_path: Path) -> None:
    file, columns = columns_of(tmp_path, "videomme")
    assert (columns["ids"], columns["texts"]) == (["001-1"], ["B. 2."])
    assert columns["fields"]["query"] == ["How many, [x,]?"]
    assert columns["fields"]["options"] == [["A. 1.", "B. 2."]]
    assert file.ledger == {"trailing_commas": 3}
    _, columns = columns_of(tmp_path, "tempcompass")
    assert (columns["texts"], columns["fields"]["gold"]) == (["A"], ["A. run"])
    _, columns = columns_of(tmp_path, "mlvu")
    assert columns["fields"]["query"] == ["How many?\n(A) 1\n(B) 2"]
    assert (columns["texts"], columns["fields"]["gold"]) == (["B) 2"], ["(B) 2"])


def test_rows_in_memory() -> None:
    file = open_predictions({17: "B", "18": None})
    assert (file.format, read(file)["ids"], read(file)["texts"]) == (
        "memory",
        ["17", "18"],
        ["B", None],
    )
    assert file.sha256 == open_predictions({"17": "B", "18": None}).sha256
    assert file.sha256 != open_predictions({"17": "B", "18": "A"}).sha256
    rows = open_predictions([{"id": 1.0, "pred": "x", "video": 3}])
    assert read(rows) == {
        "ids": ["1"],
        "texts": ["x"],
        "lines": [1],
        "fields": {"video": ["3"]},
    }
    with pytest.raises(InputError, match="<memory>: holds no rows"):
        open_predictions([])


def test_repeated_ids_are_all_given(tmp_path: Path) -> None:
    columns = read(opened(tmp_path, b'{"1": "a", "2": "b\\\\", "1": "c"}'))
    assert (columns["ids"], columns["texts"]) == (["1", "2", "1"], ["a", "b\\", "c"])
    columns = read(opened(tmp_path, b'{"1": "a", "2": "\\"", "1": "c"}'))
    assert columns["ids"] == ["1", "2", "1"]
    columns = read(opened(tmp_path, b'{"1": {"text": "a"}, "1": {"text": "b"}}'))
    assert columns["texts"] == ["a", "b"]


def test_a_long_map_keeps_its_order(tmp_path: Path) -> None:
    answers = {f"q{i}": None if i % 7 == 0 else f"text {i}" for i in range(BATCH_ROWS + 10_000)}
    columns = read(opened(tmp_path, json.dumps(answers).encode()))
    assert columns["ids"] == list(answers)
    assert columns["texts"] == list(answers.values())
    assert columns["lines"] == list(range(1, len(answers) + 1))
    with pytest.raises(InputError, match=":2 field 'id': not an id, got ''"):
        read(opened(tmp_path, b'{"1": "a", "": "b"}'))


def test_fields_can_be_chosen(tmp_path: Path) -> None:
    data = b'{"id": 1, "text": "a", "mine": "b", "key": 7}\n' * 2
    columns = read(opened(tmp_path, data, id_field="key", text_field="mine"))
    assert (columns["ids"], columns["texts"]) == (["7", "7"], ["b", "b"])
    columns = read(opened(tmp_path, data, wanted=["mine"]))
    assert columns["fields"] == {"mine": ["b", "b"]}
    rows = SAMPLES["vue-tr"][1]
    columns = read(opened(tmp_path, rows, wanted=["query_id"]))
    assert columns["fields"]["query_id"] == [0, 1]
    with pytest.raises(InputError, match="do not apply to timechat"):
        opened(tmp_path, SAMPLES["timechat"][1], text_field="query")
    with pytest.raises(InputError, match=r"--text-field names a field.*'other'.*id, text"):
        opened(tmp_path, data, text_field="other")


def test_ids_and_numbers_keep_their_digits(tmp_path: Path) -> None:
    big = 123456789012345678901234567890
    data = b'{"id": %d, "text": %d}\n{"id": 3.0, "text": 2.5}\n' % (big, big)
    columns = read(opened(tmp_path, data))
    assert (columns["ids"], columns["texts"]) == ([str(big), "3"], [str(big), "2.5"])
    columns = read(opened(tmp_path, b'{"id": 1, "text": %s}\n' % (b"9" * 5000) * 2))
    assert columns["texts"] == ["9" * 5000] * 2
    columns = read(opened(tmp_path, b'[{"id": %d, "text": "a"}]' % big))
    assert columns["ids"] == [str(big)]


def test_changing_fields_become_columns_with_holes(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"id": str(i), "text": "t"} for i in range(5000)]
    rows[7]["error"] = "timeout"
    rows[4000]["finish_reason"] = "length"
    del rows[4100]["text"]
    columns = read(opened(tmp_path, "\n".join(map(json.dumps, rows)).encode()))
    assert columns["ids"] == [row["id"] for row in rows]
    assert columns["lines"] == list(range(1, 5001))
    assert columns["fields"]["error"][7] == "timeout"
    assert columns["fields"]["finish_reason"][4000] == "length"
    assert sum(value is not None for value in columns["fields"]["error"]) == 1
    assert columns["texts"][4100] is None


def test_batches_are_bounded_in_rows_and_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = b'{"id":1,"text":""}\n' * (BATCH_ROWS + 1000)
    sizes = [len(batch) for batch in opened(tmp_path, small).batches()]
    assert sum(sizes) == BATCH_ROWS + 1000
    assert max(sizes) <= BATCH_ROWS
    monkeypatch.setattr(batch_module, "_BATCH_CHARACTERS", 1 << 20)
    long = json.dumps({"id": 1, "text": "x" * 100_000}).encode() + b"\n"
    sizes = [len(batch) for batch in opened(tmp_path, long * 100).batches()]
    assert sum(sizes) == 100
    assert max(sizes) <= 40


texts = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=[])),
    st.sampled_from(["\u2028", "\x85", "\ud800", "a\x0bb", "\r", "\x1c", '"', "\\"]),
)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-5, 10**30) | st.text(min_size=1), texts), min_size=2),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
)
def test_lines_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int | str, str | None]],
    ascii_only: bool,
    end: str,
) -> None:
    data = "".join(
        json.dumps({"id": identifier, "text": text}, ensure_ascii=ascii_only) + end
        for identifier, text in rows
    ).encode("utf-8", "surrogatepass")
    columns = read(opened(tmp_path_factory.mktemp("rows"), data))
    assert columns["ids"] == [str(identifier) for identifier, _ in rows]
    assert columns["texts"] == [text for _, text in rows]


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1), min_size=1), st.booleans())
def test_maps_round_trip(
    tmp_path_factory: pytest.TempPathFactory, answers: dict[str, str], ascii_only: bool
) -> None:
    data = json.dumps(answers, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    file = opened(tmp_path_factory.mktemp("map"), data, format="id-to-text")
    columns = read(file)
    assert columns["ids"] == list(answers)
    assert columns["texts"] == list(answers.values())


@pytest.mark.parametrize("place", [0, 1, 8_191, 8_192, 8_193, 20_000, 39_999])
def test_no_row_is_lost_where_rows_begin_to_hold_more(tmp_path: Path, place: int) -> None:
    """Bare rows are read in larger slices than others; the change of pace loses nothing."""
    rows = [{"id": str(i), "text": "B"} for i in range(40_000)]
    for i in range(place, len(rows)):
        rows[i]["sample"] = "0"
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    batches = list(open_predictions(path).batches())
    assert [i for batch in batches for i in batch.ids] == [row["id"] for row in rows]
    assert [line for batch in batches for line in batch.lines] == list(range(1, 40_001))


@given(
    st.lists(
        st.sampled_from(['{"id": "1", "text": "B"}', '{"id": 2, "text": "A", "x": 1}', "", " "]),
        min_size=1,
        max_size=60,
    ),
    st.integers(1, 7),
    st.integers(1, 7),
)
def test_slices_of_any_size_give_every_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], rows: int, bare_rows: int
) -> None:
    from fastvbench.formats import _chunks

    lines = ['{"id": "0", "text": "C"}', *lines]
    path = tmp_path_factory.mktemp("slices") / "answers.jsonl"
    path.write_text("\n".join(lines) + "\n")
    wanted = [number for number, line in enumerate(lines, 1) if line.strip()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_chunks, "_CHUNK_ROWS", rows)
        patch.setattr(_chunks, "_BARE_CHUNK_ROWS", bare_rows)
        batches = list(open_predictions(path).batches())
    assert [line for batch in batches for line in batch.lines] == wanted
