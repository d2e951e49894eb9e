"""torch: a matrix product and topk per chunk, merged; on the CPU or a CUDA device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fastvbench.retrieval.engines._engine import Neighbours, row_chunks, unit_rows

if TYPE_CHECKING:
    from fastvbench.retrieval.engines._engine import Rows

__all__ = ["TorchEngine"]

DEVICE_SCORE_BYTES = 1 << 30  # a device wants few, large launches


class TorchEngine:
    """Chunked ``topk(queries @ gallery.T)``, the way people search with torch, at its fastest.

    Chunks are sized so that the scores of one stay in the cache until topk has read them.

    Args:
        threads: threads of its kernels on the CPU.
        device: ``cpu``, or a CUDA device such as ``cuda``; work there is waited for.
    """

    name = "torch"

    def __init__(self, threads: int, device: str = "cpu") -> None:
        import torch  # noqa: PLC0415

        self._torch: Any = torch
        torch.set_num_threads(threads)
        self._device: Any = torch.device(device)
        self._on_device = self._device.type != "cpu"
        self._gallery: Any = None
        self._cosine = self._mapped = False

    def prepare(self, gallery: Rows, *, metric: str, mapped: bool = False) -> None:
        """Scale the rows for the cosine and move them to the device."""
        self._mapped = mapped
        self._cosine = metric == "cosine"
        rows = unit_rows(gallery) if self._cosine and not mapped else gallery
        self._gallery = rows if mapped else self._torch.from_numpy(rows).to(self._device)
        self._wait()

    def place(self, queries: Rows) -> object:
        """Move queries to the device."""
        placed = self._torch.from_numpy(queries).to(self._device)
        self._wait()
        return placed

    def search(self, placed: object, k: int) -> object:
        """One chunk after another, the best of each merged by one more topk."""
        torch, queries = self._torch, cast("Any", placed)
        values, indices = [], []
        for begin, rows in self._chunks(len(queries)):
            best = torch.topk(queries @ rows.T, min(k, len(rows)), dim=1)
            values.append(best.values)
            indices.append(best.indices + begin if begin else best.indices)
        if len(values) == 1:
            found = (indices[0], values[0])
        else:
            all_values = torch.cat(values, dim=1)
            best = torch.topk(all_values, min(k, all_values.shape[1]), dim=1)
            found = (torch.gather(torch.cat(indices, dim=1), 1, best.indices), best.values)
        self._wait()
        return found

    def fetch(self, found: object) -> Neighbours:
        """Copy an answer to the host."""
        indices, values = cast("Any", found)
        return Neighbours(indices.cpu().numpy(), values.cpu().numpy())

    def settings(self) -> dict[str, object]:
        """Versions, device and threads."""
        return {
            "torch": str(self._torch.__version__),
            "device": str(self._device),
            "threads": self._torch.get_num_threads(),
        }

    def _chunks(self, query_count: int) -> Any:
        if self._mapped:
            for begin, rows in row_chunks(self._gallery, query_count, mapped=True):
                scaled = (
                    unit_rows(rows) if self._cosine else np.array(rows)
                )  # torch wants to own them
                yield begin, self._torch.from_numpy(scaled).to(self._device)
        elif self._on_device:
            rows_at_once = max(1, DEVICE_SCORE_BYTES // (4 * query_count))
            for begin in range(0, len(self._gallery), rows_at_once):
                yield begin, self._gallery[begin : begin + rows_at_once]
        else:
            yield from row_chunks(self._gallery, query_count, mapped=False)

    def _wait(self) -> None:
        if self._on_device:  # launches return at once: a clock would stop before the work does
            self._torch.cuda.synchronize(self._device)
