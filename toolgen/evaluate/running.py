"""Running: each case with each model, some at a time, within a bound on cost; and what came of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgen.compiler.documents.evaluation import UserSpec
from toolgen.contract.records import FailureKind, MalformedRequest, ToolCallMeta
from toolgen.evaluate.exchanges import ExchangesError, StaleCase
from toolgen.evaluate.matching import ArgsReader, CalledTool, CaseRun, CheckError, Verdict, WrongArg, judge, secrets_of
from toolgen.execute.python.modules import HandlerModules
from toolgen.llm.conversation import (
    CallRequested,
    ConversationResult,
    is_stream,
    provider_named,
    read_stream,
    response_of,
)
from toolgen.llm.tool_use import ToolUse
from toolgen.providers.protocol import MalformedResponse, ModelReply, UnsupportedCapability
from toolgen.runtime.base.errors import CallFailed, CatalogError, UnknownAgent, ends_the_caller
from toolgen.runtime.calls.runtime import Runtime
from toolgen.runtime.policy.permission import allow_all
from toolgen.runtime.redact.call_secrets import hide_text
from toolgen.runtime.redact.exceptions import shown_error
from toolgen.schema.json_values import compact_json, is_object
from toolgen.spec.builtin import DISCOVERY
from toolgen.spec.text import cut
from toolgen.spec.tool_use import ToolUseConfig
from toolgen.testing.answers import When
from toolgen.testing.stubs import Stubs

if TYPE_CHECKING:
    from toolgen.compiler.documents.evaluation import AssistantSpec
    from toolgen.contract.records import ToolsetRegistration
    from toolgen.evaluate.cases import Case
    from toolgen.evaluate.exchanges import Exchanges
    from toolgen.evaluate.models import EvaluatedModel
    from toolgen.llm.conversation import Conversation, ConversationEvent
    from toolgen.providers.protocol import Provider, TurnFormat
    from toolgen.runtime.catalog.catalog import Catalog

State: TypeAlias = Literal["passed", "failed", "error", "stale", "skipped"]
"""How a case ended: it was judged, or there was an error, it is no longer recorded, or it was not asked."""

_MOST_CALLS: Final = 200
"""Calls of one case; a model that asks for more is told wrong, and the rest is not judged."""

_LONGEST: Final = 500
"""Characters of a message about an error."""

_LARGEST: Final = 16 * 1024 * 1024
"""Bytes of a response."""

_OVERLOADED: Final = (503, 529)
"""Statuses of HTTP with which APIs refuse requests for lack of capacity; those of 400 and more blame the request."""

_FIRST_WAIT: Final = 1.0
"""Seconds before the first retry; each further one waits twice as long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one case with one model. `problems` are why it is not right.

    `tokens` has `input_tokens` and `output_tokens` where the API tells them; `seconds` are those that the model took.
    `cost` is that of these tokens; unless it `is_cost_known`, requests cost more that failed or did not tell theirs.
    """

    case: str
    model: str
    presentation: str
    state: State
    problems: tuple[str, ...] = ()
    calls: tuple[CalledTool, ...] = ()
    text: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    wrong_args: tuple[WrongArg, ...] = ()
    turns: int = 0
    tokens: Mapping[str, float] = field(default_factory=dict[str, float])
    cost: float = 0.0
    is_cost_known: bool = True
    seconds: float | None = None

    @property
    def is_judged(self) -> bool:
        """Whether the model has answered, so that the case is right or wrong."""
        return self.state in ("passed", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How cases are run: how many at a time, how often a request is tried again, and what all of them may cost."""

    concurrency: int = 8
    retries: int = 2
    max_cost: float | None = None


async def evaluate(
    cases: Sequence[Case],
    models: Sequence[EvaluatedModel],
    *,
    tool_use: ToolUseConfig | None = None,
    limits: Limits | None = None,
    exchanges: Exchanges | None = None,
    modules: HandlerModules | None = None,
    on_outcome: Callable[[Outcome], None] = lambda _: None,
    sleep: Callable[[float], Any] = asyncio.sleep,
) -> list[Outcome]:
    """Run every case with every model; return the outcomes by model, in the order of the cases.

    `exchanges` are recorded requests and replies; `modules` those whose functions cases may name, by default none.
    `on_outcome` is told of each case as it ends. A model that raises an error, or whose response cannot be read, is
    asked again, and then the case has an error, which does not end the others. Once the cost is used up, or unknown, no
    further case is begun, and no request made again. It is unknown after a reply that does not tell its tokens, and
    after a request that failed, unless the API has refused it. Recorded replies cost nothing. Raises `ExchangesError`
    if a reply cannot be recorded.
    """
    within = Limits() if limits is None else limits
    spent = _Spent(within.max_cost)
    gate = asyncio.Semaphore(within.concurrency)
    shown = _Shown(ToolUseConfig() if tool_use is None else tool_use, HandlerModules() if modules is None else modules)

    async def one(case: Case, model: EvaluatedModel) -> Outcome:
        async with gate:
            if spent.why_not:
                outcome = _ended(case, model, "skipped", spent.why_not)
            else:
                outcome = await _Attempt(case, model, shown, within.retries, spent, exchanges, sleep).outcome()
            on_outcome(outcome)
            return outcome

    tasks = [asyncio.ensure_future(one(case, model)) for model in models for case in cases]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()


