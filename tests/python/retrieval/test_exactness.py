"""The short form of `make exact`, and that it would notice an answer that is nearly right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.exact import configurations, data, run
from tests.reference.search_fast import WrongAnswerError

from fastvbench import _core

CI = configurations.ci_configurations()


@pytest.mark.parametrize("configuration", CI, ids=str)
def test_answers_are_exact(configuration):
    if "bfloat16" in (configuration.dtype, configuration.query_dtype) and run.bfloat16() is None:
        pytest.skip("bfloat16 in numpy needs the package ml_dtypes")
    assert run.check_configuration(configuration) >= len(_core.available_cpu_levels())


def values_of(chosen, name):
    return {getattr(configuration, name) for configuration in chosen}


def test_all_configurations_cover_what_they_say():
    chosen = configurations.all_configurations()
    assert len(chosen) >= 200
    assert [configuration.number for configuration in chosen] == list(range(len(chosen)))
    assert values_of(chosen, "row_count") == {*configurations.ROW_COUNTS, 1_000_000}
    assert values_of(chosen, "dimension") == set(configurations.DIMENSIONS)
    assert values_of(chosen, "query_count") == set(configurations.QUERY_COUNTS)
    assert values_of(chosen, "cut") == set(configurations.CUTS)
    assert values_of(chosen, "dtype") == set(configurations.DTYPES)
    pairs = {(c.kind, c.metric) for c in chosen}
    assert pairs == {(kind, metric) for kind in data.KINDS for metric in configurations.METRICS}
    assert {"1e-37", "1e-25", "1e25", "1e30", "mixed"} <= values_of(chosen, "row_scale")
    assert {"1e-37", "1e10", "1e25", "1e30", "mixed"} <= values_of(chosen, "query_scale")


def test_the_short_list_covers_what_it_can():
    assert len(CI) == configurations.CI_COUNT
    assert values_of(CI, "kind") == set(data.KINDS)
    for name in ("metric", "query_count", "dtype", "with_invalid", "with_ids"):
        assert values_of(CI, name) == values_of(configurations.all_configurations(), name)
    assert values_of(CI, "row_count") == set(configurations.ROW_COUNTS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", data.KINDS)
def test_data_can_be_ranked(kind, seed):
    for scale in ("1", "mixed", "1e-37", "1e30"):
        if kind == "ends_of_range" and scale != "1":
            continue
        for metric in configurations.METRICS:
            made = data.make(
                seed,
                kind,
                row_count=40,
                dimension=1 + 7 * seed,
                query_count=9,
                metric=metric,
                row_scale=scale,
                query_scale=scale,
            )
            for values in (made.row_values, made.query_values):
                assert values.dtype == np.float32
                assert np.isfinite(values).all()
                assert metric == "dot" or values.any(axis=1).all()


def test_frames_of_a_scene_are_as_near_as_they_say():
    rows = data.frames(np.random.default_rng(0), 300, 512).astype(np.float64)
    cosines = (rows[1:] * rows[:-1]).sum(axis=1)
    within = np.delete(cosines, [99, 199])
    assert within.min() > 0.9996
    assert within.max() < 0.9999
    shot = data.static_shot(np.random.default_rng(0), 20_000, 64)[5_000:15_000]
    assert np.linalg.norm(shot - shot.mean(axis=0), axis=1).max() < 1e-4


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_memory_map_is_searched_as_it_lies(tmp_path, dtype):
    made = data.make(
        5, "frames", row_count=3000, dimension=64, query_count=20, metric="cosine", dtype=dtype
    )
    np.save(tmp_path / "gallery.npy", made.rows)
    mapped = np.load(tmp_path / "gallery.npy", mmap_mode="r")
    problem = run.prove(made, 10, "cosine", None, np.random.default_rng(0))
    problem = problem._replace(data=made._replace(rows=mapped))
    ways = [(True, "auto"), (False, "auto"), (False, "coded"), (False, "stream")]
    run.check_problem(problem, [run.Run(_core.cpu_level(), 2, *way) for way in ways])


SMALL = configurations.Configuration(0, "ties", 900, 16, 7, 20, "cosine")


def swap_tied_rows(answers):
    scores = answers.top_k.scores
    query, place = np.argwhere(scores[:, 1:] == scores[:, :-1])[0]
    answers.top_k.indices[query, place : place + 2] = answers.top_k.indices[
        query, place : place + 2
    ][::-1]


def move_a_score(answers):
    answers.top_k.scores[-1, -1] = np.nextafter(answers.top_k.scores[-1, -1], 2)


def lose_the_best_row(answers):
    answers.top_k.indices[0, :-1] = answers.top_k.indices[0, 1:]


def count_one_more(name):
    def change(answers):
        getattr(answers.ranks, name)[-1] += 1

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap_tied_rows, r"query \d, place \d+: row \d+ \(key 0x.*\) instead of row"),
        (move_a_score, r"query 6, place 19, row \d+: score 0x.* instead of 0x"),
        (lose_the_best_row, r"query 0, place 0: row \d+"),
        *[
            (count_one_more(name), rf"query 6, relevant row \d+ .*: {column} is")
            for name, column in (
                ("above", "above"),
                ("tied", "tied"),
                ("tied_before", "tied_before"),
                ("tied_before_trec", "tied_before_in_order"),
            )
        ],
    ],
)
def test_answers_that_are_nearly_right_are_noticed(change, message, monkeypatch):
    asked = run.ask

    def spoiled(problem, one_run):
        answers = asked(problem, one_run)
        change(answers)
        return answers

    run.check_configuration(SMALL)
    monkeypatch.setattr(run, "ask", spoiled)
    with pytest.raises(WrongAnswerError, match=rf"#0 ties .*(Gallery|one shot): {message}"):
        run.check_configuration(SMALL)


def test_queries_without_a_proof_are_compared_between_runs(monkeypatch):
    monkeypatch.setattr(run, "MOST_CHECKED", 1)  # one query is proven
    (proven,) = run.problem_of(SMALL).checked
    asked, turn = run.ask, iter(range(100))

    def spoiled(problem, one_run):
        answers = asked(problem, one_run)
        if next(turn) == 1:
            answers.top_k.indices[(proven + 1) % 7, 3] += 1
        return answers

    monkeypatch.setattr(run, "ask", spoiled)
    with pytest.raises(WrongAnswerError, match="in the first run and"):
        run.check_configuration(SMALL)


def test_a_clamped_k_must_be_said(monkeypatch):
    run.check_configuration(replace(SMALL, row_count=5))
    monkeypatch.setattr(run.retrieval._gallery.warnings, "warn", lambda *_, **__: None)
    with pytest.raises(WrongAnswerError, match=r"k=20 of 5 rows: warned \[\]"):
        run.check_configuration(replace(SMALL, row_count=5))
