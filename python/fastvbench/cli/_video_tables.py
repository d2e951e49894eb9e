"""What `fastvbench video` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.cli._text import table

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["print_description", "print_frames"]

MOST_ROWS = 12
MOST_TIMES = 4


def print_description(description: dict[str, Any], stream: TextIO) -> None:
    """An index, its gaps and the picks of policies."""
    index = description["index"]
    rate = "constant" if index["is_constant_rate"] else "variable"
    lines = [
        ("file", description["file"]),
        ("picture", _picture(index)),
        ("frames", f"{index['frames']:,} in {_seconds(index['duration_seconds'])}"),
        ("rate", f"{index['average_rate']:.3f} a second, {rate}{_header_rate(index)}"),
        ("key frames", _key_frames(index)),
        ("gaps", _gaps(index)),
    ]
    if index["begins_at_seconds"]:
        begins = f"its own clock begins at {_seconds(index['begins_at_seconds'])}"
        lines.append(("clock", f"{begins}; times here count from the first frame"))
    if index["repair"]:
        lines.append(("times", f"{index['repair']}, since the file's own don't serve"))
    lines += [("damage", note) for note in index["damage"]]
    lines.append(("scanned by", index["scanned_by"]))
    width = max(len(name) for name, _ in lines)
    for name, text in lines:
        print(f"{name:{width}}  {text}", file=stream)
    if index["gaps"]:
        print("\nlongest gaps", file=stream)
        rows = [
            [f"{gap['after_frame']:,}", _seconds(gap["at_seconds"]), _seconds(gap["seconds"])]
            for gap in index["gaps"]
        ]
        print(table(["after frame", "at", "shown for"], rows), file=stream)
    print(file=stream)
    rows = [
        [
            pick["policy"],
            f"{pick['count']:,}",
            _seconds(pick["longest_step_seconds"]),
            f"{pick['decoded_frames']:,}",
            _some(pick["indices"], pick["seconds"]),
        ]
        for pick in description["policies"]
    ]
    header = ["policy", "frames", "longest step", "to decode", "frame @ seconds"]
    print(table(header, rows, align="<>>><"), file=stream)


def print_frames(record: dict[str, Any], stream: TextIO) -> None:
    """Which frames were written, and by which decoder."""
    backend = record["backend"]
    print(
        f"{record['file']}: {len(record['frames'])} frames by {record['policy']}, "
        f"{backend['name']} {backend['version']} on {backend['device']}",
        file=stream,
    )
    if backend["fallback_reason"]:
        print(f"decoder: {backend['fallback_reason']}", file=stream)
    frames = record["frames"]
    shown = frames if len(frames) <= MOST_ROWS else frames[: MOST_ROWS - 1]
    rows = [[f"{row['index']:,}", f"{row['seconds']:.3f}"] for row in shown]
    if len(shown) < len(frames):
        rows.append(["...", f"{len(frames) - len(shown)} more"])
    print(table(["frame", "seconds"], rows), file=stream)


def _picture(index: dict[str, Any]) -> str:
    turned = f", turned by {index['rotation_degrees']}°" if index["rotation_degrees"] else ""
    return f"{index['width']} x {index['height']} {index['codec']}{turned}"


def _header_rate(index: dict[str, Any]) -> str:
    claimed = index["header_rate"]
    if claimed is None or abs(claimed - index["average_rate"]) < 0.01 * claimed:
        return ""
    return f" (its header says {claimed:.3f})"


def _key_frames(index: dict[str, Any]) -> str:
    apart = index["longest_key_step_seconds"]
    return f"{index['key_frames']:,}" + (f", at most {_seconds(apart)} apart" if apart else "")


def _gaps(index: dict[str, Any]) -> str:
    if index["frames"] < 2:
        return "none"
    steps = (
        f"a frame is shown for {_seconds(index['usual_step_seconds'])}, "
        f"from {_seconds(index['shortest_step_seconds'])} "
        f"to {_seconds(index['longest_step_seconds'])}"
    )
    return f"{index['gap_count']:,} of more than twice the usual step; {steps}"


def _some(indices: list[int], seconds: list[float]) -> str:
    pairs = [f"{index}@{at:.3f}" for index, at in zip(indices, seconds, strict=True)]
    if len(pairs) <= MOST_TIMES:
        return " ".join(pairs)
    return f"{' '.join(pairs[: MOST_TIMES - 1])} … {pairs[-1]}"


def _seconds(value: float) -> str:
    return f"{value:.3f} s"
