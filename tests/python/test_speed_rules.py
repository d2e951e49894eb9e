"""The clock of benchmarks/: answers first, interleaved rounds, floors, rivals in own processes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from benchmarks import contenders, rules
from benchmarks import ledger as ledgers
from benchmarks.contenders import Here

PROJECT = Path(__file__).resolve().parents[2]


class FakeBenchmark:
    """Stands in for pytest-benchmark's fixture: as much of it as the clock uses."""

    def __init__(self, disabled=False):
        self.disabled = disabled
        self.extra_info = {}
        self.pedantic_rounds = []

    def pedantic(self, target, setup=None, rounds=1):
        self.pedantic_rounds.append(rounds)
        data = []
        for _ in range(rounds):
            if setup is not None:
                assert setup() is None  # anything else would be passed on as arguments
            data.append(Here(target).seconds(1))
        self.stats = SimpleNamespace(stats=SimpleNamespace(data=data))


def same(name, ours, theirs):
    assert ours == theirs, name


def run_case(ours, rivals, check=same, *, ledger=None, disabled=False, **options):
    benchmark = FakeBenchmark(disabled)
    ledger = ledgers.Ledger() if ledger is None else ledger
    options = {"rounds": 3, "warmup": 1, **options}
    rows = rules.compare(
        ours, rivals, check, case="family/case", benchmark=benchmark, ledger=ledger, **options
    )
    return SimpleNamespace(rows=rows, benchmark=benchmark, ledger=ledger)


class Clock:
    """Time that passes only in `busy` calls, and a little at each look: no neighbour moves it."""

    now = 0.0

    @classmethod
    def look(cls):
        cls.now += 1e-9
        return cls.now


@pytest.fixture(autouse=True)
def quiet_clock(monkeypatch):
    monkeypatch.setattr(contenders, "time", SimpleNamespace(perf_counter=Clock.look))


def busy(seconds, value=1):
    def call():
        Clock.now += seconds
        return value

    return call


def test_a_wrong_answer_ends_the_case_before_anything_is_timed():
    ledger = ledgers.Ledger()
    with pytest.raises(AssertionError, match="slow"):
        run_case(lambda: 1, {"slow": lambda: 2}, ledger=ledger)
    assert ledger.rows == []


def test_rounds_are_interleaved_and_the_answers_come_first():
    log = []
    run_case(
        lambda: log.append("ours"), {"a": lambda: log.append("a"), "b": lambda: log.append("b")}
    )
    answers, timed = log[:3], log[3:]
    assert answers == ["ours", "a", "b"]
    assert timed == ["a", "b", "ours"] * 4  # one warm-up and three rounds


def test_the_ratio_is_how_many_times_faster_we_are():
    (row,) = run_case(busy(0.002), {"rival": busy(0.008)}, rounds=5).rows
    assert row.ratio == pytest.approx(4, rel=1e-3)
    assert row.ratio_low == pytest.approx(row.ratio_high, rel=1e-3)
    assert row.rounds == 5


def test_times_are_per_call():
    (row,) = run_case(busy(0.001), {"rival": busy(0.001)}, calls=4).rows
    assert row.ours_seconds == pytest.approx(0.001, rel=1e-3)
    assert row.rival_seconds == pytest.approx(0.001, rel=1e-3)


def test_rivals_may_get_a_share_of_the_rows():
    (row,) = run_case(busy(0.004), {"rival": busy(0.001)}, rival_share=0.125).rows
    assert row.rival_seconds == pytest.approx(0.008, rel=1e-3)
    assert row.ratio == pytest.approx(2, rel=1e-3)


def test_ratios_are_kept_with_the_benchmark():
    result = run_case(busy(0.001), {"rival": busy(0.002)})
    assert result.benchmark.extra_info["case"] == "family/case"
    assert result.benchmark.extra_info["ratio to rival"] == round(result.rows[0].ratio, 3)


