"""The public scorers in their original form: their regular expressions, and twins around them.

The patterns are the published ones, ambiguous repetition included, so they are for short texts. The
twins follow the public control flow stage by stage and know none of the shortcuts of the rules.
"""

from __future__ import annotations

import re

VIDEOLLAMA3_RANGE = r"(\d+\.?\d*|\d*\.\d+)\s*(?:-|to)\s*(\d+\.?\d*|\d*\.\d+)"
VIDEOLLAMA3_NUMBER = r"\d*\.?\d+"
VIDEOLLAMA3_LETTER = r"\b[A-D]\b"

TIMECHAT_RANGE = r"(\d+\.*\d*)\s*-\s*(\d+\.*\d*)"
TIMECHAT_NUMBER = r"\b(\d+\.\d+\b|\b\d+)\b"
TIMECHAT_CLOCK = r"\b((\d{1,2}:\d{2}:\d{2}))\b"

LMMS_CLOCK_RANGE = r"\b(\d{1,2}:\d{2}(?::\d{2})?)\s*[–-]\s*(\d{1,2}:\d{2}(?::\d{2})?)\b"
LMMS_CLOCK = r"\b(\d{1,2}:\d{2}(?::\d{2})?)\b"
LMMS_RANGE = r"(\d+(?:\.\d+)?)\s*[–-]\s*(\d+(?:\.\d+)?)"
LMMS_NUMBER = r"\b(\d+(?:\.\d+)?)\b"
LMMS_SECONDS_RANGE = r"(\d+(?:\.\d+)?)\s*s?\s*[–-]\s*(\d+(?:\.\d+)?)\s*s?"

VTIMELLM_HUNDREDTHS = r"(\d{2}) (to|and) (\d{2})"

KEYWORDS = (
    "starts",
    "ends",
    "happens in",
    "start time",
    "end time",
    "start",
    "end",
    "happen",
)
PROMPT_EXAMPLE = "A specific example is : 20.8 - 30.0 seconds"

FORM_RANKS = {
    "start": 10,
    "end": 9,
    "phrase": 7,
    "parentheses": 6,
    "period": 5,
    "colon": 4,
    "right_parenthesis": 3,
    "space": 2,
    "fallback": 0,
}


def first_in_order(pairs):
    return [(s, e) if e > s else (e, s) for s, e in pairs][:1]


def in_pairs(values):
    return [(values[i], values[i + 1]) for i in range(0, len(values) - 1, 2)]


def sentences_with_keyword(paragraph):
    sentences = re.split(r"[!?\n]", paragraph)
    return sentences, [s for s in sentences if any(word in s for word in KEYWORDS)]


def videollama3_intervals(text):
    pairs = [(float(s), float(e)) for s, e in re.findall(VIDEOLLAMA3_RANGE, text)]
    if pairs:
        return pairs
    numbers = [float(number) for number in re.findall(VIDEOLLAMA3_NUMBER, text)]
    if len(numbers) % 2:
        del numbers[0]
    return in_pairs(numbers)


def timechat_intervals(paragraph):
    """Run all three stages, the third with the script's leftover variable; may raise ValueError."""
    _, candidates = sentences_with_keyword(paragraph)
    pairs = [(float(s), float(e)) for s, e in re.findall(TIMECHAT_RANGE, paragraph)]
    if not pairs:
        times = []
        for sentence in candidates:
            found = re.findall(TIMECHAT_NUMBER, sentence)
            if found:
                seconds = float(found[0])
                times.append(seconds)
        pairs = in_pairs(times)
    if not pairs:
        times = []
        for sentence in candidates:
            found = re.findall(TIMECHAT_CLOCK, sentence)
            if not found:
                continue
            clock = found[0]  # two groups: a tuple of two equal strings
            if clock.count(":") == 2:
                hours, minutes, rest = map(int, clock.split(":"))
                seconds = hours * 3600 + minutes * 60 + rest
            times.append(seconds)
        pairs = in_pairs(times)
    return first_in_order(pairs)


def clock_seconds(clock):
    seconds = 0.0
    for field in clock.split(":"):
        seconds = seconds * 60 + float(field)
    return seconds


def lmms_2026_intervals(text):
    paragraph = text.lower().replace(PROMPT_EXAMPLE.lower(), "").replace("to", "-")
    sentences, candidates = sentences_with_keyword(paragraph)
    candidates = candidates or sentences
    by_sentence = {
        pattern: [re.findall(pattern, sentence) for sentence in candidates]
        for pattern in (
            LMMS_CLOCK_RANGE,
            LMMS_RANGE,
            LMMS_CLOCK,
            LMMS_NUMBER,
            LMMS_SECONDS_RANGE,
        )
    }
    stages = (
        next(
            (
                [(clock_seconds(s), clock_seconds(e)) for s, e in found]
                for found in by_sentence[LMMS_CLOCK_RANGE]
                if found
            ),
            [],
        ),
        next(
            (
                [(float(s), float(e)) for s, e in found]
                for found in by_sentence[LMMS_RANGE]
                if found
            ),
            [],
        ),
        in_pairs([clock_seconds(c) for found in by_sentence[LMMS_CLOCK] for c in found]),
        in_pairs([float(found[0]) for found in by_sentence[LMMS_NUMBER] if found]),
        next(
            (
                [(float(s), float(e)) for s, e in found]
                for found in by_sentence[LMMS_SECONDS_RANGE]
                if found
            ),
            [],
        ),
    )
    return first_in_order(next((pairs for pairs in stages if pairs), []))


