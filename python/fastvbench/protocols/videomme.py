"""Video-MME: multiple choice on videos of 11 s to 1 h (Fu et al., 2024, arXiv:2405.21075)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.answers.rules import (
    lmms_eval_2026_08,
    lmms_eval_pre_1274,
    videollama3_choices,
    videomme_official,
    vlmevalkit,
)
from fastvbench.core._status import Status
from fastvbench.formats import VIDEOMME_CATEGORIES, first_present, parse_list_cell
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._choice_rules import (
    ChoiceRow,
    ChoiceVerdict,
    careful_choice_rule,
    letter_function_rule,
    row_choice_rule,
)
from fastvbench.protocols._gold import ALPHABET, Gold, gold_letter_index, join_key
from fastvbench.protocols._groups import rows_in_orders
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Categories in the order of the official script's tables.
DURATIONS = ("short", "medium", "long")
DOMAINS = (
    "Knowledge",
    "Film & Television",
    "Sports Competition",
    "Artistic Performance",
    "Life Record",
    "Multilingual",
)
SUB_CATEGORIES = (
    *("Humanity & History", "Literature & Art", "Biology & Medicine", "Finance & Commerce"),
    *("Astronomy", "Geography", "Law", "Life Tip", "Technology", "Animation", "Movie & TV Show"),
    *("Documentary", "News Report", "Esports", "Basketball", "Football", "Athletics"),
    *("Other Sports", "Stage Play", "Magic Show", "Variety Show", "Acrobatics", "Handicraft"),
    *("Food", "Fashion", "Daily Life", "Travel", "Pet & Animal", "Exercise", "Multilingual"),
)
TASK_TYPES = (
    *("Temporal Perception", "Spatial Perception", "Attribute Perception", "Action Recognition"),
    *("Object Recognition", "OCR Problems", "Counting Problem", "Temporal Reasoning"),
    *("Spatial Reasoning", "Action Reasoning", "Object Reasoning", "Information Synopsis"),
)
_STRATA = {
    "duration": DURATIONS,
    "domain": DOMAINS,
    "sub_category": SUB_CATEGORIES,
    "task_type": TASK_TYPES,
}

_LETTERED = re.compile(r"\s*\(?([A-Z])[.):]\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Options:
    """Options as the data set writes them (``A. Apples.``), and their texts without letters."""

    lines: list[str]
    texts: list[str]


class _Columns:
    """Rows as they are read, before they become a Gold."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.videos: list[str] = []
        self.video_ids: list[str] = []
        self.queries: list[str] = []
        self.letters: list[int] = []
        self.options: list[_Options] = []
        self.orders: list[object] = []
        self.strata: dict[str, list[str | None]] = {name: [] for name in _STRATA}

    def add(self, ident: str, values: Mapping[str, Any], letter: int, options: _Options) -> None:
        """Add a question; `values` has its video, its text and its categories."""
        self.ids.append(ident)
        self.videos.append(values["video"])
        self.video_ids.append(values["video_id"])
        self.queries.append(values["query"])
        self.letters.append(letter)
        self.options.append(options)
        self.orders.append(values.get("order"))
        for name, column in self.strata.items():
            category = values.get(name)
            column.append(category if isinstance(category, str) and category else None)

    def gold(self, ledger: dict[str, int]) -> Gold:
        texts = [options.texts for options in self.options]
        ordered = rows_in_orders(self.ids, self.orders)
        return Gold(
            ids=ordered.ids,
            groups=ordered.groups,
            videos=self.videos,
            queries=self.queries,
            letters=np.array(self.letters, dtype=np.int8),
            options=texts if any(texts) else None,
            strata={
                name: Stratum.single(self.strata[name], order) for name, order in _STRATA.items()
            },
            columns={
                "option_lines": [options.lines for options in self.options],
                "video_id": self.video_ids,
            },
            ledger=ledger,
        )


def _read_options(given: object) -> _Options:
    """Options of a list, or of a cell that holds one as text; letters are added where missing."""
    if isinstance(given, str):
        given = parse_list_cell(given)
    if not isinstance(given, list | tuple):
        return _Options([], [])
    lines = [str(option) for option in given]
    found = [_LETTERED.fullmatch(line) for line in lines]
    if "".join(match.group(1) if match else "?" for match in found) == ALPHABET[: len(lines)]:
        return _Options(lines, [match.group(2).rstrip() for match in found if match])
    lettered = [f"{letter}. {line}" for letter, line in zip(ALPHABET, lines, strict=False)]
    return _Options(lettered, lines)


