"""Tiny models with random weights, built offline and saved as folders that the auto classes load.

Their words are noise, but everything else is real: processors, chat templates, visual tokens,
generation. A byte-level tokenizer without merges needs no vocabulary file.
"""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["DUAL_ENCODERS", "EMBEDDERS", "FURTHER_GENERATORS", "GENERATORS", "build_tiny"]

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% elif part['type'] == 'video' %}VIDEO"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
QWEN_MARKS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
QWEN_TEMPLATE = CHATML.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>").replace(
    "VIDEO", "<|vision_start|><|video_pad|><|vision_end|>"
)
TEXT_LIMIT_TOKENS = 24
WEIGHT_DEVIATION = 0.3  # wide enough that what a model says depends on what it is shown


def byte_tokenizer(*marks: str, **special: object):
    """A tokenizer of the 256 bytes, some marks, and the two ends of a turn."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    symbols = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE({symbol: i for i, symbol in enumerate(symbols)}, []))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=["<|im_start|>", *marks],
        **special,
    )
    tokenizer.padding_side = "left"
    return tokenizer


def ids_of(tokenizer, **marks: str) -> dict[str, int]:
    """Token ids of marks, under the names that a configuration has for them."""
    return {name: tokenizer.convert_tokens_to_ids(mark) for name, mark in marks.items()}


def text_sizes(tokenizer, **changed: object) -> dict[str, object]:
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 4096,
        "initializer_range": WEIGHT_DEVIATION,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": None,
        **changed,
    }


def save(folder: Path, model, processor, tokenizer=None) -> None:
    if hasattr(model, "generation_config"):
        tokens = tokenizer or processor.tokenizer
        model.generation_config.eos_token_id = tokens.eos_token_id
        model.generation_config.pad_token_id = tokens.pad_token_id
        model.generation_config.bos_token_id = None
    model.eval().save_pretrained(folder)
    processor.save_pretrained(folder)


def qwen2_5_vl(folder: Path) -> None:
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
        Qwen2_5_VLProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
    )

    tokenizer = byte_tokenizer(*QWEN_MARKS)
    size = {"shortest_edge": 28 * 28, "longest_edge": 56 * 56}
    config = Qwen2_5_VLConfig(
        text_config=text_sizes(
            tokenizer,
            rope_parameters={"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]},
        ),
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_heads": 2,
            "out_hidden_size": 32,
            "window_size": 56,
            "fullatt_block_indexes": [1],
            "tokens_per_second": 2,
            "initializer_range": WEIGHT_DEVIATION,
        },
        **ids_of(
            tokenizer,
            image_token_id="<|image_pad|>",
            video_token_id="<|video_pad|>",
            vision_start_token_id="<|vision_start|>",
            vision_end_token_id="<|vision_end|>",
        ),
    )
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=size),
        tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(size=size),
        chat_template=QWEN_TEMPLATE,
    )
    save(folder, Qwen2_5_VLForConditionalGeneration(config), processor)


def qwen3_vl(folder: Path) -> None:
    from transformers import (
        Qwen2VLImageProcessor,
        Qwen3VLConfig,
        Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    tokenizer = byte_tokenizer(*QWEN_MARKS)
    config = Qwen3VLConfig(
        text_config=text_sizes(
            tokenizer,
            head_dim=16,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 1e4,
                "mrope_section": [2, 3, 3],
                "mrope_interleaved": True,
            },
        ),
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_heads": 2,
            "out_hidden_size": 32,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0],
            "initializer_range": WEIGHT_DEVIATION,
        },
        **ids_of(
            tokenizer,
            image_token_id="<|image_pad|>",
            video_token_id="<|video_pad|>",
            vision_start_token_id="<|vision_start|>",
            vision_end_token_id="<|vision_end|>",
        ),
    )
    images = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}
    videos = {"shortest_edge": 32 * 32, "longest_edge": 8 * 64 * 64}
    processor = Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=images, patch_size=16),
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(size=videos),
        chat_template=QWEN_TEMPLATE,
    )
    save(folder, Qwen3VLForConditionalGeneration(config), processor)


def video_llama_3(folder: Path) -> None:
    from transformers import (
        VideoLlama3Config,
        VideoLlama3ForConditionalGeneration,
        VideoLlama3ImageProcessor,
        VideoLlama3Processor,
        VideoLlama3VideoProcessor,
    )

    tokenizer = byte_tokenizer(
        extra_special_tokens={"image_token": "<image>", "video_token": "<video>"}
    )
    size = {"shortest_edge": 28 * 28, "longest_edge": 56 * 56}
    config = VideoLlama3Config(
        text_config={"model_type": "qwen2", **text_sizes(tokenizer)},
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "patch_size": 14,
            "initializer_range": WEIGHT_DEVIATION,
        },
        **ids_of(tokenizer, image_token_id="<image>", video_token_id="<video>"),
    )
    processor = VideoLlama3Processor(
        image_processor=VideoLlama3ImageProcessor(size=size),
        tokenizer=tokenizer,
        video_processor=VideoLlama3VideoProcessor(size=size),
        chat_template=CHATML.replace("IMAGE", "<image>\n").replace("VIDEO", "<video>\n"),
    )
    save(folder, VideoLlama3ForConditionalGeneration(config), processor)


def smolvlm2(folder: Path) -> None:
    from transformers import (
        SmolVLMConfig,
        SmolVLMForConditionalGeneration,
        SmolVLMImageProcessor,
        SmolVLMProcessor,
        SmolVLMVideoProcessor,
    )

    marks = {
        "fake_image_token": "<fake_token_around_image>",
        "image_token": "<image>",
        "end_of_utterance_token": "<end_of_utterance>",
        "global_image_token": "<global-img>",
    }
    tokenizer = byte_tokenizer(extra_special_tokens=marks)
    edge = {"longest_edge": 32}
    config = SmolVLMConfig(
        text_config={"model_type": "llama", **text_sizes(tokenizer)},
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
            "initializer_range": WEIGHT_DEVIATION,
        },
        scale_factor=2,
        **ids_of(tokenizer, image_token_id="<image>"),
    )
    template = (
        "<|im_start|>{% for message in messages %}{{ message['role'] | capitalize }}: "
        "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image>"
        "{% elif part['type'] == 'video' %}<video>{% else %}{{ part['text'] }}{% endif %}"
        "{% endfor %}<end_of_utterance>\n{% endfor %}"
        "{% if add_generation_prompt %}Assistant:{% endif %}"
    )
    processor = SmolVLMProcessor(
        image_processor=SmolVLMImageProcessor(size={"longest_edge": 64}, max_image_size=edge),
        tokenizer=tokenizer,
        video_processor=SmolVLMVideoProcessor(size={"longest_edge": 64}, max_image_size=edge),
        image_seq_len=4,
        chat_template=template,
    )
    save(folder, SmolVLMForConditionalGeneration(config), processor)


def vision_tower(**changed: object) -> dict[str, object]:
    return {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 32,
        "patch_size": 8,
        "initializer_range": WEIGHT_DEVIATION,
        **changed,
    }


def llava_onevision(folder: Path) -> None:
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessor,
        LlavaOnevisionProcessor,
        LlavaOnevisionVideoProcessor,
    )

    tokenizer = byte_tokenizer(
        extra_special_tokens={"image_token": "<image>", "video_token": "<video>"}
    )
    size, tiles = {"height": 32, "width": 32}, [[32, 32], [32, 64], [64, 32]]
    config = LlavaOnevisionConfig(
        text_config={"model_type": "qwen2", **text_sizes(tokenizer)},
        vision_config={"model_type": "siglip_vision_model", **vision_tower(vision_use_head=False)},
        image_grid_pinpoints=tiles,
        **ids_of(tokenizer, image_token_index="<image>", video_token_index="<video>"),
    )
    processor = LlavaOnevisionProcessor(
        image_processor=LlavaOnevisionImageProcessor(size=size, image_grid_pinpoints=tiles),
        tokenizer=tokenizer,
        video_processor=LlavaOnevisionVideoProcessor(size=size),
        num_image_tokens=16,
        vision_feature_select_strategy="full",
        chat_template=CHATML.replace("IMAGE", "<image>\n").replace("VIDEO", "<video>\n"),
    )
    save(folder, LlavaOnevisionForConditionalGeneration(config), processor)


def internvl(folder: Path) -> None:
    from transformers import (
        GotOcr2ImageProcessor,
        InternVLConfig,
        InternVLForConditionalGeneration,
        InternVLProcessor,
        InternVLVideoProcessor,
    )

    marks = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    tokenizer = byte_tokenizer(extra_special_tokens=marks)
    size = {"height": 32, "width": 32}
    config = InternVLConfig(
        text_config={"model_type": "qwen2", **text_sizes(tokenizer)},
        vision_config=vision_tower(),
        image_seq_length=4,
        **ids_of(tokenizer, image_token_id="<IMG_CONTEXT>"),
    )
    processor = InternVLProcessor(
        image_processor=GotOcr2ImageProcessor(size=size, max_patches=2),
        tokenizer=tokenizer,
        video_processor=InternVLVideoProcessor(size=size),
        image_seq_length=4,
        chat_template=CHATML.replace("IMAGE", "<IMG_CONTEXT>\n").replace("VIDEO", "<video>\n"),
    )
    save(folder, InternVLForConditionalGeneration(config), processor)


# ---- embedders -----------------------------------------------------------------------------------


def closed_byte_tokenizer(limit: int):
    """A tokenizer of bytes that ends every text with its end mark, as CLIP's does."""
    from tokenizers import processors

    tokenizer = byte_tokenizer()
    end = tokenizer.eos_token
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", special_tokens=[(end, tokenizer.eos_token_id)]
    )
    tokenizer.model_max_length = limit
    tokenizer.padding_side = "right"
    return tokenizer


