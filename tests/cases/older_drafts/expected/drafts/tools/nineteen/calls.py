"""Call builders of `drafts.nineteen`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest


def new_arrays_call(*, pair: list[JsonValue]) -> ToolRequest:
    """Ask for `drafts.nineteen.arrays`: Places and the rest.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ARRAYS, codecs.ARRAYS_ARGS, {"pair": pair})


def new_tree_call(*, child: JsonValue | Absent = ABSENT) -> ToolRequest:
    """Ask for `drafts.nineteen.tree`: A schema in itself, by the name that it has wherever it stands.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TREE, codecs.TREE_ARGS, {"child": child})
