"""Public grounding scorers in their original form; see `original_patterns`."""

from __future__ import annotations

import re

TIMELENS_CLOCK = r"\b(\d{1,2}:\d{2}:\d{2}(?:\.\d+)?|\d{1,2}:\d{2}(?:\.\d+)?)\b"
TIMELENS_RANGES = (
    r"(\d+\.?\d*)\s*-\s*(\d+\.?\d*)",
    r"(\d+\.?\d*)\s+to\s+(\d+\.?\d*)",
)
TIMELENS_NUMBER = r"\b\d+\.?\d*\b"
VIDEOCHAT_R1_RANGE = r"(\d+\.?\d*) (to|and) (\d+\.?\d*)"

OMTG_TAG = r"<time>(\S+?)\s*-\s*(\S+?)\s*seconds?</time>"
_CLOCK = r"(\d+(?::\d+(?:\.\d+)?)?(?:\.\d+)?)"
OMTG_WITH_UNIT = rf"{_CLOCK}\s*-\s*{_CLOCK}\s*seconds?"
_UNIT = r"(?:\s+seconds?)?"
OMTG_WORDS = (
    rf"starts\s+at\s+(\S+?){_UNIT}\s+and\s+ends\s+at\s+(\S+?){_UNIT}",
    rf"start\s+is\s+at\s+(\S+?){_UNIT}\s+and\s+(?:the\s+)?end\s+is\s+at\s+(\S+?){_UNIT}",
)
_NUMBER = r"(\d+(?:\.\d+)?)"
OMTG_NUMBERS = (
    rf"{_NUMBER}\s+to\s+{_NUMBER}",
    rf"(?<!\d){_NUMBER}\s*-\s*{_NUMBER}(?!\s*(?:seconds?|</time>))",
    rf"\[\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\]",
)


def in_pairs(values):
    return [(values[i], values[i + 1]) for i in range(0, len(values) - 1, 2)]


def timelens(text):
    text = text.lower()
    clocks = []
    for clock in re.findall(TIMELENS_CLOCK, text):
        fields = [float(field) for field in clock.split(":")]
        clocks.append(sum(f * 60**place for place, f in enumerate(reversed(fields))))
    pairs = in_pairs(clocks)
    for pattern in TIMELENS_RANGES:
        pairs = pairs or [(float(s), float(e)) for s, e in re.findall(pattern, text)]
    return pairs or in_pairs([float(number) for number in re.findall(TIMELENS_NUMBER, text)])


def videochat_r1(text):
    found = re.findall(VIDEOCHAT_R1_RANGE, text)
    return (float(found[-1][0]), float(found[-1][2])) if found else None


def omtg(text):
    def seconds(part):
        fields = part.strip().split(":")
        if len(fields) > 3:
            raise ValueError(part)
        return sum(float(f) * 60**place for place, f in enumerate(reversed(fields)))

    def read(patterns, convert):
        pairs = []
        for pattern in patterns:
            for start, end in re.findall(pattern, text, re.IGNORECASE):
                try:
                    pair = (convert(start), convert(end))
                except ValueError:
                    continue
                if pair[1] > pair[0]:
                    pairs.append(pair)
        return sorted(pairs, key=lambda pair: pair[0])

    for pattern in (OMTG_TAG, OMTG_WITH_UNIT):
        pairs = read((pattern,), seconds)
        if pairs:
            return pairs
    pairs = []
    for pair in sorted(
        read(OMTG_WORDS, seconds) + read(OMTG_NUMBERS, float), key=lambda pair: pair[0]
    ):
        if pair not in pairs:
            pairs.append(pair)
    return pairs