def _add_question(
    columns: _Columns, record: Record, video: Mapping[str, Any], *, without_gold: bool
) -> None:
    values = {**video, **record.values}
    options = _read_options(first_present(values, ("options", "candidates", "choices")))
    categories = {name: first_present(values, keys) for name, keys in VIDEOMME_CATEGORIES.items()}
    letter = -1
    if values.get("answer") is not None or not without_gold:
        answer = record.text("answer")
        letter = gold_letter_index(answer, options.texts)
        if letter < 0:
            raise record.error("not one of the options", "answer", "an option letter", answer)
    number = first_present(values, ("video_id", "videoID", "video"))
    name = first_present(values, ("videoID", "video", "video_id"))
    if not isinstance(name, str):
        raise record.error("wrong type", "video_id", "a string", name)
    columns.add(
        row_id(values.get("question_id", values.get("index")), record, "question_id"),
        {
            **values,
            **categories,
            "video": name,
            "video_id": str(number),
            "query": record.text("question"),
        },
        letter,
        options,
    )


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the official template, or rows of one question each (JSON, parquet, tsv, csv, xlsx).

    Rows are those of the published data set (``question_id``, ``videoID``, ``options``,
    ``answer``, ...) or of VLMEvalKit's table (``index``, ``video``, ``candidates``, ...). The
    template may have trailing commas, as the published one does; they are counted.
    """
    columns = _Columns()
    ledger: dict[str, int] = {}
    for record in annotation_records(source, ledger=ledger):
        questions = record.values.get("questions")
        video = {key: value for key, value in record.values.items() if key != "questions"}
        if questions is None:
            _add_question(columns, record, {}, without_gold=options.without_gold)
            continue
        if not isinstance(questions, list):
            raise record.error("wrong type", "questions", "a list of questions", questions)
        for question in questions:
            if not isinstance(question, dict):
                raise record.error("wrong type", "questions", "a list of objects", question)
            inner = Record(question, record.path, record.line)
            _add_question(columns, inner, video, without_gold=options.without_gold)
    return columns.gold(ledger)


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves; a question is its id, or its video and text."""
    columns = _Columns()
    known: set[object] = set()
    absent: list[Any] = [None] * len(fields["gold"])
    names = ("question_id", "video", "query", "options", "order", "question_type")
    categories = ("duration", "domain", "sub_category")
    for ident, answer, question_id, video, query, given, order, task_type, *of_video in zip(
        fields["id"],
        fields["gold"],
        *(fields.get(name, absent) for name in (*names, *categories)),
        strict=True,
    ):
        name = ident if question_id is None else str(question_id)
        key = join_key(str(video), str(query)) if name is None else (name, order)
        if key in known:
            continue
        known.add(key)
        record = Record({"gold": answer}, None, len(columns.ids) + 1)
        options = _read_options(given)
        letter = gold_letter_index(record.text("gold"), options.texts)
        if letter < 0:
            raise record.error("not one of the options", "gold", "an option letter", answer)
        row = f"{key[0]}:{len(columns.ids)}" if name is None else name
        bare = row if video is None else join_key(str(video), "")[0]
        columns.add(
            row,
            {
                "video": bare,
                "video_id": bare,
                "query": "" if query is None else str(query),
                "task_type": task_type,
                "order": order,
                **dict(zip(categories, of_video, strict=True)),
            },
            letter,
            options,
        )
    return columns.gold({})


def _card_letter(text: str) -> str:
    letter = text.strip().upper()
    return letter if len(letter) == 1 and letter in ALPHABET else ""


NOT_COUNTED = float("nan")


def _counted_where_read(letter: Callable[[str], str]) -> Callable[[str, ChoiceRow], ChoiceVerdict]:
    """A reading whose texts without a letter leave numerator and denominator alike."""

    def judge(text: str, row: ChoiceRow) -> ChoiceVerdict:
        del row
        found = letter(text)
        return ChoiceVerdict(ALPHABET.index(found)) if found else ChoiceVerdict(score=NOT_COUNTED)

    return judge


def _videollama3(text: str, row: ChoiceRow) -> ChoiceVerdict:
    letter = videollama3_choices.videomme_letter(text, row.columns["option_lines"])
    return ChoiceVerdict(ALPHABET.index(letter))


def _vlmevalkit(text: str, row: ChoiceRow) -> ChoiceVerdict:
    del row
    letter = vlmevalkit.videomme_letter(text)
    return ChoiceVerdict(-1 if letter == vlmevalkit.NO_OPTION else ALPHABET.index(letter))


_UNREAD_IS_NOT_COUNTED = ChoiceVerdict(status=Status.MISSING, score=NOT_COUNTED)

