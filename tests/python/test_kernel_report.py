"""The table of CUDA kernels in cpp/cuda/README.md names every kernel, and none spills."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cuda import kernel_report

CUDA = Path(__file__).resolve().parents[2] / "cpp" / "cuda"

ASSEMBLER_SAYS = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1aIfEvv' for 'sm_90'
ptxas info    : Function properties for _Z1aIfEvv
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 64 bytes smem
ptxas info    : Compiling entry function '_Z1bv' for 'sm_90'
ptxas info    : Function properties for _Z1bv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
"""


def table_rows() -> dict[str, list[str]]:
    """Cells by kernel, template arguments included."""
    table = (CUDA / "README.md").read_text().partition(kernel_report.BEGIN)[2]
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \|$", table, re.MULTILINE)
    return {name: cells.split(" | ") for name, cells in rows}


def test_every_kernel_is_in_the_table():
    declared = {
        name
        for path in (CUDA / "kernels").glob("*.cuh")
        for name in re.findall(r"FASTVBENCH_KERNEL(?:_BOUNDED)?\((\w+)", path.read_text())
    }
    assert {name.partition("<")[0] for name in table_rows()} == declared


def test_no_kernel_spills():
    spills = {name: cells[2] for name, cells in table_rows().items()}
    assert set(spills.values()) == {"0"}


def test_what_the_assembler_says_is_read():
    found = kernel_report.read_assembler(ASSEMBLER_SAYS)
    assert found["_Z1aIfEvv"] == kernel_report.Kernel("_Z1aIfEvv", 40, 16, 12, 64)
    assert found["_Z1bv"] == kernel_report.Kernel("_Z1bv", 12, 0, 0, 0)
