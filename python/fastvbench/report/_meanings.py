"""What each status of a row means, in words for somebody who reads a report."""

from __future__ import annotations

__all__ = ["STATUS_MEANINGS"]

STATUS_MEANINGS = {
    "ok": "an answer was read",
    "missing": "there is no answer for this row",
    "empty": "the answer is empty",
    "truncated": "the text ends before an answer",
    "refused": "the model declined to answer",
    "no_answer": "nothing in the text reads as an answer",
    "ambiguous": "several answers and no decision",
    "not_an_option": "the answer is none of the options",
    "no_number": "there is no time in the text",
    "one_number": "a start without an end, or an end without a start",
    "no_duration": "a share of the video, whose length is not known",
    "out_of_range": "every interval lies outside the video",
    "not_finite": "not a number, or infinity, where a time should be",
    "needs_judge": "only a judge could decide",
    "error": "the run recorded an error in place of text",
}