class _Spent:
    """What requests have cost. A cost that is unknown counts as all that there is."""

    def __init__(self, most: float | None) -> None:
        self._most: Final = most
        self._spent = 0.0
        self._is_known = True

    @property
    def why_not(self) -> str:
        """Why no further case may be begun, and no request made again; empty if one may."""
        if self._most is None:
            return ""
        if not self._is_known:
            return "the cost is unknown: a request before failed, or its reply did not tell its tokens"
        return f"the cost of {self._most} was used up before" if self._spent >= self._most else ""

    def add(self, cost: float | None) -> None:
        if cost is None:
            self._is_known = False
        else:
            self._spent += cost


class _Shown:
    """What shows the tools of a catalog with a presentation; made once for each, and shared by cases."""

    def __init__(self, config: ToolUseConfig, modules: HandlerModules) -> None:
        self._config: Final = config
        self._modules: Final = modules
        self._tool_uses: dict[tuple[int, str], ToolUse] = {}
        self._runtimes: dict[tuple[int, str], Runtime] = {}
        self._readers: dict[int, ArgsReader] = {}

    def reader(self, catalog: Catalog) -> ArgsReader:
        """Return what reads the args of calls."""
        found = self._readers.get(id(catalog))
        if found is None:
            found = self._readers[id(catalog)] = ArgsReader(catalog, self._modules)
        return found

    def conversation(self, case: Case, model: EvaluatedModel) -> Conversation:
        """Start the conversation of a case."""
        key = id(case.catalog), model.presentation
        tool_use = self._tool_uses.get(key)
        if tool_use is None:
            presentations = {**self._config.presentations, "chat": model.presentation}
            config = replace(self._config, presentations=presentations)
            tool_use = self._tool_uses[key] = ToolUse(case.catalog, config)
        runtime = self._runtimes.get(key)
        if case.spec.results:
            runtime = _runtime(case, tool_use)
        elif runtime is None:
            runtime = self._runtimes[key] = _runtime(case, tool_use)
        run = runtime.start_run(case.agent, meta=ToolCallMeta(user=case.name))
        return tool_use.conversation("chat", runtime, run, model.provider)


def _runtime(case: Case, tool_use: ToolUse) -> Runtime:
    """Return a runtime whose tools are stubs, but for those that find others."""
    catalog = case.catalog
    real: list[ToolsetRegistration] = []
    if all(ident in catalog for ident in DISCOVERY):
        from toolgen.toolsets import ActionTools

        real.append(ActionTools(tool_use).registration())
    stubbed = [each for each in catalog.toolsets if each not in {one.toolset for one in real}]
    stubs = Stubs(catalog, toolsets=stubbed, keeps_calls=False)
    for each in reversed(case.spec.results):
        means: When[Any, Any] = When(ident=each.call, fields=each.args)
        failure = CallFailed(FailureKind.DOMAIN_REJECTION, "eval_case", each.error, "")
        stubs.set(means.raises(failure) if each.error else means.returns(each.result))
    inject = {name: _nothing for ident in catalog for name in catalog.definition(ident).settings.inject}
    return Runtime(catalog, executors=[*stubs, *real], permission=allow_all, inject=inject)


def _nothing(_meta: ToolCallMeta) -> None:
    """Return the value of a field that hosts inject: stubs need none."""


