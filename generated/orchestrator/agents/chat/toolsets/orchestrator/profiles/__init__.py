"""`orchestrator.profiles`, as the agent `orchestrator.chat` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from ......tools.profiles import (
        SEARCH as SEARCH,
        UPSERT as UPSERT,
        FindMethodResult as FindMethodResult,
        FindPayload as FindPayload,
        FindPayloadFilter as FindPayloadFilter,
        FindPayloadPage as FindPayloadPage,
        Handlers as Handlers,
        Profile as Profile,
        SearchArgs as SearchArgs,
        SearchResult as SearchResult,
        UpsertArgs as UpsertArgs,
        UpsertMethodResult as UpsertMethodResult,
        UpsertPayload as UpsertPayload,
        UpsertResult as UpsertResult,
        codecs as codecs,
        executor as executor,
        new_search_call as new_search_call,
        new_upsert_call as new_upsert_call,
        to_method_payload_upsert as to_method_payload_upsert,
        to_tool_return_upsert as to_tool_return_upsert,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "FindMethodResult": "......tools.profiles",
            "FindPayload": "......tools.profiles",
            "FindPayloadFilter": "......tools.profiles",
            "FindPayloadPage": "......tools.profiles",
            "Handlers": "......tools.profiles",
            "Profile": "......tools.profiles",
            "SEARCH": "......tools.profiles",
            "SearchArgs": "......tools.profiles",
            "SearchResult": "......tools.profiles",
            "UPSERT": "......tools.profiles",
            "UpsertArgs": "......tools.profiles",
            "UpsertMethodResult": "......tools.profiles",
            "UpsertPayload": "......tools.profiles",
            "UpsertResult": "......tools.profiles",
            "codecs": "......tools.profiles",
            "executor": "......tools.profiles",
            "new_search_call": "......tools.profiles",
            "new_upsert_call": "......tools.profiles",
            "to_method_payload_upsert": "......tools.profiles",
            "to_tool_return_upsert": "......tools.profiles",
        },
    )


def new_chat_profiles_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `orchestrator.profiles` for `orchestrator.chat` with one executor."""
    from ......tools.profiles import new_registration

    return new_registration(executor)
