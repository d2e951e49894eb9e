from __future__ import annotations

import threading
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.video.test_sampling import even_index

from fastvbench import InputError
from fastvbench.video import BackendInfo, FrameBatch, FrameDecodeError, VideoOpenError
from fastvbench.video import _decode_unit as unit_module
from fastvbench.video._pipeline import FramePipeline
from fastvbench.video._policy import parse_policy
from fastvbench.video._requests import DecodedFrames, FailedVideo, FrameRequest

torch = pytest.importorskip("torch", reason="the extra [video] is not installed")

INDEX = even_index(400, 10)
MANY = {f"{letter}.mp4" for letter in "abcdefgh"}


class Theatre:
    """Stands in for `open_video`: a frame's every pixel is its number, and every call is noted."""

    def __init__(self, *, size=(4, 6), broken=(), fails_at=None, wait=None) -> None:
        self.opened: Counter[str] = Counter()
        self.decoded: Counter[tuple[str, int]] = Counter()
        self.open_now, self.most_open = 0, 0
        self.size, self.broken, self.fails_at, self.wait = size, broken, fails_at or {}, wait
        self._lock = threading.Lock()

    def __call__(self, path, **options) -> Theatre.Video:
        if path in self.broken:
            raise VideoOpenError("is no video", path=path)
        with self._lock:
            self.opened[path] += 1
            self.open_now += 1
            self.most_open = max(self.most_open, self.open_now)
        return Theatre.Video(self, path)

    class Video:
        def __init__(self, theatre, path) -> None:
            self.theatre, self.path = theatre, path
            self.backend = BackendInfo("fake", "1", "cpu")
            self.index = INDEX

        def frames(self, numbers, chunk):
            numbers = np.asarray(numbers)
            for begin in range(0, len(numbers), chunk):
                places = np.arange(begin, min(begin + chunk, len(numbers)))
                now = numbers[places]
                bad = self.theatre.fails_at.get(self.path)
                if bad is not None and bad in now:
                    raise FrameDecodeError(self.path, bad, bad / 10, "torn")
                if self.theatre.wait is not None:
                    self.theatre.wait(self.path)
                with self.theatre._lock:
                    self.theatre.decoded.update((self.path, int(number)) for number in now)
                pixels = torch.from_numpy(now % 251).to(torch.uint8).reshape(-1, 1, 1, 1)
                height, width = self.theatre.size
                yield FrameBatch(
                    pixels.expand(-1, 3, height, width).clone(), INDEX.pts[now], now, places
                )

        def __enter__(self):
            return self

        def __exit__(self, *_) -> None:
            with self.theatre._lock:
                self.theatre.open_now -= 1


@pytest.fixture
def theatre(monkeypatch):
    def put_on(**options) -> Theatre:
        made = Theatre(**options)
        monkeypatch.setattr(unit_module, "open_video", made)
        return made

    return put_on


def check(result: DecodedFrames, request: FrameRequest) -> None:
    policy = parse_policy(request.policy)
    expected = policy.pick(INDEX, request.begin_seconds, request.end_seconds)
    assert (result.key, result.path, result.policy) == (request.key, request.path, policy.name)
    assert result.indices.tolist() == expected.tolist()
    assert result.pts.tolist() == INDEX.pts[expected].tolist()
    assert result.frames.shape[0] == len(expected)
    assert result.frames[:, 0, 0, 0].tolist() == (expected % 251).tolist()


policies = st.sampled_from(
    ["1fps", "8", "uniform-floor:8", "every:40", "keyframes:3", "times:3,1,3", "0", "9"]
)
parts = st.sampled_from([(None, None), (None, None), (5.0, 9.0), (20.0, None)])


@st.composite
def requests(draw):
    made = []
    for key in range(draw(st.integers(0, 25))):
        policy = draw(policies)
        begin, end = (None, None) if policy.startswith("times") else draw(parts)
        path = draw(st.sampled_from(sorted(MANY)))
        made.append(FrameRequest(key, path, policy, begin, end))
    return made


