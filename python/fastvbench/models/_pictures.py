"""Pictures in the shapes that processors and servers want."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["as_picture", "frame_pictures", "jpeg_data_url"]


def as_picture(image: Any) -> Any:
    """A PIL image in RGB, turned the way its EXIF note says.

    Args:
        image: a PIL image, or uint8 [3, height, width] (a numpy array or a tensor).

    Raises:
        InputError: anything else.
        MissingExtraError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageOps  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise MissingExtraError("showing pictures to a model", "models") from None
    if isinstance(image, Image.Image):
        return ImageOps.exif_transpose(image).convert("RGB")
    pixels = np.asarray(image.cpu() if hasattr(image, "cpu") else image)
    if pixels.ndim != 3 or pixels.shape[0] != 3 or pixels.dtype != np.uint8:
        raise InputError(
            "not a picture",
            field="images",
            value=f"{pixels.dtype} {pixels.shape}",
            expected="a PIL image, or uint8 [3, height, width]",
        )
    return Image.fromarray(np.ascontiguousarray(pixels.transpose(1, 2, 0)))


def frame_pictures(pixels: Any) -> Iterator[Any]:
    """Each frame of uint8 [n, 3, height, width] as a PIL image, one at a time."""
    for frame in pixels:
        yield as_picture(frame)


def jpeg_data_url(picture: Any, quality: int) -> str:
    """A picture as a ``data:`` URL of a JPEG file.

    Args:
        picture: a PIL image in RGB.
        quality: JPEG's, 1 to 100; 100 would switch colour sampling, so 95 is a sensible most.
    """
    packed = io.BytesIO()
    picture.save(packed, format="JPEG", quality=quality)
    return "data:image/jpeg;base64," + base64.b64encode(packed.getvalue()).decode("ascii")
