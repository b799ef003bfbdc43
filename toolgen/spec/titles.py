"""Titles: names of tools, spelled for people."""

from __future__ import annotations

import re
import unicodedata


def words(text: str) -> list[str]:
    """Split a name into ASCII words: at everything that is not a letter or digit, and where camelCase turns."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return re.findall(r"[A-Za-z0-9]+", spaced)


def title_of_name(text: str) -> str:
    """Spell a name as a title for people: `createIssue` -> `Create issue`; empty where it is blank."""
    return " ".join(words(text)).capitalize() or text.strip()
