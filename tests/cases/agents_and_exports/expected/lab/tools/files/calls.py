"""Call builders of `lab.files`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_read_call(*, path: str) -> ToolRequest:
    """Ask for `lab.files.read`: Read a file.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.READ, codecs.READ_ARGS, {"path": path})


def new_write_call(*, path: str, text: str) -> ToolRequest:
    """Ask for `lab.files.write`: Write a file.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.WRITE, codecs.WRITE_ARGS, {"path": path, "text": text})
