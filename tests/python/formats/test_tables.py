"""Tables: xlsx with what Excel does to it, tsv and csv as streams."""

from __future__ import annotations

import builtins
import datetime
import gzip
import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.python.formats.samples import VLM_ROWS, separated, xlsx_of
from tests.python.formats.test_open import opened, read

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.formats import iter_table, open_predictions

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("packed", [False, True])
def test_xlsx(tmp_path: Path, packed: bool) -> None:
    pytest.importorskip("openpyxl", reason="the extra [tables] is not installed")
    data = xlsx_of(VLM_ROWS)
    file = opened(tmp_path, gzip.compress(data) if packed else data)
    assert file.format == "vlmevalkit"
    columns = read(file)
    assert columns["ids"] == ["0", "1"]
    assert columns["texts"] == ["B.", None]
    assert columns["lines"] == [2, 3]
    assert columns["fields"]["options"][0] == ["A. red", "B. it's blue"]
    assert columns == {**read(opened(tmp_path, separated(VLM_ROWS, "\t"))), "lines": [2, 3]}


def test_what_excel_does_to_answers(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="the extra [tables] is not installed")
    answers = ["=A1+1", 5, 2.5, True, "a_x000D_\nb", datetime.time(10, 30), "NA", None]
    rows: list[dict[str, Any]] = [
        {"index": i, "question": "?", "prediction": answer} for i, answer in enumerate(answers)
    ]
    file = opened(tmp_path, xlsx_of(rows))
    expected = ["=A1+1", "5", "2.5", "True", "a\r\nb", "10:30:00", "NA", None]
    assert read(file)["texts"] == expected
    assert file.ledger == {"excel_dates": 1}
    assert not file.carries_gold


def test_damaged_xlsx(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="the extra [tables] is not installed")
    data = xlsx_of(VLM_ROWS)
    with pytest.raises(InputError, match="damaged"):
        read(opened(tmp_path, data[: len(data) // 2]))
    source = zipfile.ZipFile(io.BytesIO(data))
    broken = io.BytesIO()
    with zipfile.ZipFile(broken, "w") as archive:
        for name in source.namelist():
            content = source.read(name)
            archive.writestr(name, content[:40] if name.endswith("sheet1.xml") else content)
    with pytest.raises(InputError, match=r"damaged \.xlsx table"):
        read(opened(tmp_path, broken.getvalue()))


def test_xlsx_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openpyxl", reason="the extra [tables] is not installed")
    path = tmp_path / "t"
    path.write_bytes(xlsx_of(VLM_ROWS))
    original = builtins.__import__

    def without_openpyxl(name: str, *rest: Any) -> Any:
        if name.startswith("openpyxl"):
            raise ModuleNotFoundError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_openpyxl)
    with pytest.raises(MissingExtraError, match=r"reading \.xlsx tables needs: pip install"):
        open_predictions(path)


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b'id\ttext\n1\t"a\n\nb"\n\n2\tc "quoted"\n3\t\n4\n')
    assert list(iter_table(path)) == [
        (2, {"id": "1", "text": "a\n\nb"}),
        (6, {"id": "2", "text": 'c "quoted"'}),
        (7, {"id": "3", "text": None}),
        (8, {"id": "4", "text": None}),
    ]


def test_json_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b'[{"id": 1, "text": "a"}]')
    with pytest.raises(InputError, match="this is JSON"):
        iter_table(path)


def test_a_format_that_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read as id-to-text, got 'tsv'"):
        opened(tmp_path, b"id\ttext\n1\ta\n", format="id-to-text")
    with pytest.raises(InputError, match="cannot be read as table, got 'lines'"):
        opened(tmp_path, b'{"id": 1, "text": "a"}\n' * 2, format="table")
    with pytest.raises(InputError, match="not a map from ids to texts"):
        read(opened(tmp_path, b'[{"id": 1, "text": "a"}]', format="id-to-text"))
