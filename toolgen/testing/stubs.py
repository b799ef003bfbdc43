"""Stubs: executors that answer calls without servers, programs, APIs and models.

A stub replaces what runs a toolset, and nothing else: policies, permission, limits, codecs and the record are those of
the runtime.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from pydantic import BaseModel
from pydantic_core import from_json, to_jsonable_python

from toolgen.contract.records import FailureKind, ToolError, ToolResult, ToolsetRegistration
from toolgen.runtime.base.errors import CallFailed, InvalidPayload
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.calls.result import is_result, tool_error_from_error
from toolgen.runtime.catalog.execution import run_handler, run_request
from toolgen.runtime.issues.issue_text import counted
from toolgen.runtime.redact.call_secrets import (
    hide_args,
    hide_error,
    hide_result,
    secrets_of_call,
    secrets_of_tool,
    with_result_values,
)
from toolgen.runtime.redact.exceptions import hiding
from toolgen.runtime.redact.secrets import NO_SECRETS, Secrets
from toolgen.schema.fields import defaults_of
from toolgen.schema.json_values import canonical, compact_json
from toolgen.spec.text import cut
from toolgen.testing.answers import ANY_ARGS, Answer, When
from toolgen.testing.previews import preview_of
from toolgen.testing.recordings import RecordingError, Take, key_of
from toolgen.testing.values import MadeValues, NoValue

if TYPE_CHECKING:
    from toolgen.contract.ident import Ident
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.codec.codec import Codec
    from toolgen.runtime.policy.policy import Policies
    from toolgen.testing.recordings import Recording

ArgsT = TypeVar("ArgsT")
ResultT = TypeVar("ResultT")
ArgsT_co = TypeVar("ArgsT_co", covariant=True)

_SHOWN: Final = 5
"""Calls that a failed assertion lists."""

_LONGEST: Final = 200
"""Characters of args in a message."""

_MOST_MADE: Final = 1_000
"""Made results of a tool that are kept, for calls with equal args."""


class StubError(ValueError):
    """Stubs cannot be made as a test says. The message says of which tool, and what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StubbedCall(Generic[ArgsT_co]):
    """A call that a stub got: typed `args`, the same as JSON, its meta, and what answered it.

    `answered_by` is `test`, `recording`, `example`, `schema`, `executor` (a real one, to be recorded) or `nothing`.
    `redacted` are the JSON pointers of args that the recorded call has redacted, so that they were not compared.
    """

    ident: str
    args: ArgsT_co
    arguments: Mapping[str, Any]
    meta: ToolCallMeta
    answered_by: str
    redacted: tuple[str, ...] = ()
    secrets: Secrets = field(default=NO_SECRETS, repr=False, compare=False)

    @property
    def shown_args(self) -> str:
        """The args as messages have them: as text, without secrets."""
        return cut(compact_json(hide_args(dict(self.arguments), self.secrets)), _LONGEST)

    def __str__(self) -> str:
        hidden = f", whatever is redacted at {', '.join(self.redacted)}" if self.redacted else ""
        return f"{self.ident} {self.shown_args} (answered by {self.answered_by}{hidden})"


def stub_executors(
    catalog: Catalog,
    *answers: Answer,
    recording: Recording | None = None,
    seed: int = 0,
    toolsets: Collection[str] | None = None,
) -> Stubs:
    """Return stubs for all compiled toolsets, or some: `Runtime(catalog, executors=stub_executors(catalog))`.

    A call is answered by what the test has set (`when(orders.REFUND, order_id="o-1").returns(…)`, the last one that
    means it), by the recording, by an example of the spec (the one with its args, else the first with a result), or by
    a value that is made from the result schema: the same for the same seed and args. A call of a tool that is recorded,
    and not with these args, fails, and so does one whose recorded call is stale. Raises `StubError`.
    """
    return Stubs(catalog, answers, recording=recording, seed=seed, toolsets=toolsets)


