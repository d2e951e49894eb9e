"""The gate of instruction counts: its verdicts, its file, and what it skips."""

from __future__ import annotations

import shutil

import pytest
from benchmarks import counts
from benchmarks.counts import Stored, Verdict


@pytest.mark.parametrize(
    ("count", "wanted", "failed", "note"),
    [
        (1000, 1000, False, "+0.00%"),
        (1030, 1000, False, "+3.00%"),
        (1031, 1000, True, "MORE THAN 3% ABOVE"),
        (900, 1000, False, "well below"),
        (1000, None, True, "NOT IN"),
    ],
)
def test_a_case_fails_above_the_tolerance_or_without_a_stored_count(count, wanted, failed, note):
    verdict = Verdict("avx2", "case", count, wanted)
    assert verdict.failed is failed
    assert note in verdict.line()


def test_verdicts_are_per_level():
    verdicts = counts.compare({"avx2": {"a": 5}, "scalar": {"a": 9}}, {"avx2": {"a": 5}})
    assert [(v.level, v.wanted) for v in verdicts] == [("avx2", 5), ("scalar", None)]


def test_a_stored_case_that_nothing_counts_is_noticed_where_its_level_was_counted():
    stored = {"avx2": {"a": 5, "gone": 6}, "scalar": {"gone": 7}}
    assert counts.forgotten({"avx2": {"a": 5}}, stored) == ["avx2: gone"]


def test_the_file_reads_back_as_it_was_written(tmp_path):
    stored = Stored("gcc 12, x86_64", {"avx2": {"search 5x2 Q=1": 1_234_567}, "scalar": {"b": 2}})
    path = tmp_path / "counts.toml"
    path.write_text(counts.counts_text(stored))
    assert counts.read_counts(path) == stored
    assert counts.read_counts(tmp_path / "absent.toml") == Stored("")


def test_the_compiler_is_read_from_the_program(tmp_path):
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF..GCC: (Debian 12.2.0-14+deb12u1) 12.2.0\0")
    assert counts.compiler_of(program).startswith("gcc 12, ")
    program.write_bytes(b"\x7fELF..clang version 19.1.0\0")
    assert counts.compiler_of(program).startswith("clang 19, ")
    program.write_bytes(b"\x7fELF")
    assert counts.compiler_of(program).startswith("unknown, ")


def test_another_compiler_and_a_missing_valgrind_are_said_and_fail_nothing(
    tmp_path, capsys, monkeypatch
):
    program = tmp_path / "program"
    program.write_bytes(b"clang version 99.1.0\0")
    monkeypatch.setattr(shutil, "which", lambda _: "valgrind")
    assert counts.main([str(program)]) == 0
    assert "skipped: they are" in capsys.readouterr().out
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert counts.main([str(program)]) == 0
    assert "valgrind is not installed" in capsys.readouterr().out


def test_more_instructions_fail_and_an_update_keeps_them(tmp_path, capsys, monkeypatch):
    program, stored = tmp_path / "program", tmp_path / "counts.toml"
    program.write_bytes(b"GCC: (Debian) 12.2.0\0")
    monkeypatch.setattr(shutil, "which", lambda _: "valgrind")
    monkeypatch.setattr(counts, "COUNTS", stored)
    monkeypatch.setattr(counts, "count_all", lambda _: {"scalar": {"a": 100}})
    assert counts.main([str(program), "--update"]) == 0
    assert counts.main([str(program)]) == 0
    monkeypatch.setattr(counts, "count_all", lambda _: {"scalar": {"a": 104}})
    assert counts.main([str(program)]) == 1
    monkeypatch.setattr(counts, "count_all", lambda _: {"scalar": {}})
    assert counts.main([str(program)]) == 1
    assert "no longer counted" in capsys.readouterr().out
