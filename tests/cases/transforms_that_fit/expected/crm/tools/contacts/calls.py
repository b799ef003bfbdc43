"""Call builders of `crm.contacts`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import Absent, ToolRequest

    from .types.names import NamesArgsX
    from .types.nested import NestedArgsFilter
    from .types.shared import Email


def new_names_call(*, x: NamesArgsX | None = None) -> ToolRequest:
    """Ask for `crm.contacts.names`: Injected fields called like names of the function.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NAMES, codecs.NAMES_ARGS, {"x": x})


def new_nested_call(*, filter_: NestedArgsFilter, class_: Literal["a", "b"], since: str | None = None) -> ToolRequest:
    """Ask for `crm.contacts.nested`: Objects in objects are classes of their own on each side, and are made anew.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NESTED, codecs.NESTED_ARGS, {"filter": filter_, "class": class_, "from": since})


def new_open_call(*, a: str) -> ToolRequest:
    """Ask for `crm.contacts.open`: Open objects keep their other keys.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OPEN, codecs.OPEN_ARGS, {"a": a})


def new_same_call(*, query: str) -> ToolRequest:
    """Ask for `crm.contacts.same`: The same shapes on both sides.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SAME, codecs.SAME_ARGS, {"query": query})


def new_save_call(
    *, name: str, emails: list[Email] | None = None, tag: str | None | Absent = ABSENT, limit: int = 10
) -> ToolRequest:
    """Ask for `crm.contacts.save`: The tenant comes from the call's context; the trace is left out; a default fills what is required.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.SAVE, codecs.SAVE_ARGS, {"name": name, "emails": emails, "tag": tag, "limit": limit}, {"limit": 10}
    )
