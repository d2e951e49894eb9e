"""`make gpu`: builds, tests and measures on a machine with a GPU, without a network.

    python -m benchmarks.gpu.run [build] [tests] [sanitizer] [bench] [--only NAME] [--name NAME]

Parts run in this order; without any named, all do. A later run after a fix names the parts that it
needs. Results go to benchmarks/results/gpu-<name>.json.
"""

from __future__ import annotations

import argparse
import os
import shutil
import site
import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ENVIRONMENT = PROJECT / ".venv-gpu"
PYTHON = ENVIRONMENT / "bin" / "python"
PARTS = ("build", "tests", "sanitizer", "bench")
SANITIZERS = ("memcheck", "racecheck")
SANITIZER_SECONDS = 150


def main() -> int:
    """Runs the parts that the command line names; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--only", default="", help="tests (-k) and bench_*.py files with this name")
    parser.add_argument("--name", help="of the results file; by default the device's")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}; expected {', '.join(PARTS)}")
    if arguments.parts and "build" not in arguments.parts and not PYTHON.exists():
        parser.error("nothing is built yet: name the part build too")
    actions = {"build": build, "tests": run_tests, "sanitizer": sanitize, "bench": bench}
    failed = []
    for part in PARTS:
        if arguments.parts and part not in arguments.parts:
            continue
        begin = time.monotonic()
        print(f"==> {part}", flush=True)
        succeeded = actions[part](arguments)
        print(
            f"==> {part}: {'ok' if succeeded else 'FAILED'}, {time.monotonic() - begin:.0f} s",
            flush=True,
        )
        if not succeeded:
            failed.append(part)
            if part == "build":
                break
    print("failed: " + ", ".join(failed) if failed else "all parts ok")
    return 1 if failed else 0


def build(_arguments: argparse.Namespace) -> bool:
    """Installs into .venv-gpu, which sees the system's packages, with what is there already."""
    if not PYTHON.exists():
        command = [sys.executable, "-m", "venv", "--system-site-packages", "--without-pip"]
        if _run([*command, str(ENVIRONMENT)]) != 0:
            return False
        if sys.prefix != sys.base_prefix:  # "system" would be that of the base, not of this one
            for packages in ENVIRONMENT.glob("lib/python*/site-packages"):
                (packages / "parent.pth").write_text("\n".join(site.getsitepackages()))
    command = [sys.executable, "-m", "pip", "--python", str(PYTHON), "install", "--no-deps"]
    command += ["--no-index", "--no-build-isolation", "--force-reinstall", "--quiet"]
    command += ["--config-settings=build-dir=build/gpu"]
    command += ["--config-settings=cmake.define.FASTVBENCH_CUDA=ON", str(PROJECT)]
    environment = {
        "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 4),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    if _run(command, environment) != 0:
        return False
    program = (
        "import fastvbench as f, json; about = f.info(); print(json.dumps(about, indent=1)); "
        "raise SystemExit(not about['cuda'])"
    )
    return _run([str(PYTHON), "-c", program], folder=PROJECT / "build") == 0


def run_tests(arguments: argparse.Namespace) -> bool:
    """tests/gpu on the installed package."""
    # Elsewhere a warning is an error; here versions of libraries are whatever the machine has.
    command = [str(PYTHON), "-m", "pytest", "-q", "tests/gpu", "-W", "default"]
    command += ["-p", "no:cacheprovider"]
    if arguments.only:
        command += ["-k", arguments.only]
    return _run(command) == 0


def sanitize(_arguments: argparse.Namespace) -> bool:
    """compute-sanitizer over small calls of everything, where the tool exists."""
    tool = shutil.which("compute-sanitizer")
    for folder in ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"):
        tool = tool or shutil.which("compute-sanitizer", path=folder)
    if tool is None:
        print("SKIPPED: there is no compute-sanitizer here")
        return True
    succeeded = True
    for name in SANITIZERS:
        print(f"-- {name}", flush=True)
        command = [tool, "--tool", name, "--error-exitcode", "9"]
        command += ["--kernel-regex", "kns=fastvbench", str(PYTHON), "-m", "tests.gpu.small_calls"]
        try:
            succeeded &= _run(command, seconds=SANITIZER_SECONDS) == 0
        except subprocess.TimeoutExpired:
            print(f"FAILED: {name} took more than {SANITIZER_SECONDS} s")
            succeeded = False
    return succeeded


def bench(arguments: argparse.Namespace) -> bool:
    """Runs `measure(bench)` of each bench_*.py, in the environment with the package."""
    command = [str(PYTHON), "-m", "benchmarks.gpu.run_bench", "--only", arguments.only]
    if arguments.name:
        command += ["--name", arguments.name]
    return _run(command) == 0


def _run(
    command: list[str],
    more_environment: dict[str, str] | None = None,
    *,
    folder: Path = PROJECT,
    seconds: float | None = None,
) -> int:
    folder.mkdir(exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment | (more_environment or {}),
        check=False,
        timeout=seconds,
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
