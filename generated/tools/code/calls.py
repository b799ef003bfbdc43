"""Call builders of `code`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.edit_file import EditFileArgsEditsItem


def new_edit_file_call(
    *,
    path: str,
    edits: list[EditFileArgsEditsItem] | None = None,
    unified_diff: str | None = None,
    create_if_missing: bool | None = None,
) -> ToolRequest:
    """Ask for `code.edit_file`: Change parts of one file, by exact replacements or by a unified diff.

    Args:
        create_if_missing: Default: False

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.EDIT_FILE,
        codecs.EDIT_FILE_ARGS,
        {"path": path, "edits": edits, "unified_diff": unified_diff, "create_if_missing": create_if_missing},
    )


def new_list_dir_call(*, path: str = ".", recursive: bool = False, limit: int = 1000) -> ToolRequest:
    """Ask for `code.list_dir`: List a directory.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.LIST_DIR,
        codecs.LIST_DIR_ARGS,
        {"path": path, "recursive": recursive, "limit": limit},
        {"path": ".", "recursive": False, "limit": 1000},
    )


def new_read_file_call(*, path: str, start_line: int = 1, max_lines: int = 200) -> ToolRequest:
    """Ask for `code.read_file`: Read a text file by lines.

    Args:
        path: File to read, relative to the project.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.READ_FILE,
        codecs.READ_FILE_ARGS,
        {"path": path, "start_line": start_line, "max_lines": max_lines},
        {"start_line": 1, "max_lines": 200},
    )


def new_run_command_call(*, argv: list[str], cwd: str = ".", timeout_ms: int = 120000) -> ToolRequest:
    """Ask for `code.run_command`: Run a program without a shell.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.RUN_COMMAND,
        codecs.RUN_COMMAND_ARGS,
        {"argv": argv, "cwd": cwd, "timeout_ms": timeout_ms},
        {"cwd": ".", "timeout_ms": 120000},
    )


def new_search_call(*, query: str, path: str = ".", glob: str | None = None, limit: int = 100) -> ToolRequest:
    """Ask for `code.search`: Search file contents with a regular expression.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.SEARCH,
        codecs.SEARCH_ARGS,
        {"query": query, "path": path, "glob": glob, "limit": limit},
        {"path": ".", "limit": 100},
    )


def new_write_file_call(*, path: str, content: str, create_dirs: bool = True, overwrite: bool = False) -> ToolRequest:
    """Ask for `code.write_file`: Write a whole file. An existing file is kept unless `overwrite` is true.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.WRITE_FILE,
        codecs.WRITE_FILE_ARGS,
        {"path": path, "content": content, "create_dirs": create_dirs, "overwrite": overwrite},
        {"create_dirs": True, "overwrite": False},
    )
