"""Measures on this device and writes benchmarks/results/gpu-<name>.json; see run.py."""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import re
import sys
import traceback
from pathlib import Path

import torch
from benchmarks.gpu.bench import Bench

import fastvbench as fvb

FOLDER = Path(__file__).resolve().parent
RESULTS = FOLDER.parent / "results"


def main() -> int:
    """Runs the families whose name holds ``--only``; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--name", default="")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("torch finds no CUDA device: nothing to measure")
        return 1
    bench = Bench.on_this_device()
    print(_ceilings_text(bench))
    failed = []
    for path in sorted(FOLDER.glob("bench_*.py")):
        if arguments.only not in path.stem:
            continue
        try:
            importlib.import_module(f"benchmarks.gpu.{path.stem}").measure(bench)
        except (RuntimeError, ValueError, TypeError, MemoryError, AssertionError):
            traceback.print_exc()
            failed.append(path.stem)
        torch.cuda.empty_cache()
    print(bench.table())
    device = torch.cuda.get_device_name()
    name = arguments.name or re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")
    target = RESULTS / f"gpu-{name}.json"
    result = {"environment": _environment(device)} | bench.as_json() | {"failed": failed}
    target.write_text(json.dumps(result, indent=1) + "\n")
    print(f"wrote {target.relative_to(FOLDER.parents[1])}")
    return 1 if failed else 0


def _environment(device: str) -> dict[str, object]:
    properties = torch.cuda.get_device_properties(0)
    return {
        "device": device,
        "compute_capability": f"{properties.major}.{properties.minor}",
        "multiprocessors": properties.multi_processor_count,
        "memory_bytes": properties.total_memory,
        "torch": torch.__version__,
        "torch_cuda": torch.version.cuda,
        "fastvbench": fvb.__version__,
        "fastvbench_cuda": importlib.import_module("fastvbench._cuda").runtime_version(),
        "python": platform.python_version(),
    }


def _ceilings_text(bench: Bench) -> str:
    ceilings = bench.ceilings
    return (
        f"ceilings of this run: copy {ceilings.copy_bytes_per_second / 1e12:.2f} TB/s; products "
        f"fp32 {ceilings.fp32_flops / 1e12:.0f}, tf32 {ceilings.tf32_flops / 1e12:.0f}, "
        f"bf16 {ceilings.bf16_flops / 1e12:.0f}, int8 {ceilings.int8_operations / 1e12:.0f} T/s"
    )


if __name__ == "__main__":
    sys.exit(main())
