"""Handlers of the built-in toolsets, for any package that they are compiled into.

Their specs are in `specs/builtin` of a checkout, and in `specs` of an installed toolgen. `generated` is toolgen's
package of them. The modules below are private.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.toolsets.actions import ActionTools as ActionTools
    from toolgen.toolsets.agent import agent_registration as agent_registration
    from toolgen.toolsets.agent.agents import AgentDefinition as AgentDefinition
    from toolgen.toolsets.agent.agents import AgentDefinitionRegistry as AgentDefinitionRegistry
    from toolgen.toolsets.agent.agents import AgentRecord as AgentRecord
    from toolgen.toolsets.agent.agents import AgentRecords as AgentRecords
    from toolgen.toolsets.agent.agents import AgentTools as AgentTools
    from toolgen.toolsets.agent.agents import WorkerPool as WorkerPool
    from toolgen.toolsets.agent.tasks import TaskTools as TaskTools
    from toolgen.toolsets.agent.tasks.task import Step as Step
    from toolgen.toolsets.agent.tasks.task import StepState as StepState
    from toolgen.toolsets.agent.tasks.task import Task as Task
    from toolgen.toolsets.agent.tasks.task import TaskFileError as TaskFileError
    from toolgen.toolsets.agent.tasks.task import TaskGraph as TaskGraph
    from toolgen.toolsets.agent.tasks.task import TaskState as TaskState
    from toolgen.toolsets.code import CodeTools as CodeTools
    from toolgen.toolsets.code import Instructions as Instructions
    from toolgen.toolsets.code import OnInstructions as OnInstructions
    from toolgen.toolsets.internal import InternalTools as InternalTools
    from toolgen.toolsets.internal import Skill as Skill
    from toolgen.toolsets.internal import Skills as Skills
    from toolgen.toolsets.internal.memory import Memories as Memories
    from toolgen.toolsets.internal.memory import Memory as Memory
    from toolgen.toolsets.internal.memory import MemoryWriter as MemoryWriter
    from toolgen.toolsets.internal.memory import NoteRefused as NoteRefused
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CodeTools": ".code",
            "Instructions": ".code",
            "OnInstructions": ".code",
            "InternalTools": ".internal",
            "Memories": ".internal.memory",
            "Memory": ".internal.memory",
            "MemoryWriter": ".internal.memory",
            "NoteRefused": ".internal.memory",
            "Skill": ".internal",
            "Skills": ".internal",
            "ActionTools": ".actions",
            "agent_registration": ".agent",
            "AgentDefinition": ".agent.agents",
            "AgentDefinitionRegistry": ".agent.agents",
            "AgentRecord": ".agent.agents",
            "AgentRecords": ".agent.agents",
            "AgentTools": ".agent.agents",
            "WorkerPool": ".agent.agents",
            "TaskTools": ".agent.tasks",
            "TaskFileError": ".agent.tasks.task",
            "TaskGraph": ".agent.tasks.task",
            "Step": ".agent.tasks.task",
            "StepState": ".agent.tasks.task",
            "Task": ".agent.tasks.task",
            "TaskState": ".agent.tasks.task",
        },
    )
