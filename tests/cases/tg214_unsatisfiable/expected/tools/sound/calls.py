"""Call builders of `sound`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_bounds_call(*, a: int, b: str) -> ToolRequest:
    """Ask for `sound.bounds`: One value.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.BOUNDS, codecs.BOUNDS_ARGS, {"a": a, "b": b})


def new_forbidden_call(*, a: str | None = None, b: str | None = None) -> ToolRequest:
    """Ask for `sound.forbidden`: Never both fields.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FORBIDDEN, codecs.FORBIDDEN_ARGS, {"a": a, "b": b})


def new_open_call() -> ToolRequest:
    """Ask for `sound.open`: A field that is required and not described.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OPEN, codecs.OPEN_ARGS, {})


def new_patterns_call() -> ToolRequest:
    """Ask for `sound.patterns`: A field that is described by a pattern.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PATTERNS, codecs.PATTERNS_ARGS, {})
