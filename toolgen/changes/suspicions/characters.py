"""Characters that a person does not see as they are: invisible ones, controls of text direction, control codes.

Tables follow the Unicode Character Database (Default_Ignorable_Code_Point, Bidi_Control) and UTS #39 (confusables).
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_DIRECTION: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKS: Final = frozenset("\u061c\u200e\u200f")
"""Marks that texts of scripts from right to left need."""

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
"""The flag of a region (UTS #51): the one use of tag characters."""

_JOINER, _NON_JOINER = "\u200d", "\u200c"
_FIRST_JOINING: Final = "\u0600"
"""From here on there are scripts whose letters are joined, and need joiners as letters."""

_CONFUSABLE: Final = str.maketrans(
    "аԁеһіїјӏոоօрԛѕстѵԝхукгмАВСЕНІЈКМОРЅТХУαικορντυχγΑΒΕΗΙΚΜΝΟΡΤΧΥΖɑɡı",
    "adehiijlnoopqsctvwxykrmABCEHIJKMOPSTXYaikopvtuxyABEHIKMNOPTXYZagi",
)
"""Letters of other scripts, and the Latin ones that they look like; the most common of UTS #39."""


def invisible(text: str) -> list[str]:
    """Return the invisible characters of a text that neither an emoji nor a script needs."""
    if text.isascii():
        return []
    plain = _FLAG.sub("", text)
    return [found[0] for found in _INVISIBLE.finditer(plain) if not _is_needed(plain, found.start())]


def directional(text: str) -> list[str]:
    """Return the controls of text direction, without marks in a text of a script from right to left."""
    found = _DIRECTION.findall(text)
    if found and any(unicodedata.bidirectional(char) in ("R", "AL") for char in text if char not in _MARKS):
        return [char for char in found if char not in _MARKS]
    return found


def controls(text: str) -> list[str]:
    """Return the control codes of a text, such as those that start an escape sequence of terminals."""
    return _CONTROL.findall(text)


def shown(characters: list[str]) -> str:
    """Return characters as code points, in order and once: `U+200B, U+E0041`; the first of many."""
    points = [f"U+{ord(char):04X}" for char in dict.fromkeys(characters)]
    return ", ".join(points[:3]) + (f" and {len(points) - 3} more" if len(points) > 3 else "")


def hidden_text(text: str) -> str:
    """Return what tag characters spell in ASCII: a text that only models read."""
    return "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)


def as_read(text: str) -> str:
    """Return a text as a model may read it: in plain letters, without invisible characters, in one line."""
    spelled = text + " " + hidden_text(text) if not text.isascii() else text
    if not spelled.isascii():
        spelled = unicodedata.normalize("NFKC", _INVISIBLE.sub("", _DIRECTION.sub("", spelled))).translate(_CONFUSABLE)
    return " ".join(re.sub(r"[*\x00-\x1f]", " ", spelled.replace("\u2019", "'")).split())


def skeleton(name: str) -> str:
    """Return what two names have in common that a reader takes for one another."""
    letters = "".join(_letters(as_read(name)))
    return letters.replace("rn", "m")


def _letters(name: str) -> Iterator[str]:
    for char in name.casefold():
        if char.isalnum():
            yield {"0": "o", "1": "l", "i": "l"}.get(char, char)


def _is_needed(text: str, at: int) -> bool:
    char, before = text[at], text[at - 1 : at]
    if not before:
        return False
    if char in "\ufe0e\ufe0f":
        return unicodedata.category(before) in ("So", "Sm", "Po", "Nd", "Sk", "Pd") or before == _JOINER
    if char == _JOINER and (unicodedata.category(before) in ("So", "Sk") or before == "\ufe0f"):
        return unicodedata.category(text[at + 1 : at + 2] or " ") == "So"
    if char in (_JOINER, _NON_JOINER):
        return before >= _FIRST_JOINING and unicodedata.category(before) in ("Lo", "Mn", "Mc")
    return False
