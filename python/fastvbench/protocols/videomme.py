"""Video-MME: multiple choice on videos of 11 s to 1 h (Fu et al., 2024, arXiv:2405.21075)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from fastvbench.protocols._choice_sets import ChoiceQuestion, gold_of_questions, rows_of_fields
from fastvbench.protocols._gold import ALPHABET, Gold, gold_letter_index
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._task_plan import VIDEOLLAMA3_ON_VIDEOS, TaskPlan

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


def _question(record: Record, video: Mapping[str, Any], options: ScoreOptions) -> ChoiceQuestion:
    """One question; what the template says of its video stands in `video`.

    Raises:
        InputError: a field is missing, or the answer is not one of the options.
    """
    values = {**video, **record.values}
    given = _read_options(first_present(values, ("options", "candidates", "choices")))
    letter = None
    if values.get("answer") is not None or not options.without_gold:
        answer = record.text("answer")
        letter = gold_letter_index(answer, given.texts)
        if letter < 0:
            raise record.error("not one of the options", "answer", "an option letter", answer)
    name = first_present(values, ("videoID", "video", "video_id"))
    if not isinstance(name, str):
        raise record.error("wrong type", "video_id", "a string", name)
    categories = {key: first_present(values, names) for key, names in VIDEOMME_CATEGORIES.items()}
    return _choice_question(
        ident=row_id(values.get("question_id", values.get("index")), record, "question_id"),
        video=name,
        query=record.text("question"),
        options=given,
        letter=letter,
        categories={**categories, "task_type": values.get("task_type")},
        order=values.get("order"),
        video_id=str(first_present(values, ("video_id", "videoID", "video"))),
    )


def _choice_question(
    *,
    ident: str,
    video: str,
    query: str,
    options: _Options,
    letter: int | None,
    categories: Mapping[str, object],
    order: object,
    video_id: str,
) -> ChoiceQuestion:
    return ChoiceQuestion(
        ident=ident,
        video=video,
        query=query,
        options=options.texts,
        answer=letter,
        categories={
            name: category if isinstance(category, str) and category else None
            for name, category in categories.items()
        },
        order=order,
        columns={"option_lines": options.lines, "video_id": video_id},
    )


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the official template, or rows of one question each (JSON, parquet, tsv, csv, xlsx).

    Rows are those of the published data set (``question_id``, ``videoID``, ``options``,
    ``answer``, ...) or of VLMEvalKit's table (``index``, ``video``, ``candidates``, ...). The
    template may have trailing commas, as the published one does; they are counted.
    """
    ledger: dict[str, int] = {}
    questions = []
    for record in annotation_records(source, ledger=ledger):
        nested = record.values.get("questions")
        if nested is None:
            questions.append(_question(record, {}, options))
            continue
        if not isinstance(nested, list):
            raise record.error("wrong type", "questions", "a list of questions", nested)
        video = {key: value for key, value in record.values.items() if key != "questions"}
        for values in nested:
            if not isinstance(values, dict):
                raise record.error("wrong type", "questions", "a list of objects", values)
            questions.append(_question(Record(values, record.path, record.line), video, options))
    return gold_of_questions(questions, _STRATA, ledger=ledger)


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that prediction files carry themselves; a question is its id, or its video and text."""
    questions = []
    for number, row in enumerate(rows_of_fields(fields), start=1):
        given = _read_options(row.fields.get("options"))
        record = Record({"gold": row.answer}, None, number)
        letter = gold_letter_index(record.text("gold"), given.texts)
        if letter < 0:
            raise record.error("not one of the options", "gold", "an option letter", row.answer)
        categories = {name: row.fields.get(name) for name in VIDEOMME_CATEGORIES}
        questions.append(
            _choice_question(
                ident=row.ident,
                video=row.video,
                query=row.query,
                options=given,
                letter=letter,
                categories={**categories, "task_type": row.fields.get("question_type")},
                order=row.fields.get("order"),
                video_id=row.video,
            )
        )
    return gold_of_questions(questions, _STRATA)


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
    tasks=TaskPlan(
        option_lines_column="option_lines",
        media_columns=("video_id",),
        published={"videollama3": VIDEOLLAMA3_ON_VIDEOS},
        option_count=4,
    ),
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