_INSTRUCTION = (
    "Select the best answer to the following multiple-choice question based on the video. "
    "Respond with only the letter (A, B, C, or D) of the correct option.\n"
)
_SUBTITLES = "This video's subtitles are listed below:\n{subtitles}\n"
OFFICIAL_PROMPT = _INSTRUCTION + "{question}\n{options}\nThe best answer is:"
VIDEOLLAMA3_PROMPT = (
    _INSTRUCTION + "{question}\n{options}\nAnswer with the option's letter from the given choices "
    "directly and only give the best option. The best answer is:"
)
VLMEVALKIT_PROMPT = (
    "\nThese are the frames of a video. "
    + _INSTRUCTION
    + "Question: {question}\n{options}\nAnswer: "
)
VLMEVALKIT_SUBTITLE_PROMPT = (
    "\nThese are the frames of a video. "
    + _SUBTITLES
    + _INSTRUCTION
    + "Question: {question}\n{options}\nAnswer: "
)

PROTOCOL = AnswerProtocol(
    name="videomme",
    title="Video-MME",
    citation="Fu et al., 2024, Video-MME: The First-Ever Comprehensive Evaluation Benchmark of "
    "Multi-modal LLMs in Video Analysis, arXiv:2405.21075",
    version=1,
    published_size=2700,
    rules=(
        careful_choice_rule(
            "robust",
            "a careful reader's judgement of each answer, option texts included",
        ),
        letter_function_rule(
            "paper",
            "evaluation card of VideoLLaMA3: the text, trimmed and upper-cased, is the letter",
            _card_letter,
        ),
        row_choice_rule(
            "official",
            "thanku-all/parse_answer, eval_your_results.py: phrases removed, first A-D anywhere; "
            "answers without a letter are counted nowhere; the script stops unless the file has "
            "300 videos of each length, and prints one decimal",
            _counted_where_read(videomme_official.letter),
            missing_text=_UNREAD_IS_NOT_COUNTED,
            missing="dropped",
            denominator="answers with a letter in them",
            options={"unread": "dropped"},
        ),
        row_choice_rule(
            "videollama3-mcqa",
            "VideoLLaMA3, evaluation/video/mcqa/eval_video_mcqa_videomme.py: an older copy of the "
            "official script that removes fewer phrases; it wants a field missing in each video, "
            "which the template does not have",
            _counted_where_read(lmms_eval_pre_1274.letter),
            missing_text=_UNREAD_IS_NOT_COUNTED,
            missing="dropped",
            denominator="answers with a letter in them",
            options={"unread": "dropped"},
        ),
        row_choice_rule(
            "videollama3",
            "VideoLLaMA3, evaluation/benchmarks/videomme.py: first A-D anywhere, else an option's "
            "text without its last character",
            _videollama3,
            missing="dropped",
            denominator="rows of the result file",
        ),
        letter_function_rule(
            "lmms-eval-pre-1274",
            "lmms-eval before pull request 1274 (April 2026): prefixes removed, first A-D anywhere",
            lmms_eval_pre_1274.letter,
            text="filtered",
        ),
        letter_function_rule(
            "lmms-eval-2026-08",
            "lmms-eval as of August 2026: candidates by format priority, then position",
            lmms_eval_2026_08.letter,
            text="filtered",
        ),
        row_choice_rule(
            "vlmevalkit",
            "VLMEvalKit, dataset/videomme.py as of August 2026: first A-D anywhere, so that the "
            "message of a failed request is A; anything else is Z, which is wrong. It prints "
            "fractions of three decimals, and a hundred times that as its main number",
            _vlmevalkit,
        ),
    ),
    read_annotations=read_annotations,
    gold_fields=gold_from_fields,
    input_settings=("without_subtitle", "with_subtitle"),
    submission="videomme-template",
    notes=(
        "Question texts and videos are for academic research only and not part of this package.",
        "Prompt of lmms-eval: not confirmed.",
    ),
    settings={
        "official": "frame policy and generation settings: not confirmed",
        "videollama3": "1 frame per second, at most 180 frames, 16K visual tokens, temperature 0, "
        "no sampling",
    },
    prompts={
        "official": OFFICIAL_PROMPT,
        "official, with subtitles": _SUBTITLES + OFFICIAL_PROMPT,
        "videollama3": VIDEOLLAMA3_PROMPT,
        "videollama3, with subtitles": _SUBTITLES + VIDEOLLAMA3_PROMPT,
        "vlmevalkit": VLMEVALKIT_PROMPT,
        "vlmevalkit, with subtitles": VLMEVALKIT_SUBTITLE_PROMPT,
    },
)
