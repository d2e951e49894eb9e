"""Small calls of the search kernels, see small_calls.py."""

from __future__ import annotations

import numpy as np

import fastvbench as fvb

FEW_PLACES = 1  # of workspace: queries and rows are split as finely as may be


def small_calls(torch) -> None:
    generator = np.random.default_rng(6)
    rows = torch.from_numpy(generator.standard_normal((4200, 40), dtype=np.float32)).cuda()
    alike = rows[:1].repeat(4200, 1)  # more than the filter can tell apart
    for gallery_rows in (rows, rows.half(), rows.bfloat16(), alike):
        for metric in ("dot", "cosine"):
            gallery = fvb.Gallery(gallery_rows, metric=metric)
            for count in (1, 5, 40, 70):
                queries = gallery_rows[:count].contiguous()
                gallery.search(queries, 3)
                gallery.ranks(queries, np.arange(count), workspace_bytes=FEW_PLACES)
    fvb.search(rows[:3].contiguous(), rows, 600)
    fvb.ranks(rows[:3].contiguous(), rows, torch.arange(3, device="cuda"), check=True)
