"""Call builders of `team.notes`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_add_call(*, text: str) -> ToolRequest:
    """Ask for `team.notes.add`: Add a note.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ADD, codecs.ADD_ARGS, {"text": text})


def new_drop_call(*, id_: str) -> ToolRequest:
    """Ask for `team.notes.drop`: Drop a note.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DROP, codecs.DROP_ARGS, {"id": id_})


def new_keep_call() -> ToolRequest:
    """Ask for `team.notes.keep`: Keep a note.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.KEEP, codecs.KEEP_ARGS, {})


def new_list_all_call() -> ToolRequest:
    """Ask for `team.notes.list-all`: List notes.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LIST_ALL, codecs.LIST_ALL_ARGS, {})


def new_research_call(*, raw_arg: str) -> ToolRequest:
    """Ask for `team.notes.research`: Look something up.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RESEARCH, codecs.RESEARCH_ARGS, {"raw_arg": raw_arg})


def new_tell_call(*, to: str, text: str) -> ToolRequest:
    """Ask for `team.notes.tell`: Tell somebody.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TELL, codecs.TELL_ARGS, {"to": to, "text": text})
