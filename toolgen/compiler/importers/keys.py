"""Keys of imported tools in a spec. Chosen once, stored, and kept from then on."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from itertools import count
from typing import TYPE_CHECKING, Final

from toolgen.compiler.documents.base import ToolKeyPattern
from toolgen.compiler.resolve.toolsets.tools import tool_names, types_module

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEY: Final = re.compile(ToolKeyPattern)
_LONGEST: Final = 128
"""Maximum characters of a key, as for names in MCP. A longer one is truncated."""

_HASH_LENGTH: Final = 6


def choose_keys(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a key for each tool, by its name at the source; `taken` are existing keys of the spec.

    If possible, a key depends only on the name: if two would conflict in Python, the one closer to its name gets it,
    and the other ends in a hash of its name. The order of names does not matter.
    """
    claimed = {claim for key in taken for claim in _claims(key)}
    keys: dict[str, str] = {}
    for name in sorted(set(names), key=lambda name: (_changes(name), name)):
        keys[name] = next(key for key in _candidates(name) if claimed.isdisjoint(_claims(key)))
        claimed.update(_claims(keys[name]))
    return keys


def spelled(name: str) -> str:
    """Convert a name to a key: `chat-with-${X}` is `chat-with-X`, `search.issues` is `search_issues`."""
    if _KEY.fullmatch(name) and len(name) <= _LONGEST:
        return name
    joined = re.sub(r"[^A-Za-z0-9]+", lambda run: re.sub(r"[^_-]", "", run[0]) or "_", _ascii(name))
    key = joined.strip("_-")[:_LONGEST]
    if not key or key[0].isdigit():
        key = f"tool_{key}".rstrip("_")
    return f"{key}_{_digest(name)}" if _loses(name) else key


def _candidates(name: str) -> Iterator[str]:
    """Return the key of a name, and alternatives if it is taken."""
    key = spelled(name)
    yield key
    for attempt in count():
        yield f"{key}_{_digest(name + chr(0) * attempt)}"


def _changes(name: str) -> int:
    """Return how much the key differs from the name, and the Python name from the key: less takes precedence."""
    key = spelled(name)
    if key != name:
        return 2
    return 0 if tool_names(key).function == key else 1


def _claims(key: str) -> set[str]:
    """Return the names that a tool with that key claims in the generated package."""
    names = tool_names(key)
    return {*names.claimed, f"types/{types_module(names)}"}


def _loses(name: str) -> bool:
    """Whether a key loses so much of its name that other names are likely to have the same."""
    return (
        len(name) > _LONGEST
        or not any(map(str.isalnum, _ascii(name)))
        or any(char.isalnum() and not _ascii(char) for char in name)
    )


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
