"""Names in Python code of a model, which may be damaged, or newer than the Python of the host.

Neither `ast` nor `tokenize` is used: by such text the first can end the process, and the second takes quadratic time.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from typing import Final

_WORD: Final = re.compile(r"[^\W\d]\w*+")

_TOKEN: Final = re.compile(
    r"""
      (?P<blank> [\s\\]++ | \#[^\n]*+ )
    | (?i: [ft]r?+ | r[ft] ) (?P<opened> "{3} | '{3} | ["'] )
    | (?i: [bu]?+r?+ | rb ) (?P<string>
        "{3} (?: [^"\\]++ | \\. | "(?!"") )* (?: "{3} )? | " (?: [^"\\\n]++ | \\. )* "?+
      | '{3} (?: [^'\\]++ | \\. | '(?!'') )* (?: '{3} )? | ' (?: [^'\\\n]++ | \\. )* '?+ )
    | (?P<number>
        0 (?: [xX][0-9a-fA-F_]++ | [bBoO][0-7_]++ )
      | (?: [0-9][0-9_]*+ (?: \.[0-9_]*+ )? | \.[0-9][0-9_]*+ ) (?: [eE][+-]?[0-9][0-9_]*+ )? [jJ]?+ )
    | (?P<name> [^\W\d]\w*+ )
    | (?P<sign> \.\.\. | != | . )
    """,
    re.DOTALL | re.VERBOSE,
)
_TEXT: Final = re.compile(r"""[^\\{}'"\n]++ | \\[^{}] | .""", re.DOTALL | re.VERBOSE)

_FIELD, _FORMAT = "field", "format"
_QUOTES: Final = frozenset({'"', "'", '"""', "'''"})


def names_in(code: str) -> list[str]:
    """Return the names in code and in its strings, which may be executed as code; in order, each once."""
    return [word for word in dict.fromkeys(_WORD.findall(code)) if not keyword.iskeyword(word)]


def words_of(code: str) -> list[str]:
    """Return the names in code that may be those of variables: in order, each once, and none of an attribute."""
    return [word for word in dict.fromkeys(_words(code)) if not keyword.iskeyword(word)]


def _words(code: str) -> Iterator[str]:
    place = 0
    inside: list[str] = []
    """Brackets, f-strings by their quotes, and their fields and formats: what is open, from the outermost."""
    is_of_other = False
    """Whether a name would be that of an attribute or of a conversion."""
    while place < len(code):
        within = inside[-1] if inside else ""
        if within == _FORMAT or within in _QUOTES:
            place = _after_text(code, place, inside)
            continue
        token = _TOKEN.match(code, place)
        assert token is not None  # any character is a sign
        kind, text, place = token.lastgroup, token[0], token.end()
        if kind == "blank":
            continue
        if kind == "name" and not is_of_other:
            yield text
        is_of_other = text == "." or (text == "!" and within == _FIELD)
        if kind == "opened":
            inside.append(token["opened"])
        elif text in ("(", "[", "{"):
            inside.append(text)
        elif text in (")", "]", "}") and inside:
            inside.pop()
        elif text == ":" and within == _FIELD:
            inside.append(_FORMAT)


def _after_text(code: str, place: int, inside: list[str]) -> int:
    """Read a piece of the text of an f-string, or of the format of a field; return the place after it."""
    within = inside[-1]
    if within == _FORMAT:
        if code[place] == "}":
            del inside[-2:]
            return place + 1
    elif code.startswith(within, place):
        inside.pop()
        return place + len(within)
    elif code.startswith(("{{", "}}"), place):
        return place + 2
    elif code[place] == "\n" and len(within) == 1:  # it has no end
        inside.clear()
        return place
    if code[place] == "{":
        inside.append(_FIELD)
        return place + 1
    piece = _TEXT.match(code, place)
    assert piece is not None  # any character is a piece
    return piece.end()
