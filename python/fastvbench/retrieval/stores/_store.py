"""What opening a file of embeddings gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EmbeddingStore"]


@dataclass(frozen=True)
class EmbeddingStore:
    """Embeddings out of a file, with what the file and its id list say about each row.

    Attributes:
        embeddings: [n, d], float32, float16 or (of ml_dtypes) bfloat16, read-only and mapped from
            the file where its layout allows. `Gallery` takes it as it is.
        ids: n ids of the rows; None where there is no list of them.
        name: the file's name, or the URL.
        format: npy, npz, safetensors, parquet, pt, or lovr-pt for LoVR's own feature files.
        bytes_read: bytes of the file and its id list; for a URL, bytes that came over the network.
        token_counts: int64 [n], how many tokens the text of each row had; None if not told.
        texts: n texts that the rows were made from; None if not told.
        videos: n ids of the video that each row belongs to; None if not told.
    """

    embeddings: NDArray[Any]
    ids: list[str] | None
    name: str
    format: str
    bytes_read: int
    token_counts: NDArray[Any] | None = None
    texts: list[str] | None = None
    videos: list[str] | None = None

    def __len__(self) -> int:
        return len(self.embeddings)

    @property
    def dimension(self) -> int:
        """The number of elements of a row."""
        return int(self.embeddings.shape[1])

    @property
    def element_type(self) -> str:
        """``float32``, ``float16`` or ``bfloat16``."""
        return self.embeddings.dtype.name