def tower(**changed: object) -> dict[str, object]:
    return {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "initializer_range": WEIGHT_DEVIATION,
        **changed,
    }


def text_tower(tokenizer, **changed: object) -> dict[str, object]:
    return tower(
        vocab_size=len(tokenizer),
        max_position_embeddings=TEXT_LIMIT_TOKENS,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        **changed,
    )


def clip(folder: Path) -> None:
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor

    tokenizer = closed_byte_tokenizer(TEXT_LIMIT_TOKENS)
    config = CLIPConfig(
        text_config=text_tower(tokenizer),
        vision_config=tower(image_size=32, patch_size=8),
        projection_dim=16,
    )
    size = {"shortest_edge": 32}
    images = CLIPImageProcessor(size=size, crop_size={"height": 32, "width": 32})
    save(folder, CLIPModel(config), CLIPProcessor(images, tokenizer), tokenizer)


def siglip(folder: Path) -> None:
    from transformers import SiglipConfig, SiglipImageProcessor, SiglipModel, SiglipProcessor

    tokenizer = closed_byte_tokenizer(TEXT_LIMIT_TOKENS)
    config = SiglipConfig(
        text_config=text_tower(tokenizer), vision_config=tower(image_size=32, patch_size=8)
    )
    images = SiglipImageProcessor(size={"height": 32, "width": 32})
    save(folder, SiglipModel(config), SiglipProcessor(images, tokenizer), tokenizer)


