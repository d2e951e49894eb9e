"""Exact search and ranks on the device, against the codes' bytes and against torch."""

from __future__ import annotations

import torch
from benchmarks.gpu.bench import Bench

import fastvbench as fvb

ROWS, DIMENSION, QUERIES, K = 1_000_000, 512, 1000, 10
CLIPS, CLIP_DIMENSION = 40_804, 768
CHECKED_QUERIES = 20  # against float64 sums, before the clock
SCORES_AT_ONCE = 4096  # queries of a block of torch's ranks


def measure(bench: Bench) -> None:
    """Adds this family's rows."""
    torch.backends.cuda.matmul.allow_tf32 = False
    _search(bench)
    torch.cuda.empty_cache()
    _ranks(bench)


def _search(bench: Bench) -> None:
    generator = torch.Generator("cuda").manual_seed(1)
    rows = torch.randn((ROWS, DIMENSION), device="cuda", generator=generator)
    queries = torch.randn((QUERIES, DIMENSION), device="cuda", generator=generator)
    gallery = fvb.Gallery(rows, metric="dot")
    exact = gallery.search(queries, K).indices
    _check_against_float64(rows, queries, exact)

    one = queries[:1].contiguous()
    bench.measure(
        f"search/1 M x {DIMENSION}, Q=1, K={K}",
        lambda: gallery.search(one, K),
        byte_count=ROWS * DIMENSION,
        goal=0.6,
        notes="bytes of the codes",
    )
    torch_ms = _median(bench, f"torch.topk fp32, 1 M x {DIMENSION}, Q={QUERIES}", rows, queries)
    bench.measure(
        f"search/1 M x {DIMENSION}, Q={QUERIES}, K={K}",
        lambda: gallery.search(queries, K),
        rival_ms=torch_ms,
        rival="torch.topk(q @ g.T) fp32",
        goal=3.0,
        notes=f"exact ids; fp32 recall {_recall(rows, queries, exact):.4f}",
    )
    small_rows, small_queries = rows.bfloat16(), queries.bfloat16()
    small_ms = _median(
        bench, f"torch.topk bf16, 1 M x {DIMENSION}, Q={QUERIES}", small_rows, small_queries
    )
    bench.measure(
        f"search/1 M x {DIMENSION}, Q={QUERIES}, K={K}, float32 again",
        lambda: gallery.search(queries, K),
        rival_ms=small_ms,
        rival="torch.topk(q @ g.T) bf16",
        goal=1.5,
        notes=f"bf16 recall {_recall(small_rows, small_queries, exact):.4f}",
    )
    del small_rows
    bench.measure(f"search/prepare 1 M x {DIMENSION}", lambda: fvb.Gallery(rows, metric="dot"))
    bench.measure(
        f"search/one call, 1 M x {DIMENSION}, Q={QUERIES}, K={K}",
        lambda: fvb.search(queries, rows, K, metric="dot"),
        rival_ms=torch_ms,
        rival="torch.topk(q @ g.T) fp32",
    )


def _ranks(bench: Bench) -> None:
    generator = torch.Generator("cuda").manual_seed(2)
    rows = torch.randn((CLIPS, CLIP_DIMENSION), device="cuda", generator=generator)
    noise = torch.randn((CLIPS, CLIP_DIMENSION), device="cuda", generator=generator)
    rows = torch.nn.functional.normalize(rows)
    queries = torch.nn.functional.normalize(rows + 3.0 * noise / CLIP_DIMENSION**0.5)
    relevant = torch.arange(CLIPS, device="cuda")
    gallery = fvb.Gallery(rows, metric="dot")

    def torch_ranks() -> torch.Tensor:
        above = []
        for begin in range(0, CLIPS, SCORES_AT_ONCE):
            scores = queries[begin : begin + SCORES_AT_ONCE] @ rows.T
            own = scores.gather(1, relevant[begin : begin + SCORES_AT_ONCE, None])
            above.append((scores > own).sum(1))
        return torch.cat(above)

    found, theirs = gallery.ranks(queries, relevant), torch_ranks()
    equal = float((found.above == theirs).double().mean())
    assert equal > 0.99, f"{equal:.4f} of torch's float32 ranks are ours"
    rival_ms = bench.measure(f"torch ranks fp32, {CLIPS} x {CLIP_DIMENSION}", torch_ranks)
    bench.measure(
        f"ranks/{CLIPS} x {CLIP_DIMENSION}, Q={CLIPS}",
        lambda: gallery.ranks(queries, relevant),
        rival_ms=rival_ms,
        rival="torch, counting in (q @ g.T)",
        goal=5.0,
        notes=f"{equal:.4f} of torch's ranks are the exact ones",
    )


def _median(bench: Bench, case: str, rows: torch.Tensor, queries: torch.Tensor) -> float:
    return bench.measure(case, lambda: torch.topk(queries @ rows.T, K))


def _recall(rows: torch.Tensor, queries: torch.Tensor, exact: torch.Tensor) -> float:
    found = torch.topk(queries @ rows.T, K).indices
    return float((found[:, :, None] == exact[:, None, :]).any(1).double().mean())


def _check_against_float64(rows: torch.Tensor, queries: torch.Tensor, exact: torch.Tensor) -> None:
    scores = queries[:CHECKED_QUERIES].double() @ rows.double().T
    assert torch.equal(torch.topk(scores, K).indices, exact[:CHECKED_QUERIES]), "ids are not exact"
