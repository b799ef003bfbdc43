"""Codecs of `agent`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.create_sub_agent import CreateSubAgentArgs, CreateSubAgentResult
    from .types.dispatch_worker import DispatchWorkerArgs, DispatchWorkerResult
    from .types.fork_agent import ForkAgentArgs, ForkAgentResult
    from .types.inspect_agent import InspectAgentArgs, InspectAgentResult
    from .types.list_agent_definitions import ListAgentDefinitionsArgs, ListAgentDefinitionsResult
    from .types.list_workers import ListWorkersArgs, ListWorkersResult
    from .types.plan_template import PlanTemplateArgs, PlanTemplateResult
    from .types.task_cancel import TaskCancelArgs, TaskCancelResult
    from .types.task_claim_step import TaskClaimStepArgs, TaskClaimStepResult
    from .types.task_complete import TaskCompleteArgs, TaskCompleteResult
    from .types.task_create import TaskCreateArgs, TaskCreateResult
    from .types.task_fail import TaskFailArgs, TaskFailResult
    from .types.task_get import TaskGetArgs, TaskGetResult
    from .types.task_list import TaskListArgs, TaskListResult
    from .types.task_query_steps import TaskQueryStepsArgs, TaskQueryStepsResult
    from .types.task_template import TaskTemplateArgs, TaskTemplateResult
    from .types.task_update import TaskUpdateArgs, TaskUpdateResult
    from .types.task_update_step import TaskUpdateStepArgs, TaskUpdateStepResult

CREATE_SUB_AGENT_ARGS: Final[Codec[CreateSubAgentArgs]] = Codec.of_package(PACKAGE, "agent.create_sub_agent", "args")
CREATE_SUB_AGENT_RESULT: Final[Codec[CreateSubAgentResult]] = Codec.of_package(
    PACKAGE, "agent.create_sub_agent", "result"
)
DISPATCH_WORKER_ARGS: Final[Codec[DispatchWorkerArgs]] = Codec.of_package(PACKAGE, "agent.dispatch_worker", "args")
DISPATCH_WORKER_RESULT: Final[Codec[DispatchWorkerResult]] = Codec.of_package(
    PACKAGE, "agent.dispatch_worker", "result"
)
FORK_AGENT_ARGS: Final[Codec[ForkAgentArgs]] = Codec.of_package(PACKAGE, "agent.fork_agent", "args")
FORK_AGENT_RESULT: Final[Codec[ForkAgentResult]] = Codec.of_package(PACKAGE, "agent.fork_agent", "result")
INSPECT_AGENT_ARGS: Final[Codec[InspectAgentArgs]] = Codec.of_package(PACKAGE, "agent.inspect_agent", "args")
INSPECT_AGENT_RESULT: Final[Codec[InspectAgentResult]] = Codec.of_package(PACKAGE, "agent.inspect_agent", "result")
LIST_AGENT_DEFINITIONS_ARGS: Final[Codec[ListAgentDefinitionsArgs]] = Codec.of_package(
    PACKAGE, "agent.list_agent_definitions", "args"
)
LIST_AGENT_DEFINITIONS_RESULT: Final[Codec[ListAgentDefinitionsResult]] = Codec.of_package(
    PACKAGE, "agent.list_agent_definitions", "result"
)
LIST_WORKERS_ARGS: Final[Codec[ListWorkersArgs]] = Codec.of_package(PACKAGE, "agent.list_workers", "args")
LIST_WORKERS_RESULT: Final[Codec[ListWorkersResult]] = Codec.of_package(PACKAGE, "agent.list_workers", "result")
PLAN_TEMPLATE_ARGS: Final[Codec[PlanTemplateArgs]] = Codec.of_package(PACKAGE, "agent.plan_template", "args")
PLAN_TEMPLATE_RESULT: Final[Codec[PlanTemplateResult]] = Codec.of_package(PACKAGE, "agent.plan_template", "result")
TASK_CANCEL_ARGS: Final[Codec[TaskCancelArgs]] = Codec.of_package(PACKAGE, "agent.task_cancel", "args")
TASK_CANCEL_RESULT: Final[Codec[TaskCancelResult]] = Codec.of_package(PACKAGE, "agent.task_cancel", "result")
TASK_CLAIM_STEP_ARGS: Final[Codec[TaskClaimStepArgs]] = Codec.of_package(PACKAGE, "agent.task_claim_step", "args")
TASK_CLAIM_STEP_RESULT: Final[Codec[TaskClaimStepResult]] = Codec.of_package(PACKAGE, "agent.task_claim_step", "result")
TASK_COMPLETE_ARGS: Final[Codec[TaskCompleteArgs]] = Codec.of_package(PACKAGE, "agent.task_complete", "args")
TASK_COMPLETE_RESULT: Final[Codec[TaskCompleteResult]] = Codec.of_package(PACKAGE, "agent.task_complete", "result")
TASK_CREATE_ARGS: Final[Codec[TaskCreateArgs]] = Codec.of_package(PACKAGE, "agent.task_create", "args")
TASK_CREATE_RESULT: Final[Codec[TaskCreateResult]] = Codec.of_package(PACKAGE, "agent.task_create", "result")
TASK_FAIL_ARGS: Final[Codec[TaskFailArgs]] = Codec.of_package(PACKAGE, "agent.task_fail", "args")
TASK_FAIL_RESULT: Final[Codec[TaskFailResult]] = Codec.of_package(PACKAGE, "agent.task_fail", "result")
TASK_GET_ARGS: Final[Codec[TaskGetArgs]] = Codec.of_package(PACKAGE, "agent.task_get", "args")
TASK_GET_RESULT: Final[Codec[TaskGetResult]] = Codec.of_package(PACKAGE, "agent.task_get", "result")
TASK_LIST_ARGS: Final[Codec[TaskListArgs]] = Codec.of_package(PACKAGE, "agent.task_list", "args")
TASK_LIST_RESULT: Final[Codec[TaskListResult]] = Codec.of_package(PACKAGE, "agent.task_list", "result")
TASK_QUERY_STEPS_ARGS: Final[Codec[TaskQueryStepsArgs]] = Codec.of_package(PACKAGE, "agent.task_query_steps", "args")
TASK_QUERY_STEPS_RESULT: Final[Codec[TaskQueryStepsResult]] = Codec.of_package(
    PACKAGE, "agent.task_query_steps", "result"
)
TASK_TEMPLATE_ARGS: Final[Codec[TaskTemplateArgs]] = Codec.of_package(PACKAGE, "agent.task_template", "args")
TASK_TEMPLATE_RESULT: Final[Codec[TaskTemplateResult]] = Codec.of_package(PACKAGE, "agent.task_template", "result")
TASK_UPDATE_ARGS: Final[Codec[TaskUpdateArgs]] = Codec.of_package(PACKAGE, "agent.task_update", "args")
TASK_UPDATE_RESULT: Final[Codec[TaskUpdateResult]] = Codec.of_package(PACKAGE, "agent.task_update", "result")
TASK_UPDATE_STEP_ARGS: Final[Codec[TaskUpdateStepArgs]] = Codec.of_package(PACKAGE, "agent.task_update_step", "args")
TASK_UPDATE_STEP_RESULT: Final[Codec[TaskUpdateStepResult]] = Codec.of_package(
    PACKAGE, "agent.task_update_step", "result"
)
