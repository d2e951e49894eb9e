"""Device functions from Python to kernels, over the shim of tests/cuda: shim_calls.py EXTENSION.

A process of its own: the extension over the shim and the real one cannot share an interpreter.
Device memory is the host's here, so the fake exporters' values are really read.
"""

from __future__ import annotations

import gc
import importlib.util
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tests.python.core.fake_device import FakeDeviceArray


def load_over_shim(path: str):
    """Puts the extension where the package looks for it."""
    spec = importlib.util.spec_from_file_location("fastvbench._cuda", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["fastvbench._cuda"] = module
    return module


CUDA = load_over_shim(sys.argv[1])

import fastvbench as fvb  # noqa: E402

STREAM = CUDA.CallerStream(1)


def to_host(array) -> np.ndarray:
    return array.to_host(STREAM)


def on_device(column: fvb.Intervals) -> fvb.DeviceIntervals:
    return fvb.DeviceIntervals(FakeDeviceArray(column.values), FakeDeviceArray(column.offsets))


def random_columns(rows: int, most: int) -> list[fvb.Intervals]:
    generator = np.random.default_rng(rows + most)
    made = []
    for _ in range(2):
        offsets = np.concatenate([[0], np.cumsum(generator.integers(0, most + 1, rows))])
        starts = generator.integers(-2, 12, offsets[-1]) / generator.choice([1, 7], offsets[-1])
        ends = starts + generator.integers(0, 9, offsets[-1]) / 3
        made.append(fvb.Intervals.from_arrays(np.stack([starts, ends], axis=1), offsets))
    return made


def message_of(kind: type[Exception], call, *arguments) -> str:
    try:
        call(*arguments)
    except kind as error:
        return str(error)
    raise AssertionError(f"{call.__name__} raised no {kind.__name__}")


def check_pairs() -> None:
    pred = np.sort(np.random.default_rng(1).random((1000, 2)), axis=1)
    gold = pred[::-1].copy()
    expected = fvb.temporal_iou(pred, gold)
    found = fvb.temporal_iou(FakeDeviceArray(pred), FakeDeviceArray(gold))
    np.testing.assert_array_equal(to_host(found), expected)
    sets = fvb.interval_set_iou(FakeDeviceArray(pred), FakeDeviceArray(gold))
    np.testing.assert_array_equal(to_host(sets), expected)
    # Handed on to another library, the memory lives as long as the last who holds it.
    kept = CUDA.DeviceArray.borrow(found.__dlpack__(stream=2), "found")
    del found
    gc.collect()
    np.testing.assert_array_equal(to_host(kept), expected)


def check_columns() -> None:
    for rows, most in ((1, 5), (300, 5), (100, 64), (20, 600)):
        sides = random_columns(rows, most)
        devices = [on_device(side) for side in sides]
        np.testing.assert_array_equal(
            to_host(fvb.interval_set_iou(*devices)), fvb.interval_set_iou(*sides)
        )
        if most > 64:
            continue
        for method in ("optimal", "greedy"):
            found = fvb.match_intervals(*devices, method=method, min_iou=0.3)
            expected = fvb.match_intervals(*sides, method=method, min_iou=0.3)
            for ours, theirs in zip(found, expected, strict=True):
                np.testing.assert_array_equal(to_host(ours), theirs)
        for convention in ("first", "best", "union", "one_to_one"):
            for strict in (False, True):
                options = {"thresholds": (0.0, 0.3, 1.0), "convention": convention}
                options["strict"] = strict
                assert rows == 1 or fvb.recall_at_iou(*devices, **options) == fvb.recall_at_iou(
                    *sides, **options
                )


def check_errors() -> None:
    values = FakeDeviceArray(np.zeros((4, 2)))
    good = fvb.DeviceIntervals(values, FakeDeviceArray(np.array([0, 2, 4])))
    for offsets in ([1, 2, 4], [0, 3, 2], [0, 1, 2]):
        wrong = fvb.DeviceIntervals(values, FakeDeviceArray(np.array(offsets)))
        text = message_of(ValueError, fvb.interval_set_iou, good, wrong)
        assert text.startswith("gold.offsets["), text
        assert text.endswith("expected offsets that ascend from 0 to len(values)"), text
    rows = [[(0.0, 1.0)]] * 40
    bad = on_device(fvb.Intervals.from_rows([*rows[:20], [(0.0, 1.0), (3.0, 1.0)], *rows[21:]]))
    fine = on_device(fvb.Intervals.from_rows(rows))
    for call in (fvb.interval_set_iou, fvb.match_intervals, fvb.recall_at_iou):
        assert message_of(ValueError, call, bad, fine).startswith("row 20 of pred or gold has an")
    large = on_device(fvb.Intervals.from_rows([[(0.0, 1.0)] * 65]))
    text = message_of(ValueError, fvb.match_intervals, large, large)
    assert "row 0 of pred or gold has more than 64 intervals" in text, text
    none = fvb.DeviceIntervals(
        FakeDeviceArray(np.zeros((0, 2))), FakeDeviceArray(np.zeros(2, np.int64))
    )
    assert "expected at least one" in message_of(ValueError, fvb.recall_at_iou, large, none)
    assert "in host memory here" in message_of(TypeError, fvb.mean_iou, values, values)
    assert "one interval per row" in message_of(TypeError, fvb.temporal_iou, large, large)
    assert "in host memory" in message_of(TypeError, fvb.DeviceIntervals, np.zeros((1, 2)))


if __name__ == "__main__":
    assert fvb.info()["cuda_devices"] == ["the shim of the tests"], fvb.info()
    check_pairs()
    check_columns()
    check_errors()
    print("every answer is the core's")
