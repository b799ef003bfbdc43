"""Args as shown to people: without terminal control characters, and truncated.

Secrets are already redacted from the args passed here; see `call_secrets.hide_from_person`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from toolgen.runtime.base.text_templates import render
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import visible

SHOWN: Final = 2000
"""Maximum characters of the args that are shown to a person."""

_LEAST: Final = 48
"""Characters of a truncated part: its beginning, and how much is missing."""

_LONGEST_KEY: Final = 100


def summary(args: Any, length: int = SHOWN) -> str:
    """Return the args as JSON on one line of at most `length` characters.

    Args that are too long are truncated evenly in all parts, so that no part hides the next, with counts of the rest.
    """
    return _fitted(args, length)


def filled(template: str, args: Any, length: int = SHOWN) -> str:
    """Return a template filled with args, each escaped and truncated separately."""
    each = max(length - len(template), 0) // max(template.count("{{"), 1)
    return _cut_counted(render(template, {"args": args}, escape=lambda text: _cut_counted(visible(text), each)), length)


def joined(texts: Sequence[str], separator: str, length: int) -> str:
    """Join texts, escaped, and evenly truncated if they are too long."""
    shown = [visible(text) for text in texts]
    sizes = _shares([len(text) for text in shown], length - len(separator) * (len(shown) - 1))
    return _cut_counted(
        separator.join(_cut_counted(text, size) for text, size in zip(shown, sizes, strict=True)), length
    )


def _cut_counted(text: str, length: int, *, end: str = "") -> str:
    """Return a text truncated to `length` characters, with `end` and the count of the rest if it is longer.

    A length that has no room for the count is exceeded.
    """
    if len(text) <= length:
        return f"{text}{end}"
    kept = max(length - len(_rest(len(text))), 0)
    return f"{text[:kept]}{end}{_rest(len(text) - kept)}"


def _rest(count: int) -> str:
    return f"… {count:,} more characters"


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Divide the room: each part gets the size it needs, or an equal share if that is less."""
    shares = [0] * len(sizes)
    for done, place in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[place] = min(sizes[place], max(room, 0) // (len(sizes) - done))
        room -= shares[place]
    return shares


def _fitted(value: Any, room: int) -> str:
    """Return the JSON of a value within a number of characters."""
    text = _json(value)
    if len(text) <= room:
        return text
    if isinstance(value, str):
        return '"' + _cut_counted(text[1:-1], room - 2, end='"')
    if is_object(value):
        parts = [(f"{_fitted(key, _LONGEST_KEY)}: ", item) for key, item in value.items()]
    elif is_array(value):
        parts = [("", item) for item in value]
    else:
        return _cut_counted(text, room)
    sizes = [len(_json(item)) for _, item in parts]
    shares = _shares(sizes, room - sum(len(key) + 2 for key, _ in parts))
    if all(share >= min(size, _LEAST) for share, size in zip(shares, sizes, strict=True)):
        shown = ", ".join(f"{key}{_fitted(item, share)}" for (key, item), share in zip(parts, shares, strict=True))
        return f"{{{shown}}}" if is_object(value) else f"[{shown}]"
    return _without_middle(text, room)


def _without_middle(text: str, room: int) -> str:
    """Return the beginning and the end of a text with too many parts to show each."""
    half = max(room - len(_rest(len(text))) - 1, 0) // 2
    return f"{text[:half]}{_rest(len(text) - 2 * half)}…{text[len(text) - half :]}"


def _json(value: Any) -> str:
    return visible(json.dumps(value, ensure_ascii=False))