def siglip2(folder: Path) -> None:
    from transformers import (
        Siglip2Config,
        Siglip2ImageProcessor,
        Siglip2Model,
        Siglip2Processor,
        Siglip2Tokenizer,
    )

    symbols = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "\N{LOWER ONE EIGHTH BLOCK}"]
    symbols += [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = Siglip2Tokenizer(
        {symbol: i for i, symbol in enumerate(symbols)}, model_max_length=TEXT_LIMIT_TOKENS
    )
    config = Siglip2Config(
        text_config=text_tower(tokenizer), vision_config=tower(patch_size=8, num_patches=16)
    )
    images = Siglip2ImageProcessor(patch_size=8, max_num_patches=16)
    save(folder, Siglip2Model(config), Siglip2Processor(images, tokenizer), tokenizer)


def x_clip(folder: Path) -> None:
    from transformers import CLIPImageProcessor, XCLIPConfig, XCLIPModel, XCLIPProcessor

    tokenizer = closed_byte_tokenizer(TEXT_LIMIT_TOKENS)
    config = XCLIPConfig(
        text_config=text_tower(tokenizer),
        vision_config=tower(
            image_size=32,
            patch_size=8,
            num_frames=4,
            mit_hidden_size=16,
            mit_intermediate_size=24,
            mit_num_attention_heads=2,
        ),
        projection_dim=16,
    )
    size = {"shortest_edge": 32}
    images = CLIPImageProcessor(size=size, crop_size={"height": 32, "width": 32})
    save(folder, XCLIPModel(config), XCLIPProcessor(images, tokenizer), tokenizer)


def sentence_bert(folder: Path) -> None:
    """A model of text, with the files that sentence-transformers adds."""
    from transformers import BertConfig, BertModel

    tokenizer = closed_byte_tokenizer(TEXT_LIMIT_TOKENS)
    save(folder, BertModel(BertConfig(**text_tower(tokenizer))), tokenizer, tokenizer)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    modules = [{"type": f"sentence_transformers.models.{m}"} for m in ("Transformer", "Pooling")]
    (folder / "modules.json").write_text(json.dumps(modules))


def endless_text(folder: Path) -> None:
    """A model of text without a limit: its positions are relative."""
    from transformers import T5Config, T5EncoderModel

    tokenizer = closed_byte_tokenizer(int(1e30))
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=16,
        d_kv=8,
        d_ff=24,
        num_layers=1,
        num_heads=2,
        is_encoder_decoder=False,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    save(folder, T5EncoderModel(config), tokenizer, tokenizer)


GENERATORS = {
    "videollama3": video_llama_3,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl,
    "smolvlm2": smolvlm2,
}
FURTHER_GENERATORS = {"llava_onevision": llava_onevision, "internvl": internvl}
DUAL_ENCODERS = {"clip": clip, "siglip": siglip, "siglip2": siglip2, "x_clip": x_clip}
EMBEDDERS = DUAL_ENCODERS | {"sentence_bert": sentence_bert, "endless_text": endless_text}


def build_tiny(name: str, folder: Path) -> Path:
    """Build one model into a folder of its own.

    Args:
        name: a key of `GENERATORS` or `EMBEDDERS`.
        folder: where the folder is made.
    """
    import torch
    from transformers.utils import logging

    target = folder / name
    if not target.exists():
        verbosity = logging.get_verbosity()
        logging.set_verbosity_error()
        try:
            with torch.random.fork_rng():
                torch.manual_seed(0)
                (GENERATORS | FURTHER_GENERATORS | EMBEDDERS)[name](target)
        finally:
            logging.set_verbosity(verbosity)
    return target
