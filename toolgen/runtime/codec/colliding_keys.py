"""Keys of a Python dict that are the same key in JSON, such as `1` and `"1"`: one of their values would be lost.

Only keys that are no plain texts can be. What is encoded as text has the key twice, and is refused where it is read
again; encoders that make a dict first keep one of the values, so there the typed value is searched.
"""

from __future__ import annotations

from collections import deque
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel
from pydantic_core import from_json, to_json

from toolgen.runtime.base.json_text import RepeatedKey
from toolgen.runtime.issues.issues import issue
from toolgen.schema.json_values import is_mapping, is_sequence
from toolgen.schema.references import Place, pointer_to
from toolgen.spec.text import cut, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.contract.records import Issue

_TEXT: Final = frozenset({str})
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_SHOWN: Final = 60
"""Characters of a key that are shown."""


def check_keys_of(keys: Mapping[Any, Any]) -> None:
    """Raise `RepeatedKey` for a dict with two keys that are the same in JSON."""
    if _TEXT.issuperset(map(type, keys)):
        return
    found = _first_collision(dict.fromkeys(keys))
    if found is not None:
        raise RepeatedKey(found[0])


def check_keys_in(value: Any) -> None:
    """Do so for each dict in a typed value, which has no cycles."""
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        kind = item.__class__
        if kind in _SCALARS:
            continue
        if kind is dict:  # to ask for abstract classes takes ten times as long
            check_keys_of(item)
            pending += item.values()
        elif kind is list:
            pending += item
        elif hasattr(kind, "__pydantic_fields__"):
            pending += (part for _, part in _fields_of(item))
        elif is_mapping(item):
            check_keys_of(item)
            pending += item.values()
        else:
            pending += item if is_sequence(item) else (part for _, part in _fields_of(item))


def colliding_keys(value: Any, error: RepeatedKey) -> Issue:
    """Return the issue for a Python value whose JSON has a key twice."""
    found = _first_collision(value)
    if found is None:  # an encoder of the host has made the keys
        said = f"the key `{error.key}` twice"
        return issue(error.pointer, "json", "each key once", said, f"{said}: use another key for one of them")
    pointer, first, second = found
    said = f"{_shown(first)} and {_shown(second)}"
    hint = f"use other keys: {said} are the same key in JSON"
    return issue(pointer, "json", "keys that differ in JSON", f"the keys {said}", hint)


def _first_collision(value: Any) -> tuple[str, Any, Any] | None:
    """Return the pointer of the first key in JSON that two keys of a dict become, and these."""
    waiting: deque[tuple[Place, Any]] = deque([(None, value)])
    while waiting:
        place, each = waiting.popleft()
        is_list = is_sequence(each)
        members: Iterable[tuple[Any, Any]] = enumerate(each) if is_list else _members_of(each)
        names: dict[str | int, Any] = {}
        for key, item in members:
            name = key if type(key) is str or is_list else _name_of(key)
            if name is None:
                continue
            if name in names:
                return pointer_to((place, name)), names[name], key
            names[name] = key
            if item.__class__ not in _SCALARS:
                waiting.append(((place, name), item))
    return None


def _members_of(value: Any) -> Iterable[tuple[Any, Any]]:
    return value.items() if is_mapping(value) else _fields_of(value)


def _fields_of(value: Any) -> Iterable[tuple[str, Any]]:
    """Return the fields of a model or a dataclass; none for any other value."""
    if isinstance(value, BaseModel):
        return [*value.__dict__.items(), *(value.__pydantic_extra__ or {}).items()]
    if is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name, None)) for field in fields(value)]
    return ()


def _name_of(key: Any) -> str | None:
    """Return the key of JSON that a key of Python becomes; None for one that becomes none."""
    try:
        (name,) = from_json(to_json({key: None}))
    except ValueError:
        return None
    return str(name)


def _shown(key: Any) -> str:
    try:
        return visible(cut(repr(key), _SHOWN))
    except Exception:  # noqa: BLE001  # a class of the host may not describe itself
        return f"a {type(key).__name__}"
