"""Decoding on the GPU: the frames of the CPU within a tolerance, on the device all the way, faster.

Colours differ a little between NVDEC's converter and FFmpeg's, since chroma is interpolated in
another way. So frames are told apart by the number in their picture, which is black and white, and
colours are held to `MEAN_TOLERANCE` and, away from hard edges, to `MOST_TOLERANCE`.
"""

from __future__ import annotations

import json
import statistics
import time

import numpy as np
import pytest
from tests.python.video.videos import (
    AV1,
    HEIGHT,
    VP9,
    WIDTH,
    X264,
    X265,
    Recipe,
    Studio,
    missing_tool,
    number_in,
)

from fastvbench.video import (
    FramePipeline,
    FrameRequest,
    clip_preprocessing,
    open_video,
    scan_index,
    siglip_preprocessing,
)

torch = pytest.importorskip("torch", reason="torch comes with the extra [video]")

MEAN_TOLERANCE = 2.0  # of 255, over all pixels of a frame
MOST_TOLERANCE = 6  # of 255, for 99 % of pixels
TRANSFORM_TOLERANCE = 2.5 / 255  # of the range of colours: rounding to whole levels on the way
LARGER = 4  # NVDEC takes no pictures as small as those of the other tests
ENLARGED = f"-vf scale={WIDTH * LARGER}:{HEIGHT * LARGER}:flags=neighbor"
FILES = {
    "h264.mp4": X264,
    "hevc.mp4": f"{X265} -tag:v hvc1",
    "vp9.webm": VP9,
    "av1.mp4": AV1,
    "open_gop.mp4": f"{X264} -x264-params open-gop=1:bframes=3",
    "uneven.mkv": f"{X264} -fps_mode vfr",
}
UNEVEN = ",setpts='(N+3*floor(N/7)+mod(N*N,5)/6)/25/TB'"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Makes a file of one codec on demand: 60 numbered frames of 384 x 256."""
    reason = missing_tool()
    if reason:
        pytest.skip(reason)
    studio = Studio(tmp_path_factory.mktemp("gpu videos"))

    def path(name: str):
        target = studio.folder / name
        if not target.exists():
            enlarged = ENLARGED + (UNEVEN if name == "uneven.mkv" else "")
            studio._make(Recipe(name, f"{enlarged} {FILES[name]}", frames=60), target)
        return target

    return path


@pytest.fixture(scope="module")
def nvdec(files):
    """Skips where frames cannot be decoded on a GPU, and says why."""
    if not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device")
    try:
        import torchcodec
    except (ImportError, OSError, RuntimeError) as error:
        pytest.skip(f"TorchCodec doesn't load: {str(error).splitlines()[0]}")
    if torchcodec.ffmpeg_major_version is None:
        pytest.skip("TorchCodec finds no FFmpeg: fastvbench doctor")
    with open_video(files("h264.mp4"), device="cuda") as video:
        list(video.frames([0]))
        if video.backend.device == "cpu" or video.backend.fallback_reason:
            pytest.skip(f"no NVDEC: {video.backend.fallback_reason}")


@pytest.fixture
def say(capsys):
    """Prints what was measured, which a passing test would keep to itself."""

    def print_through(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}", flush=True)

    return print_through


def frames_of(path, numbers, **options):
    with open_video(path, **options) as video:
        batches = list(video.frames(numbers))
        return torch.cat([batch.frames for batch in batches]), video.backend


def skip_without_decoder(backend, name) -> None:
    if backend.device == "cpu" or backend.fallback_reason:
        pytest.skip(f"this GPU doesn't decode {name}: {backend.fallback_reason}")


@pytest.mark.parametrize("name", FILES)
def test_frames_of_the_gpu_are_those_of_the_cpu(nvdec, files, name, say):
    path = files(name)
    index = scan_index(path)
    numbers = np.random.default_rng(1).permutation(len(index))[:24]
    theirs, _ = frames_of(path, numbers)
    ours, backend = frames_of(path, numbers, device="cuda")
    skip_without_decoder(backend, name)
    assert ours.device.type == "cuda"
    assert ours.shape == theirs.shape
    small = ours.cpu()[:, :, LARGER // 2 :: LARGER, LARGER // 2 :: LARGER].numpy()
    assert [number_in(frame) for frame in small] == numbers.tolist()
    differences = (ours.cpu().int() - theirs.int()).abs()
    mean = float(differences.float().mean(dim=(1, 2, 3)).max())
    most = float(torch.quantile(differences[:8].float().flatten(), 0.99))
    say(f"{name}: mean difference {mean:.2f}, 99 % within {most:.0f}, of 255")
    assert mean <= MEAN_TOLERANCE
    assert most <= MOST_TOLERANCE


def copies_to_host(work, folder) -> list[int]:
    """Bytes of each copy from the device to the host that some work makes."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        work()
        torch.cuda.synchronize()
    trace = folder / "trace.json"
    profile.export_chrome_trace(str(trace))
    events = json.loads(trace.read_bytes())["traceEvents"]
    return [
        int(event.get("args", {}).get("bytes", 0))
        for event in events
        if "Memcpy DtoH" in str(event.get("name", ""))
    ]


