"""Submission files from saved answers: read, joined and written as a benchmark wants them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.formats import (
    SUBMISSIONS,
    SubmissionRow,
    submission_bytes,
    write_submission,
)
from fastvbench.protocols._gold import ALPHABET
from fastvbench.protocols._join import JoinLedger, join_batch
from fastvbench.protocols._protocol import AnswerProtocol, Protocol, ScoreOptions, chosen_rules
from fastvbench.protocols._registry import get_protocol
from fastvbench.protocols._rule import RuleBatch
from fastvbench.protocols._score_answers import gold_of_files, open_files, refuse_repeated_ids
from fastvbench.protocols._settings import files_by_setting
from fastvbench.results._result import samples_path
from fastvbench.results._strata import UNKNOWN

if TYPE_CHECKING:
    from fastvbench.formats import PredictionFile
    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._rule import Rule
    from fastvbench.results._strata import Stratum

__all__ = ["Submission", "export"]


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission file and what is in it.

    Attributes:
        protocol: the benchmark.
        format: its layout, a key of ``formats.SUBMISSIONS``.
        rule: the rule set that read the answers; None where texts are handed in untouched.
        rows: every question of the benchmark, in its order.
        without_answer: ids of rows for which there is nothing to hand in.
        blank: how those are written.
        unexpected: predictions that belong to no question.
        duplicates: predictions whose question had one before; the last one counts.
        ledger: what was tolerated in the prediction files.
        coverage_limit: smallest share of rows with an answer that is no cause for alarm.
    """

    protocol: str
    format: str
    rule: str | None
    rows: list[SubmissionRow]
    without_answer: list[str]
    blank: str
    unexpected: int
    duplicates: int
    ledger: dict[str, int] = field(default_factory=dict)
    coverage_limit: float = 0.95

    @property
    def answered(self) -> int:
        """Rows with an answer."""
        return len(self.rows) - len(self.without_answer)

    def content(self) -> bytes:
        """The bytes of the file."""
        return submission_bytes(self.format, self.rows)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the file in one step; a name that ends in ``.gz`` is packed.

        Raises:
            InputError: a folder, a pipe, a device, or a file in no folder.
        """
        return write_submission(path, self.format, self.rows)


def export(
    protocol: str | Protocol,
    predictions: object,
    annotations: object = None,
    *,
    output: str | os.PathLike[str] | None = None,
    rule: str | None = None,
    setting: str | None = None,
    format: str | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
) -> Submission:
    r"""Make the file that a benchmark's server, or its own script, wants to be handed.

    Letters and short answers are what a rule set reads, the main one unless another is named.
    Video-MME's template takes texts as they are, unless a rule set is named. Every question of
    the annotations is in the file; one without an answer is written empty, so that it counts as
    wrong and not as absent.

    Args:
        protocol: name of a benchmark that has a submission file, or a Protocol.
        predictions: as `score` takes them; also a result.json, or its samples file.
        annotations: the questions, right answers not needed; None where the files carry them.
        output: the file to write; None writes none.
        rule: name of the rule set that reads the answers.
        setting: which input setting, of files that hold several.
        format: name of the prediction format, None to detect it.
        id_field: field that holds the id, None to detect it.
        text_field: field that holds the text, None to detect it.

    Returns:
        The submission, written or not.

    Raises:
        InputError: no such benchmark or file, several runs in the files, or no row that belongs
            to a question.

    Example:
        >>> gold = [{"uid": "1", "key": "v", "question": "Q?\n(A) x\n(B) y", "answer": "B"}]
        >>> export("lvbench", {"1": "It must be (B)."}, gold).rows[0].answer
        'B'
    """
    declared = get_protocol(protocol) if isinstance(protocol, str) else protocol
    if not isinstance(declared, AnswerProtocol) or declared.submission is None:
        raise InputError("has no submission file", field="protocol", value=declared.name)
    layout = SUBMISSIONS[declared.submission]
    reader = None
    if rule is not None or not layout.untouched:
        reader = chosen_rules(declared.rules, None if rule is None else [rule], declared.name)[0]
    files = open_files(_samples_of_results(predictions), format, id_field, text_field)
    by_setting = files_by_setting(declared, files, setting)
    if len(by_setting) > 1:
        raise InputError(
            "the file holds several settings, a submission is of one",
            path=files[0].path,
            field="setting",
            value=", ".join(map(str, by_setting)),
            expected="--setting with one of them",
        )
    (chosen_files,) = by_setting.values()
    if annotations is None:
        gold = gold_of_files(declared, chosen_files)
    else:
        gold = declared.read_annotations(annotations, ScoreOptions(without_gold=True))
    refuse_repeated_ids(gold, annotations)
    if gold.answers is not None:  # rules also score what they read, and want something to score by
        gold.answers = [list(accepted) or [""] for accepted in gold.answers]
    given = _Given(gold)
    for file in chosen_files:
        given.read(file)
    given.check(files)
    answers = given.texts if reader is None else given.read_by(reader)
    rows = _submission_rows(gold, answers)
    submission = Submission(
        protocol=declared.name,
        format=layout.name,
        rule=None if reader is None else reader.name,
        rows=rows,
        without_answer=[row.id for row in rows if not row.answer],
        blank=layout.blank,
        unexpected=given.join.unexpected,
        duplicates=given.duplicates,
        ledger=given.ledger,
        coverage_limit=declared.coverage_limit,
    )
    if output is not None:
        submission.write(output)
    return submission


class _Given:
    """What the files say to each question: one text a row of the annotations."""

    def __init__(self, gold: Gold) -> None:
        self.gold = gold
        self.texts: list[str | None] = [None] * len(gold)
        self.fields: dict[str, list[Any]] = {}
        self.join = JoinLedger()
        self.duplicates = 0
        self.ledger: dict[str, int] = {}
        self._file_of_row: dict[int, PredictionFile] = {}
        self._runs: set[object] = set()

    def read(self, file: PredictionFile) -> None:
        """Take the rows of one file; of rows with one id, the last.

        Raises:
            InputError: another file has one of its ids, or it holds several runs.
        """
        for batch in file.batches():
            rows = join_batch(batch, self.gold, file.path, self.join).tolist()
            self._runs.update(batch.fields.get("sample", ()))
            if len(self._runs - {None}) > 1:
                raise InputError(
                    "holds several runs, a submission is of one",
                    path=file.path,
                    field="sample",
                    value=", ".join(sorted(map(str, self._runs))),
                    expected="one answer to a question",
                )
            for place, row in enumerate(rows):
                if row < 0:
                    continue
                earlier = self._file_of_row.setdefault(row, file)
                if earlier is not file:
                    raise InputError(
                        f"the same id stands in {earlier.path} too",
                        path=file.path,
                        line=batch.lines[place],
                        field="id",
                        value=self.gold.ids[row],
                        expected="each id in one file",
                    )
                self.texts[row] = batch.texts[place]
            for name, values in batch.fields.items():
                column = self.fields.setdefault(name, [None] * len(self.gold))
                for row, value in zip(rows, values, strict=True):
                    if row >= 0:
                        column[row] = value
        for name, times in file.ledger.items():
            self.ledger[name] = self.ledger.get(name, 0) + times
        self.duplicates = self.join.rows - self.join.unexpected - len(self._file_of_row)

    def check(self, files: list[PredictionFile]) -> None:
        """Refuse files without a row that belongs here.

        Raises:
            InputError: none does.
        """
        if not self._file_of_row:
            examples = ", ".join(self.join.unexpected_examples) or "none"
            raise InputError(
                f"no prediction belongs to a question (ids such as {examples})",
                path=files[0].path,
                field="id",
                expected=f"ids such as {', '.join(self.gold.ids[:3])}",
            )

    def read_by(self, rule: Rule) -> list[str | None]:
        """What a rule set reads from each row; None where it reads nothing."""
        rows = np.array(sorted(self._file_of_row), dtype=np.int64)
        picked = rows.tolist()
        fields = {name: [values[row] for row in picked] for name, values in self.fields.items()}
        texts = [self.texts[row] for row in picked]
        if rule.text == "filtered" and "filtered" in fields:
            texts = fields["filtered"]
        reading = rule.read(RuleBatch(texts, fields, rows, self.gold))
        aborts = np.zeros(len(rows), dtype=np.bool_) if reading.aborts is None else reading.aborts
        answers: list[str | None] = [None] * len(self.gold)
        for row, answer, aborted in zip(picked, reading.answers(), aborts.tolist(), strict=True):
            if answer is not None and not aborted:
                answers[row] = str(answer)
        return answers


def _submission_rows(gold: Gold, answers: list[str | None]) -> list[SubmissionRow]:
    count = len(gold)
    columns: dict[str, list[Any]] = {
        name: _category_of_row(stratum, count) for name, stratum in gold.strata.items()
    }
    columns |= {name: gold.columns[name] for name in ("video_id",) if name in gold.columns}
    lines = gold.columns.get("option_lines")
    letters = [-1] * count if gold.letters is None else gold.letters.tolist()
    return [
        SubmissionRow(
            id=gold.ids[row],
            answer=answers[row],
            query="" if gold.queries is None else gold.queries[row],
            option_lines=() if lines is None else lines[row],
            gold=ALPHABET[letters[row]] if letters[row] >= 0 else None,
            columns={name: values[row] for name, values in columns.items()},
        )
        for row in range(count)
    ]


def _category_of_row(stratum: Stratum, count: int) -> list[str | None]:
    """The category of each row; None where it has none or several."""
    of_row = stratum.of_row()
    found: list[str | None] = []
    for row in range(count):
        names = of_row.get(row, [])
        found.append(names[0] if len(names) == 1 and names[0] != UNKNOWN else None)
    return found


def _samples_of_results(predictions: object) -> object:
    """The same, with the samples file in place of each result.json."""
    if isinstance(predictions, str | os.PathLike):
        return _samples_of_result(Path(predictions))
    if isinstance(predictions, Sequence):
        return [
            _samples_of_result(Path(each)) if isinstance(each, str | os.PathLike) else each
            for each in predictions
        ]
    return predictions


def _samples_of_result(path: Path) -> Path:
    if not path.is_file():
        return path  # its reader says what is wrong with it
    with open(path, "rb") as file:
        head = file.read(200)
    if not (head.lstrip().startswith(b"{") and b'"schema"' in head and b'"kind"' in head):
        return path
    samples = samples_path(path)
    if not samples.is_file():
        raise InputError(
            "a result without its samples file, which holds the answers",
            path=path,
            expected=f"{samples.name} beside it",
        )
    return samples