@settings(deadline=None, max_examples=60)
@given(
    requests(),
    st.integers(1, 4),
    st.integers(1, 20),
    st.sets(st.sampled_from(sorted(MANY)), max_size=3),
    st.sampled_from([0, 1, 1024]),
)
def test_every_request_gets_its_frames_in_its_turn(asked, workers, chunk, broken, keep):
    shown = Theatre(size=(200, 300), broken=broken)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unit_module, "open_video", shown)
        pipeline = FramePipeline(asked, workers=workers, chunk=chunk, keep_mebibytes=keep)
        results = []
        for result, request in zip(pipeline, asked, strict=True):
            results.append(result)
            if request.path in broken:
                assert isinstance(result, FailedVideo)
                assert isinstance(result.error, VideoOpenError)
            else:
                check(result, request)
    assert [result.key for result in results] == [request.key for request in asked]
    assert shown.open_now == 0
    assert shown.most_open <= workers + 1
    sound = {request.path for request in asked} - broken
    if keep == 1024:  # everything can be kept, so nothing is decoded twice
        assert all(count == 1 for count in shown.opened.values())
        assert set(shown.decoded.values()) <= {1}
        assert set(shown.opened) == sound
    assert sum(shown.opened.values()) == len(sound) + pipeline.counts.videos_again
    assert pipeline.counts.failed == sum(request.path in broken for request in asked)


@settings(deadline=None, max_examples=30)
@given(requests(), st.integers(1, 3))
def test_video_order_takes_one_video_after_the_other(asked, workers):
    shown = Theatre()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unit_module, "open_video", shown)
        pipeline = FramePipeline(asked, workers=workers, order="video")
        results = {result.key: result for result in pipeline}
    for request in asked:
        check(results[request.key], request)
    assert all(count == 1 for count in shown.opened.values())
    paths = [results[key].path for key in results]
    assert len(set(paths)) == sum(a != b for a, b in zip(paths, [None, *paths], strict=False))


def test_questions_with_the_same_frames_share_one_tensor(theatre):
    theatre()
    asked = [FrameRequest(key, "a.mp4", "1fps") for key in range(3)]
    first, second, third = FramePipeline(asked)
    assert first.frames.data_ptr() == second.frames.data_ptr() == third.frames.data_ptr()


def test_a_frame_that_fails_spares_requests_that_have_theirs(theatre):
    theatre(fails_at={"a.mp4": 300})
    asked = [
        FrameRequest("early", "a.mp4", "1fps", 0.0, 10.0),
        FrameRequest("late", "a.mp4", "1fps"),
        FrameRequest("other", "b.mp4", "1fps"),
    ]
    early, late, other = FramePipeline(asked, chunk=4)
    check(early, asked[0])
    assert isinstance(late, FailedVideo)
    assert "frame 300 at 30.000 s" in str(late.error)
    check(other, asked[2])


def test_a_part_outside_fails_its_request_only(theatre):
    theatre()
    asked = [FrameRequest(0, "a.mp4", "8", 50.0, 60.0), FrameRequest(1, "a.mp4", "8", 30.0, 60.0)]
    outside, inside = FramePipeline(asked)
    assert isinstance(outside, FailedVideo)
    assert "within 0 to 40 s" in str(outside.error)
    check(inside, asked[1])


