"""Runs as people see them: steps with args and results, answers, signals, ends and schedules. Secrets are redacted.

Args and results are kept once, for the run. What a tool declares as secret is known where its calls are made, so that
process keeps what may be shown beside them (`ToolSecrets`), for tools with secrets only. Whatever looks
like a secret is redacted here, as in the record. Every door that shows any of this takes it from here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.engine.body import is_failure
from toolgen.engine.protocol import NotForkable, RunCancelled, RunFailed, RunStep
from toolgen.runtime.redact.call_secrets import (
    hide_args,
    hide_data,
    hide_payload,
    hide_result,
    hide_text,
    secrets_of_call,
    secrets_of_calls,
    secrets_of_tool,
    with_result_values,
)
from toolgen.runtime.redact.credentials import REDACTED
from toolgen.runtime.redact.secret_names import is_secret_key
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.runtime.runs.misuse import name_of
from toolgen.schema.json_values import is_array, is_object, number_of

if TYPE_CHECKING:
    from toolgen.agents.planner import Message
    from toolgen.contract.records import ToolRequest, ToolResult
    from toolgen.engine.protocol import Activity, ApprovalAnswer, Engine
    from toolgen.engine.requests import Json
    from toolgen.engine.schedules import ScheduleInfo
    from toolgen.engine.signals import RunSignal
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.redact.secrets import Secrets

_NAME_LENGTH: Final = 100
_END_SECONDS: Final = 5.0

_PLAN: Final = "plan"

_CALLS: Final = frozenset({"call", "inline", "skip"})
"""The activities that are about one call of a plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStep:
    """A step as an engine keeps it. `error` is how the engine failed, if it did."""

    number: int
    name: str
    started: float
    ended: float | None
    outcome: Any = None
    error: str = ""


def step_name(activity: Activity) -> str:
    """Return the name by which engines keep a step: what is done, and for a call its tool and its place in the run."""
    call = activity.args.get("call")
    if call is None:
        return activity.name
    return f"{activity.name} {call['name'][:_NAME_LENGTH]} {activity.args['place']}"


def is_activity(name: str) -> bool:
    """Whether a step with this name is an activity, which may be made again, and not one of the engine itself."""
    return name.partition(" ")[0] in _CALLS or name == _PLAN


def has_failed(step: KeptStep) -> bool:
    """Whether a step has no outcome that a run can go on with."""
    return bool(step.error) or (is_object(step.outcome) and is_failure(step.outcome))


def kept_before(run_id: str, parent: str | None, steps: Iterable[KeptStep], step: int) -> list[KeptStep]:
    """Return the steps that a fork of a run from a step has, by its number. Raises `NotForkable`."""
    ordered = sorted(steps, key=lambda each: each.number)
    activities = [each.number for each in ordered if is_activity(each.name)]
    if parent is not None:
        raise NotForkable(run_id, f"a call of {parent} has started it: fork that run")
    if step not in activities:
        known = ", ".join(map(str, activities)) or "none yet"
        raise NotForkable(run_id, f"{step} is no step in which it planned or called; those are {known}")
    kept = [each for each in ordered if each.number < step]
    last_plan = max((each.number for each in kept if each.name == _PLAN and not has_failed(each)), default=-1)
    failed = next((each.number for each in kept if each.number > last_plan and has_failed(each)), None)
    if failed is not None:  # attempts of a planner that failed before a plan are kept: a run does the same each time
        raise NotForkable(run_id, f"its step {failed} has failed: fork it from there, or from before")
    return kept


