"""Recall@1..20 the way public evaluation code for LoVR goes about it, in plain Python.

The whole similarity matrix; a new top-k of it for every k; and for every query a walk over the ids
of its k best rows until one equals its own. ``python -m benchmarks.rivals.lovr_public_style`` runs
it beside ours on a sample, and prints both recalls and both times.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from benchmarks.rivals.lovr_data import Direction, directions

from fastvbench.retrieval import Gallery, recall_at_k

CUTOFFS = tuple(range(1, 21))
SAMPLE = (
    40  # one part in 40 of LoVR; the walk grows with the captions, the matrix with their square
)


def public_style(direction: Direction) -> dict[int, float]:
    """Recall@K by walking lists of ids; kinder than the original, whose rows are GPU tensors."""
    similarity = direction.queries @ direction.gallery.T
    gallery_ids, present = direction.gallery_ids, list(direction.gallery_ids)
    recalls = {}
    for k in CUTOFFS:
        last = min(k, len(gallery_ids)) - 1
        best = np.argpartition(-similarity, last, axis=1)[:, : last + 1].tolist()
        hits = asked = 0
        for query, own_id in enumerate(direction.query_ids):
            if own_id not in present:  # a clip without a caption is no query
                continue
            asked += 1
            for row in best[query]:
                if gallery_ids[row] == own_id:
                    hits += 1
                    break
        recalls[k] = hits / asked
    return recalls


def by_ranks(direction: Direction, *, threads: int = 0) -> dict[int, float]:
    """The same recalls from exact ranks."""
    row_of_id = {name: row for row, name in enumerate(direction.gallery_ids)}
    relevant = np.array([row_of_id[name] for name in direction.query_ids])
    gallery = Gallery(direction.gallery, metric="cosine", threads=threads)
    return recall_at_k(gallery.ranks(direction.queries, relevant, threads=threads), CUTOFFS)


def evaluate(evaluation, settings: list[Direction], **options) -> dict[str, dict[int, float]]:
    """An evaluation of all settings."""
    return {direction.name: evaluation(direction, **options) for direction in settings}


def main() -> None:
    """Print recalls and times of both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=SAMPLE, help="one part in so many (40)")
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    settings = directions(arguments.sample, arguments.dimension, arguments.seed)
    evaluate(by_ranks, settings)  # wakes the threads

    seconds, recalls = {}, {}
    for evaluation in (by_ranks, public_style):
        begin = time.perf_counter()
        recalls[evaluation] = evaluate(evaluation, settings)
        seconds[evaluation] = time.perf_counter() - begin
    for direction in settings:
        ours, theirs = recalls[by_ranks][direction.name], recalls[public_style][direction.name]
        shown = "  ".join(f"R@{k} {100 * ours[k]:.2f}" for k in (1, 5, 10, 20))
        equal = "equal for every K" if ours == theirs else f"DIFFERENT: {theirs}"
        print(f"{direction.name:14} {len(direction.queries):6,} queries  {shown}  {equal}")
    print(
        f"public style {seconds[public_style]:.3f} s, ours {seconds[by_ranks]:.4f} s: "
        f"{seconds[public_style] / seconds[by_ranks]:,.0f} times"
    )


if __name__ == "__main__":
    main()
