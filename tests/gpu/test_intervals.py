"""Intervals on a GPU equal the CPU core bit for bit, in whatever library they come."""

from __future__ import annotations

import numpy as np
import pytest
from tests.python.intervals import columns
from tests.reference import intervals as twin
from tests.reference import matching as matching_twin

import fastvbench as fvb


def random_columns(seed: int, rows: int, most: int = 6) -> tuple[fvb.Intervals, fvb.Intervals]:
    """Rows of equal, touching, nested and zero-length intervals, and of wild ones."""
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(2):
        offsets = np.concatenate([[0], np.cumsum(generator.integers(0, most + 1, rows))])
        starts = generator.integers(-2, 12, offsets[-1]) / generator.choice([1, 7], offsets[-1])
        scales = generator.choice([1.0, 1.0, 1.0, 1e200], offsets[-1])
        ends = starts + generator.integers(0, 9, offsets[-1]) / 3
        values = np.stack([starts, ends], axis=1) * scales[:, None]
        made.append(fvb.Intervals.from_arrays(values, offsets))
    return made[0], made[1]


def test_pairs_equal_the_twin_and_the_core(library):
    generator = np.random.default_rng(1)
    for rows in (0, 1, 33, 5000, 300_001):
        pred, gold = (np.sort(generator.integers(0, 50, (rows, 2)) / 7, axis=1) for _ in range(2))
        found = library.to_host(fvb.temporal_iou(library.to_device(pred), library.to_device(gold)))
        np.testing.assert_array_equal(found, fvb.temporal_iou(pred, gold))
        if rows <= 5000:
            assert found.tolist() == twin.temporal_iou(pred.tolist(), gold.tolist())


@pytest.mark.parametrize(("rows", "most"), [(1, 5), (300, 5), (300, 40), (200_000, 4), (20, 600)])
def test_set_iou_equals_the_core(library, rows, most):
    pred, gold = random_columns(rows + most, rows, most)
    found = fvb.interval_set_iou(library.column(pred), library.column(gold))
    np.testing.assert_array_equal(library.to_host(found), fvb.interval_set_iou(pred, gold))


@pytest.mark.parametrize("method", ["optimal", "greedy"])
@pytest.mark.parametrize(("rows", "most"), [(1, 5), (2000, 5), (300, 64), (200_000, 3)])
def test_matches_equal_the_core(library, rows, most, method):
    pred, gold = random_columns(rows + most, rows, most)
    for min_iou in (0.0, 0.5):
        expected = fvb.match_intervals(pred, gold, method=method, min_iou=min_iou)
        found = fvb.match_intervals(
            library.column(pred), library.column(gold), method=method, min_iou=min_iou
        )
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(library.to_host(ours), theirs)


def test_small_sets_equal_the_twins(library):
    generator = np.random.default_rng(3)
    rows = [columns.random_rows(generator, 60, 5) for _ in range(2)]
    pred, gold = (library.column(fvb.Intervals.from_rows(side)) for side in rows)
    found = library.to_host(fvb.interval_set_iou(pred, gold))
    assert found.tolist() == [twin.set_iou(p, g) for p, g in zip(*rows, strict=True)]
    matches = fvb.match_intervals(pred, gold)
    offsets = library.to_host(matches.offsets)
    pairs = list(
        zip(
            library.to_host(matches.pred_index).tolist(),
            library.to_host(matches.gold_index).tolist(),
            strict=True,
        )
    )
    for row, (p, g) in enumerate(zip(*rows, strict=True)):
        expected = [pair[:2] for pair in matching_twin.optimal(p, g)]
        assert pairs[offsets[row] : offsets[row + 1]] == expected


@pytest.mark.parametrize("convention", ["first", "best", "union", "one_to_one"])
@pytest.mark.parametrize("strict", [False, True])
def test_recall_equals_the_core(library, convention, strict):
    pred, gold = random_columns(11, 5000)
    options = {"thresholds": (0.0, 0.3, 0.5, 1.0), "convention": convention, "strict": strict}
    found = fvb.recall_at_iou(library.column(pred), library.column(gold), **options)
    assert found == fvb.recall_at_iou(pred, gold, **options)


def test_a_tie_is_settled_as_on_the_cpu(library):
    side = fvb.Intervals.from_rows([[(1.0, 3.0)] * count for count in range(1, 65)])
    found = fvb.match_intervals(library.column(side), library.column(side))
    np.testing.assert_array_equal(library.to_host(found.offsets), side.offsets)
    np.testing.assert_array_equal(
        library.to_host(found.pred_index), library.to_host(found.gold_index)
    )


