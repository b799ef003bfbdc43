"""Codecs of `internal`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.load_skill import LoadSkillArgs, LoadSkillResult
    from .types.recall_memory import RecallMemoryArgs, RecallMemoryResult

LOAD_SKILL_ARGS: Final[Codec[LoadSkillArgs]] = Codec.of_package(PACKAGE, "internal.load_skill", "args")
LOAD_SKILL_RESULT: Final[Codec[LoadSkillResult]] = Codec.of_package(PACKAGE, "internal.load_skill", "result")
RECALL_MEMORY_ARGS: Final[Codec[RecallMemoryArgs]] = Codec.of_package(PACKAGE, "internal.recall_memory", "args")
RECALL_MEMORY_RESULT: Final[Codec[RecallMemoryResult]] = Codec.of_package(PACKAGE, "internal.recall_memory", "result")
