"""Call builders of `mcp.github`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_create_issue_call(
    *, owner: str, repo: str, title: str, body: str | None = None, labels: list[str] | None = None
) -> ToolRequest:
    """Ask for `mcp.github.create_issue`: Open an issue.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.CREATE_ISSUE,
        codecs.CREATE_ISSUE_ARGS,
        {"owner": owner, "repo": repo, "title": title, "body": body, "labels": labels},
    )


def new_get_file_call(*, owner: str, repo: str, path: str) -> ToolRequest:
    """Ask for `mcp.github.get_file`: Read one file of a repository.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.GET_FILE, codecs.GET_FILE_ARGS, {"owner": owner, "repo": repo, "path": path})
