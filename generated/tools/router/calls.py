"""Call builders of `router`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest

    from .types.shared import MemoryLayer


def new_delegate_to_agent_call(*, to: str, request: str) -> ToolRequest:
    """Ask for `router.delegate_to_agent`: Send a message to a peer agent and wait for the answer.

    Args:
        request: What the peer should do.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DELEGATE_TO_AGENT, codecs.DELEGATE_TO_AGENT_ARGS, {"to": to, "request": request})


def new_delete_file_call(*, path: str) -> ToolRequest:
    """Ask for `router.delete_file`: Delete one file.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DELETE_FILE, codecs.DELETE_FILE_ARGS, {"path": path})


def new_drop_source_call(*, source: str) -> ToolRequest:
    """Ask for `router.drop_source`: Remove an indexed corpus.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DROP_SOURCE, codecs.DROP_SOURCE_ARGS, {"source": source})


def new_forget_call(*, slug: str, layer: MemoryLayer) -> ToolRequest:
    """Ask for `router.forget`: Delete a memory record.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FORGET, codecs.FORGET_ARGS, {"slug": slug, "layer": layer})


def new_invoke_skill_call(*, name: str, input_: JsonValue) -> ToolRequest:
    """Ask for `router.invoke_skill`: Run a workflow with an input artifact.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.INVOKE_SKILL, codecs.INVOKE_SKILL_ARGS, {"name": name, "input": input_})


def new_read_memory_body_call(*, slug: str, layer: Literal["shared", "agent"] | None = None) -> ToolRequest:
    """Ask for `router.read_memory_body`: Read the body of one memory record.

    Args:
        layer: Left out: the agent's own record, or else the shared one.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.READ_MEMORY_BODY, codecs.READ_MEMORY_BODY_ARGS, {"slug": slug, "layer": layer})


def new_recall_call(*, sources: list[str], query: str, top_k: int = 5) -> ToolRequest:
    """Ask for `router.recall`: Search indexed corpora by meaning.

    Args:
        sources: The corpora to search.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.RECALL, codecs.RECALL_ARGS, {"sources": sources, "query": query, "top_k": top_k}, {"top_k": 5}
    )


def new_remember_agent_call(*, slug: str, body: str) -> ToolRequest:
    """Ask for `router.remember_agent`: Store a memory record of this agent. One of the same name is replaced.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.REMEMBER_AGENT, codecs.REMEMBER_AGENT_ARGS, {"slug": slug, "body": body})


def new_remember_shared_call(*, slug: str, body: str) -> ToolRequest:
    """Ask for `router.remember_shared`: Store a memory record that every agent can read. One of the same name is replaced.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.REMEMBER_SHARED, codecs.REMEMBER_SHARED_ARGS, {"slug": slug, "body": body})


def new_sandboxed_exec_call(*, argv: list[str]) -> ToolRequest:
    """Ask for `router.sandboxed_exec`: Run a command in the sandbox.

    Args:
        argv: The program and its arguments, one each. No shell reads them.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SANDBOXED_EXEC, codecs.SANDBOXED_EXEC_ARGS, {"argv": argv})


def new_source_list_call(*, prefix: str | None = None) -> ToolRequest:
    """Ask for `router.source_list`: List the product's own docs and source.

    Args:
        prefix: What the paths start with.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SOURCE_LIST, codecs.SOURCE_LIST_ARGS, {"prefix": prefix})


def new_source_read_call(*, path: str) -> ToolRequest:
    """Ask for `router.source_read`: Read one document of the product's own docs and source.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SOURCE_READ, codecs.SOURCE_READ_ARGS, {"path": path})


def new_web_fetch_call(*, url: str) -> ToolRequest:
    """Ask for `router.web_fetch`: Fetch a page as text.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.WEB_FETCH, codecs.WEB_FETCH_ARGS, {"url": url})


def new_web_search_call(*, query: str, limit: int = 10) -> ToolRequest:
    """Ask for `router.web_search`: Search the web.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.WEB_SEARCH, codecs.WEB_SEARCH_ARGS, {"query": query, "limit": limit}, {"limit": 10})
