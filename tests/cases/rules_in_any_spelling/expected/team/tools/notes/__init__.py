"""`team.notes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.add import AddArgs as AddArgs, AddResult as AddResult
    from .types.drop import DropArgs as DropArgs, DropResult as DropResult
    from .types.keep import KeepArgs as KeepArgs, KeepResult as KeepResult
    from .types.list_all import ListAllArgs as ListAllArgs, ListAllResult as ListAllResult
    from .types.research import ResearchArgs as ResearchArgs, ResearchResult as ResearchResult
    from .types.tell import TellArgs as TellArgs, TellResult as TellResult
    from . import codecs as codecs
    from .calls import (
        new_add_call as new_add_call,
        new_drop_call as new_drop_call,
        new_keep_call as new_keep_call,
        new_list_all_call as new_list_all_call,
        new_research_call as new_research_call,
        new_tell_call as new_tell_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ADD as ADD, DROP as DROP, KEEP as KEEP, LIST_ALL as LIST_ALL, RESEARCH as RESEARCH, TELL as TELL
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ADD": ".idents",
            "AddArgs": ".types.add",
            "AddResult": ".types.add",
            "DROP": ".idents",
            "DropArgs": ".types.drop",
            "DropResult": ".types.drop",
            "Handlers": ".dispatch",
            "KEEP": ".idents",
            "KeepArgs": ".types.keep",
            "KeepResult": ".types.keep",
            "LIST_ALL": ".idents",
            "ListAllArgs": ".types.list_all",
            "ListAllResult": ".types.list_all",
            "RESEARCH": ".idents",
            "ResearchArgs": ".types.research",
            "ResearchResult": ".types.research",
            "TELL": ".idents",
            "TellArgs": ".types.tell",
            "TellResult": ".types.tell",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_add_call": ".calls",
            "new_drop_call": ".calls",
            "new_keep_call": ".calls",
            "new_list_all_call": ".calls",
            "new_registration": ".dispatch",
            "new_research_call": ".calls",
            "new_tell_call": ".calls",
        },
    )
