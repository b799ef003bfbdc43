"""`orchestrator.profiles`: Customer profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.methods import (
        FindMethodResult as FindMethodResult,
        FindPayload as FindPayload,
        FindPayloadFilter as FindPayloadFilter,
        FindPayloadPage as FindPayloadPage,
        UpsertMethodResult as UpsertMethodResult,
        UpsertPayload as UpsertPayload,
    )
    from .types.search import SearchArgs as SearchArgs, SearchResult as SearchResult
    from .types.shared import Profile as Profile
    from .types.upsert import UpsertArgs as UpsertArgs, UpsertResult as UpsertResult
    from . import codecs as codecs
    from .calls import new_search_call as new_search_call, new_upsert_call as new_upsert_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import SEARCH as SEARCH, UPSERT as UPSERT
    from .transforms import (
        to_method_payload_upsert as to_method_payload_upsert,
        to_tool_return_upsert as to_tool_return_upsert,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "FindMethodResult": ".types.methods",
            "FindPayload": ".types.methods",
            "FindPayloadFilter": ".types.methods",
            "FindPayloadPage": ".types.methods",
            "Handlers": ".dispatch",
            "Profile": ".types.shared",
            "SEARCH": ".idents",
            "SearchArgs": ".types.search",
            "SearchResult": ".types.search",
            "UPSERT": ".idents",
            "UpsertArgs": ".types.upsert",
            "UpsertMethodResult": ".types.methods",
            "UpsertPayload": ".types.methods",
            "UpsertResult": ".types.upsert",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_registration": ".dispatch",
            "new_search_call": ".calls",
            "new_upsert_call": ".calls",
            "to_method_payload_upsert": ".transforms",
            "to_tool_return_upsert": ".transforms",
        },
    )
