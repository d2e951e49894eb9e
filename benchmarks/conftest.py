"""Gives every bench_<family>.py the fixture `compare`, and prints the ratios when all have run."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

import pytest

# numpy reads this once, when it loads: a BLAS kernel forced on everybody is no fair rival.
if os.environ.pop("OPENBLAS_CORETYPE", None) is not None and "numpy" in sys.modules:
    raise pytest.UsageError("numpy was loaded with OPENBLAS_CORETYPE set: unset it")

from benchmarks import ledger as ledgers
from benchmarks import rules

collect_ignore = ["gpu"]  # `make gpu` runs those, with a clock of its own
FLOORS = Path(__file__).with_name("gates.toml")
LEDGER = pytest.StashKey[ledgers.Ledger]()


def pytest_addoption(parser):
    group = parser.getgroup("ratios to rivals")
    group.addoption("--gate", action="store_true", help="fail where a ratio is below its floor")
    group.addoption(
        "--ratios",
        type=Path,
        default=Path("build/bench/ratios.json"),
        metavar="FILE",
        help="where the measured ratios go (default: %(default)s)",
    )


def pytest_configure(config):
    from fastvbench import _core

    gate = config.getoption("gate")
    try:
        floors = ledgers.load_floors(FLOORS, _core.cpu_level())
    except ValueError as error:
        if gate:
            raise pytest.UsageError(str(error)) from None
        floors = {}
    config.stash[LEDGER] = ledgers.Ledger(
        floors=floors, gate=gate, load_at_start=os.getloadavg()[0]
    )


@pytest.fixture
def compare(benchmark, request):
    """`rules.compare` with this run's clock and ledger filled in."""
    ledger = request.config.stash[LEDGER]
    return functools.partial(rules.compare, benchmark=benchmark, ledger=ledger)


def pytest_sessionfinish(session, exitstatus):
    config = session.config
    ledger = config.stash[LEDGER]
    if ledger.rows:
        ledger.write(config.getoption("ratios"))
    if ledger.gate and _ran_all(config) and ledger.unmeasured():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    ledger = config.stash[LEDGER]
    if ledger.rows:
        terminalreporter.section("times faster than each rival")
        for line in ledgers.table(ledger.rows):
            terminalreporter.write_line(line)
        for warning in ledger.warnings():
            terminalreporter.write_line(f"WARNING: {warning}", yellow=True)
        terminalreporter.write_line(f"written to {config.getoption('ratios')}")
    if ledger.gate and _ran_all(config):
        for floor in ledger.unmeasured():
            terminalreporter.write_line(f"FLOOR WITHOUT A MEASUREMENT {floor}", red=True)


def _ran_all(config):
    return not config.option.keyword
