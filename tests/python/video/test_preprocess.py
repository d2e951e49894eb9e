from __future__ import annotations

import pytest

from fastvbench import InputError
from fastvbench.video._preprocess import (
    PixelBudget,
    Preprocessing,
    ShortestEdge,
    clip_preprocessing,
    qwen2_5_vl_preprocessing,
    siglip_preprocessing,
    to_patches,
    videollama3_preprocessing,
)


def test_sizes_by_hand():
    assert ShortestEdge(224).of(1080, 1920, 8) == (224, 398)
    assert ShortestEdge(224).of(1920, 1080, 8) == (398, 224)
    assert PixelBudget(1, 10**9).of(480, 640, 8) == (476, 644)
    assert PixelBudget(1, 100_000).of(1080, 1920, 8) == (224, 420)
    assert PixelBudget(100_000, 10**6).of(60, 90, 8) == (280, 392)
    shared = PixelBudget(1, 16_384 * 784, shared=True)
    assert shared.of(1080, 1920, 180) == (196, 336)
    assert shared.of(1080, 1920, 4) == (1092, 1932)


def most_pixels_of_a_frame(recipe: Preprocessing, count: int) -> int:
    budget = recipe.size
    if recipe.name == "videollama3":
        return 16_384 * 784 // count
    share = int(128_000 * 784 * 0.9) * 2 // count  # two frames have one token
    return max(min(768 * 784, share), int(budget.minimum * 1.05))


def test_no_frame_is_larger_than_its_budget():
    for recipe in (qwen2_5_vl_preprocessing(), videollama3_preprocessing()):
        for count in (1, 2, 7, 180, 768, 5000):
            for height, width in ((1080, 1920), (144, 176), (2160, 3840), (480, 640)):
                size = recipe.size.of(height, width, count)
                assert size.height % 28 == size.width % 28 == 0
                # sides are rounded up to reach the least, so that may be passed
                most = max(most_pixels_of_a_frame(recipe, count), 1.25 * recipe.size.minimum)
                assert size.height * size.width <= most or 28 in size
                assert abs(size.height / size.width - height / width) < 0.45 * height / width


def test_what_a_model_does_not_take_is_said():
    with pytest.raises(InputError, match="aspect ratio of at most 200"):
        PixelBudget(1, 10**6).of(10, 2001, 8)


torch = pytest.importorskip("torch", reason="the extra [video] is not installed")
pytest.importorskip("torchvision", reason="the extra [video] is not installed")


def make_frames(count: int, height: int, width: int) -> torch.Tensor:
    """Smooth colours under noise: flat areas, edges and overshoot for the interpolation."""
    generator = torch.Generator().manual_seed(count * height + width)
    noise = torch.randint(0, 256, (count, 3, height, width), generator=generator)
    ramp = torch.linspace(0, 255, width).expand(count, 3, height, width)
    blocks = (torch.arange(height) // 9 % 2 * 255).reshape(1, 1, -1, 1)
    return (0.2 * noise + 0.4 * ramp + 0.4 * blocks).to(torch.uint8)


SHAPES = [(5, 108, 192), (3, 192, 108), (4, 333, 251), (8, 60, 90), (1, 224, 224)]


def largest_difference(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype == torch.float32
    return float((ours - theirs).abs().max())


@pytest.fixture(scope="module")
def transformers():
    return pytest.importorskip("transformers", reason="the extra [models] is not installed")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("CLIPImageProcessor", clip_preprocessing()),
        ("SiglipImageProcessor", siglip_preprocessing()),
    ],
    ids=["clip", "siglip"],
)
def test_images_are_those_of_transformers(transformers, record_property, shape, name, recipe):
    frames = make_frames(*shape)
    processor = getattr(transformers, name)()
    theirs = processor(images=list(frames), return_tensors="pt")["pixel_values"]
    difference = largest_difference(recipe(frames), theirs)
    print(f"{recipe.name} {shape}: largest difference {difference:g}")
    record_property("largest_difference", difference)
    assert difference == 0.0


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("capped", [False, True])
def test_qwen_patches_are_those_of_transformers(transformers, record_property, shape, capped):
    frames = make_frames(*shape)
    limits = {"least_pixels": 16 * 784, "most_pixels": 90 * 784}
    tokens = 64 if capped else None
    recipe = qwen2_5_vl_preprocessing(**limits, most_video_tokens=tokens)
    processor = transformers.Qwen2VLVideoProcessor(
        size={"shortest_edge": limits["least_pixels"], "longest_edge": limits["most_pixels"]},
        cap_pixels_per_frame=capped,
        max_video_tokens=tokens or 128_000,
    )
    made = processor(videos=[frames], return_tensors="pt", do_sample_frames=False)
    patches = to_patches(recipe(frames), frames_merged=2)
    difference = largest_difference(patches, made["pixel_values_videos"])
    print(f"qwen2.5-vl {shape} capped={capped}: largest difference {difference:g}")
    record_property("largest_difference", difference)
    assert difference == 0.0