class Stubs(list[ToolsetRegistration]):
    """Registrations of stubs, for `Runtime(executors=…)`, and the calls that they got."""

    def __init__(
        self,
        catalog: Catalog,
        answers: Iterable[Answer] = (),
        *,
        recording: Recording | None = None,
        seed: int = 0,
        toolsets: Collection[str] | None = None,
        keeps_calls: bool = True,
    ) -> None:
        """Make the stubs. `stub_executors` describes the arguments.

        Without `keeps_calls` there are no calls to look at: those of a server would take more and more memory.
        """
        wanted = _wanted(catalog, toolsets)
        self.recording: Final = recording
        if recording is not None:
            recording.check(catalog)
        super().__init__(self._registration(catalog, toolset) for toolset in wanted)
        self._catalog: Final = catalog
        self._seed: Final = seed
        self._idents: Final = frozenset(ident for toolset in wanted for ident in catalog.toolsets[toolset])
        self._tools: dict[str, _Tool] = {}
        self._answers: dict[str, list[_Set]] = {}
        self._keeps_calls: Final = keeps_calls
        self._calls: list[StubbedCall[Any]] = []
        self._failures: list[str] = []
        self.set(*answers)

    @property
    def calls(self) -> Sequence[StubbedCall[Any]]:
        """All calls so far, in their order."""
        return tuple(self._calls)

    def set(self, *answers: Answer) -> None:
        """Set answers, before those that are set already. Raises `StubError` for one that no call can get."""
        for each in answers:
            self._tool_of(each.when).check(each)
            self._answers.setdefault(each.when.ident, []).insert(0, _Set(each))

    def calls_of(self, which: Ident[ArgsT, Any] | When[ArgsT, Any]) -> Sequence[StubbedCall[ArgsT]]:
        """Return the calls of a tool, or those that `when` means, in their order. Raises `StubError`."""
        means: When[Any, Any] = When(ident=which) if isinstance(which, str) else which
        tool = self._tool_of(means)
        tool.check_when(means)
        return tuple(call for call in self._calls if call.ident == means.ident and tool.is_meant(means, call))

    def assert_called(self, which: Ident[Any, Any] | When[Any, Any], *, times: int | None = None) -> None:
        """Raise AssertionError unless a tool was called, or called so, `times` times; at least once without `times`."""
        found = len(self.calls_of(which))
        if found == times or (times is None and found):
            return
        ident, shown = (
            (which, str(which)) if isinstance(which, str) else (which.ident, self._tool_of(which).shown(which))
        )
        wanted = "at least once" if times is None else f"{times} times"
        others = [call for call in self._calls if call.ident == ident] or self._calls
        raise AssertionError(f"{shown} was called {found} times, not {wanted}; {_listed(others)}")

    def check(self) -> None:
        """Raise AssertionError for calls that found no answer, and for answers that were set and that no call got."""
        unused = [
            self._tool(ident).shown(each.answer.when)
            for ident, answers in self._answers.items()
            for each in answers
            if not each.count
        ]
        problems = [*self._failures, *(f"no call got the answer of {name}" for name in reversed(unused))]
        if problems:
            raise AssertionError("\n".join(problems))

    def _registration(self, catalog: Catalog, toolset: str) -> ToolsetRegistration:
        if self.recording is not None and self.recording.records and toolset in self.recording.executors:
            return self._recorded(self.recording.executors[toolset])
        kind = catalog.section("toolsets")[toolset].get("kind", "service")
        runs = _StubExecutor(self.run)
        if kind != "command":
            preview = preview_of(catalog, toolset) if kind == "http" else None
            return ToolsetRegistration(toolset=toolset, executor=runs, inline=kind == "agent", preview=preview)

        def under(policies: Policies) -> ToolsetRegistration:
            return ToolsetRegistration(toolset=toolset, executor=_StubExecutor(_in_time(catalog, self.run, policies)))

        return ToolsetRegistration(toolset=toolset, executor=runs, under=under)

    def _recorded(self, real: ToolsetRegistration) -> ToolsetRegistration:
        """Return a registration like a real one, whose calls are answered or made, and then recorded."""
        under, executor = real.under, real.executor

        def under_policies(policies: Policies) -> ToolsetRegistration:
            assert under is not None
            return self._recorded(under(policies))

        recorded_under = None if under is None else under_policies
        if executor is None:
            handlers = {ident: self._typed(ident, handler) for ident, handler in (real.handlers or {}).items()}
            return replace(real, handlers=handlers, under=recorded_under)

        def run(ident: str, payload: bytes | str, meta: ToolCallMeta) -> Any:
            return self.run(ident, payload, meta, lambda: run_request(executor, ident)(payload, meta))

        return replace(real, executor=_StubExecutor(run), under=recorded_under)

    def _typed(self, ident: str, handler: Callable[[Any, ToolCallMeta], Any]) -> Callable[[Any, ToolCallMeta], Any]:
        execute = run_handler(handler)

        def run(args: Any, meta: ToolCallMeta) -> Any:
            return self.run(ident, compact_json(_plain(args)), meta, lambda: execute(args, meta))

        owner = getattr(handler, "__self__", None)
        if owner is not None:
            run.__self__ = owner  # type: ignore[attr-defined]  # a runtime looks at what handlers belong to
        return run

    def run(self, ident: str, payload: bytes | str, meta: ToolCallMeta, real: Callable[[], Any] | None = None) -> Any:
        """Answer a call: what the executors do. `payload` are its args, valid, as JSON; `real` makes the call."""
        tool = self._tool(ident)
        arguments: dict[str, Any] = from_json(payload)
        for name in meta.injected:
            arguments.pop(name, None)
        call: StubbedCall[Any] = StubbedCall(
            ident=ident,
            args=tool.args.build(arguments),
            arguments=arguments,
            meta=meta,
            answered_by="test",
            secrets=secrets_of_call(tool.secrets, canonical(arguments), meta.injected),
        )
        for each in self._answers.get(ident, ()):
            if tool.is_meant(each.answer.when, call):
                if each.is_used_up:
                    self._keep(call, "nothing")
                    used_up = f"its {counted(each.count, 'answer')} are used up"
                    raise self._failure(call, f"{used_up}, those of {tool.shown(each.answer.when)}")
                self._keep(call, "test")
                return each.outcome(call)
        if self.recording is not None:
            return self._by_recording(tool, call, self.recording, real)
        return self._otherwise(tool, call)

    def _by_recording(
        self, tool: _Tool, call: StubbedCall[Any], recording: Recording, real: Callable[[], Any] | None
    ) -> Any:
        """Answer a call by the recording, or make and record it."""
        take = recording.find(call.ident, call.arguments) if recording.mode != "all" or real is None else None
        if take is not None and not (take.stale and real is not None):
            self._keep(call, "nothing" if take.stale else "recording", take.redacted)
            if take.stale:
                raise self._failure(call, f"{take.place} is {take.stale}", "record it anew, or ")
            payload = b"" if take.error is not None else _text(take.result)
            return ToolResult[Any](payload=payload, error=take.error)
        if real is not None:
            self._keep(call, "executor")
            return self._made(tool, call, recording, real)
        if recording.has(call.ident):
            self._keep(call, "nothing")
            reason = f"{recording.name} has calls of it, and none with the args {call.shown_args}"
            raise self._failure(call, reason, "record it (mode `new`), or ")
        return self._otherwise(tool, call)

    async def _made(self, tool: _Tool, call: StubbedCall[Any], recording: Recording, real: Callable[[], Any]) -> Any:
        """Make a call, and record it without its secrets."""
        secrets = call.secrets
        arguments = hide_args(dict(call.arguments), secrets)
        try:
            outcome = real()
            if isawaitable(outcome):
                outcome = await outcome
        except Exception as error:  # of the tool: it is recorded, and raised again
            found = tool_error_from_error(error, by_handler=True, secrets=secrets)
            self._record(recording, Take(tool=call.ident, place="", arguments=arguments, error=found))
            raise
        failure = outcome if isinstance(outcome, ToolError) else outcome.error if is_result(outcome) else None
        if failure is not None:
            shown = hide_error(failure, secrets)
            self._record(recording, Take(tool=call.ident, place="", arguments=arguments, error=shown))
        else:
            value = tool.json_of(outcome)
            result = hide_result(value, with_result_values(secrets, value))
            self._record(recording, Take(tool=call.ident, place="", arguments=arguments, result=result))
        return outcome

    def _record(self, recording: Recording, take: Take) -> None:
        """Record a call. Raises `RecordingError`, which `check` raises too: to its caller the tool has failed."""
        try:
            recording.add(take)
        except RecordingError as error:
            self._failures.append(f"{take.tool} was called, and the call is not recorded: {error}")
            raise

    def _otherwise(self, tool: _Tool, call: StubbedCall[Any]) -> ToolResult[Any]:
        """Answer a call that the test has set no answer for."""
        answered_by, payload = "example", tool.example(call.arguments)
        if payload is None:
            answered_by = "schema"
            try:
                payload = tool.made(f"{self._seed} {call.ident} ".encode() + key_of(call.arguments))
            except NoValue as error:
                self._keep(call, "nothing")
                raise self._failure(call, f"a result cannot be made up: {error}") from error
        self._keep(call, answered_by)
        return ToolResult(payload=payload)

    def _keep(self, call: StubbedCall[Any], answered_by: str, redacted: tuple[str, ...] = ()) -> None:
        if self._keeps_calls:
            self._calls.append(replace(call, answered_by=answered_by, redacted=redacted))

    def _failure(self, call: StubbedCall[Any], reason: str, instead: str = "") -> CallFailed:
        message = f"{call.ident} has no answer: {reason}"
        hint = (
            f"{instead}set an answer, such as when({_constant(call.ident)}).returns(…), or write an example with a "
            "result in its spec"
        )
        if self._keeps_calls:
            self._failures.append(f"{message}; {hint}")
        return CallFailed(FailureKind.INTERNAL, "no_stub_answer", message, hint)

    def _tool_of(self, means: When[Any, Any]) -> _Tool:
        ident = means.ident
        if ident in self._idents:
            return self._tool(ident)
        if ident in self._catalog:
            why = "the program registers and runs it" if self._catalog.registered(ident) else "its toolset is left out"
            raise StubError(f"{ident} has no stub, because {why}")
        meant = nearest(ident, self._idents, count=1)
        question = f"; did you mean {meant[0]}?" if meant else ""
        raise StubError(f"no tool is named {cut(ident, 100)!r}{question}")

    def _tool(self, ident: str) -> _Tool:
        found = self._tools.get(ident)
        if found is None:
            found = self._tools[ident] = _Tool(self._catalog, ident)
        return found


