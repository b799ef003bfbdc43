"""`orchestrator.research`: Research as a tool, done by another agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ....shared_types import Source as Source
    from .types.search import SearchArgs as SearchArgs, SearchResult as SearchResult
    from .types.verify import VerifyArgs as VerifyArgs, VerifyResult as VerifyResult
    from . import codecs as codecs
    from .calls import new_search_call as new_search_call, new_verify_call as new_verify_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import SEARCH as SEARCH, VERIFY as VERIFY
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "SEARCH": ".idents",
            "SearchArgs": ".types.search",
            "SearchResult": ".types.search",
            "Source": "....shared_types",
            "VERIFY": ".idents",
            "VerifyArgs": ".types.verify",
            "VerifyResult": ".types.verify",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_registration": ".dispatch",
            "new_search_call": ".calls",
            "new_verify_call": ".calls",
        },
    )
