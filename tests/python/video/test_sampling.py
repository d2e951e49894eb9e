from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import frame_sampling as twin

from fastvbench import InputError
from fastvbench.video._frame_index import FrameIndex
from fastvbench.video._sampling import (
    round_to_multiple,
    sample_clips,
    sample_every_nth,
    sample_fps,
    sample_keyframes,
    sample_times,
    sample_uniform,
)

without_deadline = settings(deadline=None)


def make_index(ticks, *, keys=None, last=1, base=8) -> FrameIndex:
    """Frames at ``ticks / base`` seconds; eighths of seconds are exact in binary."""
    ticks = np.asarray(ticks, dtype=np.int64)
    return FrameIndex(
        pts_ticks=ticks,
        last_duration_ticks=last,
        is_key=np.arange(len(ticks)) % 3 == 0 if keys is None else np.asarray(keys, dtype=bool),
        time_base_numerator=1,
        time_base_denominator=base,
        width=16,
        height=16,
    )


@st.composite
def videos(draw):
    """An index with uneven gaps that may begin anywhere, and the same as plain lists."""
    gaps = draw(st.lists(st.integers(1, 40), max_size=60))
    first = draw(st.sampled_from([0, 0, 3, 11]))
    ticks = np.cumsum([first, *gaps])
    keys = draw(st.lists(st.booleans(), min_size=len(ticks), max_size=len(ticks)))
    index = make_index(ticks, keys=keys, last=draw(st.integers(1, 40)))
    times = [float(t - first) / 8 for t in ticks]
    return index, times, keys


@st.composite
def videos_with_part(draw):
    index, times, keys = draw(videos())
    length = index.duration_seconds
    if draw(st.booleans()):
        return index, times, keys, {}, 0.0, length
    eighths = int(length * 8)
    begin = draw(st.integers(0, eighths - 1)) / 8
    end = draw(st.integers(int(begin * 8) + 1, eighths + 9)) / 8
    part = {"begin_seconds": begin, "end_seconds": end}
    return index, times, keys, part, begin, min(end, length)


caps = st.none() | st.integers(1, 30)
rates = st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0])


@without_deadline
@given(videos_with_part(), rates, caps, st.sampled_from(["shown", "videollama3"]))
def test_fps_is_its_twin(video, rate, most, convention):
    index, times, _, part, begin, end = video
    ours = sample_fps(index, rate, most, convention=convention, **part)
    assert ours.dtype == np.int64
    assert ours.tolist() == twin.fps(times, (begin, end), rate, most, convention)


@without_deadline
@given(
    videos_with_part(),
    st.integers(0, 80),
    st.sampled_from(["linspace", "interior", "floor"]),
    st.booleans(),
)
def test_uniform_is_its_twin(video, count, convention, pad):
    index, times, _, part, begin, end = video
    ours = sample_uniform(index, count, convention, pad=pad, **part)
    assert ours.tolist() == twin.uniform(times, (begin, end), count, convention, pad)


@without_deadline
@given(videos_with_part(), st.integers(1, 20), caps)
def test_every_nth_is_its_twin(video, step, most):
    index, times, _, part, begin, end = video
    ours = sample_every_nth(index, step, most, **part)
    assert ours.tolist() == twin.every_nth(times, (begin, end), step, most)


@without_deadline
@given(videos_with_part(), caps)
def test_keyframes_is_its_twin(video, most):
    index, times, keys, part, begin, end = video
    ours = sample_keyframes(index, most, **part)
    assert ours.tolist() == twin.keyframes(times, keys, (begin, end), most)


@without_deadline
@given(videos(), st.lists(st.integers(0, 2000), max_size=10))
def test_times_is_its_twin(video, eighths):
    index, times, _ = video
    wanted = [at / 8 for at in eighths if at / 8 <= index.duration_seconds]
    assert sample_times(index, wanted).tolist() == [twin.on_screen(times, at) for at in wanted]


