"""`lab.research`, as the agent `lab.chat-agent` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from .....researcher.agenttools.research import (
        SEARCH as SEARCH,
        VERIFY as VERIFY,
        Handlers as Handlers,
        SearchArgs as SearchArgs,
        SearchResult as SearchResult,
        Source as Source,
        VerifyArgs as VerifyArgs,
        VerifyResult as VerifyResult,
        codecs as codecs,
        executor as executor,
        new_search_call as new_search_call,
        new_verify_call as new_verify_call,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".....researcher.agenttools.research",
            "SEARCH": ".....researcher.agenttools.research",
            "SearchArgs": ".....researcher.agenttools.research",
            "SearchResult": ".....researcher.agenttools.research",
            "Source": ".....researcher.agenttools.research",
            "VERIFY": ".....researcher.agenttools.research",
            "VerifyArgs": ".....researcher.agenttools.research",
            "VerifyResult": ".....researcher.agenttools.research",
            "codecs": ".....researcher.agenttools.research",
            "executor": ".....researcher.agenttools.research",
            "new_search_call": ".....researcher.agenttools.research",
            "new_verify_call": ".....researcher.agenttools.research",
        },
    )


def new_chat_agent_research_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `lab.research` for `lab.chat-agent` with one executor."""
    from .....researcher.agenttools.research import new_registration

    return new_registration(executor)