def test_disabled_benchmarks_still_check_the_answers():
    result = run_case(lambda: 1, {"rival": lambda: 1}, disabled=True)
    assert result.rows == []
    with pytest.raises(AssertionError):
        run_case(lambda: 1, {"rival": lambda: 2}, disabled=True)


@pytest.mark.parametrize("gate", [False, True])
def test_a_missed_floor_is_measured_once_more_and_then_fails_the_gate(gate):
    rounds_run = []
    ledger = ledgers.Ledger(floors={"family/case": {"rival": 1e6}}, gate=gate)

    def ours():
        rounds_run.append(1)

    if gate:
        with pytest.raises(AssertionError, match=r"family/case: .*x rival, floor 1000000.0"):
            run_case(ours, {"rival": lambda: None}, ledger=ledger)
    else:
        run_case(ours, {"rival": lambda: None}, ledger=ledger)
    assert len(rounds_run) == 1 + 2 * (1 + 3)  # the answer, then twice one warm-up and three rounds
    (row,) = ledger.rows
    assert row.remeasured
    assert ledger.missed() == [row]
    assert "MISSED (measured twice)" in ledgers.table(ledger.rows)[1]


def test_a_met_floor_is_measured_once():
    ledger = ledgers.Ledger(floors={"family/case": {"rival": 0.001}}, gate=True)
    (row,) = run_case(busy(0.001), {"rival": busy(0.001)}, ledger=ledger).rows
    assert not row.remeasured
    assert ledger.unmeasured() == []


def test_a_floor_without_a_measurement_is_named():
    ledger = ledgers.Ledger(floors={"family/case": {"rival": 0.001, "absent": 1.0}})
    run_case(busy(0.001), {"rival": busy(0.001)}, ledger=ledger)
    assert ledger.unmeasured() == ["family/case: absent"]


def prepare_report(name):
    """What an isolated rival may look like; it is imported by name in its own process."""
    return lambda: (os.getpid(), os.environ.get(name))


def prepare_failure():
    raise LookupError("no such data")


def test_an_isolated_rival_runs_in_its_own_process_with_its_own_variables():
    rival = rules.Isolated(
        prepare_report,
        {"name": "FASTVBENCH_TEST_VARIABLE"},
        {"FASTVBENCH_TEST_VARIABLE": "seen"},
    )
    answers = []
    result = run_case(lambda: None, {"far": rival}, lambda _, __, theirs: answers.append(theirs))
    ((process, value),) = answers
    assert process != os.getpid()
    assert value == "seen"
    assert "FASTVBENCH_TEST_VARIABLE" not in os.environ
    assert result.rows[0].rival_seconds > 0


def test_an_isolated_rival_that_fails_is_an_error():
    rival = rules.Isolated(prepare_failure)
    with pytest.raises(rules.RivalError, match="standard error"):
        run_case(lambda: None, {"far": rival})


def test_the_results_file_holds_the_rows_and_the_surroundings(tmp_path):
    result = run_case(busy(0.001), {"rival": busy(0.001)})
    result.ledger.write(tmp_path / "folder" / "ratios.json")
    content = json.loads((tmp_path / "folder" / "ratios.json").read_text())
    assert content["rows"][0]["case"] == "family/case"
    assert content["environment"]["cpu_level"] in content["environment"]["cpu_levels"]
    assert "numpy" in content["environment"]["versions"]


def test_a_run_on_a_busy_machine_says_so():
    assert ledgers.Ledger(load_at_start=0.0).warnings() == []
    (warning,) = ledgers.Ledger(load_at_start=1000.0).warnings()
    assert "load average 1000.0" in warning


def test_every_level_with_floors_holds_the_same_cases():
    path = PROJECT / "benchmarks" / "gates.toml"
    assert ledgers.load_floors(path, "avx512").keys() == ledgers.load_floors(path, "avx2").keys()


def test_a_level_without_floors_is_named():
    with pytest.raises(ValueError, match="no floors for CPU level 'sse2'"):
        ledgers.load_floors(PROJECT / "benchmarks" / "gates.toml", "sse2")