@without_deadline
@given(videos_with_part(), st.integers(1, 200), st.integers(1, 90))
def test_what_holds_for_every_policy(video, count, most):
    index, _, _, part, begin, end = video
    picks = [
        sample_fps(index, 3.3, most, **part),
        sample_uniform(index, count, "interior", **part),
        sample_every_nth(index, count, most, **part),
        sample_keyframes(index, most, **part),
    ]
    for numbers in picks:
        assert (np.diff(numbers) > 0).all()
        assert 1 <= len(numbers) <= max(count, most)
        shown_from = index.pts[numbers] - index.begin_seconds
        shown_until = np.append(index.pts[1:], index.end_seconds)[numbers] - index.begin_seconds
        assert (shown_from < end).all()
        assert (shown_until > begin).all()


def even_index(count: int, rate: int) -> FrameIndex:
    return make_index(np.arange(count), base=rate)


def test_conventions_on_the_hour_that_papers_talk_about():
    index = even_index(90_000, 25)
    linspace = sample_uniform(index, 32, "linspace")
    interior = sample_uniform(index, 32, "interior")
    floor = sample_uniform(index, 32, "floor")
    assert linspace[[0, 1, -1]].tolist() == [0, 2903, 89_999]
    assert interior[[0, 1, -1]].tolist() == [2727, 5454, 87_272]
    assert floor[[0, 1, -1]].tolist() == [0, 2812, 87_187]


def test_linspace_is_numpys_own():
    for available, count in [(263, 180), (7_201, 96), (90_000, 50), (5, 5), (3, 1)]:
        index = even_index(available, 25)
        expected = np.linspace(0, available - 1, count, dtype=int)
        assert sample_uniform(index, count).tolist() == expected.tolist()


