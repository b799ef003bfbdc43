"""Permission: requests, decisions and callbacks. Everything fails closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Set
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgen.contract.records import NOTHING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.catalog.definition import Permission
    from toolgen.runtime.codec.codec import Codec
    from toolgen.runtime.policy.approvers import Approver, Approvers


class Decision(StrEnum):
    """The decision of a callback; any other value counts as `DENY`."""

    ALLOW_ONCE = "allow_once"
    ALLOW_FOR_SESSION = "allow_for_session"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionDecision:
    """A decision with its reason.

    The `reason` of a denial is sent to the model. The reason and `metadata`, a JSON object, are recorded with the call.
    `people` are those who have decided so; where a policy says who may (`PermissionRequest.approvers`), a call runs
    only if they may.

    A denial may have a `proposal`: args of the tool, as a JSON object, that a person would allow. The model gets it
    with the reason, and may call with it, which asks again: a proposal allows nothing. One that does not fit the args
    is left out, and a warning is logged; `PermissionRequest.check_proposal` finds that before.

    Raises ValueError for a proposal with another decision than a denial.
    """

    decision: Decision
    reason: str = ""
    metadata: Mapping[str, Any] = NOTHING
    people: tuple[Approver, ...] = ()
    proposal: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.proposal is not None and self.decision in (Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION):
            raise ValueError(f"a proposal goes with a denial only, and not with {self.decision!s}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest:
    """The request to a permission callback for one call. It is immutable, and the callback cannot change the call.

    `agent` is the compiled agent that asks, empty if there is none; `meta` has its ids, and in `ancestors` the agents
    above it, from the first. `arguments` is the canonical JSON of the validated args without secrets; `summary` is the
    same for people: without control characters, and truncated. Text that looks like a credential but could be more
    stays in both, so that a call cannot hide what it does. `confirm` is the tool's own question, rendered. `request` is
    what the tool of an HTTP API sends: the method and the URL, without credentials. `program` is what else runs a call:
    a command line, a server, a handler or an agent. `scope` is what a session grant would cover: pairs of a kind and a
    value, such as a resolved folder; None without a session, as outside of runs. `hosts` are the hosts of the call,
    `cwd` is its working directory, and `env` has the names of the environment variables of its process. `reasons` are
    the rules that require permission, `hook` is the outcome of the hooks (`passed`, or empty without hooks), and
    `suggested` is the suggested decision. `contract` is a digest of the tool and its toolset as they were compiled, and
    the id of the stored login that the call would use: an answer allows this tool by this login, and not another one
    with the same name. `approvers` are those who may answer, if a policy says so. `codec` is that of the tool's args,
    for people who propose others (`check_proposal`); None where only the question is known, as in a copy or a pickle.
    """

    tool_name: str
    permission: Permission
    tags: Set[str]
    arguments: bytes
    meta: ToolCallMeta
    summary: str = ""
    confirm: str = ""
    request: str = ""
    scope: tuple[tuple[str, str], ...] | None = None
    program: str = ""
    hosts: tuple[str, ...] = ()
    cwd: str = ""
    env: tuple[str, ...] = ()
    dangerous: bool = False
    reasons: tuple[str, ...] = ()
    hook: str = ""
    agent: str = ""
    suggested: Decision = Decision.ALLOW_ONCE
    contract: str = field(default="", compare=False)
    approvers: Approvers | None = None
    codec: Codec[Any] | None = field(default=None, compare=False, repr=False)

    def obstacle(self, person: Approver | None) -> str:
        """Return why one person alone cannot allow the call, by `approvers`, and where it can be allowed.

        Empty if they can. None is somebody nobody knows. Callbacks deny with it as the reason, and ask nobody in vain.
        """
        return "" if self.approvers is None else self.approvers.obstacle(self.meta.user, person)

    def check_proposal(self, proposal: Any) -> dict[str, Any]:
        """Return args that a person would allow as they may be given with a denial: plain JSON, without secrets.

        Raises `InvalidPayload`, with the places of the errors, for what does not fit the tool.
        """
        from toolgen.runtime.policy.proposal import checked_proposal  # few people propose anything

        return checked_proposal(self.codec, proposal)

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], PermissionRequest], tuple[dict[str, Any]]]:
        """Leave the codec behind, which is bound to the process.

        Python 3.11.2 replaces a `__getstate__` of a dataclass with slots.
        """
        return _restored, ({each.name: getattr(self, each.name) for each in fields(self) if each.name != "codec"},)


def _restored(given: dict[str, Any]) -> PermissionRequest:
    return PermissionRequest(**given)


PermissionCallback: TypeAlias = Callable[
    [PermissionRequest], Decision | PermissionDecision | Awaitable[Decision | PermissionDecision]
]


def allow_all(_request: PermissionRequest) -> Decision:
    """Allow every call: for trusted hosts, tests and scripts."""
    return Decision.ALLOW_ONCE


def deny_all(_request: PermissionRequest) -> Decision:
    """Deny every call that asks: for hosts where nobody can be asked. What runs without asking runs."""
    return Decision.DENY
