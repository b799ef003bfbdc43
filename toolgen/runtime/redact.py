"""Redaction of JSON values: secrets go by the name of their key, by their declared field, or by how they look.

How text is searched is in `credentials`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from toolgen.contract.json_pointer import steps_of
from toolgen.runtime.credentials import REDACTED, is_secret_key, keeps_numbers, redact_text
from toolgen.runtime.json_text import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["REDACTED", "is_secret_field", "is_secret_key", "redact", "redact_text"]

_ANY: Final = "*"
_HEADERS: Final = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"})


@dataclass(frozen=True, slots=True)
class _Field:
    """A place in a value, with the places below it that are declared, or lead to one that is."""

    below: dict[str, _Field] = field(default_factory=dict[str, "_Field"])
    secret: list[bool] = field(default_factory=lambda: [False])


_NONE: Final[tuple[_Field, ...]] = ()


def redact(value: Any, declared: Iterable[str] = ()) -> Any:
    """Give a JSON value without its secrets, each of which becomes `REDACTED`; what has none is given back itself.

    `declared` are JSON pointers (RFC 6901) of fields that are secret whatever they hold, with `*` for any index or key.
    What is nested deeper than `MAX_DEPTH` counts as secret. Takes time linear in the size of the value.
    """
    return _redacted(value, _fields(tuple(declared)) if declared else _NONE, 0)


def is_secret_field(pointer: str, declared: Iterable[str] = ()) -> bool:
    """Whether a JSON pointer leads to a secret, or into one: by the name of a key on its way, or declared."""
    segments = steps_of(pointer)
    at = _fields(tuple(declared))
    for segment in segments:
        if _is_declared(at) or is_secret_key(segment):
            return True
        at = _step(at, segment)
    return _is_declared(at)


def _redacted(value: Any, at: tuple[_Field, ...], depth: int) -> Any:
    if at and _is_declared(at):
        return REDACTED
    if isinstance(value, str):
        return redact_text(value)
    if _is_mapping(value):
        return _object(value, at, depth + 1) if depth < MAX_DEPTH else REDACTED
    if _is_sequence(value):
        return _array(value, at, depth + 1) if depth < MAX_DEPTH else REDACTED
    return value


def _object(value: dict[str, Any], at: tuple[_Field, ...], depth: int) -> dict[str, Any]:
    members: dict[str, Any] = {}
    same = True
    named = _names_a_secret(value)
    for key, item in value.items():
        below = _step(at, key) if at else _NONE
        if (named and key == "value") or is_secret_key(key):
            kept = _redacted(item, below, depth) if _says_nothing(key, item) else REDACTED
        else:
            kept = _redacted(item, below, depth)
        shown = _free(redact_text(key), members)
        same = same and kept is item and shown is key
        members[shown] = kept
    return value if same else members


def _array(value: Sequence[Any], at: tuple[_Field, ...], depth: int) -> Sequence[Any]:
    items: list[Any] = []
    same = True
    before: Any = None
    header = len(value) == 2 and isinstance(value[0], str) and value[0].lower() in _HEADERS
    for index, item in enumerate(value):
        hidden = isinstance(item, str) and (_is_option(before) or (header and index == 1))
        kept = REDACTED if hidden else _redacted(item, _step(at, str(index)) if at else _NONE, depth)
        same = same and kept is item
        items.append(kept)
        before = item
    return value if same else items


def _says_nothing(key: str, value: Any) -> bool:
    """Whether a value gives no secret away, whatever its key: no value, a yes or no, a count of tokens."""
    if value is None or isinstance(value, bool):
        return True
    return keeps_numbers(key) and isinstance(value, int | float | dict)


def _names_a_secret(value: dict[str, Any]) -> bool:
    """Whether an object is a pair like `{"name": "Authorization", "value": …}`."""
    if "value" not in value:
        return False
    name = value.get("name", value.get("key"))
    return isinstance(name, str) and is_secret_key(name)


def _is_option(word: Any) -> bool:
    """Whether a word of a command line is an option like `--password`, whose value is the next word."""
    return isinstance(word, str) and word.startswith("-") and "=" not in word and is_secret_key(word)


def _free(key: str, members: dict[str, Any]) -> str:
    """A key that no other member has: two that were redacted may look alike."""
    while key in members:
        key += "+"
    return key


@lru_cache(maxsize=1024)
def _fields(declared: tuple[str, ...]) -> tuple[_Field, ...]:
    root = _Field()
    for pointer in declared:
        at = root
        for segment in steps_of(pointer):
            at = at.below.setdefault(segment, _Field())
        at.secret[0] = True
    return (root,)


def _step(at: tuple[_Field, ...], segment: str) -> tuple[_Field, ...]:
    return tuple(place.below[name] for place in at for name in {segment, _ANY} if name in place.below)


def _is_declared(at: tuple[_Field, ...]) -> bool:
    return any(place.secret[0] for place in at)


def _is_mapping(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_sequence(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, list | tuple)