def test_no_frame_is_copied_to_the_host(nvdec, files, tmp_path):
    asked = [FrameRequest(0, files("h264.mp4"), "every:2")]

    def decode_and_transform() -> None:
        options = {"device": "cuda", "transform": clip_preprocessing(), "workers": 1}
        (result,) = FramePipeline(asked, **options)
        assert result.frames.device.type == "cuda"
        assert result.frames.shape == (30, 3, 224, 224)

    decode_and_transform()
    frame_bytes = 3 * HEIGHT * WIDTH * LARGER**2
    copied = copies_to_host(decode_and_transform, tmp_path)
    assert sum(copied) < frame_bytes, copied
    # and a copy would be seen
    one_frame = torch.zeros(frame_bytes, dtype=torch.uint8, device="cuda")
    assert sum(copies_to_host(one_frame.cpu, tmp_path)) >= frame_bytes


def test_a_decoder_of_the_cpu_hands_over_through_pinned_memory(nvdec, files):
    asked = [FrameRequest(0, files("h264.mp4"), "every:3")]
    (on_cpu,) = FramePipeline(asked, backend="pyav")
    (on_gpu,) = FramePipeline(asked, backend="pyav", device="cuda")
    assert on_gpu.frames.device.type == "cuda"
    assert on_gpu.backend.fallback_reason
    assert torch.equal(on_gpu.frames.cpu(), on_cpu.frames)


@pytest.mark.parametrize("recipe", [clip_preprocessing(), siglip_preprocessing()])
def test_transforms_give_the_same_on_the_gpu(nvdec, files, recipe, say):
    frames, _ = frames_of(files("h264.mp4"), range(0, 60, 5))
    on_cpu, on_gpu = recipe(frames), recipe(frames.cuda()).cpu()
    spread = torch.tensor(recipe.std).reshape(3, 1, 1)
    difference = float(((on_cpu - on_gpu) * spread).abs().max())
    say(f"{recipe.name}: largest difference {difference * 255:.2f} of 255")
    assert difference <= TRANSFORM_TOLERANCE


def test_what_the_gpu_cannot_decode_comes_from_the_cpu_and_says_so(nvdec, files, tmp_path):
    path = tmp_path / "lossless.mkv"
    Studio(tmp_path)._make(Recipe(path.name, f"{ENLARGED} -c:v ffv1", frames=10), path)
    numbers = list(range(10))
    theirs, _ = frames_of(path, numbers)
    ours, backend = frames_of(path, numbers, device="cuda")
    assert backend.fallback_reason
    difference = (ours.cpu().int() - theirs.int()).abs().float().mean()
    assert float(difference) <= MEAN_TOLERANCE


def test_the_gpu_decodes_faster_than_one_thread(nvdec, tmp_path, say):
    path = tmp_path / "full_hd.mp4"
    larger = "-vf scale=1920:1280:flags=neighbor"
    Studio(tmp_path)._make(Recipe(path.name, f"{larger} {X264}", frames=300), path)
    index = scan_index(path)
    numbers = np.arange(len(index))

    def seconds(device: str) -> float:
        with open_video(path, device=device, index=index) as video:
            began = time.perf_counter()
            for batch in video.frames(numbers, chunk=16):
                checked = batch.frames[:, :, ::64, ::64].sum()  # every frame is really there
            float(checked)
            if device == "cuda":
                torch.cuda.synchronize()
            return time.perf_counter() - began

    seconds("cuda")
    pairs = [(seconds("cpu"), seconds("cuda")) for _ in range(3)]
    ratio = statistics.median(cpu / cuda for cpu, cuda in pairs)
    rate = len(numbers) / min(cuda for _, cuda in pairs)
    say(f"1920 x 1280: {rate:.0f} frames a second on the GPU, {ratio:.1f} times one CPU thread")
    assert ratio > 1.0
