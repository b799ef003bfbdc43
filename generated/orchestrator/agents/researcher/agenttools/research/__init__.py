"""`orchestrator.research`, as the agent `orchestrator.researcher` exports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .....tools.research.types.search import SearchArgs as SearchArgs, SearchResult as SearchResult
    from .....tools.research.types.verify import VerifyArgs as VerifyArgs, VerifyResult as VerifyResult
    from .....tools.research.calls import new_search_call as new_search_call, new_verify_call as new_verify_call
    from .....tools.research.dispatch import (
        Handlers as Handlers,
        executor as executor,
        new_registration as new_registration,
    )
    from .....tools.research.idents import SEARCH as SEARCH, VERIFY as VERIFY
    from ......shared_types import Source as Source
    from .....tools.research import codecs as codecs
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".....tools.research.dispatch",
            "SEARCH": ".....tools.research.idents",
            "SearchArgs": ".....tools.research.types.search",
            "SearchResult": ".....tools.research.types.search",
            "Source": "......shared_types",
            "VERIFY": ".....tools.research.idents",
            "VerifyArgs": ".....tools.research.types.verify",
            "VerifyResult": ".....tools.research.types.verify",
            "codecs": ".....tools.research.codecs",
            "executor": ".....tools.research.dispatch",
            "new_registration": ".....tools.research.dispatch",
            "new_search_call": ".....tools.research.calls",
            "new_verify_call": ".....tools.research.calls",
        },
    )
