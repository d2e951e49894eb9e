"""TempCompass: four kinds of questions on short videos (Liu et al., 2024, arXiv:2403.00476)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers.rules import tempcompass_official, videollama3_choices
from fastvbench.core._status import Status
from fastvbench.protocols._annotations import Record, annotation_records
from fastvbench.protocols._choice_rules import ChoiceRow, ChoiceVerdict, row_choice_rule
from fastvbench.protocols._choice_set_rules import careful_set_rule
from fastvbench.protocols._choice_sets import ChoiceQuestion, gold_of_questions
from fastvbench.protocols._gold import ALPHABET, Gold, bare_video_name, split_options
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._rule import apply_verdicts
from fastvbench.protocols._task_plan import VIDEOLLAMA3_ON_VIDEOS, TaskPlan
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fastvbench.protocols._rule import Reading, Rule, RuleBatch

MULTI_CHOICE, YES_NO, CAPTION_MATCHING, CAPTIONING = KINDS = (
    "multi-choice",
    "yes_no",
    "caption_matching",
    "captioning",
)
ASPECTS = ("action", "direction", "speed", "order", "attribute_change")
_STRATA = {"kind": KINDS, "aspect": ASPECTS}

_CAPTION_LINE = re.compile(r"(?:Caption|Option|Sentence) (?:[A-Z]|\d): ")
_CAPTION_LABEL = re.compile(r"\b(?:caption|option|sentence)\s*\(?([12ab])\b", re.IGNORECASE)
_PLACE_OF_LABEL = {"1": 0, "a": 0, "2": 1, "b": 1}
_BARE_NUMBER = re.compile(r"[\s(]*([12])[\s).]*")


def _kind(question: str, answer: str) -> str:
    if "Generated Caption:" in question:
        return CAPTIONING
    if answer.strip().lower() in ("yes", "no"):
        return YES_NO
    return CAPTION_MATCHING if _CAPTION_LINE.match(answer) else MULTI_CHOICE


def _question(record: Record, video: str, aspect: object, ident: str) -> ChoiceQuestion:
    """One question, whose kind shows in its text and answer.

    Raises:
        InputError: the answer is none of the question's options.
    """
    text, answer = record.text("question"), record.text("answer", "gt-answer", "gold")
    kind = _kind(text, answer)
    options: list[str] = []
    place: int | None = None
    if kind == YES_NO:
        options = ["yes", "no"]
        place = options.index(answer.strip().lower())
    elif kind == CAPTION_MATCHING:
        lines = text.split("\n")[1:]
        options = [line.split(": ", 1)[-1] for line in lines]
        place = lines.index(answer) if answer in lines else -1
    elif kind == MULTI_CHOICE:
        options = split_options(text)[1]
        place = ALPHABET.find(answer[:1]) if answer else -1
    if place is not None and not 0 <= place < (len(options) or 1):
        raise record.error("not one of the question's options", "answer", "an option", answer)
    return ChoiceQuestion(
        ident=ident,
        video=bare_video_name(video),
        query=text,
        options=options,
        answer=place,
        categories={"kind": kind, "aspect": aspect if isinstance(aspect, str) else None},
        columns={"kind": kind, "answer_line": answer, "query": text},
    )


def _rows(source: object, ledger: dict[str, int]) -> Iterator[tuple[Record, str, object]]:
    """Each question with its video and aspect, from nested files or flat rows."""
    for record in annotation_records(source, ledger=ledger):
        if "question" in record.values:
            aspect = record.values.get("dim", record.values.get("aspect"))
            yield record, record.text("video_id", "video"), aspect
            continue
        for video, aspects in record.values.items():
            if not isinstance(aspects, dict):
                raise record.error("wrong type", video, "an object of aspects", aspects)
            for aspect, questions in aspects.items():
                for values in questions if isinstance(questions, list) else [questions]:
                    if not isinstance(values, dict):
                        raise record.error("wrong type", video, "a list of questions", values)
                    yield Record(values, record.path, record.line), video, aspect


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the official question files (``{video: {aspect: [{question, answer}]}}``), or rows.

    Rows have ``video_id``, ``dim``, ``question`` and ``answer``. A folder of the four kinds' files
    is read as one; a question's kind shows in its text and answer. Ids are video, aspect, kind and
    number, ``1034419625/action/multi-choice/0``.
    """
    ledger: dict[str, int] = {}
    questions = []
    counts: dict[str, int] = {}
    for record, video, aspect in _rows(source, ledger):
        question = _question(record, video, aspect, "")
        questions.append(_numbered(question, counts))
    return gold_of_questions(questions, _STRATA, ledger=ledger, durations=options.durations)