class _Attempt:
    """One case with one model."""

    def __init__(
        self,
        case: Case,
        model: EvaluatedModel,
        shown: _Shown,
        retries: int,
        spent: _Spent,
        exchanges: Exchanges | None,
        sleep: Callable[[float], Any],
    ) -> None:
        self._case: Final = case
        self._model: Final = model
        self._shown: Final = shown
        self._retries: Final = retries
        self._spent: Final = spent
        self._exchanges: Final = exchanges
        self._sleep: Final = sleep
        self._provider: Final = provider_named(model.provider)
        self._reader: Final = shown.reader(case.catalog)
        self._calls: list[CalledTool] = []
        self._is_over = False
        """Whether the model has asked for more calls than a case may have."""
        self._system: Mapping[str, Any] = {}
        self._tokens: dict[str, float] = {}
        self._is_cost_known = True
        self._seconds: float | None = None
        self._turns = 0

    async def outcome(self) -> Outcome:
        """Run the case."""
        try:
            run = await self._run()
            verdict = judge(self._case, run, self._reader)
        except StaleCase as stale:
            return self._ended("stale", str(stale))
        except ExchangesError:
            raise  # nothing more is asked, and paid for, that cannot be recorded
        except (
            UnsupportedCapability, CatalogError, UnknownAgent, CheckError, MalformedResponse, _ModelFailed
        ) as error:  # fmt: skip
            return self._ended("error", str(error))
        except BaseException as error:  # whatever is wrong with a case, the others go on
            if not isinstance(error, Exception) and ends_the_caller(error):
                raise
            return self._ended("error", shown_error(error, secrets_of(self._calls)))
        if self._is_over:
            verdict = replace(verdict, problems=(*verdict.problems, f"there are more than {_MOST_CALLS} calls"))
        return self._with_figures(_judged(self._case, self._model, run, verdict))

    def _ended(self, state: State, why: str) -> Outcome:
        return self._with_figures(_ended(self._case, self._model, state, why))

    def _with_figures(self, outcome: Outcome) -> Outcome:
        return replace(
            outcome,
            tokens=dict(self._tokens),
            cost=self._model.cost(self._tokens),
            is_cost_known=self._is_cost_known,
            seconds=self._seconds,
            turns=self._turns,
        )

    async def _run(self) -> CaseRun:
        conversation = self._shown.conversation(self._case, self._model)
        format_ = self._provider.turns
        if format_ is None:
            raise _ModelFailed(f"{self._model.provider} is the side of a server: a model has no such API")
        spec = self._case.spec
        texts = [("user", spec.question)] if spec.question else [_said(each) for each in spec.messages]
        messages = [
            format_.user(text) if who == "user" else _assistant(self._provider, format_, text) for who, text in texts
        ]
        system = "\n\n".join(filter(None, (self._case.system.strip(), conversation.prompt)))
        members = format_.system(system) if system else {}
        messages = [*members.pop("messages", ()), *messages]
        self._system = members
        try:
            result = await conversation.run(self._ask, messages, max_turns=spec.turns, on_event=self._note)
        except _TooManyCalls:
            self._is_over = True
            result = ConversationResult(text="", messages=messages, turns=self._turns, stopped="aborted")
        return CaseRun(
            case=self._case.name,
            calls=tuple(self._calls),
            text=result.text,
            messages=tuple(result.messages),
            turns=result.turns,
        )

    def _note(self, event: ConversationEvent) -> None:
        if isinstance(event, CallRequested):
            request = event.call.request
            is_readable = request is not None and not isinstance(request, MalformedRequest)
            ident = request.name if request is not None and is_readable else ""
            if ident in DISCOVERY:
                return
            if len(self._calls) == _MOST_CALLS:
                raise _TooManyCalls
            asked = request if request is not None and is_readable else event.call.asked
            self._calls.append(self._reader.called(asked, ident))

    async def _ask(self, messages: list[dict[str, Any]], request: Mapping[str, Any]) -> Any:
        """Ask the model, or take its recorded reply."""
        fields = {**self._system, **request} if self._system else request
        self._turns += 1
        seconds: float | None
        if self._exchanges is None:
            response, seconds = await self._timed(messages, fields)
        else:
            async with self._exchanges.asking(self._model, messages, fields):
                recorded = self._exchanges.find(self._case.name, self._model, messages, fields)
                if recorded is not None:
                    self._count(self._tokens_of(recorded[0]))
                response, seconds = recorded or await self._asked_and_kept(self._exchanges, messages, fields)
        if seconds is not None:
            self._seconds = (self._seconds or 0.0) + seconds
        return response

    async def _asked_and_kept(
        self, exchanges: Exchanges, messages: list[dict[str, Any]], fields: Mapping[str, Any]
    ) -> tuple[Any, float]:
        response, seconds = await self._timed(messages, fields)
        exchanges.add(self._case.name, self._model, messages, fields, response, seconds)
        return response, seconds

    async def _timed(self, messages: list[dict[str, Any]], fields: Mapping[str, Any]) -> tuple[Any, float]:
        begun = time.perf_counter()
        response = await self._tried(messages, fields)
        return response, time.perf_counter() - begun

    def _tokens_of(self, response: Mapping[str, Any]) -> dict[str, float]:
        return {} if self._provider.turns is None else self._provider.turns.tokens_of(response)

    def _count(self, tokens: Mapping[str, float]) -> None:
        """Add the tokens of a response."""
        for name, count in tokens.items():
            self._tokens[name] = self._tokens.get(name, 0) + count

    def _pay(self, tokens: Mapping[str, float]) -> None:
        """Add the tokens of a response that was asked, and what they cost; without any, the cost is unknown."""
        self._count(tokens)
        if self._model.has_prices:
            is_known = self._model.is_cost_known(tokens)
            self._is_cost_known = self._is_cost_known and is_known
            self._spent.add(self._model.cost(tokens) if is_known else None)

    async def _tried(self, messages: list[dict[str, Any]], fields: Mapping[str, Any]) -> Any:
        wait = _FIRST_WAIT
        for left in range(self._retries, -1, -1):
            try:
                return await self._asked_once(messages, fields)
            except (Exception, SystemExit) as error:  # the call of an SDK may raise anything
                if not left or self._spent.why_not:
                    raise _ModelFailed(shown_error(error, secrets_of(self._calls))) from error
            await self._sleep(wait)
            wait *= 2
        raise AssertionError("there is at least one try")

    async def _asked_once(self, messages: list[dict[str, Any]], fields: Mapping[str, Any]) -> Any:
        """Ask the model. Raises what it raises, and ValueError for a response that cannot be kept or read.

        Whatever becomes of the response, the request is paid.
        """
        response: Any = {}
        tokens: Mapping[str, float] = {}
        try:
            response = await response_of(self._model.ask, messages, fields)
            if is_stream(response):
                response = await read_stream(self._provider, aiter(response), _ignore)
            tokens = self._tokens_of(response)
            _check_response(response)
            _check_readable(self._provider, response)
        except BaseException as error:  # whatever it is, the request may have been paid; it is raised again
            if tokens or not _is_refusal(error, response):
                self._pay(tokens)
            raise
        self._pay(tokens)
        return response


