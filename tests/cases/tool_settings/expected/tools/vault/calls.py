"""Call builders of `vault`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.store import StoreArgsOptions


def new_nobody_call() -> ToolRequest:
    """Ask for `vault.nobody`: For no role at all.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NOBODY, codecs.NOBODY_ARGS, {})


def new_one_of_two_call(*, a: str | None = None, b: str | None = None, c: str | None = None) -> ToolRequest:
    """Ask for `vault.one_of_two`: A choice beside one that is there already.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ONE_OF_TWO, codecs.ONE_OF_TWO_ARGS, {"a": a, "b": b, "c": c})


def new_store_call(
    *, name: str, text: str | None = None, file: str | None = None, options: StoreArgsOptions | None = None
) -> ToolRequest:
    """Ask for `vault.store`: Store a secret under a name.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.STORE, codecs.STORE_ARGS, {"name": name, "text": text, "file": file, "options": options})
