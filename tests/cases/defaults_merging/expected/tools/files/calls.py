"""Call builders of `files`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_all_of_them_call(*, path: str) -> ToolRequest:
    """Ask for `files.all_of_them`: Has every default.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ALL_OF_THEM, codecs.ALL_OF_THEM_ARGS, {"path": path})


def new_none_of_them_call(*, name: str, session: str) -> ToolRequest:
    """Ask for `files.none_of_them`: Replaces the rest.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NONE_OF_THEM, codecs.NONE_OF_THEM_ARGS, {"name": name, "session": session})


def new_some_call(*, path: str) -> ToolRequest:
    """Ask for `files.some`: Adds tags and changes limits.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SOME, codecs.SOME_ARGS, {"path": path})
