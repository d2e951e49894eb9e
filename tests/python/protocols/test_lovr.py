"""LoVR: rule sets, denominators, what is counted, and what is said about the inputs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import retrieval_rules as reference

from fastvbench import InputError, score
from fastvbench.protocols import get_protocol, retrieve
from fastvbench.retrieval import Gallery
from fastvbench.retrieval.stores import EmbeddingStore

A, B, C, D = CLIPS = [f"V{i // 2}-Scene-{i % 2:03d}" for i in range(4)]

# One row of scores a query, one column a clip. A is first; B is third; C and D tie at the top.
SCORES = [
    [0.9, 0.1, 0.2, 0.3],
    [0.8, 0.5, 0.1, 0.7],
    [0.1, 0.2, 0.6, 0.6],
    [0.1, 0.2, 0.6, 0.6],
]


def search(scores, queries=CLIPS, gallery=CLIPS, **options):
    """Score a table of scores: the gallery is the unit vectors, so a query is its scores."""
    options.setdefault("direction", "text_to_clip")
    options.setdefault("metric", "dot")
    return retrieve(
        "lovr",
        np.array(scores, dtype=np.float32),
        np.eye(len(gallery), dtype=np.float32),
        query_ids=list(queries),
        gallery_ids=list(gallery),
        **options,
    )


def values(result, rule="robust"):
    return {key: e["value"] for key, e in result.data["rules"][rule]["overall"].items()}


def warned(result, text):
    return any(text in warning for warning in result.data["warnings"])


# ---- the numbers ---------------------------------------------------------------------------------


def test_robust_by_hand():
    found = values(search(SCORES, k=[1, 2, 3]))
    # Expected places: A 1, B 3, C and D 1 or 2, each half of the time.
    assert found["recall@1"] == found["hit_rate@1"] == (1 + 0 + 0.5 + 0.5) / 4
    assert found["recall@2"] == (1 + 0 + 1 + 1) / 4
    assert found["recall@3"] == 1.0
    assert found["median_rank"] == 1.5
    assert found["mean_reciprocal_rank"] == pytest.approx((1 + 1 / 3 + 0.75 + 0.75) / 4)


def test_published_rule_sets_order_ties_by_row():
    rows = {row["id"]: row["rules"] for row in search(SCORES, k=[1]).samples()}
    for rule in ("paper", "official"):
        assert [rows[c][rule]["scores"]["recall@1"] for c in CLIPS] == [1.0, 0.0, 1.0, 0.0]
    assert [rows[c]["robust"]["scores"]["recall@1"] for c in CLIPS] == [1.0, 0.0, 0.5, 0.5]
    assert values(search(SCORES), "paper").keys() == {"recall@1", "recall@5", "recall@10"}


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("expected", [0.5, 0.5]),
        ("optimistic", [1.0, 1.0]),
        ("pessimistic", [0.0, 0.0]),
        ("lowest_id", [1.0, 0.0]),
        ("trec", [0.0, 1.0]),  # the larger id first
    ],
)
def test_ties_of_robust_are_the_callers_choice(ties, expected):
    result = search(SCORES, ties=ties, k=[1])
    rows = {row["id"]: row["rules"]["robust"]["scores"]["recall@1"] for row in result.samples()}
    assert [rows[C], rows[D]] == expected
    assert result.data["options"]["ties"] == result.data["rules"]["robust"]["ties"] == ties
    assert result.data["rules"]["official"]["ties"] == "lowest_id"


def test_captions_of_one_clip_are_queries_of_their_own():
    result = search([*SCORES[:1], [0, 1, 0, 0], SCORES[1]], [A, A, B], k=[1])
    assert [row["id"] for row in result.samples()] == [A, f"{A}#2", B]
    assert values(result)["recall@1"] == pytest.approx(1 / 3)
    assert result.data["coverage"]["duplicates"] == 1


def test_captions_that_are_searched_are_several_relevant_items():
    # Captions A1, B1, A2: clip A finds A1 first and A2 last, clip B finds B1 first.
    scores = [[0.9, 0.5, 0.1], [0.1, 0.9, 0.2]]
    result = search(scores, [A, B], [A, B, A], direction="clip_to_text", k=[1, 2, 3])
    robust = values(result)
    assert robust["recall@1"] == (0.5 + 1) / 2
    assert robust["hit_rate@1"] == 1.0
    assert robust["recall@3"] == 1.0
    assert values(result, "paper")["recall@1"] == 1.0
    assert values(result, "official")["recall@1"] == pytest.approx(2 / 3)  # hits / captions
    assert not warned(result, "averaged")


def test_a_captioned_clip_without_an_embedding_counts_in_robust_alone():
    scores = [[0.9, 0.5], [0.3, 0.2]]
    result = search(scores, [A, D], [A, B], direction="clip_to_text", k=[1])
    assert values(result)["recall@1"] == 0.5  # B was never asked for, D has no caption
    assert values(result, "paper")["recall@1"] == 1.0
    assert values(result, "official")["recall@1"] == 0.5
    coverage = result.data["coverage"]
    assert (coverage["expected"], coverage["scored"], coverage["unexpected"]) == (2, 1, 1)
    assert coverage["directions"]["clip_to_text"]["captions_searched"] == 2
    assert coverage["unexpected_examples"] == [D]


def test_absent_queries_and_items_stay_in_the_denominator_of_robust():
    truth = {A: [A], B: [B, "W-Scene-001"], C: [C], D: ["W-Scene-001"], "absent": [A]}
    result = search(SCORES, truth=truth, k=[1, 3])
    robust = values(result)
    # A found; B: one of two at place 3; C tied; D's item is in no gallery; the last was not run.
    assert robust["recall@1"] == pytest.approx((1 + 0 + 0.5 + 0 + 0) / 5)
    assert robust["recall@3"] == pytest.approx((1 + 0.5 + 1 + 0 + 0) / 5)
    assert robust["mean_reciprocal_rank"] == pytest.approx((1 + 1 / 3 + 0.75) / 5)
    assert values(result, "paper")["recall@1"] == (1 + 0 + 1 + 0) / 4
    coverage = result.data["coverage"]
    assert (coverage["expected"], coverage["scored"], coverage["missing_queries"]) == (5, 3, 1)
    assert coverage["directions"]["text_to_clip"]["missing_items"] == 2
    assert result.data["rules"]["robust"]["overall"]["median_rank"]["unranked"] == 2


def test_published_rule_sets_look_for_the_first_id_of_a_truth():
    result = search(SCORES[:1], [A], truth={A: [B, A]}, k=[1, 2])
    assert values(result)["recall@1"] == 0.5
    assert values(result, "official")["recall@1"] == 0.0
    assert values(result, "paper")["recall@2"] == 0.0


def test_rows_of_one_id_are_one_item_and_any_of_them_is_a_hit():
    result = search([[0.1, 0.9, 0.5]], [A], [A, A, B], k=[1])
    for rule in ("robust", "official"):
        assert values(result, rule)["recall@1"] == 1.0
    assert warned(result, "gallery: 3 rows for 2 ids; the frames of an item belong averaged")


small_tables = st.integers(1, 5).flatmap(
    lambda rows: st.lists(
        st.lists(st.integers(-2, 2), min_size=rows, max_size=rows), min_size=1, max_size=5
    )
)


@settings(deadline=None, max_examples=150)
@given(small_tables, st.data(), st.booleans(), st.integers(1, 6))
def test_every_rule_set_equals_its_plain_meaning(scores, data, captions_searched, k):
    ids = st.sampled_from(CLIPS)
    queries = data.draw(st.lists(ids, min_size=len(scores), max_size=len(scores)))
    gallery = data.draw(st.lists(ids, min_size=len(scores[0]), max_size=len(scores[0])))
    if captions_searched and not set(queries) & set(gallery):
        gallery[0] = queries[0]
    direction = "clip_to_text" if captions_searched else "text_to_clip"
    # A query of zeros is a query like any other under the dot product.
    result = search(scores, queries, gallery, direction=direction, k=[k], samples=False)
    for rule, recall in (
        ("robust", reference.robust_recall),
        ("paper", reference.paper_recall),
        ("official", reference.official_recall),
    ):
        expected = recall(scores, queries, gallery, k, captions_searched=captions_searched)
        assert values(result, rule)[f"recall@{k}"] == pytest.approx(expected), rule


# ---- strata and intervals ------------------------------------------------------------------------


def test_queries_of_one_video_form_a_cluster():
    rng = np.random.default_rng(5)
    clips = [f"V{i // 10}-Scene-{i % 10:03d}" for i in range(200)]
    video_is_easy = np.repeat(rng.random(20) < 0.5, 10)
    scores = np.where(np.eye(200) > 0, np.where(video_is_easy, 3.0, -3.0), rng.random((200, 200)))
    result = search(scores, clips, clips)
    entry = result.data["rules"]["robust"]["overall"]["recall@1"]
    low, high = entry["interval"]
    near_low, near_high = entry["interval_unclustered"]
    assert low < near_low < entry["value"] < near_high < high
    assert result.data["interval_method"]["clusters"] == 20
    assert {row["cluster"] for row in result.samples()} == {f"V{i}" for i in range(20)}


def test_length_of_captions_is_a_stratum_with_a_contrast():
    # The longer half of the captions finds nothing.
    clips = [f"V{i}-Scene-000" for i in range(8)]
    scores = np.where(np.eye(8) > 0, [[1.0] if i < 4 else [-1.0] for i in range(8)], 0.0)
    store = EmbeddingStore(
        scores.astype(np.float32),
        clips,
        "memory",
        "array",
        0,
        texts=["word " * (i + 1) for i in range(8)],
        token_counts=np.array([10, 20, 30, 40, 50, 77, 77, 77]),
    )
    gallery = np.eye(8, dtype=np.float32)
    result = retrieve(
        "lovr", store, gallery, gallery_ids=clips, direction="text_to_clip", metric="dot", k=[1]
    )
    robust = result.data["rules"]["robust"]
    words = robust["strata"]["query_words"]
    assert [words[name]["recall@1"]["n"] for name in words] == [2, 2, 2, 2]
    assert words["text_to_clip: shortest quarter"]["recall@1"]["value"] == 1.0
    assert words["text_to_clip: longest quarter"]["recall@1"]["value"] == 0.0
    contrast = robust["contrasts"][0]
    assert (contrast["a"], contrast["value"]) == ("text_to_clip: longest quarter", -1.0)
    checks = result.data["diagnostics"]["directions"]["text_to_clip"]
    assert checks["query_words_quartiles"] == [2.0, 4.0, 6.0]
    assert checks["captions_at_token_limit"] == {"maximum": 77, "captions": 3, "of": 8}
    assert warned(result, "3 of 8 captions have exactly 77 tokens")


def test_captions_of_the_benchmark_are_the_expected_queries(tmp_path):
    path = tmp_path / "all_clip.jsonl"
    rows = [{"path": f"V/{clip}.mp4", "cap": "a caption"} for clip in (A, B, B, C)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = search(SCORES[:2], [A, B], captions=path, k=[1])
    coverage = result.data["coverage"]
    assert (coverage["expected"], coverage["missing_queries"]) == (4, 2)
    assert values(result)["recall@1"] == 0.25
    assert values(result, "paper")["recall@1"] == 0.5
    assert [row["excerpt"] for row in result.samples()] == ["a caption"] * 4


# ---- directions ----------------------------------------------------------------------------------


def test_all_four_directions_from_text_and_video_in_one_file_each():
    rng = np.random.default_rng(0)
    ids = [A, B, C, "V0", "V1"]
    vectors = rng.normal(size=(5, 8)).astype(np.float32)
    text = EmbeddingStore(vectors + 0.01, ids, "text", "array", 0)
    order = [3, 0, 4, 2, 1]
    video = EmbeddingStore(vectors[order], [ids[i] for i in order], "video", "array", 0)
    result = retrieve("lovr", text=text, video=video, k=[1])
    strata = result.data["rules"]["robust"]["strata"]["direction"]
    assert {name: strata[name]["recall@1"]["n"] for name in strata} == {
        "text_to_video": 2,
        "text_to_clip": 3,
        "video_to_text": 2,
        "clip_to_text": 3,
    }
    assert all(entry["recall@1"]["value"] == 1.0 for entry in strata.values())
    assert next(iter(result.samples()))["id"] == "text_to_video/V0"
    ways = "clip_to_text, text_to_video,clip_to_text"
    chosen = retrieve("lovr", text=text, video=video, direction=ways)
    assert list(chosen.data["coverage"]["directions"]) == ["clip_to_text", "text_to_video"]


def test_ids_are_compared_without_folder_and_file_type():
    gallery = [f"videos/{clip}.mp4" for clip in CLIPS]
    assert values(search(SCORES, CLIPS, gallery))["recall@5"] == 1.0


def test_ids_that_their_names_would_merge_are_compared_whole():
    gallery = ["x/1.mp4", "y/1.mp4"]
    found = values(search([[1, 0.5], [0, 0.5]], gallery, gallery, k=[1]))
    assert found["recall@1"] == 1.0


def test_rows_without_ids_pair_by_number_and_that_is_said():
    rows = np.eye(3, dtype=np.float32)
    result = retrieve("lovr", rows[:, ::-1].copy(), rows)
    assert values(result)["recall@1"] == pytest.approx(1 / 3)
    assert warned(result, "no ids")
    assert list(result.data["coverage"]["directions"]) == ["unknown"]
    with pytest.raises(InputError, match="queries: embeddings without ids"):
        retrieve("lovr", rows, rows, gallery_ids=CLIPS[:3])
    with pytest.raises(InputError, match="embeddings without ids"):
        retrieve("lovr", rows[:2], rows)


# ---- checks --------------------------------------------------------------------------------------


def test_rows_that_are_not_unit_vectors_are_an_alarm_under_the_dot_product_only():
    rows = np.array([[2.0, 0.0], [0.0, 3.0]], dtype=np.float32)
    other = np.array([[1.0, 0.5], [0.2, 1.0]], dtype=np.float32)
    options = {"query_ids": CLIPS[:2], "gallery_ids": CLIPS[:2], "direction": "text_to_clip"}
    result = retrieve("lovr", other, rows, metric="dot", **options)
    assert warned(result, "text_to_clip, gallery: 2 of 2 rows are not L2-normalised (lengths 2 to")
    assert not warned(retrieve("lovr", other, rows, **options), "L2-normalised")


def test_gallery_vectors_that_are_the_queries_own_are_an_alarm():
    rows = np.array([[0.6, 0.8], [0.0, 1.0], [1.0, 0.0]], dtype=np.float32)
    queries = np.array([[1.0, -0.0], [0.0, 1.0], [0.1, 0.2]], dtype=np.float32)
    result = retrieve("lovr", queries, rows, query_ids=CLIPS[:3], gallery_ids=CLIPS[:3])
    checks = result.data["diagnostics"]["directions"]["unknown"]
    assert checks["queries_equal_to_a_gallery_vector"] == 2
    assert warned(result, "the vectors of 2 of 3 queries stand in the gallery as they are")


def test_a_small_gallery_is_said_against_the_published_size():
    result = search(SCORES)
    assert warned(result, "the gallery holds 4 of 40,804 published clips")
    assert result.data["protocol"]["published_items"] == {"videos": 467, "clips": 40_804}


def test_scores_that_are_all_equal_are_said_and_rank_nobody_first():
    result = search(np.ones((4, 4)), k=[1])
    assert values(result)["recall@1"] == 0.25
    assert warned(result, "for 4 of 4 queries every row of the gallery scores the same")
    alone = search([[1.0], [1.0]], [A, B], [A], k=[1])
    assert not warned(alone, "scores the same")


def test_a_k_that_the_public_script_would_stop_at_is_said():
    assert warned(search(SCORES), "k=10 exceeds the 4 rows of the gallery")
    assert not warned(search(SCORES, k=[1, 4]), "exceeds")


def test_clips_with_several_rows_as_queries_are_said():
    result = search([[1, 0], [1, 0], [0, 1]], [A, A, B], [A, B], direction="clip_to_text", k=[1])
    assert warned(result, "clip_to_text, queries: 3 rows for 2 ids")


def test_rows_named_like_frames_of_missing_items_are_said():
    gallery = [f"{A}_frame_{i}" for i in range(2)] + [B]
    result = search([[1, 0, 0], [0, 0, 1]], [A, B], gallery)
    assert warned(result, "2 gallery rows are named like frames of items that the gallery lacks")


def test_rows_that_cannot_be_ranked_are_named_or_counted():
    queries = np.array(SCORES, dtype=np.float32)
    queries[1, 2] = np.nan
    with pytest.raises(InputError, match=rf"1 of 4 rows hold NaN or infinity: row 1 \({B}\)"):
        search(queries)
    gallery = np.eye(4, dtype=np.float32)
    gallery[0] = 0
    options = {"query_ids": CLIPS, "gallery_ids": CLIPS, "direction": "text_to_clip", "k": [1]}
    with pytest.raises(InputError, match=rf"rows hold only zeros: row 0 \({A}\)"):
        retrieve("lovr", np.array(SCORES, dtype=np.float32), gallery, **options)
    result = retrieve("lovr", queries, gallery, invalid="drop", **options)
    coverage = result.data["coverage"]
    assert coverage["status"] == {"ok": 2, "missing": 1, "not_finite": 1}
    assert coverage["directions"]["text_to_clip"]["dropped_rows"] == {"queries": 1, "gallery": 1}
    assert values(result)["recall@1"] == (0 + 0 + 0.5 + 0.5) / 4
    assert values(result, "paper")["recall@1"] == pytest.approx(1 / 3)


# ---- finished rankings ---------------------------------------------------------------------------


def test_an_item_that_no_list_names_is_beyond_and_not_a_rank():
    lists = {A: [A, B], B: [C, D], C: [A, B], D: [C, D]}
    result = retrieve("lovr", rankings=lists, direction="text_to_clip", k=[1, 2])
    found = values(result)
    assert (found["recall@1"], found["recall@2"]) == (0.25, 0.5)
    assert found["mean_reciprocal_rank"] == (1 + 0 + 0 + 0.5) / 4
    assert found["median_rank"] is None  # between the second place and none
    assert result.data["rules"]["robust"]["overall"]["median_rank"]["unranked"] == 2
    assert result.data["coverage"]["directions"]["text_to_clip"]["unlisted_items"] == 2
    assert not warned(result, "shorter")
    assert warned(retrieve("lovr", rankings=lists), "4 of 4 lists are shorter than the largest k")


@pytest.mark.parametrize("name", ["top.jsonl", "top.trec", "top.run.gz"])
@pytest.mark.parametrize("direction", ["text_to_clip", "clip_to_text"])
def test_rankings_written_and_read_again_give_the_same_score(name, direction, tmp_path):
    rng = np.random.default_rng(3)
    queries, gallery = [*CLIPS, "W-Scene-001"], [*CLIPS, A, B, "W-Scene-001"]
    if direction == "text_to_clip":
        queries, gallery = gallery, queries
    path = tmp_path / name
    scores = rng.permutation(len(queries) * len(gallery)).reshape(len(queries), -1) / 10
    first = search(
        scores, queries, gallery, direction=direction, rankings_out=path, top=len(gallery)
    )
    again = retrieve("lovr", rankings=path, direction=direction)
    for rule in ("robust", "paper"):
        assert values(again, rule) == values(first, rule)
    assert again.data["coverage"]["expected"] == first.data["coverage"]["expected"]


def test_rankings_are_searched_with_the_threads_asked_for(tmp_path, monkeypatch):
    asked = []
    whole = Gallery.search

    def spy(self, queries, k=10, *, threads=0):
        asked.append(threads)
        return whole(self, queries, k, threads=threads)

    monkeypatch.setattr(Gallery, "search", spy)
    search(SCORES, rankings_out=tmp_path / "top.jsonl", threads=1)
    assert asked == [1]


def test_rankings_keep_the_number_of_a_caption_whose_first_was_left_out(tmp_path):
    scores = np.array([SCORES[0], SCORES[0], SCORES[1]], dtype=np.float32)
    scores[0, 0] = np.nan
    path = tmp_path / "top.jsonl"
    search(scores, [A, A, B], invalid="drop", rankings_out=path)
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == [f"{A}#2", B]
    assert values(retrieve("lovr", rankings=path, k=[1]))["recall@1"] == 0.5


@pytest.mark.parametrize("scale", [1e-40, 1e-30, 1e-20, 1e20, 1e38])
def test_rows_of_any_size_are_rows(scale):
    rows = np.eye(3, dtype=np.float32) * np.float32(scale)
    options = {"query_ids": CLIPS[:3], "gallery_ids": CLIPS[:3], "k": [1]}
    for metric in ("cosine", "dot"):
        result = retrieve("lovr", rows, rows, metric=metric, **options)
        assert values(result)["recall@1"] == 1.0
        low, high = result.data["diagnostics"]["directions"]["unknown"]["gallery"][
            "vector_length_range"
        ]
        assert low == high == pytest.approx(np.float32(scale))


def test_the_list_length_follows_the_largest_k(tmp_path):
    rng = np.random.default_rng(3)
    clips = [f"V-Scene-{i:03d}" for i in range(30)]
    for k, top, length in (([1], None, 10), ([1, 20], None, 20), ([1], 3, 3)):
        path = tmp_path / "top.jsonl"
        search(rng.normal(size=(2, 30)), clips[:2], clips, k=k, top=top, rankings_out=path)
        lists = [json.loads(line)["ranking"] for line in path.read_text().splitlines()]
        assert [len(listed) for listed in lists] == [length, length]


def test_score_takes_finished_rankings_and_nothing_about_texts():
    lists = {A: [A, B], B: [A, B]}
    result = score("lovr", lists, rules="official")
    assert result.value("recall@1") == 0.5
    assert score("lovr", lists, {A: [B], B: [A]}).value("recall@1") == 0.5
    with pytest.raises(InputError, match="field 'durations': is about answers"):
        score("lovr", lists, durations="lengths.csv")
    with pytest.raises(InputError, match="one file of rankings"):
        score("lovr", ["a.jsonl", "b.jsonl"])


# ---- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "random"}, "field 'ties': no such choice, got 'random'"),
        ({"metric": "l2"}, "field 'metric': no such choice"),
        ({"k": [0]}, "field 'k': not a number of places, got 0"),
        ({"k": []}, "names no number of places"),
        ({"direction": "up"}, "lovr has no such direction, got 'up'"),
        ({"direction": "text_to_clip,clip_to_text"}, "goes one way"),
        ({"rules": "best"}, "no rule set of that name"),
        ({"truth": {A: []}}, "a query without a relevant item"),
        ({"top": 0, "rankings_out": "x"}, "field 'top': not a number of ids"),
        ({"rankings": {A: [A]}}, "one kind of input is needed"),
    ],
)
def test_bad_arguments_are_one_line(options, message):
    with pytest.raises(InputError, match=message):
        search(SCORES, **options)


def test_bad_inputs_are_one_line():
    rows = np.eye(3, dtype=np.float32)
    with pytest.raises(InputError, match="both queries and gallery"):
        retrieve("lovr", rows)
    with pytest.raises(InputError, match="no direction has both of its sides, got 'clips'"):
        retrieve("lovr", sides={"clips": rows})
    with pytest.raises(InputError, match="text_to_video needs text_videos and videos"):
        retrieve("lovr", sides={"clips": rows, "text_clips": rows}, direction="text_to_video")
    with pytest.raises(InputError, match="field 'sides': no such choice, got 'films'"):
        retrieve("lovr", sides={"films": rows})
    with pytest.raises(InputError, match="float64"):
        retrieve("lovr", rows.astype(float), rows)
    with pytest.raises(InputError, match="embeddings of 3 dimensions ask gallery, which has 2"):
        retrieve("lovr", rows, rows[:, :2].copy())
    with pytest.raises(InputError, match="queries: 3 embeddings and 1 ids"):
        retrieve("lovr", rows, rows, query_ids=["a"])
    with pytest.raises(InputError, match="scores answers, not rankings"):
        retrieve("lvbench", rows, rows)
    for unordered in ({A: 0.1, B: 0.9}, {A, B}, A):
        with pytest.raises(InputError, match="the ranking of query 'V0-Scene-000' is no list"):
            retrieve("lovr", rankings={A: unordered})
    with pytest.raises(InputError, match="the relevant items of query 'V0-Scene-000' are no list"):
        retrieve("lovr", rankings={A: [A]}, truth={A: {A: 0, B: 1}})
    with pytest.raises(InputError, match="not finished rankings"):
        retrieve("lovr", rankings={})


def test_the_declaration_names_what_is_not_applied():
    protocol = get_protocol("lovr")
    assert protocol.size_text == "467 videos, 40,804 clips"
    assert any("467" in note and "CLIP_NUM" in note for note in protocol.notes)


def test_a_truth_that_says_what_ids_say_changes_nothing():
    scores = [[1, 0, 0, 0.9], [0, 1, 1, 0.1]]
    options = {"direction": "clip_to_text", "k": [1]}
    implied = search(scores, [A, B], [A, A, B, B], **options)
    said = search(scores, [A, B], [A, A, B, B], truth={A: [A], B: [B]}, **options)
    assert said.value("recall@1") == implied.value("recall@1")
    assert implied.value("recall@1") == pytest.approx(0.375)
