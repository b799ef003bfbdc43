"""Call builders of `notes`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest

    from .types.shared import Note


def new_add_call(
    *, note: Note, pinned: bool = False, colour: str | None = None, places: list[JsonValue] | None = None
) -> ToolRequest:
    """Ask for `notes.add`: Add a note.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.ADD,
        codecs.ADD_ARGS,
        {"note": note, "pinned": pinned, "colour": colour, "places": places},
        {"pinned": False},
    )
