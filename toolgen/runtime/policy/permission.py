"""Permission: who is asked before a tool runs, and what can be answered. It fails closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgen.contract.records import NOTHING

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.catalog.definition import Permission


class Decision(StrEnum):
    """What a callback can answer; anything else counts as `DENY`."""

    ALLOW_ONCE = "allow_once"
    ALLOW_FOR_SESSION = "allow_for_session"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionDecision:
    """A decision and what led to it.

    The `reason` of a denial is sent to the model. Reason and `metadata`, which is a JSON object, are on record with the
    call that was asked about.
    """

    decision: Decision
    reason: str = ""
    metadata: Mapping[str, Any] = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest:
    """What a callback is asked about one call. Nothing in it can be changed, and nothing it returns changes the call.

    `arguments` is the canonical JSON of the checked args without their secrets, `summary` the same as a person may see
    it: with no character that steers a terminal, and cut to a bound. What looks like a credential, and could be more
    than that, stays in both, so that a call cannot hide what it does. `confirm` is the tool's own question, filled in
    alike. `scope` is what a grant for the session would cover: pairs of what it is and its value, such as a resolved
    folder; None where no grant can be kept, as outside of runs. `hosts` are those that the call names, `cwd` the folder
    it runs in, `env` the names of the variables that a command sees. `reasons` are what made policies ask, `hook` is
    what the hooks said (`passed`, or nothing without hooks), and `suggested` what a cautious person would answer.
    """

    tool_name: str
    permission: Permission
    tags: Set[str]
    arguments: bytes
    meta: ToolCallMeta
    summary: str = ""
    confirm: str = ""
    scope: tuple[tuple[str, str], ...] | None = None
    hosts: tuple[str, ...] = ()
    cwd: str = ""
    env: tuple[str, ...] = ()
    dangerous: bool = False
    reasons: tuple[str, ...] = ()
    hook: str = ""
    suggested: Decision = Decision.ALLOW_ONCE


PermissionCallback: TypeAlias = Callable[
    [PermissionRequest], Decision | PermissionDecision | Awaitable[Decision | PermissionDecision]
]


def allow_all(_request: PermissionRequest) -> Decision:
    """Let every call run, and ask nobody: for trusted hosts, tests, and scripts."""
    return Decision.ALLOW_ONCE


def deny_all(_request: PermissionRequest) -> Decision:
    """Let no call run, readonly ones included."""
    return Decision.DENY
