"""The runtime: loads a catalog and runs calls.

Programs import from a few flat modules: this one, `toolgen.llm`, `toolgen.record`, `toolgen.execute`, `toolgen.agents`,
`toolgen.engine`, `toolgen.explore`, `toolgen.serve`, `toolgen.testing`, `toolgen.adapters.<framework>`,
`toolgen.providers`, `toolgen.toolsets` and `toolgen.compiler`; generated code also imports `toolgen.contract`.
`docs/reference/public-api.txt` lists their names.
All other modules are private: they move and change without notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.ident import Ident as Ident
    from toolgen.contract.records import Ancestor as Ancestor
    from toolgen.contract.records import Bounds as Bounds
    from toolgen.contract.records import ContentBlock as ContentBlock
    from toolgen.contract.records import FailureKind as FailureKind
    from toolgen.contract.records import Issue as Issue
    from toolgen.contract.records import Response as Response
    from toolgen.contract.records import RetryHint as RetryHint
    from toolgen.contract.records import ToolCallMeta as ToolCallMeta
    from toolgen.contract.records import ToolError as ToolError
    from toolgen.contract.records import ToolExecutor as ToolExecutor
    from toolgen.contract.records import ToolRequest as ToolRequest
    from toolgen.contract.records import ToolResult as ToolResult
    from toolgen.contract.records import ToolsetRegistration as ToolsetRegistration
    from toolgen.runtime.base.errors import ArtifactError as ArtifactError
    from toolgen.runtime.base.errors import ArtifactNotFound as ArtifactNotFound
    from toolgen.runtime.base.errors import CallFailed as CallFailed
    from toolgen.runtime.base.errors import CatalogError as CatalogError
    from toolgen.runtime.base.errors import ExecutorError as ExecutorError
    from toolgen.runtime.base.errors import InvalidPayload as InvalidPayload
    from toolgen.runtime.base.errors import MalformedResult as MalformedResult
    from toolgen.runtime.base.errors import RunEnded as RunEnded
    from toolgen.runtime.base.errors import RunStopped as RunStopped
    from toolgen.runtime.base.errors import ToolNotFound as ToolNotFound
    from toolgen.runtime.base.errors import ToolRateLimited as ToolRateLimited
    from toolgen.runtime.base.errors import ToolUnavailable as ToolUnavailable
    from toolgen.runtime.base.errors import TypesDisagree as TypesDisagree
    from toolgen.runtime.base.errors import UnknownAgent as UnknownAgent
    from toolgen.runtime.calls.call import CheckedCall as CheckedCall
    from toolgen.runtime.calls.call import Denial as Denial
    from toolgen.runtime.calls.call import Gate as Gate
    from toolgen.runtime.calls.call import GateDecision as GateDecision
    from toolgen.runtime.calls.call import Hook as Hook
    from toolgen.runtime.calls.runtime import Runtime as Runtime
    from toolgen.runtime.catalog.catalog import Catalog as Catalog
    from toolgen.runtime.catalog.catalog import load as load
    from toolgen.runtime.catalog.definition import ToolDefinition as ToolDefinition
    from toolgen.runtime.catalog.execution import blocking as blocking
    from toolgen.runtime.catalog.handler_signature import Handler as Handler
    from toolgen.runtime.catalog.registration import SchemaProfile as SchemaProfile
    from toolgen.runtime.catalog.registration import ToolAdapter as ToolAdapter
    from toolgen.runtime.codec.building import keep_unset as keep_unset
    from toolgen.runtime.codec.building import rebuilt as rebuilt
    from toolgen.runtime.codec.building import typed_default as typed_default
    from toolgen.runtime.codec.codec import Codec as Codec
    from toolgen.runtime.codec.codecs import Codecs as Codecs
    from toolgen.runtime.codec.formats import FormattedDate as FormattedDate
    from toolgen.runtime.codec.formats import FormattedDateTime as FormattedDateTime
    from toolgen.runtime.codec.formats import FormattedTime as FormattedTime
    from toolgen.runtime.codec.formats import FormattedUUID as FormattedUUID
    from toolgen.runtime.codec.formats import formatted_text as formatted_text
    from toolgen.runtime.codec.models import ClosedModel as ClosedModel
    from toolgen.runtime.codec.models import OpenModel as OpenModel
    from toolgen.runtime.events.records import ArtifactStore as ArtifactStore
    from toolgen.runtime.events.records import CallOutcome as CallOutcome
    from toolgen.runtime.events.records import Event as Event
    from toolgen.runtime.events.records import EventKind as EventKind
    from toolgen.runtime.events.records import NewEvent as NewEvent
    from toolgen.runtime.events.records import RunFilter as RunFilter
    from toolgen.runtime.events.records import RunNotFound as RunNotFound
    from toolgen.runtime.events.records import RunRecord as RunRecord
    from toolgen.runtime.events.records import RunsPage as RunsPage
    from toolgen.runtime.events.records import RunSummary as RunSummary
    from toolgen.runtime.events.records import StageMark as StageMark
    from toolgen.runtime.events.records import Store as Store
    from toolgen.runtime.events.records import StoredResult as StoredResult
    from toolgen.runtime.events.records import StoreError as StoreError
    from toolgen.runtime.events.records import Trace as Trace
    from toolgen.runtime.events.records import marks_of as marks_of
    from toolgen.runtime.policy.approval import ask_before_call as ask_before_call
    from toolgen.runtime.policy.approval import question_id as question_id
    from toolgen.runtime.policy.approvers import Approver as Approver
    from toolgen.runtime.policy.approvers import Approvers as Approvers
    from toolgen.runtime.policy.effective import EffectiveSet as EffectiveSet
    from toolgen.runtime.policy.effective import ExclusionReason as ExclusionReason
    from toolgen.runtime.policy.effective import ToolsNotGranted as ToolsNotGranted
    from toolgen.runtime.policy.grants import Grant as Grant
    from toolgen.runtime.policy.grants import Grants as Grants
    from toolgen.runtime.policy.grants import GrantsError as GrantsError
    from toolgen.runtime.policy.grants import MemoryGrants as MemoryGrants
    from toolgen.runtime.policy.grants.postgres import PostgresGrants as PostgresGrants
    from toolgen.runtime.policy.grants.sqlite import SqliteGrants as SqliteGrants
    from toolgen.runtime.policy.paths import PathAnswer as PathAnswer
    from toolgen.runtime.policy.paths import PathConcern as PathConcern
    from toolgen.runtime.policy.paths import PathPolicy as PathPolicy
    from toolgen.runtime.policy.paths import UnsupportedSystem as UnsupportedSystem
    from toolgen.runtime.policy.permission import Decision as Decision
    from toolgen.runtime.policy.permission import PermissionCallback as PermissionCallback
    from toolgen.runtime.policy.permission import PermissionDecision as PermissionDecision
    from toolgen.runtime.policy.permission import PermissionRequest as PermissionRequest
    from toolgen.runtime.policy.permission import allow_all as allow_all
    from toolgen.runtime.policy.permission import deny_all as deny_all
    from toolgen.runtime.policy.policy import Policies as Policies
    from toolgen.runtime.policy.policy import PolicyAnswer as PolicyAnswer
    from toolgen.runtime.policy.policy import PolicyDecision as PolicyDecision
    from toolgen.runtime.policy.policy import PolicyReason as PolicyReason
    from toolgen.runtime.policy.rate_limits import Counters as Counters
    from toolgen.runtime.policy.rate_limits import MemoryCounters as MemoryCounters
    from toolgen.runtime.policy.rate_limits.postgres import PostgresCounters as PostgresCounters
    from toolgen.runtime.policy.rate_limits.redis import RedisCounters as RedisCounters
    from toolgen.runtime.policy.rate_limits.sqlite import CountersError as CountersError
    from toolgen.runtime.policy.rate_limits.sqlite import SqliteCounters as SqliteCounters
    from toolgen.runtime.policy.scope import Scope as Scope
    from toolgen.runtime.policy.terminal import TerminalPrompt as TerminalPrompt
    from toolgen.runtime.runs.children import ChildRun as ChildRun
    from toolgen.runtime.runs.children import start_child as start_child
    from toolgen.runtime.runs.run import Run as Run
    from toolgen.runtime.runs.run import RunProgress as RunProgress
    from toolgen.runtime.runs.run import Session as Session
    from toolgen.runtime.telemetry import Telemetry as Telemetry
    from toolgen.runtime.telemetry import TracedOperation as TracedOperation
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Runtime": ".calls.runtime",
            "Catalog": ".catalog.catalog",
            "load": ".catalog.catalog",
            "ToolDefinition": ".catalog.definition",
            "SchemaProfile": ".catalog.registration",
            "ToolAdapter": ".catalog.registration",
            "Handler": ".catalog.handler_signature",
            "blocking": ".catalog.execution",
            "Ident": "toolgen.contract.ident",
            "Ancestor": "toolgen.contract.records",
            "Bounds": "toolgen.contract.records",
            "ContentBlock": "toolgen.contract.records",
            "FailureKind": "toolgen.contract.records",
            "Issue": "toolgen.contract.records",
            "Response": "toolgen.contract.records",
            "RetryHint": "toolgen.contract.records",
            "ToolCallMeta": "toolgen.contract.records",
            "ToolError": "toolgen.contract.records",
            "ToolExecutor": "toolgen.contract.records",
            "ToolRequest": "toolgen.contract.records",
            "ToolResult": "toolgen.contract.records",
            "ToolsetRegistration": "toolgen.contract.records",
            "ArtifactError": ".base.errors",
            "ArtifactNotFound": ".base.errors",
            "CallFailed": ".base.errors",
            "CatalogError": ".base.errors",
            "ExecutorError": ".base.errors",
            "InvalidPayload": ".base.errors",
            "MalformedResult": ".base.errors",
            "RunEnded": ".base.errors",
            "RunStopped": ".base.errors",
            "ToolNotFound": ".base.errors",
            "ToolRateLimited": ".base.errors",
            "ToolUnavailable": ".base.errors",
            "TypesDisagree": ".base.errors",
            "UnknownAgent": ".base.errors",
            "Run": ".runs.run",
            "RunProgress": ".runs.run",
            "Session": ".runs.run",
            "ChildRun": ".runs.children",
            "start_child": ".runs.children",
            "Decision": ".policy.permission",
            "PermissionCallback": ".policy.permission",
            "PermissionDecision": ".policy.permission",
            "PermissionRequest": ".policy.permission",
            "allow_all": ".policy.permission",
            "deny_all": ".policy.permission",
            "ask_before_call": ".policy.approval",
            "question_id": ".policy.approval",
            "Approver": ".policy.approvers",
            "Approvers": ".policy.approvers",
            "TerminalPrompt": ".policy.terminal",
            "Policies": ".policy.policy",
            "PolicyAnswer": ".policy.policy",
            "PolicyDecision": ".policy.policy",
            "PolicyReason": ".policy.policy",
            "EffectiveSet": ".policy.effective",
            "ExclusionReason": ".policy.effective",
            "ToolsNotGranted": ".policy.effective",
            "PathAnswer": ".policy.paths",
            "PathConcern": ".policy.paths",
            "PathPolicy": ".policy.paths",
            "UnsupportedSystem": ".policy.paths",
            "Scope": ".policy.scope",
            "Grant": ".policy.grants",
            "Grants": ".policy.grants",
            "GrantsError": ".policy.grants",
            "MemoryGrants": ".policy.grants",
            "SqliteGrants": ".policy.grants.sqlite",
            "PostgresGrants": ".policy.grants.postgres",
            "Counters": ".policy.rate_limits",
            "MemoryCounters": ".policy.rate_limits",
            "CountersError": ".policy.rate_limits.sqlite",
            "SqliteCounters": ".policy.rate_limits.sqlite",
            "RedisCounters": ".policy.rate_limits.redis",
            "PostgresCounters": ".policy.rate_limits.postgres",
            "CheckedCall": ".calls.call",
            "Denial": ".calls.call",
            "Gate": ".calls.call",
            "GateDecision": ".calls.call",
            "Hook": ".calls.call",
            "ArtifactStore": ".events.records",
            "Store": ".events.records",
            "Event": ".events.records",
            "EventKind": ".events.records",
            "NewEvent": ".events.records",
            "RunNotFound": ".events.records",
            "RunRecord": ".events.records",
            "RunSummary": ".events.records",
            "RunsPage": ".events.records",
            "RunFilter": ".events.records",
            "CallOutcome": ".events.records",
            "StageMark": ".events.records",
            "StoreError": ".events.records",
            "StoredResult": ".events.records",
            "Trace": ".events.records",
            "marks_of": ".events.records",
            "Telemetry": ".telemetry",
            "TracedOperation": ".telemetry",
            "Codec": ".codec.codec",
            "Codecs": ".codec.codecs",
            "ClosedModel": ".codec.models",
            "OpenModel": ".codec.models",
            "keep_unset": ".codec.building",
            "rebuilt": ".codec.building",
            "typed_default": ".codec.building",
            "FormattedDate": ".codec.formats",
            "FormattedDateTime": ".codec.formats",
            "FormattedTime": ".codec.formats",
            "FormattedUUID": ".codec.formats",
            "formatted_text": ".codec.formats",
        },
    )
