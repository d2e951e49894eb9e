"""polars: extract_all with a regular expression in Rust, on all cores, then one cast."""

from __future__ import annotations

from benchmarks.rivals import timestamps_data


def prepare_decimals(rows: int, seed: int, reworded: bool = False):
    """All decimal numbers of each row: flat values, and how many each row has."""
    import polars

    lines, _ = timestamps_data.texts(rows, seed, reworded=reworded)
    series = polars.Series(lines)

    def call():
        found = series.str.extract_all(r"\d+(?:\.\d+)?")
        # One cast of the flat column is faster than a cast inside every list.
        return found.explode().cast(polars.Float64).to_numpy(), found.list.len().to_numpy()

    return call