@pytest.mark.parametrize("bad", [(3.0, 1.0), (float("nan"), 1.0), (0.0, float("inf"))])
def test_refused_intervals_name_their_row(library, bad):
    rows = [[(0.0, 1.0)]] * 40
    wrong = [*rows[:20], [(0.0, 1.0), bad], *rows[21:]]
    good, refused = (library.column(fvb.Intervals.from_rows(side)) for side in (rows, wrong))
    for call in (fvb.interval_set_iou, fvb.match_intervals, fvb.recall_at_iou):
        with pytest.raises(ValueError, match="row 20 of pred or gold has an interval that is"):
            call(refused, good)
        with pytest.raises(ValueError, match="row 20 of pred or gold"):
            call(good, refused)


def test_wrong_offsets_and_large_rows_are_errors(library):
    values = library.to_device(np.zeros((4, 2)))
    good = fvb.DeviceIntervals(values, library.to_device(np.array([0, 2, 4])))
    for offsets in ([1, 2, 4], [0, 3, 2], [0, 2, 1 << 40], [0, 1, 2]):
        wrong = fvb.DeviceIntervals(values, library.to_device(np.array(offsets)))
        with pytest.raises(ValueError, match=r"gold\.offsets\[\d\] and the one after it"):
            fvb.interval_set_iou(good, wrong)
    large = fvb.Intervals.from_rows([[(0.0, 1.0)] * 65])
    with pytest.raises(ValueError, match="row 0 of pred or gold has more than 64 intervals"):
        fvb.match_intervals(library.column(large), library.column(large))


def test_results_follow_the_caller_s_stream(torch):
    pred, gold = (np.sort(np.random.default_rng(s).random((100_000, 2)), axis=1) for s in (1, 2))
    expected = fvb.temporal_iou(pred, gold)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        left = torch.from_numpy(pred).pin_memory().cuda(non_blocking=True)
        right = torch.from_numpy(gold).pin_memory().cuda(non_blocking=True)
        found = fvb.temporal_iou(left, right)
        doubled = found * 2
    stream.synchronize()
    np.testing.assert_array_equal(doubled.cpu().numpy(), expected * 2)


def test_memory_is_given_back(torch):
    pairs = torch.rand((2_000_000, 2), dtype=torch.float64, device="cuda").cumsum(1)
    for _ in range(3):
        fvb.temporal_iou(pairs, pairs)
    torch.cuda.synchronize()
    before, _ = torch.cuda.mem_get_info()
    for _ in range(200):
        fvb.temporal_iou(pairs, pairs)
    torch.cuda.synchronize()
    after, _ = torch.cuda.mem_get_info()
    assert before - after < 512 << 20  # 200 results are 3.2 GB


def test_a_slice_that_begins_anywhere_is_read(torch):
    pairs = torch.rand((1001, 2), dtype=torch.float64, device="cuda").cumsum(1)
    shifted = pairs.flatten()[1:-1].reshape(1000, 2).sort(dim=1).values.flatten()
    odd = torch.cat([shifted.new_zeros(1), shifted])[1:].reshape(1000, 2)
    assert odd.data_ptr() % 16 == 8
    found = fvb.temporal_iou(odd, odd)
    np.testing.assert_array_equal(
        found.cpu().numpy(), fvb.temporal_iou(odd.cpu().numpy(), odd.cpu().numpy())
    )


def test_mistakes_are_python_errors(torch):
    pairs = torch.zeros((10, 2), dtype=torch.float64, device="cuda")
    with pytest.raises(TypeError, match="gold is ndarray in host memory"):
        fvb.temporal_iou(pairs, np.zeros((10, 2)))
    with pytest.raises(TypeError, match="pred has dtype float32; expected float64"):
        fvb.temporal_iou(pairs.float(), pairs)
    with pytest.raises(ValueError, match=r"pred has strides .* expected C-contiguous"):
        fvb.temporal_iou(pairs.t().reshape(2, 10).t(), pairs)
    with pytest.raises(TypeError, match="pred is not exported by its library"):
        fvb.temporal_iou(pairs.clone().requires_grad_(), pairs)
    with pytest.raises(TypeError, match=r"pred is on CUDA device 0; expected an array in host"):
        fvb.mean_iou(pairs, pairs)


def test_running_out_of_memory_is_a_memory_error(torch):
    free, _ = torch.cuda.mem_get_info()
    torch.cuda.empty_cache()
    # Room for the two sides, and less than the result needs.
    rows = int(free // 36)
    try:
        pairs = torch.zeros((rows, 2), dtype=torch.float64, device="cuda")
        other = torch.zeros((rows, 2), dtype=torch.float64, device="cuda")
    except torch.OutOfMemoryError:
        pytest.skip("the device's memory is in use")
    with pytest.raises(MemoryError, match=r"temporal_iou\(pred, gold\): CUDA says .*MiB are free"):
        fvb.temporal_iou(pairs, other)
    del pairs, other
    torch.cuda.empty_cache()
    small = torch.zeros((10, 2), dtype=torch.float64, device="cuda")
    assert fvb.temporal_iou(small, small).shape == (10,)  # and the device goes on
