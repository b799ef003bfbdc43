"""Names of tools: wire names, spelled as a provider's grammar allows, one-to-one; and titles, for people."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Grammar:
    """What a provider accepts as the name of a tool, and as the id of a call.

    `pattern` is for the whole name, which has letters, digits and `_` at least; with `dots`, those of an ident stay.
    `call_id_length` is for APIs that take ids of so many letters and digits alone; with 0 any id is taken.
    """

    pattern: re.Pattern[str]
    max_length: int
    dots: bool = False
    call_id_length: int = 0


STRICT: Final = Grammar(re.compile(r"[a-zA-Z0-9_-]+"), 64)
"""OpenAI's and Anthropic's documented grammar, `^[a-zA-Z0-9_-]{1,64}$`; Gemini, Bedrock and MCP clients take it too."""

DOTTED: Final = Grammar(re.compile(r"[a-zA-Z0-9_.-]+"), 64, dots=True)
"""LiteLLM's proxy, which lets dots pass."""

_HASH_LENGTH = 10


def wire_name(ident: str, grammar: Grammar = STRICT) -> str:
    """Spell an ident in a provider's grammar. The result depends on the ident alone.

    Dots become `__` where that reads back uniquely and fits: no segment holds `__` or has `_` at an end. Any other
    name keeps what it can and ends in a hash of the ident (40 bits of SHA-256), after a `_` that no plain name has
    in that place.
    """
    if grammar.dots and fits(ident, grammar):
        return ident
    segments = ident.split(".")
    joined = "__".join(segments)
    plain = all(
        segment and "__" not in segment and not segment.startswith("_") and not segment.endswith("_")
        for segment in segments
    )
    if plain and fits(joined, grammar):
        return joined
    spelled = "".join(each if grammar.pattern.fullmatch(each) else "_" for each in joined)
    readable = spelled[: grammar.max_length - _HASH_LENGTH - 3]
    return f"{readable}___{name_digest(ident)}"


def fits(name: str, grammar: Grammar) -> bool:
    """Whether a provider takes the name as it is."""
    return len(name) <= grammar.max_length and grammar.pattern.fullmatch(name) is not None


def wire_call_id(call_id: str, grammar: Grammar) -> str:
    """Spell the id of a call as a provider takes it. The result depends on the id alone; one that fits stays."""
    length = grammar.call_id_length
    if not length or (len(call_id) == length and call_id.isascii() and call_id.isalnum()):
        return call_id
    import hashlib

    return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def wire_table(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map wire name to ident. Raises ValueError where two idents share a wire name (overrides can collide)."""
    table: dict[str, str] = {}
    for ident, wire in names:
        if table.setdefault(wire, ident) != ident:
            raise ValueError(f"{ident!r} and {table[wire]!r} have the same wire name {wire!r}")
    return table


def name_digest(name: str) -> str:
    """A short hash of a name, for names that depend on it alone."""
    import hashlib  # slow to import, and few names need it

    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


def words(text: str) -> list[str]:
    """Split a name into ASCII words: at everything that is not a letter or digit, and where camelCase turns."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return re.findall(r"[A-Za-z0-9]+", spaced)


def title_of_name(text: str) -> str:
    """Spell a name as a title for people: `createIssue` -> `Create issue`; empty where it is blank."""
    return " ".join(words(text)).capitalize() or text.strip()
