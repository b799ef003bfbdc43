"""Tools that a server offers, as entries of `tools/list`: the texts that specs take from them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.schema.json_values import canonical
from toolgen.spec.wire_names import title_of_name

# Described tools: what a function or a tool object in Python says of itself.


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What a tool in Python says of itself.

    `args` is the JSON Schema of its args, an object; `result` that of its result, None where it is any JSON, and then
    `result_problem` says why, unless there is no annotation. `docstring` is one that describes the args too;
    `description` a text to show as it is. `untyped` are args without an annotation. `annotations` are MCP's hints.
    """

    name: str
    args: Mapping[str, Any]
    description: str = ""
    docstring: str = ""
    title: str = ""
    result: Any = None
    result_problem: str = ""
    untyped: tuple[str, ...] = ()
    tags: Set[str] = frozenset()
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])


_DIGEST_LENGTH: Final = 8


def texts_of(offered: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the description that a spec has of an offered tool.

    The title is empty where it only spells the name. A tool without a description is described by its title.
    """
    annotations = offered.get("annotations")
    in_annotations = annotations.get("title") if isinstance(annotations, dict) else None
    title = _text_or_empty(offered.get("title")) or _text_or_empty(in_annotations)
    in_words = title_of_name(offered["name"])
    undescribed = f"{(title or in_words).rstrip('.')}. The server does not describe it."
    return ("" if title == in_words else title), _text_or_empty(offered.get("description")) or undescribed


def digest_of(title: str, description: str) -> str:
    """Return the digest of a tool's texts, which specs keep as `imported`."""
    return hashlib.sha256(canonical([title or None, description])).hexdigest()[:_DIGEST_LENGTH]


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) and value.strip() else ""