def test_one_frame_a_second_keeps_180_whole_seconds_of_an_hour():
    index = even_index(90_000, 25)
    numbers = sample_fps(index)
    assert len(numbers) == 180
    assert (numbers % 25 == 0).all()
    assert numbers[[0, 1, -1]].tolist() == [0, 20 * 25, 3599 * 25]
    assert (numbers // 25).tolist() == np.linspace(0, 3599, 180, dtype=int).tolist()


def test_videollama3_takes_the_last_frame_before_the_next_tick():
    index = even_index(263, 25)  # 10.52 s
    assert sample_fps(index).tolist() == [k * 25 for k in range(11)]
    late = sample_fps(index, convention="videollama3")
    assert late.tolist() == [k * 25 + 24 for k in range(10)]


def test_times_count_from_the_first_frame():
    late = make_index(np.arange(100) + 11_200, base=8)  # a transport stream that begins at 1400 s
    assert sample_times(late, [0.0, 0.125, 12.5]).tolist() == [0, 1, 99]
    assert sample_fps(late, 1.0).tolist() == list(range(0, 100, 8))
    assert sample_uniform(late, 50, begin_seconds=1.0, end_seconds=1.5).tolist() == [8, 9, 10, 11]


@pytest.mark.parametrize("rate", [0.1, 0.3, 1.0, 3.0, 7.0, 10.0])
@pytest.mark.parametrize("first", [0, 1_407, 126_000, 7_777_777])
def test_where_a_file_begins_moves_no_frame(first, rate):
    even = make_index(np.arange(110) * 9_000, last=9_000, base=90_000)  # 10 a second, 11 s
    moved = make_index(np.arange(110) * 9_000 + first, last=9_000, base=90_000)
    expected = [k for k in range(110) if any(abs(k / 10 - t / rate) < 1e-9 for t in range(110))]
    if rate in {0.1, 1.0, 10.0}:  # each tick is a frame's time, also where floats are not exact
        assert sample_fps(even, rate).tolist() == expected
    assert sample_fps(moved, rate).tolist() == sample_fps(even, rate).tolist()
    late = {"rate": rate, "convention": "videollama3", "begin_seconds": 1.1, "end_seconds": 9.7}
    assert sample_fps(moved, **late).tolist() == sample_fps(even, **late).tolist()


def test_a_frame_held_for_long_is_taken_once_unless_asked():
    index = make_index([0, 80, 88], base=8, last=8)  # 10 s, 1 s, 1 s
    assert sample_fps(index, 1.0).tolist() == [0, 1, 2]
    assert sample_fps(index, 1.0, keep_repeats=True).tolist() == [0] * 10 + [1, 2]


def test_a_frame_that_came_up_before_the_part_is_in_it():
    index = make_index([0, 80, 160], base=8, last=80)
    assert sample_uniform(index, 8, begin_seconds=5.0, end_seconds=12.0).tolist() == [0, 1]
    assert sample_keyframes(index, begin_seconds=15.0, end_seconds=16.0).tolist() == [1]


def test_clips_in_their_order():
    index = even_index(1000, 10)
    assert sample_clips(index, [(50, 51, 2), (0, 1, 3)]).tolist() == [500, 509, 0, 4, 9]
    assert sample_clips(index, []).tolist() == []


def test_one_frame():
    index = make_index([0])
    for numbers in (
        sample_fps(index),
        sample_fps(index, convention="videollama3"),
        sample_uniform(index, 8),
        sample_every_nth(index, 10),
        sample_keyframes(index),
    ):
        assert numbers.tolist() == [0]
    assert sample_uniform(index, 4, "linspace", pad=True).tolist() == [0, 0, 0, 0]


def test_round_to_multiple():
    numbers = np.array([1, 5, 9, 13, 17])
    assert round_to_multiple(numbers, 2).tolist() == [1, 5, 9, 13, 17, 17]
    assert round_to_multiple(numbers, 2, fill="drop").tolist() == [1, 5, 9, 13]
    assert round_to_multiple(numbers[:1], 2, fill="drop").tolist() == [1, 1]
    assert round_to_multiple(numbers[:4], 4).tolist() == [1, 5, 9, 13]
    assert round_to_multiple(numbers[:0], 4).tolist() == []
    with pytest.raises(InputError, match="multiple"):
        round_to_multiple(numbers, 0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda i: sample_fps(i, 0), "rate"),
        (lambda i: sample_fps(i, float("nan")), "rate"),
        (lambda i: sample_fps(i, 1e6), "rate"),
        (lambda i: sample_fps(i, 1, 0), "max_frames"),
        (lambda i: sample_fps(i, convention="early"), "convention"),
        (lambda i: sample_uniform(i, -1), "count"),
        (lambda i: sample_uniform(i, 3, "middle"), "linspace or interior or floor"),
        (lambda i: sample_uniform(i, 3, begin_seconds=5, end_seconds=5), "begin before end"),
        (lambda i: sample_uniform(i, 3, begin_seconds=float("nan")), "finite"),
        (lambda i: sample_uniform(i, 3, begin_seconds=-3, end_seconds=-1), "within 0 to 100 s"),
        (lambda i: sample_uniform(i, 3, begin_seconds=200), "within 0 to 100 s"),
        (lambda i: sample_every_nth(i, 0), "step"),
        (lambda i: sample_keyframes(i, 0), "max_frames"),
        (lambda i: sample_times(i, [1.0, 100.5]), r"times\[1\].*0 to 100 s"),
        (lambda i: sample_times(i, [-0.5]), r"times\[0\]"),
        (lambda i: sample_times(i, [float("inf")], outside="nearest"), r"times\[0\]"),
    ],
)
def test_bad_arguments_are_named(call, said):
    with pytest.raises(InputError, match=said):
        call(even_index(1000, 10))


def test_times_outside_take_the_nearest_frame_if_asked():
    index = even_index(1000, 10)
    assert sample_times(index, [-3, 500], outside="nearest").tolist() == [0, 999]