class _StubExecutor:
    """Runs the tools of a toolset by a function. Implements `ToolExecutor`."""

    def __init__(self, run: Callable[[str, bytes | str, ToolCallMeta], Any]) -> None:
        self._run: Final = run

    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
        """Run one call."""
        return self._run(request.name, request.payload, meta)


class _Tool:
    """One tool that is stubbed."""

    def __init__(self, catalog: Catalog, ident: str) -> None:
        self.definition: Final[ToolDefinition] = catalog.definition(ident)
        self.args: Final[Codec[Any]] = catalog.codec(ident, "args")
        self.result: Final[Codec[Any]] = catalog.codec(ident, "result")
        self.secrets: Final = secrets_of_tool(self.definition)
        self._values: MadeValues | None = None
        self._made: dict[bytes, bytes] = {}
        self._defaults: Final = defaults_of(self.definition.input_schema)
        given = [each for each in self.definition.settings.examples if each.has_result]
        self._examples: Final = {self._key(each.args): _text(each.result) for each in reversed(given)}
        self._example: Final = _text(given[0].result) if given else None

    def example(self, arguments: Mapping[str, Any]) -> bytes | None:
        """Return the result of the example with these args, else of the first; None without examples."""
        if self._example is None:
            return None
        return self._examples.get(self._key(arguments), self._example)

    def _key(self, arguments: Mapping[str, Any]) -> bytes:
        """Return what args have in common that mean the same: one that is left out has its default."""
        return key_of({**self._defaults, **arguments})

    def made(self, seed: bytes) -> bytes:
        """Return a result that is made up. Raises `NoValue`."""
        if self._values is None:
            self._values = MadeValues(self.result.schema, lambda value: not self.result.check(value))
        if seed not in self._made:
            if len(self._made) >= _MOST_MADE:
                self._made.clear()
            self._made[seed] = _text(self._values.value(seed.decode()))
        return self._made[seed]

    def shown(self, means: When[Any, Any]) -> str:
        """Return calls that are meant as messages have them: without secrets."""
        return self._without_secrets(means, str(means))

    def _without_secrets(self, means: When[Any, Any], text: str) -> str:
        given = means.fields if means.args is ANY_ARGS else means.args
        return hiding(secrets_of_call(self.secrets, lambda: _plain(given)))(text)

    def _means_no_call(self, means: When[Any, Any], why: object) -> StubError:
        return StubError(self._without_secrets(means, f"{means} means no call: {why}"))

    def is_meant(self, means: When[Any, Any], call: StubbedCall[Any]) -> bool:
        """Whether calls that are meant include one."""
        if means.accepts is not None:
            return means.accepts(call.args)
        if means.args is not ANY_ARGS:
            return self._key(call.arguments) == self._key(from_json(self.args.encode(means.args)))
        given = {**self._defaults, **call.arguments}
        return all(
            name in given and key_of(given[name]) == key_of(_plain(value)) for name, value in means.fields.items()
        )

    def json_of(self, outcome: Any) -> Any:
        """Return the result that an executor returned as JSON, whether it fits or not."""
        value = _value_of(outcome)
        try:
            return from_json(self.result.normalize(value)[1])
        except InvalidPayload:
            return to_jsonable_python(value, fallback=str, by_alias=True)

    def check(self, answer: Answer) -> None:
        """Raise `StubError` for an answer that no call can get, or that is no result of the tool."""
        self.check_when(answer.when)
        if not self.definition.has_certain_result:
            return
        for outcome in answer.outcomes:
            if isinstance(outcome, Exception) or (is_result(outcome) and outcome.error is not None):
                continue
            try:
                self.result.normalize(_value_of(outcome))
            except InvalidPayload as error:
                raise StubError(f"{self.shown(answer.when)} returns no result of the tool: {error}") from error

    def check_when(self, means: When[Any, Any]) -> None:
        """Raise `StubError` for calls that the schema of the args excludes."""
        if means.args is not ANY_ARGS:
            try:
                self.args.normalize(means.args, verb="pass")
            except InvalidPayload as error:
                raise self._means_no_call(means, error) from error
        schema = self.definition.input_schema
        known: Mapping[str, Any] = schema.get("properties", {})
        for name, value in means.fields.items():
            if name not in known and schema.get("additionalProperties") is False:
                found = nearest(name, known, count=1)
                question = f"did you mean `{found[0]}`?" if found else f"it has {', '.join(known) or 'none'}"
                raise self._means_no_call(means, f"{self.definition.name} has no arg `{name}`; {question}")
            issues = list(self._issues_of(name, value)) if name in known else []
            if issues:
                raise self._means_no_call(means, f"{name}: {issues[0]}")

    def _issues_of(self, name: str, value: Any) -> Iterator[str]:
        """Yield what is wrong with the value of one field, whatever the others are."""
        for each in self.args.check({name: _plain(value)}):
            if each.pointer == f"/{name}" or each.pointer.startswith(f"/{name}/"):
                yield each.hint