@pytest.mark.parametrize("shape", SHAPES)
def test_videollama3_patches_are_those_of_transformers(transformers, record_property, shape):
    frames = make_frames(*shape)
    recipe = videollama3_preprocessing(most_video_pixels=400 * 784)
    processor = transformers.VideoLlama3VideoProcessor(
        size={"shortest_edge": 16 * 784, "longest_edge": 400 * 784}
    )
    made = processor(videos=[frames], return_tensors="pt", do_sample_frames=False)
    difference = largest_difference(to_patches(recipe(frames)), made["pixel_values_videos"])
    print(f"videollama3 {shape}: largest difference {difference:g}")
    record_property("largest_difference", difference)
    assert difference == 0.0


def test_published_limits_are_those_of_the_processors(transformers):
    theirs = transformers.Qwen2VLVideoProcessor()
    ours = qwen2_5_vl_preprocessing().size
    assert (ours.minimum, ours.maximum) == (theirs.size.shortest_edge, theirs.size.longest_edge)
    assert tuple(theirs.image_mean) == qwen2_5_vl_preprocessing().mean
    assert tuple(theirs.image_std) == qwen2_5_vl_preprocessing().std


def test_chunks_give_what_the_whole_gives():
    frames = make_frames(7, 90, 160)
    for recipe in (
        clip_preprocessing(),
        siglip_preprocessing(),
        qwen2_5_vl_preprocessing(),
        videollama3_preprocessing(),
    ):
        part = recipe.for_video(7, 90, 160)
        in_chunks = torch.cat([part(frames[:3]), part(frames[3:])])
        assert torch.equal(in_chunks, recipe(frames))


def test_pixels_are_left_alone_if_asked():
    made = clip_preprocessing(normalise=False)(make_frames(2, 90, 160))
    assert made.dtype == torch.uint8
    assert made.shape == (2, 3, 224, 224)
    normalised = (
        made.float() / 255 - torch.tensor(clip_preprocessing().mean).reshape(3, 1, 1)
    ) / torch.tensor(clip_preprocessing().std).reshape(3, 1, 1)
    assert torch.allclose(normalised, clip_preprocessing()(make_frames(2, 90, 160)), atol=1e-6)


def test_patches_by_hand():
    frames = torch.arange(2 * 3 * 4 * 4).reshape(2, 3, 4, 4)
    patches = to_patches(frames, patch=1, merged=2, frames_merged=2)
    assert patches.shape == (16, 6)
    assert patches[0].tolist() == [0, 48, 16, 64, 32, 80]  # channel by channel, both frames
    assert patches[:4, 0].tolist() == [0, 1, 4, 5]  # the four patches of the first token
    with pytest.raises(InputError, match="multiple of 4"):
        to_patches(frames[:, :, :3], patch=2, merged=2)


def test_a_recipe_compares_by_value():
    assert clip_preprocessing() == clip_preprocessing(224)
    assert clip_preprocessing() != clip_preprocessing(336)
    assert isinstance(clip_preprocessing(), Preprocessing)
