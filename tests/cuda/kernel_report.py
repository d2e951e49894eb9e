"""What nvcc makes of each kernel, written into cpp/cuda/README.md: `make cuda-report`.

    python -m tests.cuda.kernel_report [--check] [--nvdisasm PATH]

For each architecture that CMake builds code for, every cpp/cuda/*.cu is compiled once more, with
the same options, and asked for registers, stack, spills and shared memory; its machine code is
searched for int8 tensor-core products (IMMA) and 16-byte loads. A spill in any kernel is an error.
With ``--check`` nothing is written: the README must hold what would be.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "cpp" / "cuda"
README = FOLDER / "README.md"
BEGIN, END = "<!-- kernels: begin -->", "<!-- kernels: end -->"
ARCHITECTURES = ("sm_80", "sm_90")

ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")
SECTION = re.compile(r"^\s*\.section\s+\.text\.(\S+?),", re.MULTILINE)


@dataclass
class Kernel:
    """One kernel's code for one architecture."""

    name: str  # as in the source, with template arguments
    registers: int = 0
    stack: int = 0
    spills: int = 0
    shared: int = 0
    imma: int | None = None  # None: not disassembled
    wide_loads: int | None = None


@dataclass
class Report:
    """Kernels by name, then by architecture."""

    compiler: str
    kernels: dict[str, dict[str, Kernel]] = field(default_factory=dict)


def main() -> int:
    """Writes or checks the table; 1 where it is stale or a kernel spills."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail where the README is stale")
    parser.add_argument("--nvdisasm", help="by default looked for in CUDA and in triton's package")
    arguments = parser.parse_args()
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not Path(nvcc).exists():
        print("there is no nvcc here: the table stays as it is")
        return 0
    report = measure(nvcc, arguments.nvdisasm or find_nvdisasm())
    spilling = sorted(
        f"{kernel.name} ({architecture})"
        for by_architecture in report.kernels.values()
        for architecture, kernel in by_architecture.items()
        if kernel.spills > 0
    )
    text = README.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    fresh = head + BEGIN + "\n" + table(report) + END + rest.partition(END)[2]
    if arguments.check and fresh != text:
        print("cpp/cuda/README.md is stale: run `make cuda-report`")
        return 1
    if not arguments.check:
        README.write_text(fresh, encoding="utf-8")
    print(table(report))
    if spilling:
        print("kernels that spill registers: " + ", ".join(spilling))
    return 1 if spilling else 0


def find_nvdisasm() -> str | None:
    """The disassembler of the CUDA toolkit, else of triton, which brings one."""
    found = shutil.which("nvdisasm") or shutil.which("nvdisasm", path="/usr/local/cuda/bin")
    spec = importlib.util.find_spec("triton")
    if found is None and spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "backends" / "nvidia" / "bin" / "nvdisasm"
        found = str(bundled) if bundled.exists() else None
    return found


def measure(nvcc: str, nvdisasm: str | None) -> Report:
    """Compiles every driver for every architecture."""
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    release = re.search(r"release (\S+),", version)
    report = Report("nvcc " + (release.group(1) if release else "of unknown version"))
    jobs = [(s, a) for s in sorted(FOLDER.glob("*.cu")) for a in ARCHITECTURES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kernels, (_, architecture) in zip(
            pool.map(lambda job: compile_one(nvcc, nvdisasm, *job), jobs), jobs, strict=True
        ):
            for kernel in kernels:
                report.kernels.setdefault(kernel.name, {})[architecture] = kernel
    return report


def compile_one(nvcc: str, nvdisasm: str | None, source: Path, architecture: str) -> list[Kernel]:
    """Compiles one driver to machine code and reads what the assembler says."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "code.cubin"
        command = [nvcc, "-cubin", f"-arch={architecture}", "-std=c++17", "-O3", "-fmad=false"]
        command += ["-DNDEBUG", "-Xptxas=-v"]
        for path in (FOLDER, PROJECT / "cpp" / "include", PROJECT / "cpp" / "src"):
            command += ["-I", str(path)]
        done = subprocess.run(
            [*command, str(source), "-o", str(target)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise SystemExit(f"{source.name} for {architecture}:\n{done.stderr}")
        found = read_assembler(done.stderr)
        if nvdisasm is not None and found:
            count_instructions(nvdisasm, target, found)
    names = demangled(list(found))
    for mangled, kernel in found.items():
        kernel.name = names[mangled]
    return list(found.values())


def read_assembler(text: str) -> dict[str, Kernel]:
    """Kernels by their mangled names, from what ``ptxas -v`` prints."""
    found: dict[str, Kernel] = {}
    current = None
    for line in text.splitlines():
        if match := ENTRY.search(line):
            current = found.setdefault(match.group(1), Kernel(match.group(1)))
        elif current is not None and (match := STACK.search(line)):
            current.stack, current.spills = int(match[1]), int(match[2]) + int(match[3])
        elif current is not None and (match := REGISTERS.search(line)):
            current.registers = int(match[1])
            shared = SHARED.search(line)
            current.shared = int(shared[1]) if shared else 0
            current = None
    return found


def count_instructions(nvdisasm: str, target: Path, kernels: dict[str, Kernel]) -> None:
    """Counts instructions of interest in the machine code."""
    done = subprocess.run([nvdisasm, str(target)], capture_output=True, text=True, check=True)
    parts = SECTION.split(done.stdout)
    for mangled, code in zip(parts[1::2], parts[2::2], strict=True):
        if mangled in kernels:
            kernels[mangled].imma = len(re.findall(r"\bIMMA\.16832\.S8\.S8\b", code))
            kernels[mangled].wide_loads = len(re.findall(r"\bLDG\.E\.128\b", code))


def demangled(names: list[str]) -> dict[str, str]:
    """Short names: without namespaces, parameters and casts."""
    done = subprocess.run(
        ["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True
    )
    short = {}
    for mangled, full in zip(names, done.stdout.splitlines(), strict=True):
        name = re.sub(r"^void ", "", full)
        name = name[: _parameters_begin(name)]
        name = re.sub(r"fastvbench::(cuda::)?|\(anonymous namespace\)::", "", name)
        short[mangled] = re.sub(r"\((?:[A-Za-z_:]+)\)(\d+)", r"\1", name)
    return short


def _parameters_begin(name: str) -> int:
    depth = 0
    for place, character in enumerate(name):
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "(" and depth == 0 and not name.startswith("(anonymous", place):
            return place
    return len(name)


def table(report: Report) -> str:
    """The README's table."""
    both = " / ".join(ARCHITECTURES)
    lines = [
        f"By {report.compiler}, for {both}; bytes of stack, spills and shared memory (static).",
        "",
        "| kernel | registers | stack | spills | shared | int8 products (IMMA) | 16-byte loads |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, by_architecture in sorted(report.kernels.items()):
        kernels = [by_architecture[architecture] for architecture in ARCHITECTURES]
        cells = [
            _pair([getattr(kernel, column) for kernel in kernels])
            for column in ("registers", "stack", "spills", "shared", "imma", "wide_loads")
        ]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _pair(values: list[int | None]) -> str:
    texts = ["?" if value is None else str(value) for value in values]
    return texts[0] if len(set(texts)) == 1 else " / ".join(texts)


if __name__ == "__main__":
    sys.exit(main())