class _Set:
    """An answer that is set, and how many calls got it."""

    def __init__(self, answer: Answer) -> None:
        self.answer: Final = answer
        self.count = 0

    @property
    def is_used_up(self) -> bool:
        """Whether each outcome of a sequence was given to a call."""
        return 1 < len(self.answer.outcomes) <= self.count

    def outcome(self, call: StubbedCall[Any]) -> Any:
        """Return what a call gets, or an awaitable of it. Raises what it is to raise."""
        place, self.count = self.count, self.count + 1
        means = self.answer.when
        for data in means.progress:
            call.meta.report(data)
        if means.seconds:
            return self._later(place, call)
        return self._now(place, call)

    async def _later(self, place: int, call: StubbedCall[Any]) -> Any:
        await asyncio.sleep(self.answer.when.seconds)
        outcome = self._now(place, call)
        return await outcome if isawaitable(outcome) else outcome

    def _now(self, place: int, call: StubbedCall[Any]) -> Any:
        if self.answer.function is not None:
            return self.answer.function(call.args, call.meta)
        outcomes = self.answer.outcomes
        outcome = outcomes[min(place, len(outcomes) - 1)]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def _in_time(
    catalog: Catalog, run: Callable[[str, bytes | str, ToolCallMeta], Any], policies: Policies
) -> Callable[[str, bytes | str, ToolCallMeta], Any]:
    """Add the timeouts of commands, which belong to their executor and not to the pipeline."""
    from toolgen.execute.command import bounds_of, timeout_of
    from toolgen.runtime.calls.deadlines import within

    bounds = bounds_of(policies or None)

    def run_in_time(ident: str, payload: bytes | str, meta: ToolCallMeta) -> Any:
        outcome = run(ident, payload, meta)
        if not isawaitable(outcome):
            return outcome
        own = catalog.definition(ident).settings.limits.timeout_ms
        return within(timeout_of(own, bounds) / 1000, outcome)

    return run_in_time


