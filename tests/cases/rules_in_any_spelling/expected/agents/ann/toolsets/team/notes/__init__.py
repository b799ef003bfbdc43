"""`team.notes`, as the agent `ann` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from ......team.tools.notes import (
        ADD as ADD,
        DROP as DROP,
        KEEP as KEEP,
        LIST_ALL as LIST_ALL,
        RESEARCH as RESEARCH,
        TELL as TELL,
        AddArgs as AddArgs,
        AddResult as AddResult,
        DropArgs as DropArgs,
        DropResult as DropResult,
        Handlers as Handlers,
        KeepArgs as KeepArgs,
        KeepResult as KeepResult,
        ListAllArgs as ListAllArgs,
        ListAllResult as ListAllResult,
        ResearchArgs as ResearchArgs,
        ResearchResult as ResearchResult,
        TellArgs as TellArgs,
        TellResult as TellResult,
        codecs as codecs,
        executor as executor,
        new_add_call as new_add_call,
        new_drop_call as new_drop_call,
        new_keep_call as new_keep_call,
        new_list_all_call as new_list_all_call,
        new_research_call as new_research_call,
        new_tell_call as new_tell_call,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ADD": "......team.tools.notes",
            "AddArgs": "......team.tools.notes",
            "AddResult": "......team.tools.notes",
            "DROP": "......team.tools.notes",
            "DropArgs": "......team.tools.notes",
            "DropResult": "......team.tools.notes",
            "Handlers": "......team.tools.notes",
            "KEEP": "......team.tools.notes",
            "KeepArgs": "......team.tools.notes",
            "KeepResult": "......team.tools.notes",
            "LIST_ALL": "......team.tools.notes",
            "ListAllArgs": "......team.tools.notes",
            "ListAllResult": "......team.tools.notes",
            "RESEARCH": "......team.tools.notes",
            "ResearchArgs": "......team.tools.notes",
            "ResearchResult": "......team.tools.notes",
            "TELL": "......team.tools.notes",
            "TellArgs": "......team.tools.notes",
            "TellResult": "......team.tools.notes",
            "codecs": "......team.tools.notes",
            "executor": "......team.tools.notes",
            "new_add_call": "......team.tools.notes",
            "new_drop_call": "......team.tools.notes",
            "new_keep_call": "......team.tools.notes",
            "new_list_all_call": "......team.tools.notes",
            "new_research_call": "......team.tools.notes",
            "new_tell_call": "......team.tools.notes",
        },
    )


def new_ann_notes_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `team.notes` for `ann` with one executor."""
    from ......team.tools.notes import new_registration

    return new_registration(executor)
