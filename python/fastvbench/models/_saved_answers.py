"""``answers:FILE``: somebody's saved text in place of a model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast, get_args

from fastvbench.core._errors import InputError
from fastvbench.formats import open_predictions
from fastvbench.models._closing import Closing
from fastvbench.models._types import FinishReason, Response

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.models._types import GenerationSettings, Request

__all__ = ["SavedAnswers"]


class SavedAnswers(Closing):
    """Answers from a prediction file of any known format, by id.

    The text of an id that stands there twice is the last one, as in scoring. A row without text,
    and an id that is not there, become errors of their row.

    Args:
        path: the file.
        format: name of its format; None finds out.
        id_field: where its ids stand.
        text_field: where its texts stand.

    Raises:
        InputError: unreadable, or rows without ids.
    """

    batch_size = 64

    def __init__(
        self,
        path: str,
        *,
        format: str | None = None,
        id_field: str | None = None,
        text_field: str | None = None,
    ) -> None:
        self.name = f"answers:{path}"
        file = open_predictions(path, format=format, id_field=id_field, text_field=text_field)
        self._texts: dict[str, str | None] = {}
        self._reasons: dict[str, FinishReason] = {}
        self._repeated = 0
        for batch in file.batches():
            finish = batch.fields.get("finish_reason", [None] * len(batch))
            for ident, text, line, reason in zip(
                batch.ids, batch.texts, batch.lines, finish, strict=True
            ):
                if ident is None:
                    raise InputError("a row without an id", path=path, line=line, expected="an id")
                self._repeated += ident in self._texts
                self._texts[ident] = text
                if reason in get_args(FinishReason):
                    self._reasons[ident] = cast("FinishReason", reason)
        self._format, self._sha256 = file.format, file.sha256

    def describe(self) -> Mapping[str, Any]:
        """The file's format and hash."""
        return {
            "kind": "answers",
            "format": self._format,
            "sha256": self._sha256,
            "rows": len(self._texts),
            "repeated_ids": self._repeated,
        }

    def holds(self, ident: str) -> bool:
        """Whether the file has a row for an id."""
        return ident in self._texts

    def generate(self, requests: Sequence[Request], settings: GenerationSettings) -> list[Response]:
        """Look each id up; the settings move nothing."""
        del settings
        return [self._answer(request.id) for request in requests]

    def _answer(self, ident: str) -> Response:
        if ident not in self._texts:
            return Response.failed(ident, f"no saved answer for id {json.dumps(ident)}")
        text = self._texts[ident]
        if text is None:
            return Response.failed(ident, "the saved row has no text")
        return Response(ident, text, self._reasons.get(ident))
