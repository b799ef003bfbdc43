"""Call builders of `code`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_edit_file_call(*, path: str, text: str) -> ToolRequest:
    """Ask for `code.edit_file`: Edit a file.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.EDIT_FILE, codecs.EDIT_FILE_ARGS, {"path": path, "text": text})


def new_fetch_call(*, url: str) -> ToolRequest:
    """Ask for `code.fetch`: Fetch a page.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FETCH, codecs.FETCH_ARGS, {"url": url})


def new_read_file_call(*, path: str) -> ToolRequest:
    """Ask for `code.read_file`: Read a file.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.READ_FILE, codecs.READ_FILE_ARGS, {"path": path})


def new_run_call(*, argv: list[str], cwd: str | None = None) -> ToolRequest:
    """Ask for `code.run`: Run a program.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RUN, codecs.RUN_ARGS, {"argv": argv, "cwd": cwd})
