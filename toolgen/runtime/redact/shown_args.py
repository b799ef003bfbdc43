"""Args as people are shown them: with nothing that steers a terminal, and cut to a bound.

The args that are given here have no secrets any more; see `call_secrets.hide_from_person`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.text_templates import render
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN: Final = 2000
"""Characters of the args that a person is shown."""

_LEAST: Final = 48
"""Characters of a part that is cut: a beginning, and how much is missing."""

_LONGEST_KEY: Final = 100


def summary(args: Any, length: int = SHOWN) -> str:
    """The args as JSON on one line of at most `length` characters.

    What is too long is cut in all its parts alike, so that none hides what stands behind it, and says how much is cut.
    """
    return _fitted(args, length)


def filled(template: str, args: Any, length: int = SHOWN) -> str:
    """A template with args in it, each of them escaped and cut on its own."""
    each = max(length - len(template), 0) // max(template.count("{{"), 1)
    return cut(render(template, {"args": args}, escape=lambda text: cut(visible(text), each)), length)


def joined(texts: Sequence[str], separator: str, length: int) -> str:
    """Texts one after the other, escaped, and those that are too long cut alike."""
    shown = [visible(text) for text in texts]
    sizes = _shares([len(text) for text in shown], length - len(separator) * (len(shown) - 1))
    return cut(separator.join(cut(text, size) for text, size in zip(shown, sizes, strict=True)), length)


def cut(text: str, length: int, *, end: str = "") -> str:
    """The beginning of a text that is longer than `length` characters, its `end`, and how much there is beside.

    A length that has no room for what is said is exceeded.
    """
    if len(text) <= length:
        return f"{text}{end}"
    kept = max(length - len(_rest(len(text))), 0)
    return f"{text[:kept]}{end}{_rest(len(text) - kept)}"


def _rest(count: int) -> str:
    return f"… {count:,} more characters"


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Return each what it needs, or else as much as any other that needs more."""
    shares = [0] * len(sizes)
    for done, place in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[place] = min(sizes[place], max(room, 0) // (len(sizes) - done))
        room -= shares[place]
    return shares


def _fitted(value: Any, room: int) -> str:
    """The JSON of a value, in so many characters."""
    text = _json(value)
    if len(text) <= room:
        return text
    if isinstance(value, str):
        return '"' + cut(text[1:-1], room - 2, end='"')
    if is_object(value):
        parts = [(f"{_fitted(key, _LONGEST_KEY)}: ", item) for key, item in value.items()]
    elif is_array(value):
        parts = [("", item) for item in value]
    else:
        return cut(text, room)
    sizes = [len(_json(item)) for _, item in parts]
    shares = _shares(sizes, room - sum(len(key) + 2 for key, _ in parts))
    if all(share >= min(size, _LEAST) for share, size in zip(shares, sizes, strict=True)):
        shown = ", ".join(f"{key}{_fitted(item, share)}" for (key, item), share in zip(parts, shares, strict=True))
        return f"{{{shown}}}" if is_object(value) else f"[{shown}]"
    return _without_middle(text, room)


def _without_middle(text: str, room: int) -> str:
    """What has too many parts to show each of them: where it begins, and where it ends."""
    half = max(room - len(_rest(len(text))) - 1, 0) // 2
    return f"{text[:half]}{_rest(len(text) - 2 * half)}…{text[len(text) - half :]}"


def _json(value: Any) -> str:
    return visible(json.dumps(value, ensure_ascii=False))
