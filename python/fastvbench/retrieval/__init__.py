"""Exact search and ranks over embeddings, and the retrieval metrics that rest on them."""

from __future__ import annotations

from fastvbench.retrieval._device_gallery import DeviceRanks
from fastvbench.retrieval._gallery import Gallery, Metric, TopK
from fastvbench.retrieval._metrics import (
    hit_rate_at_k,
    mean_reciprocal_rank,
    median_rank,
    ndcg_at_k,
    recall_at_k,
)
from fastvbench.retrieval._one_call import ranks, search
from fastvbench.retrieval._ranks import Ranks

__all__ = [
    "DeviceRanks",
    "Gallery",
    "Metric",
    "Ranks",
    "TopK",
    "hit_rate_at_k",
    "mean_reciprocal_rank",
    "median_rank",
    "ndcg_at_k",
    "ranks",
    "recall_at_k",
    "search",
]
