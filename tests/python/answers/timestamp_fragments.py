"""Pieces of answers, for tests that put random texts together."""

from __future__ import annotations

# fmt: off
NUMBERS = (
    "5", "9", "12.5", "20.3", "0", "00", "007", ".5", "5.", "1e3", "2E-1", "1e400", "1e", "5..6",
    "1.5.2", "1,000", "1,234,567", "12,5", "1234,567", "0,500", "1,000.5", "5,9,12", "24.3,30.4",
    "1999", "2015", "3000", "12345", "9999999999999999999", "0.1234567890123456789", "1" * 30,
    "１２", "３．５", "1,5", "-3", "−4", "+5", "100", "60", "59", "3/4", "2023-05-12",
    "05-12-2023", "1st", "12th", "4K", "v2", "#3", "x_5", "5_x", "16:9", "5x", "12s", "1h2m3s",
    "2m30", "1h05", "5,12:30", "0.87", "95%", "50％", "20 %", "5 percent",
)
CLOCKS = (
    "0:05", "01:05", "00:01:05", "1:02:03.5", "00:00:12,000", "01:75", "100:00", "1:5", "0:12.500",
    "01:05,30", "00:01:12:15", "０１：０５", "3:05 PM", "12:30am", "5:30 minutes", "0:12.5.3",
    "01:02:99",
)
UNITS = (
    "s", " s", " sec", " sec.", " seconds", "ms", " min", " minutes", " minute", "m", "h",
    " hours", "秒", "分", "分钟", "小时", "時間", "초", "′", "″", "-second", "-minute",
    " Sekunden", " secondes", " seconds long", " seconds later", "** seconds", " a.m.", " o'clock",
    "年", "个", "帧", " 秒",
)
RANGES = (
    "-", " - ", "–", " — ", "--", " -> ", " --> ", "→", " => ", "~", " ~ ", "～", " to ", "to",
    " until ", " till ", " through ", " and ", "到", "至", "から", "まで", "부터", " à ", " bis ",
    "---", " −", "-\n", " to about ", " to the ", " until he leaves at ", "和", "之间",
    " rightarrow ",
)
CUES = (
    "from ", "From ", "between ", "starts at ", "ends at ", "start: ", "end: ", "Start time: ",
    "End time: ", "begins around ", "lasts ", "for ", "duration: ", "first ", "last ", "final ",
    "the end", "to the end", " until the end of the video", "from the beginning ", "onwards",
    "the whole video", "throughout the entire video", "end", "start", "frames ", "frame ",
    "scene ", "scenes ", "confidence: ", "95% confident", "final answer: ", "The answer is ",
    "Answer: ", "答案：", "开始", "结束", "第", "前", "最后", "整个视频", "minute ", "second ",
    "seconds ", " times", " people", " frames", " fps", "in May ", "year ", "approx. ", "e.g. ",
    "about ", "~", "nan", "Infinity", "null", "I cannot determine", "Sorry, ", "event ", "is ",
    "the ", "at ", "in ", "t=", " man walks ", "GPT-", "S01E", "à", "é", "desde ",
    "supercalifragilistic", "aaaaaaaaaaaaaaaa",
)
MARKS = (
    ". ", ".", ", ", ",", "; ", ": ", ":", "\n", "\r\n", "\n- ", "\n* ", "\n• ", "\n1. ", "\n2) ",
    " ", "  ", "(", ")", "[", "]", "{", "}", "[[", "]]", "<", ">", "/", "|", "| ", "\n|", "&", "=",
    "\\n", "\\", "\\n12", "*", "**", "_", '"', "'", "`", "```json\n", "\n```", "?", "!", "。",
    "，", "、", "：", "（", "）", "“", "’", "#", "%", "$", "\u00a0", "\u200d", "\ufe0f", "\u3000",
    "\ud800", "🙂", "\x00", "\t",
)
JSON = (
    '{"start": ', '"end": ', ', "end": ', '{"start_time": "', '", "end_time": "',
    '"timestamps": [', '"score": ', '"label": "', '"answer": "', "{start: ", ", end: ",
    "'start': ", '{"duration": ', '\\"start\\": ', '"frame": ', '{"from": ', '"to": ',
    "startTime: ", '{"a b-c_1": ', "}, {",
)
TAGS = (
    "<think>", "</think>", "<answer>", "</answer>", "<start>", "</start>", "<end>", "</end>",
    "<time>", "</time>", "<b>", "</b>", "<|time_start|>", "<br/>", "◁think▷", "◁/think▷",
    "</THINK>", "<a href='" + "x" * 70 + "'>", "<|channel|>final<|message|>",
)
# fmt: on
FRAGMENTS = NUMBERS + CLOCKS + UNITS + RANGES + CUES + MARKS + JSON + TAGS
