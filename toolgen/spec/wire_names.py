"""Wire names: idents in the grammar of a provider. One-to-one, with tables from the build."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Grammar:
    """What a provider accepts as the name of a tool, and as the id of a call.

    `pattern` is for the whole name. It allows at least letters, digits and `_`, except that the first character may be
    no digit; with `dots`, those of an ident are kept. `call_id_length` is for APIs that accept only ids of that many
    letters and digits; with 0 any id is accepted.
    """

    pattern: re.Pattern[str]
    max_length: int
    dots: bool = False
    call_id_length: int = 0


STRICT: Final = Grammar(re.compile(r"[a-zA-Z0-9_-]+"), 64)
"""OpenAI's and Anthropic's documented grammar, `^[a-zA-Z0-9_-]{1,64}$`; Bedrock and MCP clients accept it too."""

LETTER_FIRST: Final = Grammar(re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*"), 64)
"""Gemini: a name "must start with a letter or an underscore" (`FunctionDeclaration`). It also allows dots, colons and
128 characters, which are not used, so that other names are the same for all."""

DOTTED: Final = Grammar(re.compile(r"[a-zA-Z0-9_.-]+"), 64, dots=True)
"""LiteLLM's proxy, which allows dots."""

_HASH_LENGTH = 10


def wire_name(ident: str, grammar: Grammar = STRICT) -> str:
    """Return an ident in a provider's grammar. The result depends only on the ident.

    Dots become `__` if that is reversible and fits: no segment contains `__` or begins or ends with `_`. Any other name
    keeps its valid characters and ends in a hash of the ident (40 bits of SHA-256), after a `_` that no plain name has
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
    spelled = "".join(each if grammar.pattern.fullmatch(f"_{each}") else "_" for each in joined)
    if spelled and not grammar.pattern.fullmatch(spelled):
        spelled = f"_{spelled}"
    readable = spelled[: grammar.max_length - _HASH_LENGTH - 3]
    return f"{readable}___{name_digest(ident)}"


def fits(name: str, grammar: Grammar) -> bool:
    """Whether a provider accepts the name."""
    return len(name) <= grammar.max_length and grammar.pattern.fullmatch(name) is not None


def wire_call_id(call_id: str, grammar: Grammar) -> str:
    """Return the id of a call in a provider's format. The result depends only on the id; a valid one is unchanged."""
    length = grammar.call_id_length
    if not length or (len(call_id) == length and call_id.isascii() and call_id.isalnum()):
        return call_id
    import hashlib

    return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def wire_table(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map wire names to idents. Raises ValueError if two idents share a wire name (overrides can collide)."""
    table: dict[str, str] = {}
    for ident, wire in names:
        if table.setdefault(wire, ident) != ident:
            raise ValueError(f"{ident!r} and {table[wire]!r} have the same wire name {wire!r}")
    return table


def name_digest(name: str) -> str:
    """Return a short hash of a name, for names derived from it."""
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
