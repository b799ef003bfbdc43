"""Permission: policies decide about a call, and if they ask, the host's callback answers. No answer is a denial."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import NOTHING, FailureKind
from toolgen.runtime.base.errors import CallFailed, PermissionDenied, PermissionFailed, ends_the_caller
from toolgen.runtime.policy.approval import ask_before_call, is_answered
from toolgen.runtime.policy.approvers import IN_RUNS
from toolgen.runtime.policy.contract import contract_of, digest_of_facts
from toolgen.runtime.policy.hosts import shown_hosts
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest, allow_all
from toolgen.runtime.policy.policy import PolicyAnswer, PolicyDecision, PolicyReason, strictest
from toolgen.runtime.policy.scope import PATH_KEYS, AccessedResources, accessed_resources
from toolgen.runtime.redact.call_secrets import hide_from_person, hide_text_from_person
from toolgen.runtime.redact.warning import warn
from toolgen.schema.fields import defaults_of
from toolgen.schema.json_values import canonical, is_object

if TYPE_CHECKING:
    from toolgen.runtime.calls.call import Call, Host, Tool
    from toolgen.runtime.policy.grants import Grant
    from toolgen.runtime.policy.program import Program
    from toolgen.runtime.runs.run import Asking, Session


_ALLOWED: Final = (Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION)
_ALLOW: Final = PolicyAnswer.ALLOW
_DENY: Final = PolicyAnswer.DENY
_NOTHING: Final = AccessedResources()
_UNKNOWN_GRANTS: Final = "the grants of %s cannot be looked up; the call asks"
_TOO_LATE: Final = "no answer in time"


def bind(tool: Tool, host: Host) -> Permission | None:
    """Return the stage; None if no call of the tool can need permission. Raises `CatalogError` as `check_access`."""
    access = tool.access
    if injected := tool.definition.settings.inject:
        from toolgen.runtime.catalog.definition_check import check_access  # brings pydantic, and few tools have these

        check_access(tool.entry.ident, access, injected)
    if not host.policies and host.permission is allow_all and not access.keys() & set(PATH_KEYS):
        return None
    is_harmless = tool.entry.permission == "readonly" and not {"dangerous", "network"} & tool.entry.tags
    if not host.policies and is_harmless and not tool.entry.confirm and not access:
        return None
    return Permission(tool, host, access)


class Permission:
    """The stage of one tool."""

    def __init__(self, tool: Tool, host: Host, access: Mapping[str, Any]) -> None:
        self._tool = tool
        self._host = host
        self._access = access
        self._outside_runs = host.policies.judge(tool.entry, "main", "")
        self._approvers = host.policies.approvers(tool.entry)
        self._is_asked_before = host.permission is ask_before_call
        self._is_by_call = bool(access) or "network" in tool.entry.tags or tool.login is not None
        self._defaults = defaults_of(tool.definition.input_schema)

    def __call__(self, call: Call) -> Awaitable[None] | None:
        """Let a call pass, or raise, or return what waits for the answer of the callback."""
        found, decided = self._judged(call)
        if decided.answer is _DENY:
            raise PermissionDenied(self._tool.entry.ident, "denied by policy")
        if self._is_asked_before and is_answered(call.meta):
            return self._ask_now(call, found, decided)
        if decided.answer is not _ALLOW:
            if not self._is_granted(call, found):
                return self._ask(call, found, decided)
            call.decision = "granted"
        if found.concerning or found.login is not None:
            _note_granted(call, found)
        return None

    async def question(self, call: Call) -> PermissionRequest | None:
        """Return what the call would ask now, without asking; None if it would run, or be denied, without a question.

        Raises `CallFailed` for a path that cannot be used, and for a call that the executor would refuse.
        """
        found, decided = self._judged(call)
        if decided.answer in (_ALLOW, _DENY):
            return None
        session, grant = _session_of(call), self._grant(found)
        if session is not None and grant is not None and await self._finds_grant(call, session, grant):
            return None
        return self._request(call, found, decided)

    def _judged(self, call: Call) -> tuple[AccessedResources, PolicyDecision]:
        name = self._tool.entry.ident
        decided = call.run.effective.policy_decision(name) if call.run else self._outside_runs
        if not self._is_by_call:
            return _NOTHING, decided
        found = accessed_resources(self._access, {**self._defaults, **call.args}, self._host.paths, self._tool.starts)
        if found.problem:
            message, hint = f"a path cannot be used: {found.problem}", "use a path relative to the project"
            raise CallFailed(FailureKind.INVALID_CALL, "invalid_path", message, hint)
        if found.is_cwd_outside:
            message, hint = f"{name} cannot run in a folder outside the write roots", "use a folder of the project"
            raise CallFailed(FailureKind.PERMISSION_DENIED, "outside_roots", message, hint)
        decided = self._judged_by_call(decided, found)
        if self._tool.login is not None and decided.answer is PolicyAnswer.ASK:
            found = found.by_login(self._tool.login())
        return found, decided

    def _is_granted(self, call: Call, found: AccessedResources) -> bool:
        """Whether a grant is known to cover a call; one that is stored elsewhere is looked up by `_ask`."""
        session, grant = _session_of(call), self._grant(found)
        if grant is None or session is None:
            return False
        try:
            return session.grants.holds(grant) is True
        except Exception as error:  # noqa: BLE001  # grants may be the host's; the call asks
            warn(_UNKNOWN_GRANTS, self._tool.entry.ident, error=error, secrets=call.secrets)
            return False

    def _judged_by_call(self, of_tool: PolicyDecision, found: AccessedResources) -> PolicyDecision:
        """Return the decision for a call: for the tool, and for the hosts and paths that the call accesses."""
        judged = [of_tool]
        if "network" in self._tool.entry.tags:
            judged.append(self._host.policies.judge_hosts(found.hosts))
            if found.has_unknown_host:
                judged.append(self._host.policies.judge_unknown_host())
        if found.concerns:
            judged.append(
                PolicyDecision(
                    PolicyAnswer.ASK, tuple(PolicyReason(PolicyAnswer.ASK, concern) for concern in found.concerns)
                )
            )
        reasons = tuple(reason for each in judged for reason in each.reasons)
        return PolicyDecision(strictest(each.answer for each in judged), reasons)

    async def _ask(self, call: Call, found: AccessedResources, decided: PolicyDecision) -> None:
        """Ask about a call. If another call is asking for the same grant, wait, and ask only if it was not granted."""
        session, grant = _session_of(call), self._grant(found)
        if session is None or grant is None:
            return await self._ask_now(call, found, decided)
        from toolgen.runtime.base.shares import place_left  # asyncio is slow to import, and many hosts never ask

        async with place_left(), session.asking_for(grant) as asking:
            if not await self._finds_grant(call, session, grant):
                return await self._ask_now(call, found, decided, asking)
        return self._let_pass(call, found, decided, "granted")

    def _let_pass(self, call: Call, found: AccessedResources, decided: PolicyDecision, decision: str) -> None:
        """Let a call run after a person was asked. Raises `CallFailed` if it is not the call any more that they saw.

        The args cannot change, but where they lead can, such as a folder that becomes a link.
        """
        if self._is_by_call and self._judged(call) != (found, decided):
            message = "what the call accesses changed while a person was asked about it"
            raise CallFailed(FailureKind.PERMISSION_DENIED, "changed_since_asked", message, "make the call again")
        call.decision = decision
        call.meta = call.meta.with_fields(was_asked=True, granted=found.concerning, login=found.login)

    async def _finds_grant(self, call: Call, session: Session, grant: Grant) -> bool:
        try:
            known = session.grants.holds(grant)
            return _held(await session.grants.find(grant) if known is None else known)
        except Exception as error:  # noqa: BLE001  # as above
            warn(_UNKNOWN_GRANTS, grant[0], error=error, secrets=call.secrets)
            return False

    async def _add_grant(self, call: Call, session: Session, grant: Grant) -> None:
        try:
            stored = session.grants.add(grant)
            if stored is not None:
                await stored
        except Exception as error:  # noqa: BLE001  # as above; the answer holds for this call
            warn("a grant of %s cannot be stored; later calls ask again", grant[0], error=error, secrets=call.secrets)

    async def _ask_now(
        self, call: Call, found: AccessedResources, decided: PolicyDecision, asking: Asking | None = None
    ) -> None:
        name = self._tool.entry.ident
        try:
            if asking is not None and asking.timed_out:
                raise PermissionFailed(name, _TOO_LATE)
            grant = self._grant(found)  # before the answer, which is about what was there when it was asked for
            answer = await self._answer(call, self._request(call, found, decided))
        except PermissionFailed as error:
            if asking is not None and isinstance(error.__cause__, TimeoutError):
                asking.timed_out = True
            raise
        decision = answer.decision
        if answer.reason or answer.metadata:
            call.permission = {"reason": answer.reason, "metadata": answer.metadata}
        if decision not in _ALLOWED:
            proposal = self._proposal(call, answer)
            raise PermissionDenied(name, f"permission was denied{': ' * bool(answer.reason)}{answer.reason}", proposal)
        if self._approvers is not None:
            missing = self._approvers.missing(call.meta.user, answer.people)
            if missing:
                raise PermissionDenied(name, f"permission was denied: {missing}; {IN_RUNS}")
        session = _session_of(call)
        if decision == Decision.ALLOW_FOR_SESSION and grant is not None and session is not None:
            await self._add_grant(call, session, grant)
        self._let_pass(call, found, decided, str(decision))

    async def _answer(self, call: Call, request: PermissionRequest) -> PermissionDecision:
        from toolgen.runtime.base.answers import answer_within  # asyncio is slow to import, and many hosts never ask
        from toolgen.runtime.base.shares import place_left

        host, name = self._host, self._tool.entry.ident
        try:
            answer = host.permission(request)
            if isawaitable(answer):
                async with place_left():
                    answer = await answer_within(host.permission_timeout, answer)
        except TimeoutError as error:
            raise PermissionFailed(name, _TOO_LATE) from error
        except BaseException as error:  # the callback is the host's: what is not for the caller denies the call
            if not isinstance(error, Exception) and ends_the_caller(error):
                raise
            warn("the permission callback failed for %s; the call is denied", name, error=error, secrets=call.secrets)
            raise PermissionFailed(name, "the permission check failed") from error
        return _decision(name, answer)

    def _proposal(self, call: Call, answer: PermissionDecision) -> str:
        """Return the proposal of a denial as JSON text, and add it to the record; empty without one that fits."""
        if answer.proposal is None:
            return ""
        from toolgen.runtime.policy.proposal import InvalidProposal, checked_proposal, proposal_text  # few have one

        try:
            proposal = checked_proposal(self._tool.args, answer.proposal, call.secrets)
        except InvalidProposal as error:  # the denial stands
            warn("the denial of %s has no proposal", self._tool.entry.ident, error=error, secrets=call.secrets)
            return ""
        call.permission = {"reason": answer.reason, "metadata": answer.metadata, "proposal": proposal}
        return proposal_text(proposal)

    def _grant(self, found: AccessedResources) -> Grant | None:
        """Return the grant that covers a call with these resources; None if none can.

        Its scope has the login and the folders of paths, but not that of a process whose call names none.
        """
        if not found.scope:
            return None
        folder = "" if self._program.cwd is None else self._folder(self._program)
        return self._tool.entry.ident, found.scope, f"{self._terms}{folder}"

    @cached_property
    def _terms(self) -> str:
        """A digest of who may answer, and of what a person is shown of the tool, whatever the call and why it asks."""
        sent = ""
        with suppress(Exception):  # a preview of the host may need args
            sent = "" if self._tool.preview is None else self._tool.preview({})
        approvers = None if self._approvers is None else self._approvers.as_json()
        program = self._program
        return digest_of_facts([self._contract, program.text, self._env(program), sent, self._tool.hosts, approvers])

    @cached_property
    def _contract(self) -> str:
        return contract_of(self._tool.definition, self._tool.toolset)

    @cached_property
    def _program(self) -> Program:
        """What runs any call, without args."""
        from toolgen.runtime.policy.program import program_of  # many patterns, and most calls need no permission

        return program_of(self._tool.definition, self._tool.toolset, {}, self._tool.handler)

    def _env(self, program: Program) -> tuple[str, ...]:
        """Return the variables that a process gets."""
        return (*(self._host.policies.env if program.gets_policy_env else ()), *program.env)

    def _folder(self, program: Program) -> str:
        """Return the folder of a process, or the one that paths of the call are relative to; empty if there is none."""
        if program.cwd is not None:
            return self._host.paths().judge(program.cwd).resolved
        has_paths = bool(self._access.keys() & set(PATH_KEYS))
        return next(iter(self._tool.starts.resolved(self._host.paths())), "") if has_paths else ""

    def _request(self, call: Call, found: AccessedResources, decided: PolicyDecision) -> PermissionRequest:
        from toolgen.runtime.policy.program import program_of  # many patterns, and most calls need no permission
        from toolgen.runtime.redact.shown_args import filled, summary

        entry, definition = self._tool.entry, self._tool.definition
        scope = found.scope if call.run else None  # only a run has a session to store the grant
        is_dangerous = "dangerous" in entry.tags
        shown = hide_from_person(call.args, call.secrets)
        given = _with_defaults(self._defaults, shown)
        program = program_of(definition, self._tool.toolset, given, self._tool.handler)
        hide = partial(hide_text_from_person, secrets=call.secrets)
        preview = self._tool.preview
        request = "" if preview is None else preview(call.args)
        return PermissionRequest(
            tool_name=entry.ident,
            permission=entry.permission,
            tags=entry.tags,
            arguments=call.arguments if shown is call.args else canonical(shown),
            meta=call.meta,
            summary=summary(shown),
            confirm=filled(entry.confirm, given),
            request=request if preview is None or shown is call.args else preview(shown),
            scope=scope and tuple((what, hide(value)) for what, value in scope),
            program=hide(program.text),
            hosts=tuple(map(hide, found.hosts or shown_hosts(self._tool.hosts or ()))),
            cwd=hide(found.cwd or self._folder(program)),
            env=self._env(program),
            dangerous=is_dangerous,
            reasons=tuple(hide(reason.source) for reason in decided.reasons if reason.answer is decided.answer),
            hook=call.hook,
            agent=call.run.agent if call.run else "",
            suggested=_suggested(found, may_last=scope is not None and not is_dangerous),
            contract=f"{self._contract}{found.login or ''}",
            approvers=self._approvers,
            codec=self._tool.args,
        )


def _with_defaults(defaults: Mapping[str, Any], args: Any) -> Any:
    return {**defaults, **args} if is_object(args) else args


def _session_of(call: Call) -> Session | None:
    return None if call.run is None else call.run.session_of(call.meta)


def _decision(name: str, answer: object) -> PermissionDecision:
    """Return the decision of a callback. Anything that is not a `Decision` is a denial, also its text."""
    given: Any = answer if isinstance(answer, PermissionDecision) else None
    decision, reason = (given.decision, given.reason) if given else (answer, "")
    if isinstance(decision, Decision) and isinstance(reason, str):
        try:
            metadata = json.loads(canonical(dict(given.metadata))) if given else NOTHING
        except (ValueError, TypeError, RecursionError) as error:
            warn(
                "the metadata of the permission callback for %s is not a JSON object; the call is denied",
                name,
                error=error,
            )
        else:
            more = {"people": given.people, "proposal": given.proposal} if given else {}
            return PermissionDecision(decision=decision, reason=reason, metadata=metadata, **more)
    else:
        found = type(answer).__name__
        if given is not None:
            wrong = "decision" if not isinstance(decision, Decision) else "reason"
            found = f"a PermissionDecision whose {wrong} is of type {type(getattr(given, wrong)).__name__}"
        warn("the permission callback returned %s for %s instead of a decision; the call is denied", found, name)
    return PermissionDecision(decision=Decision.DENY)


def _suggested(found: AccessedResources, *, may_last: bool) -> Decision:
    """Return the suggested decision: deny if a path has a concern; for the session if that is harmless."""
    if found.concerns:
        return Decision.DENY
    return Decision.ALLOW_FOR_SESSION if may_last else Decision.ALLOW_ONCE


def _note_granted(call: Call, found: AccessedResources) -> None:
    """Add what a person allowed to the meta, for the code that opens the paths and uses the login."""
    call.meta = call.meta.with_fields(granted=found.concerning, login=found.login)


def _held(answer: object) -> bool:
    """Return what grants answer. Raises TypeError for what is no bool: they may be the host's."""
    if isinstance(answer, bool):
        return answer
    raise TypeError(f"the grants returned {type(answer).__name__} instead of a bool")