def _wanted(catalog: Catalog, toolsets: Collection[str] | None) -> Sequence[str]:
    """Return the toolsets to stub. Raises `StubError` for an unknown one."""
    if isinstance(toolsets, str):
        raise StubError(f"toolsets must be a list: write [{toolsets!r}]")
    for name in toolsets or ():
        if name not in catalog.toolsets:
            meant = nearest(name, catalog.toolsets, count=1)
            question = f"; did you mean {meant[0]}?" if meant else ""
            raise StubError(f"there is no toolset {name} in the catalog{question}")
    return [name for name in catalog.toolsets if toolsets is None or name in toolsets]


def _value_of(outcome: Any) -> Any:
    """Return the value of a result, which may be JSON text."""
    if not is_result(outcome):
        return outcome
    return from_json(outcome.payload) if outcome.payload and outcome.value is None else outcome.value


def _text(value: Any) -> bytes:
    return compact_json(value).encode()


def _plain(value: Any) -> Any:
    """Return the JSON value of a value in a test, which may be a model, a date or an enum."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return to_jsonable_python(value, by_alias=True)


def _constant(ident: str) -> str:
    """Return how code names a tool: `shop.orders.refund` is `orders.REFUND`."""
    toolset, _, key = ident.rpartition(".")
    return f"{toolset.rpartition('.')[2]}.{key.upper()}"


def _listed(calls: Sequence[StubbedCall[Any]]) -> str:
    if not calls:
        return "there was no call"
    more = f"\n  and {len(calls) - _SHOWN} more" if len(calls) > _SHOWN else ""
    return "the calls were:" + "".join(f"\n  {call}" for call in calls[:_SHOWN]) + more
