"""Public scorers of choice sets in their original form; see `original_patterns`."""

from __future__ import annotations

import re

VIDEOLLAMA3_SURROUNDED = r"[\(,\ ]*[{first}-{last}][\),\ ]*"
VIDEOLLAMA3_OWN_LETTERS = r"[\(\ \[]*([{first}-{last}])[\)\.\ \]]*"
LMMS_OPTION_LINE = r"^([A-E])\.\s*(.+)$"
LMMS_PERIOD = r"(?!<=\d)(\.)(?!\d)"
LMMS_COMMA = r"(\d)(\,)(\d)"
LMMS_LONE_LETTER = r"\b([A-E])\b"
LMMS_PUNCTUATION = [";", "/", "[", "]", '"', "{", "}", "(", ")", "=", "+", "\\", "_", "-", ">"]
LMMS_PUNCTUATION += ["<", "@", "`", ",", "?", "!"]
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
DIGIT_WORDS = {str(number): word for number, word in enumerate(NUMBERS)}


def letters_of(options):
    return [chr(ord("A") + place) for place in range(len(options))]


def without_answer(text):
    return text.replace("answer", "").replace("Answer", "")


def videollama3_surrounded(text, options, *, finds_texts):
    """MLVU's and MVBench's letter; raises ValueError, NameError or AssertionError as they do."""
    letters = letters_of(options)
    pattern = VIDEOLLAMA3_SURROUNDED.format(first=letters[0], last=letters[-1])
    text = without_answer(text)
    found = re.findall(pattern, text)
    if found:
        return letters[letters.index(found[0].strip().strip("()"))]
    if not finds_texts:
        raise NameError(text)
    for letter, option in zip(letters, options, strict=True):
        if option.strip().strip(".").lower() in text.lower():
            return letter
    raise AssertionError(text)


def videollama3_longvideobench(text, options):
    letters = letters_of(options)
    text = without_answer(text)
    pattern = VIDEOLLAMA3_OWN_LETTERS.format(first=letters[0], last=letters[-1])
    found = re.findall(pattern, text)
    if found:
        return letters[letters.index(found[0].strip().strip("()"))]
    for letter, raw in zip(letters, options, strict=True):
        option = raw.strip().strip(".")
        word = DIGIT_WORDS.get(option, option)
        if option.lower() in text.lower() or word.lower() in text.lower():
            return letter
    raise AssertionError(text)


def lmms_mvbench(text):
    """What the task compares with the gold letter; it may be any text."""
    line = re.match(LMMS_OPTION_LINE, text.strip(), re.IGNORECASE)
    if line:
        return line.group(1).upper()
    text = text.replace("\n", " ").replace("\t", " ").strip()
    kept = text
    for mark in LMMS_PUNCTUATION:
        if mark + " " in text or " " + mark in text or re.search(LMMS_COMMA, text) is not None:
            kept = kept.replace(mark, "")
        else:
            kept = kept.replace(mark, " ")
    kept = re.sub(LMMS_PERIOD, "", kept, count=int(re.UNICODE))
    kept = kept.strip("'").strip('"').strip(")").strip("(").strip().lower()
    found = re.search(LMMS_LONE_LETTER, kept, re.IGNORECASE)
    return found.group(1).upper() if found else kept


def mlvu_official(text, gold):
    if ")" in text:
        place = text.index(")")
        text = text[place - 1 : place]
    return text == gold


def vlmevalkit_mvbench(text, gold):
    word = text.lower().split(" ")[0]
    gold_option = f"({gold}) text".lower().split(" ")[0]
    return word.replace(".", "") in gold_option or gold_option in word


def tempcompass_multi_choice(text, answer):
    text = text.replace("</s>", "")
    if text == answer:
        return True
    if text in ["A", "B", "C", "D"]:
        return text == answer[0]
    if any(text.startswith(prefix) for prefix in ["A.", "B.", "C.", "D."]):
        return text.split(".")[0] == answer[0]
    if any(text.startswith(prefix) for prefix in ["A)", "B)", "C)", "D)"]):
        return text.split(")")[0] == answer[0]
    return None


def tempcompass_caption(text, question, answer):
    text = text.replace("</s>", "")
    lines = question.split("\n")[1:]
    sentences = [line.split(": ")[1] for line in lines]
    labels = [line.split(": ")[0] for line in lines]
    chosen = None
    for line in lines:
        if line == text:
            chosen = line
    for sentence in sentences:
        if sentence == text or (") " in text and sentence == text.split(") ")[1]):
            chosen = sentence
    for label in labels:
        if label in (text, text.replace(".", "")):
            chosen = label
    if chosen is None:
        return None
    return chosen == answer or chosen == answer.split(":")[0] or chosen == answer.split(": ")[1]
