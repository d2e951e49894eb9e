"""`import fastvbench` loads numpy and nothing else, in no more time than numpy itself takes."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

# Slow parts of the standard library that only commands and readers of files need.
LATER = {"argparse", "asyncio", "csv", "gzip", "http", "multiprocessing", "sqlite3", "unittest"}

LOADED_AFTER_NUMPY = """
import json, sys
import numpy
before = set(sys.modules)
import fastvbench
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(json.dumps(sorted(loaded - {"fastvbench", "numpy"})))
"""

LOADS_CUDA = """
import json, sys
import fastvbench
print(json.dumps("fastvbench._cuda" in sys.modules))
"""

IMPORT_SECONDS = """
import json, time
started = time.perf_counter()
import numpy
numpy_done = time.perf_counter()
import fastvbench
print(json.dumps([numpy_done - started, time.perf_counter() - numpy_done]))
"""


def run_python(program: str) -> object:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_import_loads_no_package_but_numpy():
    loaded = set(run_python(LOADED_AFTER_NUMPY))
    assert loaded - set(sys.stdlib_module_names) == set()


def test_import_leaves_the_cuda_extension_for_later():
    assert run_python(LOADS_CUDA) is False


def test_import_leaves_slow_standard_modules_for_later():
    assert set(run_python(LOADED_AFTER_NUMPY)) & LATER == set()


def test_import_adds_no_more_time_than_numpy_takes():
    run_python(IMPORT_SECONDS)  # fills the disk cache
    runs = [run_python(IMPORT_SECONDS) for _ in range(7)]
    numpy_seconds = statistics.median(numpy_part for numpy_part, _ in runs)
    own_seconds = statistics.median(own_part for _, own_part in runs)
    assert own_seconds <= numpy_seconds


def test_choosing_frames_loads_no_decoder():
    program = (
        "import json, sys, fastvbench.video\n"
        "fastvbench.video.parse_policy('1fps'); fastvbench.video.clip_preprocessing()\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    assert not set(run_python(program)) & {"torch", "torchvision", "torchcodec", "av", "PIL"}