def _numbered(question: ChoiceQuestion, counts: dict[str, int]) -> ChoiceQuestion:
    """The question with its id."""
    place = f"{question.video}/{question.categories['aspect']}/{question.categories['kind']}"
    number = counts.get(place, 0)
    counts[place] = number + 1
    return replace(question, ident=f"{place}/{number}")


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves: each question once, with its answer."""
    questions = []
    counts: dict[str, int] = {}
    known: set[tuple[str, str]] = set()
    absent: list[Any] = [None] * len(fields["gold"])
    columns = (fields.get(name, absent) for name in ("video", "query", "question_type"))
    for number, (answer, video, query, aspect) in enumerate(
        zip(fields["gold"], *columns, strict=True), start=1
    ):
        record = Record({"question": query, "answer": answer, "video": video}, None, number)
        question = _question(record, record.text("video"), aspect, "")
        if (question.video, question.query) not in known:
            known.add((question.video, question.query))
            questions.append(_numbered(question, counts))
    return gold_of_questions(questions, _STRATA)


_WAITS = ChoiceVerdict(correct=False, status=Status.NEEDS_JUDGE)
_NO_TEXT = ChoiceVerdict(correct=False, status=Status.MISSING)


def _official(text: str, row: ChoiceRow) -> ChoiceVerdict:
    kind, answer = row.columns["kind"], row.columns["answer_line"]
    right: bool | None = None
    if kind == MULTI_CHOICE:
        right = tempcompass_official.multi_choice(text, answer)
    elif kind == YES_NO:
        right = tempcompass_official.yes_no(text, answer)
    elif kind == CAPTION_MATCHING:
        right = tempcompass_official.caption_matching(text, row.columns["query"], answer)
    return _WAITS if right is None else ChoiceVerdict(correct=right, status=Status.OK)


def _videollama3(text: str, row: ChoiceRow) -> ChoiceVerdict:
    kind, answer = row.columns["kind"], row.columns["answer_line"]
    if kind == CAPTIONING:
        return _WAITS
    judge = {
        MULTI_CHOICE: videollama3_choices.tempcompass_choice,
        YES_NO: videollama3_choices.tempcompass_yes_no,
        CAPTION_MATCHING: videollama3_choices.tempcompass_caption,
    }[kind]
    return ChoiceVerdict(correct=judge(text, answer), status=Status.OK)


def _as_letter(text: str | None, kind: str) -> str | None:
    """A caption's label as the letter of its place; any other text as it is."""
    if text is None or kind != CAPTION_MATCHING:
        return text
    bare = _BARE_NUMBER.fullmatch(text)
    labels = {bare.group(1)} if bare else {x.lower() for x in _CAPTION_LABEL.findall(text)}
    places = {_PLACE_OF_LABEL[label] for label in labels}
    return ALPHABET[places.pop()] if len(places) == 1 else text


def _careful(rule: Rule) -> Rule:
    """The careful rule with captions read by their labels, and generated ones left to a judge."""

    def read(batch: RuleBatch) -> Reading:
        kinds = batch.column("kind")
        texts = [_as_letter(text, kind) for text, kind in zip(batch.texts, kinds, strict=True)]
        reading = rule.read(batch.with_texts(texts))
        for k, (text, letter) in enumerate(zip(batch.texts, texts, strict=True)):
            if text != letter:
                reading.spans[k] = -1  # what was read is a label of several words
        status, correct = reading.status, reading.scores[ACCURACY.key]
        blank = np.isin(status, (Status.MISSING, Status.EMPTY, Status.ERROR))
        generated = np.array([kind == CAPTIONING for kind in kinds], dtype=np.bool_)
        correct[generated] = 0.0
        status[generated & ~blank] = Status.NEEDS_JUDGE
        if reading.letters is not None:
            reading.letters[generated] = -1
        reading.judged = apply_verdicts(batch, status, correct)
        reading.scores[ANSWERED_ACCURACY.key] = np.where(status == Status.OK, correct, np.nan)
        return reading

    return replace(rule, read=read, options={**rule.options, "captioning": "needs_judge"})


PROTOCOL = AnswerProtocol(
    name="tempcompass",
    title="TempCompass",
    citation="Liu et al., 2024, TempCompass: Do Video LLMs Really Understand Videos?, "
    "arXiv:2403.00476",
    version=1,
    published_size=7540,
    rules=(
        _careful(
            careful_set_rule(
                "robust",
                "a careful reader's judgement of each answer, option texts and caption labels "
                "included; only generated captions wait for a judge",
            )
        ),
        row_choice_rule(
            "official",
            "TempCompass repository: whole lines, lone letters, beginnings; what these do not "
            "decide goes to GPT-3.5, so it waits for verdicts here; mean over questions, printed "
            "with one decimal",
            _official,
            missing_text=_NO_TEXT,
        ),
        row_choice_rule(
            "videollama3",
            "VideoLLaMA3, evaluation/benchmarks/tempcompass.py: the lower-cased text begins with "
            "the gold letter; generated captions go to a judge",
            _videollama3,
            missing_text=_NO_TEXT,
            missing="dropped",
            denominator="rows of the result file",
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(prompt_column="kind", published={"videollama3": VIDEOLLAMA3_ON_VIDEOS}),
    gold_fields=gold_from_fields,
    notes=(
        "Questions and videos are CC-BY-NC-4.0 and not part of this package.",
        "1,580 multiple choice, 2,453 yes or no, 1,503 caption matching, 2,004 captions.",
        "The official script scores the file of each kind by itself: see stratum kind.",
        "The official ratings file serves as --verdicts.",
        "Prompt of the official evaluation: not confirmed.",
    ),
    settings={
        "official": "frame policy and generation settings: not confirmed; judge gpt-3.5-turbo-1106 "
        "at temperature 1.0",
        "videollama3": "1 frame per second, at most 180 frames, 16K visual tokens, temperature 0, "
        "no sampling; judge gpt-35-turbo-0613 at temperature 0.7",
    },
    prompts={
        "videollama3, multi-choice": "Question: {question}\nPlease answer with the option's letter "
        "from the given choices directly and only give the best option.",
        "videollama3, yes_no": "Question: {question}\nPlease answer with 'yes' or 'no' directly.",
        "videollama3, captioning": "Question: {question}\nPlease answer with the caption directly.",
        "videollama3, caption_matching": "Question: {question}\nPlease directly give the best "
        "option:",
    },
    score_fields={"kind": KINDS, "aspect": ASPECTS},
)
