"""Option letters from text, against the plain-Python meaning of the same rules."""

from __future__ import annotations

from benchmarks.rivals import choices_data
from tests.reference import choices as twin

from fastvbench import parse_choice

ROWS = 20_000
OPTION_ROWS = 10_000
SEED = 0


def bench_list_one_thread(compare):
    lines = choices_data.texts(ROWS, SEED)

    def same(name, ours, theirs):
        assert ours.index.tolist() == [parsed.index for parsed in theirs], name
        assert ours.status.tolist() == [int(parsed.status) for parsed in theirs], name

    compare(
        lambda: parse_choice(lines, options=4, threads=1),
        {"twin": lambda: [twin.parse(line, 4) for line in lines]},
        same,
        case="choices/list, 1 thread",
        rounds=5,
    )


def bench_option_texts_one_thread(compare):
    """Option texts are known: as Video-MME's `robust` reads its answers."""
    lines, options = choices_data.rows_with_options(OPTION_ROWS, SEED)

    def same(name, ours, theirs):
        assert ours.index.tolist() == [parsed.index for parsed in theirs], name
        assert ours.status.tolist() == [int(parsed.status) for parsed in theirs], name

    compare(
        lambda: parse_choice(lines, options=options, threads=1),
        {"twin": lambda: [twin.parse(line, row) for line, row in zip(lines, options, strict=True)]},
        same,
        case="choices/option texts, 1 thread",
        rounds=3,
        warmup=1,
    )