def steps_to_repeat(steps: Iterable[Sequence[Any]]) -> tuple[list[int], float]:
    """Return the ids of the steps that a run repeats when it is resumed, and when the first of them failed.

    Those are the ones that failed since its last plan. Where that was the planner, nothing came after it but pauses and
    further attempts: all of them go, so that it is asked as often as before. Attempts that failed before a plan stay,
    as a run must do the same each time.
    """
    steps = [*steps]
    last_plan = max((at for at, name, failed, _ in steps if name == _PLAN and not failed), default=-1)
    failed = [step for step in steps if step[2] and step[0] > last_plan]
    first_attempt = min((at for at, name, _, _ in failed if name == _PLAN), default=math.inf)
    again = [at for at, _, has_failed, _ in steps if at > last_plan and (has_failed or at >= first_attempt)]
    return again, min((ended // 1000 * 1000 for _, _, _, ended in failed), default=math.inf)


def shown_steps(kept: Iterable[KeptStep]) -> list[RunStep]:
    """Return steps as people may see them, in order."""
    plans: list[Json] = []
    steps: list[RunStep] = []
    for each in sorted(kept, key=lambda step: step.number):
        name, outcome = each.name, each.outcome
        args = None
        if is_object(outcome) and name == _PLAN and "message" in outcome:
            plans.append(outcome)
        if name.partition(" ")[0] in _CALLS:
            name, _, place = name.rpartition(" ")
            args = _shown_args(plans, place)
        result, error = _shown_outcome(outcome) if is_object(outcome) else (None, "")
        steps.append(
            RunStep(
                number=each.number,
                name=name,
                started=each.started,
                ended=each.ended,
                args=args,
                result=result,
                error=hide_text(each.error, NO_SECRETS) or error,
            )
        )
    return steps


async def shown_end(engine: Engine, run_id: str, kept: Iterable[KeptStep]) -> Json:
    """Return how a run ended as people may see it, given its steps, which show its messages. See `Engine.shown_end`."""
    try:
        end = await engine.result(run_id, _END_SECONDS)
    except (RunCancelled, RunFailed, TimeoutError) as error:  # the last if it was resumed by now
        return {"reason": hide_text(str(error), NO_SECRETS)}
    steps = sorted(kept, key=lambda step: step.number)
    outcomes = [step.outcome for step in steps if is_object(step.outcome)]
    shown = {**end.as_json(), "reason": hide_text(end.reason, NO_SECRETS)}
    shown["value"] = _shown_answer(end.value, outcomes)
    del shown["messages"]
    return shown


def shown_signal(signal: RunSignal) -> Json:
    """Return a signal that a run was sent as people may see it."""
    return {**signal.as_json(), "value": hide_data(signal.value, NO_SECRETS)}


def shown_answer(answer: ApprovalAnswer) -> Json:
    """Return an answer as people may see it."""
    return {**answer.as_json(), "reason": hide_text(answer.reason, NO_SECRETS)}


def shown_schedule(info: ScheduleInfo) -> Json:
    """Return a schedule as people may see it."""
    schedule = {"name": info.schedule.name, **info.schedule.as_json()}
    return {**asdict(info), "schedule": hide_data(schedule, NO_SECRETS)}


class ToolSecrets:
    """What may be shown of the calls of a catalog's tools."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog: Final = catalog
        self._known: Final[dict[str, tuple[Secrets, bool]]] = {}

    def shown_calls(self, idents: Iterable[str], calls: Iterable[ToolRequest]) -> dict[str, str]:
        """Return what may be shown of the payloads of planned calls, by place, of those with secrets."""
        found: dict[str, str] = {}
        for place, (ident, call) in enumerate(zip(idents, calls, strict=True)):
            secrets, _ = self._of(ident)
            if secrets.is_watched:
                payload = _decoded(call.payload)
                shown = hide_payload(payload, secrets_of_call(secrets, payload))
                if shown != payload:
                    found[str(place)] = shown
        return found

    def shown_result(self, payload: str | bytes, result: ToolResult[Any], content: str) -> str | None:
        """Return what may be shown of a result, given its text, if that is not for people; None if it is.

        What the host injects is not known here: with a secret among it, nothing of a result is shown.
        """
        secrets, has_injected = self._of(result.tool_name)
        if not secrets.is_watched:
            return None
        if has_injected:
            return REDACTED
        secrets = secrets_of_call(secrets, payload)
        if result.error is None and result.payload:
            value = json.loads(result.payload)
            shown = hide_result(value, with_result_values(secrets, value))
            return None if shown is value else json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
        shown = hide_text(content, secrets)
        return None if shown == content else shown

    def of_call(self, request: ToolRequest) -> Secrets:
        """Return the secret values of one call."""
        return secrets_of_calls([(self._of_name(name_of(request)), request.payload, None)])

    def of_run(self, messages: Iterable[Message]) -> Secrets:
        """Return the secret values of the calls that a run has made, and of their results."""
        calls: list[tuple[Secrets, str | bytes | None, str | None]] = []
        for message in messages:
            calls += [(self._of_name(name_of(call)), call.payload, None) for call in message.calls]
            if message.role == "tool":
                calls.append((self._of_name(message.name), None, message.content))
        return secrets_of_calls(calls)

    def _of_name(self, name: str) -> Secrets:
        return self._of(self._catalog.resolve(name) or "")[0]

    def _of(self, ident: str) -> tuple[Secrets, bool]:
        """Return the secrets of a tool, and whether the host injects any of them."""
        if ident not in self._known:
            if ident not in self._catalog:
                return NO_SECRETS, False
            definition = self._catalog.definition(ident)
            secrets = secrets_of_tool(definition)
            declared = {pointer.rpartition("/")[2] for pointer in secrets.args}
            injected = definition.settings.inject
            self._known[ident] = secrets, any(is_secret_key(name) or name in declared for name in injected)
        return self._known[ident]


def _shown_args(plans: list[Json], place: str) -> Any:
    turn, _, at = place.partition(".")
    number, index = number_of(turn), number_of(at)
    if number is None or index is None or number >= len(plans):
        return None
    plan = plans[number]
    calls = plan["message"].get("calls", ())
    if index >= len(calls):
        return None
    shown = plan.get("shown", {}).get(at)
    return _parsed(calls[index]["payload"] if shown is None else shown, is_args=True)


def _shown_outcome(outcome: Json) -> tuple[Any, str]:
    """Return the result and the error of an activity."""
    if "message" in outcome:
        return {"calls": [call["name"] for call in outcome["message"].get("calls", ())]}, ""
    if "outcome" in outcome:
        return {"outcome": _shown_value(outcome)}, ""
    if "asks" in outcome:
        return {"asks": outcome["asks"]["id"]}, ""
    if reason := outcome.get("error") or outcome.get("changed"):
        return None, hide_text(str(reason), NO_SECRETS)
    if "content" not in outcome:
        return None, ""
    text: str = outcome.get("shown") or outcome["content"]
    shown = _parsed(text, is_args=False)
    kind = outcome.get("kind", "")
    return shown, f"{kind}: {outcome.get('code', '')}" if kind else ""


def _shown_value(outcome: Json) -> Any:
    """Return the answer of a planner: `shown` is there if it repeats a secret of a call."""
    return hide_result(outcome.get("shown", outcome["outcome"]), NO_SECRETS)


def _shown_answer(value: Any, outcomes: Sequence[Json]) -> Any:
    """Return the answer of a run: that of its planner, or the results of its calls if it has none."""
    planned = next((each for each in reversed(outcomes) if "outcome" in each), None)
    if planned is not None and value is not None:
        return _shown_value(planned)
    if not any("result" in each for each in outcomes):
        return hide_result(value, NO_SECRETS)
    made = {each["result"]["tool_call_id"]: each for each in outcomes if "result" in each}
    return [_shown_result(each, made.get(each["tool_call_id"], {}).get("shown")) for each in value or ()]


def _shown_result(result: Json, shown: str | None) -> Json:
    """Return a result as `result_as_json` wrote it. `shown` is its text for people, if that is another one."""
    if shown is not None:
        result = {name: each for name, each in result.items() if name != "blocks"}
    hidden: Json = hide_result(result, NO_SECRETS)
    if "payload" in result:
        text = result["payload"] if shown is None else shown
        value = _parsed(text, is_args=False)
        hidden["payload"] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return hidden


def _parsed(text: str, *, is_args: bool) -> Any:
    """Return JSON text as its value, and any other as it is, without what looks like a secret."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if is_object(value) or is_array(value):
        return hide_args(value, NO_SECRETS) if is_args else hide_result(value, NO_SECRETS)
    return hide_text(text, NO_SECRETS)


def _decoded(payload: str | bytes) -> str:
    return payload if isinstance(payload, str) else payload.decode(errors="replace")