def test_a_transform_is_given_the_frames_of_one_request(theatre):
    theatre(size=(6, 10))

    seen = []

    class Halved:
        def for_video(self, frame_count, height, width):
            seen.append((frame_count, height, width))
            return lambda frames: frames[:, :, :: max(1, frame_count // 8)].float() / 2

    asked = [FrameRequest(0, "a.mp4", "8"), FrameRequest(1, "a.mp4", "16")]
    eight, sixteen = FramePipeline(asked, transform=Halved())
    assert sorted(seen) == [(8, 16, 16), (16, 16, 16)]
    assert eight.frames.dtype == torch.float32
    assert eight.frames.shape == (8, 3, 6, 10)
    assert sixteen.frames.shape == (16, 3, 3, 10)
    assert (eight.frames[:, 0, 0, 0] * 2).tolist() == (eight.indices % 251).tolist()


def test_threads_share_the_cores(theatre):
    theatre()
    seen = set()

    def count_threads(frames):
        seen.add(torch.get_num_threads())
        return frames

    before = torch.get_num_threads()
    torch.set_num_threads(6)
    try:
        asked = [FrameRequest(key, f"{key}.mp4", "8") for key in range(6)]
        list(FramePipeline(asked, workers=3, transform=count_threads))
        assert seen == {2}
        assert torch.get_num_threads() == 6
        later = threading.Thread(target=lambda: seen.add(torch.get_num_threads()))
        later.start()
        later.join()
        assert seen == {2, 6}
    finally:
        torch.set_num_threads(before)


def test_an_error_in_a_transform_is_the_callers(theatre):
    shown = theatre()

    def broken(frames):
        raise ZeroDivisionError("a bug")

    asked = [FrameRequest(key, f"{key}.mp4", "8") for key in range(5)]
    with pytest.raises(ZeroDivisionError, match="a bug"):
        list(FramePipeline(asked, transform=broken))
    assert shown.open_now == 0


def test_leaving_the_loop_stops_the_threads(theatre):
    before = threading.active_count()
    shown = theatre(wait=lambda path: time.sleep(0.002))
    asked = [FrameRequest(key, f"{key}.mp4", "every:1") for key in range(50)]
    for result in FramePipeline(asked, workers=3):
        check(result, asked[0])
        break
    assert shown.open_now == 0
    assert threading.active_count() == before
    assert len(shown.opened) <= 5


def test_ctrl_c_stops_the_threads(theatre):
    shown = theatre(wait=lambda path: time.sleep(0.002))
    asked = [FrameRequest(key, f"{key}.mp4", "every:1") for key in range(50)]

    def interrupt(done, total):
        assert total == 50
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(FramePipeline(asked, workers=3, progress=interrupt))
    assert shown.open_now == 0


def test_a_queue_holds_no_more_than_its_bytes(theatre):
    shown = theatre(size=(128, 256))  # 96 KiB a frame, 10 frames fill a queue of 1 MiB
    asked = [FrameRequest(key, f"{key}.mp4", "every:1") for key in range(4)]
    pipeline = FramePipeline(asked, workers=2, chunk=4, queue_mebibytes=1)
    stream = iter(pipeline)
    next(stream)
    time.sleep(0.3)  # the threads run on until their queues are full
    ahead = [number for path, number in shown.decoded if path != "0.mp4"]
    assert len(ahead) <= 2 * (8 + 2 * 4)
    assert len(list(stream)) == 3
    assert 0 < pipeline.counts.most_queued_bytes <= 1 << 20


def test_chunks_hand_frames_over_as_they_come(theatre):
    theatre(broken={"b.mp4"})
    asked = [
        FrameRequest("x", "a.mp4", "every:10"),
        FrameRequest("y", "b.mp4", "8"),
        FrameRequest("z", "a.mp4", "every:10"),
        FrameRequest("w", "a.mp4", "times:2,1"),
    ]
    found: dict[tuple, list[int]] = {}
    failed = []
    for chunk in FramePipeline(asked, chunk=6).chunks():
        if isinstance(chunk, FailedVideo):
            failed.append(chunk.key)
            continue
        assert len(chunk.frames) == len(chunk.places) <= 6
        assert chunk.frames[:, 0, 0, 0].tolist() == (chunk.indices % 251).tolist()
        found.setdefault(chunk.keys, []).extend(chunk.indices.tolist())
        assert chunk.total == {("x", "z"): 40, ("w",): 2}[chunk.keys]
    assert found == {("x", "z"): list(range(0, 400, 10)), ("w",): [10, 20]}
    assert failed == ["y"]


@pytest.mark.parametrize(
    ("options", "said"),
    [({"workers": 0}, "workers"), ({"chunk": 0}, "chunk"), ({"order": "size"}, "order")],
)
def test_bad_arguments(options, said):
    with pytest.raises(InputError, match=said):
        FramePipeline([], **options)


def test_a_bad_policy_is_said_before_any_video_is_opened(theatre):
    shown = theatre()
    with pytest.raises(InputError, match="not a frame policy"):
        FramePipeline([FrameRequest(0, "a.mp4", "1fps"), FrameRequest(1, "a.mp4", "often")])
    assert not shown.opened


def test_no_requests():
    assert list(FramePipeline([])) == []
