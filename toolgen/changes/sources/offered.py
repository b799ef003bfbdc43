"""Tools that a server offers, as entries of `tools/list`: the texts that specs take from them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import canonical
from toolgen.spec.wire_names import title_of_name

if TYPE_CHECKING:
    from collections.abc import Mapping

_DIGEST_LENGTH: Final = 8


def texts_of(offered: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the description that a spec has of an offered tool.

    The title is empty where it only spells the name. A tool without a description is described by its title.
    """
    annotations = offered.get("annotations")
    in_annotations = annotations.get("title") if isinstance(annotations, dict) else None
    title = _text(offered.get("title")) or _text(in_annotations)
    in_words = title_of_name(offered["name"])
    undescribed = f"{(title or in_words).rstrip('.')}. The server does not describe it."
    return ("" if title == in_words else title), _text(offered.get("description")) or undescribed


def digest_of(title: str, description: str) -> str:
    """Return the digest of a tool's texts, which specs keep as `imported`."""
    return hashlib.sha256(canonical([title or None, description])).hexdigest()[:_DIGEST_LENGTH]


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value.strip() else ""
