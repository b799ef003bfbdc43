"""`agent`: Plans, tasks and other agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.create_sub_agent import (
        CreateSubAgentArgs as CreateSubAgentArgs,
        CreateSubAgentResult as CreateSubAgentResult,
    )
    from .types.dispatch_worker import (
        DispatchWorkerArgs as DispatchWorkerArgs,
        DispatchWorkerResult as DispatchWorkerResult,
    )
    from .types.fork_agent import ForkAgentArgs as ForkAgentArgs, ForkAgentResult as ForkAgentResult
    from .types.inspect_agent import InspectAgentArgs as InspectAgentArgs, InspectAgentResult as InspectAgentResult
    from .types.list_agent_definitions import (
        ListAgentDefinitionsArgs as ListAgentDefinitionsArgs,
        ListAgentDefinitionsResult as ListAgentDefinitionsResult,
    )
    from .types.list_workers import (
        ListWorkersArgs as ListWorkersArgs,
        ListWorkersResult as ListWorkersResult,
        ListWorkersResultItem as ListWorkersResultItem,
    )
    from .types.plan_template import PlanTemplateArgs as PlanTemplateArgs, PlanTemplateResult as PlanTemplateResult
    from .types.shared import (
        Child as Child,
        Definition as Definition,
        Input as Input,
        NewStep as NewStep,
        Step as Step,
        StepState as StepState,
        Task as Task,
        TaskState as TaskState,
        TaskSummary as TaskSummary,
        TemplateKind as TemplateKind,
    )
    from .types.task_cancel import TaskCancelArgs as TaskCancelArgs, TaskCancelResult as TaskCancelResult
    from .types.task_claim_step import (
        TaskClaimStepArgs as TaskClaimStepArgs,
        TaskClaimStepResult as TaskClaimStepResult,
    )
    from .types.task_complete import TaskCompleteArgs as TaskCompleteArgs, TaskCompleteResult as TaskCompleteResult
    from .types.task_create import TaskCreateArgs as TaskCreateArgs, TaskCreateResult as TaskCreateResult
    from .types.task_fail import TaskFailArgs as TaskFailArgs, TaskFailResult as TaskFailResult
    from .types.task_get import TaskGetArgs as TaskGetArgs, TaskGetResult as TaskGetResult
    from .types.task_list import TaskListArgs as TaskListArgs, TaskListResult as TaskListResult
    from .types.task_query_steps import (
        TaskQueryStepsArgs as TaskQueryStepsArgs,
        TaskQueryStepsResult as TaskQueryStepsResult,
    )
    from .types.task_template import TaskTemplateArgs as TaskTemplateArgs, TaskTemplateResult as TaskTemplateResult
    from .types.task_update import TaskUpdateArgs as TaskUpdateArgs, TaskUpdateResult as TaskUpdateResult
    from .types.task_update_step import (
        TaskUpdateStepArgs as TaskUpdateStepArgs,
        TaskUpdateStepResult as TaskUpdateStepResult,
    )
    from . import codecs as codecs
    from .calls import (
        new_create_sub_agent_call as new_create_sub_agent_call,
        new_dispatch_worker_call as new_dispatch_worker_call,
        new_fork_agent_call as new_fork_agent_call,
        new_inspect_agent_call as new_inspect_agent_call,
        new_list_agent_definitions_call as new_list_agent_definitions_call,
        new_list_workers_call as new_list_workers_call,
        new_plan_template_call as new_plan_template_call,
        new_task_cancel_call as new_task_cancel_call,
        new_task_claim_step_call as new_task_claim_step_call,
        new_task_complete_call as new_task_complete_call,
        new_task_create_call as new_task_create_call,
        new_task_fail_call as new_task_fail_call,
        new_task_get_call as new_task_get_call,
        new_task_list_call as new_task_list_call,
        new_task_query_steps_call as new_task_query_steps_call,
        new_task_template_call as new_task_template_call,
        new_task_update_call as new_task_update_call,
        new_task_update_step_call as new_task_update_step_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        CREATE_SUB_AGENT as CREATE_SUB_AGENT,
        DISPATCH_WORKER as DISPATCH_WORKER,
        FORK_AGENT as FORK_AGENT,
        INSPECT_AGENT as INSPECT_AGENT,
        LIST_AGENT_DEFINITIONS as LIST_AGENT_DEFINITIONS,
        LIST_WORKERS as LIST_WORKERS,
        PLAN_TEMPLATE as PLAN_TEMPLATE,
        TASK_CANCEL as TASK_CANCEL,
        TASK_CLAIM_STEP as TASK_CLAIM_STEP,
        TASK_COMPLETE as TASK_COMPLETE,
        TASK_CREATE as TASK_CREATE,
        TASK_FAIL as TASK_FAIL,
        TASK_GET as TASK_GET,
        TASK_LIST as TASK_LIST,
        TASK_QUERY_STEPS as TASK_QUERY_STEPS,
        TASK_TEMPLATE as TASK_TEMPLATE,
        TASK_UPDATE as TASK_UPDATE,
        TASK_UPDATE_STEP as TASK_UPDATE_STEP,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CREATE_SUB_AGENT": ".idents",
            "Child": ".types.shared",
            "CreateSubAgentArgs": ".types.create_sub_agent",
            "CreateSubAgentResult": ".types.create_sub_agent",
            "DISPATCH_WORKER": ".idents",
            "Definition": ".types.shared",
            "DispatchWorkerArgs": ".types.dispatch_worker",
            "DispatchWorkerResult": ".types.dispatch_worker",
            "FORK_AGENT": ".idents",
            "ForkAgentArgs": ".types.fork_agent",
            "ForkAgentResult": ".types.fork_agent",
            "Handlers": ".dispatch",
            "INSPECT_AGENT": ".idents",
            "Input": ".types.shared",
            "InspectAgentArgs": ".types.inspect_agent",
            "InspectAgentResult": ".types.inspect_agent",
            "LIST_AGENT_DEFINITIONS": ".idents",
            "LIST_WORKERS": ".idents",
            "ListAgentDefinitionsArgs": ".types.list_agent_definitions",
            "ListAgentDefinitionsResult": ".types.list_agent_definitions",
            "ListWorkersArgs": ".types.list_workers",
            "ListWorkersResult": ".types.list_workers",
            "ListWorkersResultItem": ".types.list_workers",
            "NewStep": ".types.shared",
            "PLAN_TEMPLATE": ".idents",
            "PlanTemplateArgs": ".types.plan_template",
            "PlanTemplateResult": ".types.plan_template",
            "Step": ".types.shared",
            "StepState": ".types.shared",
            "TASK_CANCEL": ".idents",
            "TASK_CLAIM_STEP": ".idents",
            "TASK_COMPLETE": ".idents",
            "TASK_CREATE": ".idents",
            "TASK_FAIL": ".idents",
            "TASK_GET": ".idents",
            "TASK_LIST": ".idents",
            "TASK_QUERY_STEPS": ".idents",
            "TASK_TEMPLATE": ".idents",
            "TASK_UPDATE": ".idents",
            "TASK_UPDATE_STEP": ".idents",
            "Task": ".types.shared",
            "TaskCancelArgs": ".types.task_cancel",
            "TaskCancelResult": ".types.task_cancel",
            "TaskClaimStepArgs": ".types.task_claim_step",
            "TaskClaimStepResult": ".types.task_claim_step",
            "TaskCompleteArgs": ".types.task_complete",
            "TaskCompleteResult": ".types.task_complete",
            "TaskCreateArgs": ".types.task_create",
            "TaskCreateResult": ".types.task_create",
            "TaskFailArgs": ".types.task_fail",
            "TaskFailResult": ".types.task_fail",
            "TaskGetArgs": ".types.task_get",
            "TaskGetResult": ".types.task_get",
            "TaskListArgs": ".types.task_list",
            "TaskListResult": ".types.task_list",
            "TaskQueryStepsArgs": ".types.task_query_steps",
            "TaskQueryStepsResult": ".types.task_query_steps",
            "TaskState": ".types.shared",
            "TaskSummary": ".types.shared",
            "TaskTemplateArgs": ".types.task_template",
            "TaskTemplateResult": ".types.task_template",
            "TaskUpdateArgs": ".types.task_update",
            "TaskUpdateResult": ".types.task_update",
            "TaskUpdateStepArgs": ".types.task_update_step",
            "TaskUpdateStepResult": ".types.task_update_step",
            "TemplateKind": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_create_sub_agent_call": ".calls",
            "new_dispatch_worker_call": ".calls",
            "new_fork_agent_call": ".calls",
            "new_inspect_agent_call": ".calls",
            "new_list_agent_definitions_call": ".calls",
            "new_list_workers_call": ".calls",
            "new_plan_template_call": ".calls",
            "new_registration": ".dispatch",
            "new_task_cancel_call": ".calls",
            "new_task_claim_step_call": ".calls",
            "new_task_complete_call": ".calls",
            "new_task_create_call": ".calls",
            "new_task_fail_call": ".calls",
            "new_task_get_call": ".calls",
            "new_task_list_call": ".calls",
            "new_task_query_steps_call": ".calls",
            "new_task_template_call": ".calls",
            "new_task_update_call": ".calls",
            "new_task_update_step_call": ".calls",
        },
    )
