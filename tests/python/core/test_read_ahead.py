"""Items in order, errors where they belong, no thread left behind."""

from __future__ import annotations

import threading
import time

import pytest

from fastvbench.core._read_ahead import read_ahead


def makers():
    return [t for t in threading.enumerate() if t.name == "read-ahead" and t.is_alive()]


def wait_for_no_maker():
    deadline = time.monotonic() + 10
    while makers() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not makers()


def test_items_come_in_order():
    assert list(read_ahead(iter(range(1000)))) == list(range(1000))
    assert list(read_ahead([])) == []
    assert wait_for_no_maker()


def test_an_error_comes_after_the_items_before_it():
    def items():
        yield 1
        yield 2
        raise ValueError("row 3")

    ahead = read_ahead(items())
    assert next(ahead) == 1
    assert next(ahead) == 2
    with pytest.raises(ValueError, match="row 3"):
        next(ahead)
    assert wait_for_no_maker()


def test_an_abandoned_iteration_ends_its_thread():
    made = []

    def items():
        for i in range(1000):
            made.append(i)
            yield i

    for item in read_ahead(items()):
        if item == 3:
            break
    assert wait_for_no_maker()
    assert len(made) < 10


def test_at_most_two_items_are_made_beyond_the_one_in_use():
    made = []

    def items():
        for i in range(20):
            made.append(i)
            yield i

    for item in read_ahead(items()):
        time.sleep(0.01)
        assert len(made) <= item + 3
