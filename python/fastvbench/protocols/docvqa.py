"""DocVQA: questions on scanned documents (Mathew et al., 2021, arXiv:2007.00398)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.answers.rules import (
    docvqa_official,
    lmms_eval_images,
    pix2struct,
    videollama3_images,
    vlmevalkit_images,
)
from fastvbench.protocols._annotations import Record, annotation_records, row_id
from fastvbench.protocols._answers import answer_texts, record_answers, row_names
from fastvbench.protocols._careful_answers import careful_anls_rule
from fastvbench.protocols._gold import Gold
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._short_answer_rules import ANLS, card_rule, text_score_rule
from fastvbench.protocols._task_plan import VIDEOLLAMA3_ON_IMAGES, TaskPlan
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fastvbench.protocols._rule import Rule

QUESTION_TYPES = (
    *("figure/diagram", "form", "table/list", "layout", "free_text"),
    *("Image/Photo", "handwritten", "Yes/No", "others"),
)


class _Columns:
    """Rows as they are read, before they become a Gold."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.documents: list[str] = []
        self.questions: list[str] = []
        self.answers: list[list[str]] = []
        self.types: list[tuple[str, ...]] = []
        self.images: list[object] = []

    def add(
        self,
        ident: str,
        document: object,
        question: object,
        answers: list[str],
        types: object,
        *,
        image: object = None,
    ) -> None:
        """Add a question; a row whose document is not known is a document of its own."""
        self.ids.append(ident)
        self.documents.append(ident if document is None else str(document))
        self.questions.append("" if question is None else str(question))
        self.answers.append(answers)
        listed = types if isinstance(types, list | tuple) else answer_texts(types)
        self.types.append(tuple(map(str, listed)))
        self.images.append(image)

    def gold(self) -> Gold:
        return Gold(
            ids=self.ids,
            videos=self.documents,
            queries=self.questions,
            answers=self.answers,
            columns={"image": self.images},
            strata={"question_type": Stratum.multiple(self.types, QUESTION_TYPES)},
        )


def _questions(source: object) -> Iterator[Record]:
    """Questions of the official document, ``{"data": [...]}``, or of flat records."""
    for record in annotation_records(source):
        nested = record.values.get("data")
        if not isinstance(nested, list):
            yield record
            continue
        for number, inner in enumerate(nested, start=1):
            if not isinstance(inner, dict):
                raise record.error("wrong type", "data", "a list of objects", inner)
            yield Record(inner, record.path, number)


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the challenge's ground truth, or flat records as the public data sets have them.

    Questions of one document form a cluster.
    """
    columns = _Columns()
    for record in _questions(source):
        values = record.values
        ident = next((values[k] for k in ("questionId", "question_id", "id") if k in values), None)
        document = next(
            (values[k] for k in ("docId", "image", "ucsf_document_id") if _is_name(values.get(k))),
            None,
        )
        columns.add(
            row_id(ident, record, "questionId"),
            document,
            record.text("question"),
            record_answers(record, "answers", "answer", without_gold=options.without_gold),
            values.get("question_types"),
            image=values.get("image"),
        )
    return columns.gold()


def _is_name(value: object) -> bool:
    return isinstance(value, str | int)


def gold_from_fields(fields: Mapping[str, list[Any]]) -> Gold:
    """Gold that lmms-eval, VLMEvalKit and VideoLLaMA3 files carry themselves."""
    columns = _Columns()
    absent: list[Any] = [None] * len(fields["gold"])
    known: set[str] = set()
    for name, gold, document, question, types in zip(
        row_names(fields),
        fields["gold"],
        *(fields.get(field, absent) for field in ("video", "query", "question_type")),
        strict=True,
    ):
        if name in known:
            continue
        known.add(name)
        record = Record({"gold": gold}, None, len(columns.ids) + 1)
        answers = record_answers(record, "gold", without_gold=False)
        columns.add(name, document, question, answers, None if types == "val" else types)
    return columns.gold()


def _rule(
    name: str, source: str, score: Callable[[str, Sequence[str]], float], **options: Any
) -> Rule:
    return text_score_rule(name, source, score, ANLS, **options)


VIDEOLLAMA3_PROMPT = "{question}\nAnswer the question with a single word or phrase."

PROTOCOL = AnswerProtocol(
    name="docvqa",
    title="DocVQA",
    citation="Mathew et al., 2021, DocVQA: A Dataset for VQA on Document Images, arXiv:2007.00398",
    version=1,
    published_size=5349,
    rules=(
        careful_anls_rule(
            "robust",
            "a careful reader's short answer, ANLS with distances and lengths of the same texts",
        ),
        card_rule(),
        _rule(
            "official",
            "Robust Reading Competition: similarity of normalised texts over the raw length, 0 "
            "below 0.5; a submission that lacks a question is refused, here it is a miss",
            docvqa_official.anls,
        ),
        _rule(
            "videollama3",
            "VideoLLaMA3, evaluation/benchmarks/docvqa.py: the official similarity without its "
            "threshold, so wrong answers earn what letters they share with the right one",
            videollama3_images.docvqa_similarity,
            missing="dropped",
            denominator="rows of the result file",
        ),
        _rule(
            "lmms-eval-2026-08",
            "lmms-eval, api/metrics.py as of August 2026: the official score",
            lmms_eval_images.anls,
            text="filtered",
        ),
        _rule(
            "vlmevalkit",
            "VLMEvalKit, dataset/utils/vqa_eval.py as of August 2026: the official score; an "
            "absent prediction is the text 'nan'",
            vlmevalkit_images.anls,
            absent=vlmevalkit_images.ABSENT,
        ),
        _rule(
            "pix2struct",
            "pix2struct, metrics.py as first released: lower case alone, exactly one half is 0",
            pix2struct.anls,
        ),
        _rule(
            "pix2struct-2024",
            "pix2struct, metrics.py as of 2024: lower case alone, exactly one half is 0.5",
            pix2struct.anls_2024,
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(
        medium="image",
        media_columns=("image",),
        published={"videollama3": VIDEOLLAMA3_ON_IMAGES},
    ),
    gold_fields=gold_from_fields,
    notes=(
        "The published size is the validation set's; the test set's 5,188 answers are not public.",
        "Prompts of official, lmms-eval, vlmevalkit and pix2struct: not confirmed.",
    ),
    submission="docvqa-submission",
    settings={"videollama3": "temperature 0, no sampling"},
    prompts={"videollama3": VIDEOLLAMA3_PROMPT},
)
