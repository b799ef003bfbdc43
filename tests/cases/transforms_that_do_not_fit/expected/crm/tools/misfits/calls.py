"""Call builders of `crm.misfits`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.deep import DeepArgsFilter


def new_deep_call(*, filter_: DeepArgsFilter) -> ToolRequest:
    """Ask for `crm.misfits.deep`: The difference is further in.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DEEP, codecs.DEEP_ARGS, {"filter": filter_})


def new_default_call(*, size: int | None = None) -> ToolRequest:
    """Ask for `crm.misfits.default`: A default on one side; another key could be what is missing.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DEFAULT, codecs.DEFAULT_ARGS, {"size": size})


def new_lost_call(*, text: str, more: str) -> ToolRequest:
    """Ask for `crm.misfits.lost`: A field would be lost.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LOST, codecs.LOST_ARGS, {"text": text, "more": more})


def new_nullable_call(*, text: str) -> ToolRequest:
    """Ask for `crm.misfits.nullable`: Null on one side only.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NULLABLE, codecs.NULLABLE_ARGS, {"text": text})


def new_optional_call(*, text: str | None = None) -> ToolRequest:
    """Ask for `crm.misfits.optional`: A field that may be absent on one side.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OPTIONAL, codecs.OPTIONAL_ARGS, {"text": text})


def new_other_type_call(*, text: str) -> ToolRequest:
    """Ask for `crm.misfits.other_type`: A field of another type.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OTHER_TYPE, codecs.OTHER_TYPE_ARGS, {"text": text})


def new_renamed_call(*, query: str) -> ToolRequest:
    """Ask for `crm.misfits.renamed`: A required field has no counterpart.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RENAMED, codecs.RENAMED_ARGS, {"query": query})