class _ModelFailed(Exception):
    """The model could not be asked."""


class _TooManyCalls(Exception):
    """A model asks for more calls than a case may have."""


def _is_refusal(error: BaseException, response: Any) -> bool:
    """Whether the API has refused a request, which then costs nothing, as its status or its response says."""
    if isinstance(error.__cause__, MalformedResponse):
        return is_object(response) and is_object(response.get("error"))
    of_sdk = (error, getattr(error, "response", None))
    found = [getattr(each, name, None) for each in of_sdk for name in ("status_code", "status", "code")]
    return any(isinstance(each, int) and (each // 100 == 4 or each in _OVERLOADED) for each in found)


def _check_readable(provider: Provider, response: Any) -> None:
    """Raise ValueError with a response that its provider cannot read."""
    try:
        provider.read(response)
    except MalformedResponse as error:
        raise ValueError(f"{error}: {compact_json(response)}" if is_object(response) else str(error)) from error


def _check_response(response: Any) -> None:
    """Raise ValueError for a response that cannot be kept, as it is no JSON or too large."""
    try:
        size = len(json.dumps(response, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the response is no JSON: {cut(str(error), _LONGEST)}") from error
    if size > _LARGEST:
        raise ValueError(f"the response has {size:,} bytes, and {_LARGEST:,} are read")


async def _ignore(_text: str) -> None:
    pass


def _said(message: UserSpec | AssistantSpec) -> tuple[str, str]:
    return ("user", message.user) if isinstance(message, UserSpec) else ("assistant", message.assistant)


def _assistant(provider: Provider, format_: TurnFormat, text: str) -> dict[str, Any]:
    """Return what a model said before as a message of the API."""
    (message,) = provider.messages(format_.response(ModelReply(text=text)))
    return message


def _ended(case: Case, model: EvaluatedModel, state: State, why: str) -> Outcome:
    return Outcome(
        case=case.name, model=model.name, presentation=model.presentation, state=state, problems=(cut(why, _LONGEST),)
    )


def _judged(case: Case, model: EvaluatedModel, run: CaseRun, verdict: Verdict) -> Outcome:
    return Outcome(
        case=case.name,
        model=model.name,
        presentation=model.presentation,
        state="failed" if verdict.problems else "passed",
        problems=verdict.problems,
        calls=run.calls,
        text=cut(hide_text(run.text, secrets_of(run.calls)), _LONGEST),
        pairs=verdict.pairs,
        wrong_args=verdict.wrong_args,
    )


def chosen(cases: Iterable[Case], tags: Iterable[str]) -> list[Case]:
    """Return the cases that have one of the tags; all, without tags."""
    wanted = frozenset(tags)
    return [case for case in cases if not wanted or wanted & case.tags]
