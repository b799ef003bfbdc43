"""Tools that a server offers, as entries of `tools/list`: the texts that specs take from them, and what specs keep."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from hashlib import sha256
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


_DIGEST_BYTES: Final = 16
"""Of SHA-256: a server could find a text for a shorter digest."""


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


# What a spec keeps as `imported`: a digest of the texts that the source had at the last import and, of a server's tool,
# one of its schemas and annotations. People may edit all that; the source has not changed it where these are equal.


def imported_of(title: str, description: str, offered: Mapping[str, Any] | None = None) -> str:
    """Return what a spec keeps of a tool, by its texts there; `offered` is the tool of an MCP server."""
    texts = _digest([title or None, description])
    return texts if offered is None else f"{texts}.{_digest(_schemas_of(offered))}"


def has_texts(imported: str, title: str, description: str) -> bool:
    """Whether a tool had these texts when it was imported."""
    return imported.partition(".")[0] == _digest([title or None, description])


def has_schemas(imported: str, offered: Mapping[str, Any]) -> bool:
    """Whether a server offers a tool with the schemas and annotations that it had when it was imported."""
    schemas = imported.partition(".")[2]
    return bool(schemas) and schemas == _digest(_schemas_of(offered))


def hints_of(offered: Mapping[str, Any]) -> dict[str, Any]:
    """Return the annotations of an offered tool, without its title."""
    annotations = offered.get("annotations")
    given: dict[str, Any] = annotations if isinstance(annotations, dict) else {}
    return {hint: value for hint, value in given.items() if hint != "title"}


def _schemas_of(offered: Mapping[str, Any]) -> list[Any]:
    return [offered.get("inputSchema"), offered.get("outputSchema"), hints_of(offered)]


def _digest(value: Any) -> str:
    return urlsafe_b64encode(sha256(canonical(value)).digest()[:_DIGEST_BYTES]).decode().rstrip("=")


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) and value.strip() else ""
