"""Rule sets of retrieval in plain Python, from a table of scores: the meaning of protocols/lovr.py.

Every function takes ``scores[q][n]``, the id of each query and gallery row, and whether captions
are searched; it returns recall at k. Ids say what belongs together.
"""

from __future__ import annotations


def robust_recall(scores, query_ids, gallery_ids, k, *, captions_searched):
    """Mean over expected queries of the expected share of relevant items among the first k."""
    expected = list(range(len(query_ids)))
    absent = 0
    if captions_searched:  # every item with a caption asks, and no other
        expected = [q for q in expected if query_ids[q] in gallery_ids]
        absent = len(set(gallery_ids) - set(query_ids))
    total = 0.0
    for q in expected:
        rows = [r for r, ident in enumerate(gallery_ids) if ident == query_ids[q]]
        chances = []
        for row in rows:
            above = sum(score > scores[q][row] for score in scores[q])
            tied = sum(score == scores[q][row] for score in scores[q])
            chances.append(min(max((k - above) / tied, 0.0), 1.0))
        if not rows:
            found = 0.0
        elif captions_searched:
            found = sum(chances) / len(chances)
        else:  # one item, where the best of its rows stands
            found = max(chances)
        total += found
    return total / (len(expected) + absent)


def hits(scores, query_ids, gallery_ids, k):
    """Per query: is any of the first k rows of the query's id? Equal scores by row."""
    found = []
    for q, ident in enumerate(query_ids):
        order = sorted(range(len(gallery_ids)), key=lambda row: (-scores[q][row], row))
        found.append(ident in [gallery_ids[row] for row in order[:k]])
    return found


def paper_recall(scores, query_ids, gallery_ids, k, *, captions_searched):
    """Hits among the queries that were run."""
    found = hits(scores, query_ids, gallery_ids, k)
    asked = [
        hit
        for hit, ident in zip(found, query_ids, strict=True)
        if not captions_searched or ident in gallery_ids
    ]
    return sum(asked) / len(asked)


def official_recall(scores, query_ids, gallery_ids, k, *, captions_searched):
    """The public script: hits, divided by the number of captions on whichever side they are."""
    captions = gallery_ids if captions_searched else query_ids
    return sum(hits(scores, query_ids, gallery_ids, k)) / len(captions)
