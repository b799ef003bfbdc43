"""Redaction of JSON values: secrets are recognized by the name of their key, a declaration, or their format.

`credentials` searches text; `secret_names` knows which keys are secret.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from toolgen.runtime.base.json_text import MAX_DEPTH
from toolgen.runtime.redact.credentials import REDACTED, is_mere_credential, redact_text
from toolgen.runtime.redact.secret_names import is_secret_key, keeps_numbers
from toolgen.runtime.redact.secret_values import Undecided, json_inside
from toolgen.schema.free_names import free_name
from toolgen.schema.json_values import is_object, is_sequence
from toolgen.schema.references import steps_of

if TYPE_CHECKING:
    from toolgen.runtime.redact.secret_names import DeclaredNames

__all__ = ["REDACTED", "Rules", "has_secret_field", "is_secret_field", "is_secret_key", "redact", "redact_text"]

_ANY: Final = "*"
_HEADERS: Final = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"})
_LOGIN_OPTIONS: Final = frozenset({"-u", "-U", "--user", "--proxy-user"})
_LOGIN: Final = re.compile(r"(?!\d+:\d+$)[^\s:/]+:\S+")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")


@dataclass(frozen=True, slots=True)
class Rules:
    """What else is secret in a value, and how it is redacted.

    `text` redacts a string, `has` returns whether a number is secret. `names` are declared names that a key may be a
    spelling of; with them, strings that contain JSON are searched too. Redacted values are added to `hidden`. With
    `is_cautious`, a value that could be more than a credential stays, as in `redact_shown`, unless it is declared or
    has a secret key. With `is_strict`, a value in place of an object with a declared secret is itself secret.
    """

    text: Callable[[str], str] = redact_text
    has: Callable[[float], bool] | None = None
    names: DeclaredNames | None = None
    hidden: list[Any] | None = None
    is_cautious: bool = False
    is_strict: bool = False

    def hide(self, value: Any) -> str:
        """Return the replacement of a secret value."""
        if self.hidden is not None:
            self.hidden.append(value)
        return REDACTED


_RULES: Final = Rules()


@dataclass(frozen=True, slots=True)
class _Field:
    """A path in a value, with the paths below it that are declared or lead to a declared one."""

    below: dict[str, _Field] = field(default_factory=dict[str, "_Field"])
    secret: list[bool] = field(default_factory=lambda: [False])


_NONE: Final[tuple[_Field, ...]] = ()


def redact(value: Any, declared: Iterable[str] = (), rules: Rules = _RULES, limit: float = inf) -> Any:
    """Return a JSON value with each secret replaced by `REDACTED`; the same object if there is none.

    `declared` are JSON pointers (RFC 6901) of fields that are always secret, with `*` for any index or key. Values
    nested deeper than `MAX_DEPTH` count as secret. Takes time linear in the size of the value.

    A value whose JSON text has more than `limit` characters may lose parts at its end, so that these characters are the
    same: each part that stays is redacted as a part of the whole.
    """
    return _Walk(_fields(tuple(declared)) if declared else _NONE, rules, limit).redacted(value)


def is_secret_field(pointer: str, declared: Iterable[str] = (), names: DeclaredNames | None = None) -> bool:
    """Whether a JSON pointer leads to a secret or into one, by a declaration or by the name of a key in the pointer."""
    segments = steps_of(pointer)
    at = _fields(tuple(declared))
    for segment in segments:
        if _is_declared(at) or is_secret_key(segment) or (names is not None and names.matches(segment)):
            return True
        at = _step(at, segment)
    return _is_declared(at)


def has_secret_field(pointer: str, declared: Iterable[str]) -> bool:
    """Whether a JSON pointer leads to an object or array that has a secret by a declaration."""
    at = _fields(tuple(declared))
    for segment in steps_of(pointer):
        at = _step(at, segment)
    return any(place.below for place in at)


class _Walk:
    """A walk through one value, until what it has seen takes `limit` characters as JSON. `root` are declared paths."""

    def __init__(self, root: tuple[_Field, ...], rules: Rules, limit: float = inf) -> None:
        self._root = root
        self._rules = rules
        self._left: float = limit

    def redacted(self, value: Any, depth: int = 0) -> Any:
        return self._redacted(value, self._root, depth)

    def _redacted(self, value: Any, at: tuple[_Field, ...], depth: int) -> Any:
        rules = self._rules
        if at and _is_declared(at):
            return rules.hide(value)
        if rules.is_strict and _is_misplaced(value, at):
            return rules.hide(value)
        if isinstance(value, str):
            return self._redacted_text(value, depth)
        if is_object(value):
            return self._object(value, at, depth + 1) if depth < MAX_DEPTH else rules.hide(value)
        if is_sequence(value):
            return self._array(value, at, depth + 1) if depth < MAX_DEPTH else rules.hide(value)
        if rules.has is not None and isinstance(value, int | float) and not isinstance(value, bool):
            return REDACTED if rules.has(value) else value
        return value

    def _object(self, value: dict[str, Any], at: tuple[_Field, ...], depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        numbers: dict[str, int] = {}
        same = True
        rules = self._rules
        named = _names_a_secret(value)
        kept: Any
        for key, item in value.items():
            if self._left < 0:
                break
            below = _step(at, key) if at else _NONE
            if (
                (is_secret_key(key) and not _cannot_be_secret(key, item))
                or (named and key == "value" and not _cannot_be_secret(key, item) and self._may_hide(item))
                or (rules.names is not None and not _cannot_be_secret(key, item) and rules.names.matches(key))
            ):
                kept = rules.hide(item)
            else:
                kept = self._redacted(item, below, depth)
            shown = free_name(rules.text(key), members, numbers, between="+")
            same = same and kept is item and shown is key
            members[shown] = kept
            self._left -= len(shown) + (len(kept) if isinstance(kept, str) else 1)
        return value if same and len(members) == len(value) else members

    def _array(self, value: Sequence[Any], at: tuple[_Field, ...], depth: int) -> Sequence[Any]:
        items: list[Any] = []
        same = True
        before: Any = None
        kept: Any
        header = len(value) == 2 and isinstance(value[0], str) and value[0].lower() in _HEADERS
        for index, item in enumerate(value):
            if self._left < 0:
                break
            is_secret = isinstance(item, str) and (_is_option(before, item) or (header and index == 1))
            if is_secret and self._may_hide(item):
                kept = self._rules.hide(item)
            else:
                kept = self._redacted(item, _step(at, str(index)) if at else _NONE, depth)
            same = same and kept is item
            items.append(kept)
            self._left -= len(kept) if isinstance(kept, str) else 1
            before = item
        return value if same and len(items) == len(value) else items

    def _may_hide(self, value: Any) -> bool:
        """Whether a value that is secret by the name before it can only be a credential."""
        return not self._rules.is_cautious or (isinstance(value, str) and is_mere_credential(value))

    def _redacted_text(self, text: str, depth: int) -> str:
        if self._rules.names is not None and not self._rules.is_cautious:
            text = self._opened(text, depth)
        return self._rules.text(text)

    def _opened(self, text: str, depth: int) -> str:
        """Redact a text that contains JSON, plain or encoded; all of it where others may find more in it."""
        try:
            inner, is_plain = _json_in(text)
        except Undecided:
            return self._rules.hide(text)
        if inner is None:
            return text
        if depth >= MAX_DEPTH:
            return self._rules.hide(text)
        kept = _Walk(self._root, self._rules).redacted(inner, depth + 1)  # a text is not cut
        if kept is inner:
            return text
        return json.dumps(kept, ensure_ascii=False) if is_plain else REDACTED


def _json_in(text: str) -> tuple[Any, bool]:
    """Return the object, array or text that a text contains as JSON, and whether it is plain, not encoded, JSON.

    Raises `Undecided`.
    """
    stripped = text.strip()
    if stripped[:1] in ("{", "[", '"'):
        return _parsed(stripped), True
    if stripped[:3].upper() in ("%7B", "%5B", "%22"):
        return _parsed(unquote(stripped)), False
    if stripped[:1] in ("e", "W", "I") and _BASE64.fullmatch(stripped):  # `{`, `[` and `"` in base64
        data = stripped.rstrip("=").replace("+", "-").replace("/", "_")
        try:
            return _parsed(urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode()), False
        except ValueError:  # also if it is not base64, or not text
            pass
    return None, False


def _parsed(text: str) -> Any:
    return json_inside(text, _unique)


def _unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Raises `Undecided` for a key that is there twice: parsers disagree on which counts."""
    found = dict(members)
    if len(found) < len(members):
        raise Undecided
    return found


def _cannot_be_secret(key: str, value: Any) -> bool:
    """Whether a value cannot be a secret, whatever its key: null, a boolean, a count of tokens."""
    if value is None or isinstance(value, bool):
        return True
    return keeps_numbers(key) and isinstance(value, int | float | dict)


def _names_a_secret(value: dict[str, Any]) -> bool:
    """Whether an object is a pair like `{"name": "Authorization", "value": …}`."""
    if "value" not in value:
        return False
    name = value.get("name", value.get("key"))
    return isinstance(name, str) and is_secret_key(name)


def _is_option(word: Any, value: str) -> bool:
    """Whether a word of a command line is an option like `--password`, or `-u`, whose value is the next word."""
    if not isinstance(word, str) or not word.startswith("-"):
        return False
    return ("=" not in word and is_secret_key(word)) or (word in _LOGIN_OPTIONS and bool(_LOGIN.fullmatch(value)))


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


def _is_misplaced(value: Any, at: tuple[_Field, ...]) -> bool:
    """Whether a value is in place of an object with a declared secret."""
    names = [name for place in at for name in place.below]
    if is_sequence(value):
        return bool(names) and not any(name == _ANY or name.isdecimal() for name in names)
    return bool(names) and isinstance(value, str | int | float)
