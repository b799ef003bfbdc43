"""Permission: policies judge a call, and where they ask, the host's callback answers. No answer means no."""

from __future__ import annotations

import json
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.access import PATH_KEYS, Touched, touched
from toolgen.runtime.errors import PermissionDenied
from toolgen.runtime.json_text import is_object
from toolgen.runtime.permission import Decision, PermissionRequest, allow_all, deny_all
from toolgen.runtime.policy import Answer, Judgement, Reason, strictest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.runtime.call import Call, Host, Stage, Tool

_ALLOWED: Final = (Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION)


def bind(tool: Tool, host: Host) -> Stage | None:
    """Make the stage; None where nobody will ever have to be asked."""
    access = tool.definition.metadata.get("access", {})
    if not host.policies and host.permission is allow_all and not access.keys() & set(PATH_KEYS):
        return None
    is_harmless = tool.entry.permission == "readonly" and not {"dangerous", "network"} & tool.entry.tags
    if not host.policies and host.permission is not deny_all and is_harmless and not tool.entry.confirm and not access:
        return None
    return _Permission(tool, host, access)


class _Permission:
    """The stage of one tool."""

    def __init__(self, tool: Tool, host: Host, access: Mapping[str, Any]) -> None:
        self._tool = tool
        self._host = host
        self._access = access
        fields: Mapping[str, Any] = tool.definition.input_schema.get("properties", {})
        self._defaults = {
            name: field["default"] for name, field in fields.items() if is_object(field) and "default" in field
        }

    async def __call__(self, call: Call) -> None:
        name = self._tool.entry.ident
        arguments = self._tool.arguments(call.given)
        args = {**self._defaults, **json.loads(arguments)}
        found = touched(self._access, args, self._host.paths)
        judgement = self._judge(call, found)
        if judgement.answer is Answer.DENY:
            raise PermissionDenied(name, "a policy forbids it")
        grant = (name, found.scope) if found.scope else None
        is_free = judgement.answer is Answer.ALLOW and self._host.permission is not deny_all
        if not is_free and not (call.run is not None and grant in call.run.session.grants):
            decision = await self._ask(call, arguments, found, judgement)
            if decision not in _ALLOWED:
                raise PermissionDenied(name, "permission was denied")
            if decision == Decision.ALLOW_FOR_SESSION and grant is not None and call.run is not None:
                call.run.session.grants.add(grant)
        if found.concerning:
            vars(call.meta)["granted"] = found.concerning

    def _judge(self, call: Call, found: Touched) -> Judgement:
        """What the policies say of the tool, and of the hosts and the paths that the call names."""
        entry, policies = self._tool.entry, self._host.policies
        judged = [call.run.effective.tools[entry.ident] if call.run else policies.judge(entry, "main", "")]
        if "network" in entry.tags:
            judged.append(policies.judge_hosts(found.hosts))
        if found.concerns:
            judged.append(Judgement(Answer.ASK, tuple(Reason(Answer.ASK, concern) for concern in found.concerns)))
        reasons = tuple(reason for each in judged for reason in each.reasons)
        return Judgement(strictest(each.answer for each in judged), reasons)

    async def _ask(self, call: Call, arguments: bytes, found: Touched, judgement: Judgement) -> Decision:
        import asyncio  # slow to import, and hosts that allow all never need it

        entry, host = self._tool.entry, self._host
        request = PermissionRequest(
            tool_name=entry.ident,
            permission=entry.permission,
            tags=entry.tags,
            arguments=arguments,
            meta=call.meta,
            scope=found.scope,
            hosts=found.hosts,
            dangerous="dangerous" in entry.tags,
            reasons=tuple(reason.source for reason in judgement.reasons if reason.answer is judgement.answer),
        )
        try:
            answer = host.permission(request)
            if not isawaitable(answer):
                return answer
            async with asyncio.timeout(host.permission_timeout):
                return await answer
        except TimeoutError as error:
            raise PermissionDenied(entry.ident, "nobody answered in time") from error
        except Exception as error:
            raise PermissionDenied(entry.ident, "the permission check failed") from error
