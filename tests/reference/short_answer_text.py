"""An answer as text to compare: the meaning of ``answer_texts``.

*plain*: what a reader sees. Bold and code marks, tags and LaTeX styles are left out, any run of
blanks and line ends is one space, and none stands at either end. All else stays byte by byte.

*careful*: what a reader compares. The words, CJK characters and the marks ``% + & = @``
(``Token.text``, so folded), joined by single spaces: case, punctuation, spacing and mark-up don't
matter. Articles are left out where another word remains; number words up to twenty and numbers
with separators are
digits ("three" and "3", "1,000" and "1000", "5.0" and "5").
"""

from __future__ import annotations

from tests.reference.choice_options import atoms_of, number_of
from tests.reference.choice_tokens import Kind, Token, tokenize
from tests.reference.short_answer_words import ARTICLES

__all__ = ["careful_text", "plain_text"]


def _is_hidden(token: Token) -> bool:
    """Mark-up that a reader doesn't see."""
    tag = token.kind in (Kind.WRAP, Kind.CUE, Kind.CLOSE) and token.text == "<"
    style = token.text == "\\" and token.end - token.begin > 1
    return tag or style or (token.kind == Kind.WRAP and token.text in "*`")


def plain_text(raw: bytes) -> bytes:
    """The bytes of an answer without mark-up and spare blanks."""
    result = b""
    blank = False
    end = 0
    for token in tokenize(raw):
        blank = blank or token.begin > end or token.kind == Kind.LINE
        end = token.end
        if token.kind == Kind.LINE or _is_hidden(token):
            continue
        if blank and result:
            result += b" "
        blank = False
        result += raw[token.begin : token.end]
    return result


def careful_text(raw: bytes) -> bytes:
    """The words of an answer as they are compared."""
    tokens = tokenize(raw)
    words = [tokens[i].text for i in atoms_of(tokens)]
    kept = [word for word in words if word not in ARTICLES] or words
    return " ".join(number_of(word) or word for word in kept).encode("utf-8", "surrogatepass")
