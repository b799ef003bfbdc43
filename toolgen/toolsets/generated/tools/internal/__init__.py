"""`internal`: What the core offers to its own agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.load_skill import LoadSkillArgs as LoadSkillArgs, LoadSkillResult as LoadSkillResult
    from .types.recall_memory import RecallMemoryArgs as RecallMemoryArgs, RecallMemoryResult as RecallMemoryResult
    from .types.shared import Memory as Memory
    from . import codecs as codecs
    from .calls import new_load_skill_call as new_load_skill_call, new_recall_memory_call as new_recall_memory_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import LOAD_SKILL as LOAD_SKILL, RECALL_MEMORY as RECALL_MEMORY
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "LOAD_SKILL": ".idents",
            "LoadSkillArgs": ".types.load_skill",
            "LoadSkillResult": ".types.load_skill",
            "Memory": ".types.shared",
            "RECALL_MEMORY": ".idents",
            "RecallMemoryArgs": ".types.recall_memory",
            "RecallMemoryResult": ".types.recall_memory",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_load_skill_call": ".calls",
            "new_recall_memory_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
