"""The public scorers of short answers in their original form: patterns, and twins around them.

The twins follow the public control flow stage by stage, with the quadratic edit distance and the
greedy pattern of the originals, so they are for short texts.
"""

from __future__ import annotations

import re

MATHVISTA_QUOTED_ANSWER = r'The answer is "(.*)"\.'
MATHVISTA_LETTER = r"\(([a-zA-Z])\)"


def levenshtein(first, second):
    if len(first) > len(second):
        first, second = second, first
    row = list(range(len(first) + 1))
    for i, right in enumerate(second):
        next_row = [i + 1]
        for j, left in enumerate(first):
            if left == right:
                next_row.append(row[j])
            else:
                next_row.append(1 + min(row[j], row[j + 1], next_row[-1]))
        row = next_row
    return row[-1]


def rrc_distances(text, answers):
    values = []
    for answer in answers:
        gold = " ".join(answer.strip().lower().split())
        given = " ".join(text.strip().lower().split())
        distance = levenshtein(gold, given)
        length = max(len(answer.upper()), len(text.upper()))
        values.append(0.0 if length == 0 else float(distance) / float(length))
    return values


def rrc_anls(text, answers):
    result = 1 - min(rrc_distances(text, answers))
    if result < 0.5:
        result = 0
    return result


def videollama3_docvqa(text, answers):
    return 1 - min(rrc_distances(text, answers))


def pix2struct_anls(text, answers, keeps_half):
    """May raise ZeroDivisionError."""
    prediction = text.lower()
    scores = []
    for answer in answers:
        target = answer.lower()
        share = levenshtein(target, prediction) / max(len(target), len(prediction))
        kept = share <= 0.5 if keeps_half else share < 0.5
        scores.append(1 - share if kept else 0)
    return max(scores)


def to_float(text):
    try:
        if text.endswith("%"):
            return float(text.rstrip("%")) / 100.0
        return float(text)
    except ValueError:
        return None


def relaxed(target, prediction):
    prediction_float, target_float = to_float(prediction), to_float(target)
    if prediction_float is not None and target_float:
        change = abs(prediction_float - target_float) / abs(target_float)
        return change <= 0.05
    return prediction.lower() == target.lower()


def videollama3_relaxed(target, prediction, ask):
    """The three tolerances, else the judge: `ask` is called where the script asks its GPT."""
    prediction_float, target_float = to_float(prediction), to_float(target)
    if prediction_float is not None and target_float:
        plain = abs(prediction_float - target_float) / abs(target_float)
        percent = abs(prediction_float - target_float / 100) / abs(target_float / 100)
        hundredfold = abs(prediction_float / 100 - target_float) / abs(target_float)
        return plain <= 0.05 or percent <= 0.05 or hundredfold <= 0.05
    return prediction.lower() == target.lower() or ask()


def mathvista_extract(response, question_type, answer_type, choices, quick):
    """None stands for the judge."""
    if response == "":
        return ""
    if question_type == "multi_choice" and response in choices:
        return response
    if answer_type == "integer":
        try:
            return str(int(response))
        except ValueError:
            pass
    if answer_type == "float":
        try:
            return str(float(response))
        except ValueError:
            pass
    if quick:
        result = re.search(MATHVISTA_QUOTED_ANSWER, response)
        if result:
            return result.group(1)
    return None


def mathvista_normalise(extraction, question_type, answer_type, choices, precision, *, to_integer):
    if question_type == "multi_choice":
        extraction = extraction.strip()
        letters = re.findall(MATHVISTA_LETTER, extraction)
        if len(letters) > 0:
            extraction = letters[0].upper()
        options = [chr(ord("A") + i) for i in range(len(choices))]
        if extraction in options:
            return choices[options.index(extraction)]
        distances = [levenshtein(extraction, choice) for choice in choices]
        return choices[distances.index(min(distances))]
    if answer_type == "integer":
        try:
            return str(int(to_integer(extraction)))
        except (ValueError, OverflowError):
            return None
    if answer_type == "float":
        try:
            return str(round(float(extraction), precision))
        except (ValueError, OverflowError):
            return None
    return str(extraction)