def lmms_2026_letter(text, letters, phrases):
    """Collect every candidate of every form, then sort all of them."""
    if not text.strip():
        return ""
    core = text.strip()
    for mark in [",", ".", "!", "?", ";", ":", "'", '"']:
        core = core.strip(mark)
    padded = " " + core + " "
    core = padded.strip()
    lowered = padded.lower()

    forms = {
        "parentheses": "({})",
        "period": "{}.",
        "colon": "{}:",
        "right_parenthesis": "{})",
        "space": "{} ",
    }
    candidates = [
        (option, padded.rindex(form.format(option)), name)
        for name, form in forms.items()
        for option in letters
        if form.format(option) in padded
    ]
    for phrase in phrases:
        if phrase in lowered:
            after = lowered.index(phrase) + len(phrase)
            candidates += [
                (option, padded.index(option, after), "phrase")
                for option in letters
                if option in padded[after:]
            ]
    candidates += [
        (option, 0, "start")
        for option in letters
        if core.startswith(option) and (len(core) == 1 or not core[1].isalpha())
    ]
    candidates += [
        (option, len(padded) - 1, "end")
        for option in letters
        if core.endswith(option) and (len(core) == 1 or not core[-2].isalpha())
    ]
    if not candidates:
        candidates = [(o, padded.rindex(o), "fallback") for o in letters if o in padded]
    candidates.sort(key=lambda found: (FORM_RANKS[found[2]], found[1]), reverse=True)
    return candidates[0][0] if candidates else ""


def first_capital_letter(text, phrases):
    text = text.strip()
    for phrase in phrases:
        text = text.replace(phrase, "")
    if len(text.split()) > 10 and not re.search(r"[ABCD]", text):
        return ""
    found = re.findall(r"[ABCD]", text)
    return found[0] if found else ""


# The last two lack a comma after their first half.
PRE_1274_PHRASES = (
    "The best answer is",
    "The correct answer is",
    "The answer is",
    "The answer",
    "The best option isThe correct option is",
    "Best answer:Best option:",
)
VLMEVALKIT_PHRASES = (*PRE_1274_PHRASES, "Answer:", "Option:")
VIDEOMME_PHRASES = (*VLMEVALKIT_PHRASES, "The correct answer", "The correct option")

VLMEVALKIT_DECLARED = r"(?i)(?:correct\s+)?answer\s+is\s+\**([ABCD])\**"
VLMEVALKIT_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)


def vlmevalkit_option(text, choices):
    if "Failed to obtain answer via API" in text:
        return False
    for refusal in VLMEVALKIT_REFUSALS:
        if refusal in text:
            return "Z"
    spaced = text
    for mark in ".()[],:;!*#{}":
        spaced = spaced.replace(mark, " ")
    words = [word.strip() for word in spaced.split()]
    count = sum(letter in words for letter in choices)
    if count == 1:
        for letter in choices:
            if letter in words and words.index(letter) > len(words) - 5:
                return letter
    elif count == 0 and ("Z" in words) + ("" in words) == 1:
        return "Z"
    declared = re.search(VLMEVALKIT_DECLARED, text)
    if declared and declared.group(1).upper() in choices:
        return declared.group(1).upper()
    return False


def vlmevalkit_can_infer(text, choices):
    option = vlmevalkit_option(text, choices)
    if option:
        return option
    text = text.lower()
    if len(text) > 2 * sum(len(value) for value in choices.values()):
        return False
    found = [letter for letter, value in choices.items() if value.lower() in text]
    return found[0] if len(found) == 1 else False


VIDEOLLAMA3_OPTION = r"[A-D]\. (.*)."
VIDEOLLAMA3_VIDEOMME_LETTER = r"[\(\ \[]*([A-D])[\)\.\ \]]*"
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
DIGIT_WORDS = {str(number): word for number, word in enumerate(NUMBERS)}


def videollama3_videomme(text, lines):
    """Return a letter; raises IndexError or AssertionError as the script does."""
    options = [re.findall(VIDEOLLAMA3_OPTION, line)[0] for line in lines]
    text = text.replace("answer", "").replace("Answer", "")
    found = re.findall(VIDEOLLAMA3_VIDEOMME_LETTER, text)
    if found:
        return found[0]
    for letter, kept in zip("ABCD", options, strict=False):
        option = kept.strip().strip(".")
        word = DIGIT_WORDS.get(option, option)
        if option.lower() in text.lower() or word.lower() in text.lower():
            return letter
    raise AssertionError(text)
