"""The run folder: run.json, responses.jsonl, result.json, and one process that works on them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from fastvbench.core._errors import InputError
from fastvbench.formats import write_atomic
from fastvbench.results._strict_json import strict_json
from fastvbench.runs._lock import FolderLock

if TYPE_CHECKING:
    from types import TracebackType

    from fastvbench.runs._plan import Plan

__all__ = ["RECORD", "RESPONSES", "RESULT", "RunFolder", "now", "read_record"]

RECORD, RESPONSES, RESULT = "run.json", "responses.jsonl", "result.json"
SCHEMA = 1
_TEMPORARY = tuple(f".{name}." for name in (RECORD, RESPONSES, RESULT, "result.samples.jsonl.gz"))


def now() -> str:
    """The time in UTC, for records."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


def read_record(folder: Path) -> dict[str, Any]:
    """The run.json of a run folder.

    Raises:
        InputError: the folder holds no run.
    """
    path = folder / RECORD
    try:
        record = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError("holds no run", path=folder, expected=f"a folder with {RECORD}") from None
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON ({error})", path=path, expected="what a run wrote") from None
    if not isinstance(record, dict) or record.get("kind") != "run":
        raise InputError("not the record of a run", path=path, expected='"kind": "run"')
    return record


class RunFolder:
    """A run folder, locked while it is open.

    Args:
        path: the folder; made where it does not exist.

    Raises:
        InputError: it is a file, or another run works on it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not path.is_dir():
            raise InputError("is a file", path=path, expected="a folder for the run")
        path.mkdir(parents=True, exist_ok=True)
        self._lock = FolderLock(path)
        self.record: dict[str, Any] = {}
        for entry in path.iterdir():  # a process that was killed while it wrote a file
            if entry.name.startswith(_TEMPORARY):
                entry.unlink(missing_ok=True)

    @property
    def responses(self) -> Path:
        """What the model said."""
        return self.path / RESPONSES

    @property
    def result(self) -> Path:
        """The score."""
        return self.path / RESULT

    def begin(self, plan: Plan, beside: dict[str, Any], *, resume: bool) -> None:
        """Start a run, or go on with the one that is there.

        Args:
            plan: what is done.
            beside: further entries of the record.
            resume: whether a run that is there may be gone on with.

        Raises:
            InputError: a run is there and may not, or it is another one.
        """
        if (self.path / RECORD).exists():
            record = read_record(self.path)
            if not resume:
                raise InputError(
                    "holds a run already", path=self.path, expected="--resume, or another folder"
                )
            refuse_difference(record["identity"], plan.identity, self.path)
            refuse_difference(record["selection"], plan.selection, self.path)
            self.record = record | beside
        elif self.responses.exists() and self.responses.stat().st_size:
            raise InputError(
                f"holds {RESPONSES} without {RECORD}", path=self.path, expected="another folder"
            )
        else:
            self.record = {
                "schema": SCHEMA,
                "kind": "run",
                "identity": plan.identity,
                "selection": plan.selection,
                "sessions": [],
                **beside,
            }

    def open_session(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Note that a process begins to work; returns the entry, to be completed."""
        session = {"started": now(), **entry}
        self.record["sessions"].append(session)
        self.write()
        return session

    def write(self) -> None:
        """Write run.json, whole."""
        write_atomic(self.path / RECORD, strict_json(self.record))

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()


def refuse_difference(
    held: dict[str, Any], wanted: dict[str, Any], folder: Path, prefix: str = ""
) -> None:
    """Refuse to mix two runs, and name the first thing that tells them apart.

    Raises:
        InputError: an entry differs.
    """
    for name in dict.fromkeys([*held, *wanted]):
        a, b = held.get(name), wanted.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            refuse_difference(a, b, folder, f"{prefix}{name}.")
        elif a != b:
            raise InputError(
                "the run in this folder is another one",
                path=folder,
                field=f"{prefix}{name}",
                value=b,
                expected=f"{a!r}, as there, or another folder",
            )
