"""Sessions: the snippets of one conversation, each of which sees the variables of earlier ones."""

from __future__ import annotations

import asyncio
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import NOT_OFFERED, ToolRequest
from toolgen.llm.codeact.history import History, Question, names_in, words_of
from toolgen.llm.codeact.reports import (
    Printed,
    exception_of,
    failure_report,
    one_line,
    result_report,
    type_check_report,
)
from toolgen.llm.presentations.protocol import RequestedCall
from toolgen.llm.sandbox.process import SandboxUnavailable, SnippetFailed, WorkerLost
from toolgen.llm.sandbox.sandbox_code import CHECKED_IMPORTS, Border
from toolgen.llm.sandbox.type_check_errors import serious, undefined_calls
from toolgen.llm.sandbox.worker import Finished
from toolgen.providers.stubs.stub import RESULT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.contract.records import ToolResult
    from toolgen.llm.codeact.limits import CodeActLimits
    from toolgen.llm.codeact.stubs import Functions
    from toolgen.llm.presentations.protocol import Ops, Turn
    from toolgen.llm.sandbox.pool import WorkerPool
    from toolgen.llm.sandbox.worker import Suspended, Worker

_UNDEFINED_CALLS: Final = 10
"""Maximum number of undefined names of a rejected snippet that are recorded as calls."""

_NOT_KEPT: Final = "variables are as they were before it, because they would exceed the memory for variables"


class Session:
    """The variables of a conversation's snippets, and the execution of the next one.

    A process serves one snippet at a time: variables are kept as bytes, and each worker starts with them. If a worker
    is stopped early, the variables are unchanged.
    """

    def __init__(self, functions: Functions, limits: CodeActLimits, pool: WorkerPool) -> None:
        self._functions = functions
        self._limits = limits
        self._pool = pool
        self._border = Border()
        self._variables: bytes | None = None
        self._history = History()
        self._bound: dict[str, None] = {}

    async def run(self, turn: Turn, code: str, ops: Ops) -> Turn:
        """Check the code of a turn, run it, and make its calls. Raises only cancellation."""
        if len(code) > self._limits.source_chars:
            most = self._limits.source_chars
            return replace(
                turn, report=f"nothing was run: the code has {len(code)} characters, and at most {most} are allowed"
            )
        run = _Run(turn, self._functions, ops, self._limits)
        try:
            async with asyncio.timeout(self._limits.total_seconds):
                return await self._checked(run, code)
        except TimeoutError:
            return run.ended(
                f"error: the code was stopped, because it took more than {self._limits.total_seconds:g} s with calls; "
                "variables are as they were before it"
            )
        except SandboxUnavailable as unavailable:
            return run.ended(f"sandbox_unavailable: no code can be run, because {unavailable}")

    async def _checked(self, run: _Run, code: str) -> Turn:
        """Run a snippet if it has no type errors."""
        snippet = _Snippet(code, self._functions, self._history)
        try:
            found = await self._pool.check(snippet.text, self._limits)
        except SnippetFailed as failure:
            return run.ended(f"nothing was run: {failure_report(failure.moved_up(snippet.lines_before))}")
        except WorkerLost as lost:
            return run.ended(f"nothing was run: the type checker did not finish, because {lost}")
        own = [each.moved_up(snippet.lines_before) for each in found if each.line > snippet.lines_before]
        type_check_errors = serious(own, self._functions.by_name, self._functions.open_types)
        if not type_check_errors:
            return await self._run(run, snippet)
        await run.refuse(undefined_calls(type_check_errors, code)[:_UNDEFINED_CALLS])
        return run.ended(type_check_report(type_check_errors, self._functions.by_name))

    async def _run(self, run: _Run, snippet: _Snippet) -> Turn:
        bound = {**self._bound, **dict.fromkeys(snippet.functions)}
        try:
            async with self._pool.worker(self._limits, self._border.call, self._variables) as worker:
                try:
                    await self._prepare(worker, bound)
                except (WorkerLost, SnippetFailed) as failure:
                    return run.ended(self._forget(failure))
                run.worker = worker
                try:
                    ending, has_failed = await self._ending(run, snippet)
                    variables = await worker.state()
                except WorkerLost as lost:
                    return run.ended(
                        f"error: the code was stopped, because {lost}; variables are as they were before it"
                    )
        except WorkerLost as lost:
            return run.ended(self._forget(lost))
        if len(variables) > self._limits.kept_bytes:
            return run.ended("\n".join(filter(None, [ending, _NOT_KEPT])))
        self._variables, self._bound = variables, bound
        self._history.learn(await snippet.learned(self._pool, self._limits, has_failed=has_failed))
        return run.ended(ending)

    def _forget(self, failure: Exception) -> str:
        """Drop all variables, because they would make every later snippet fail."""
        self._variables = None
        self._history.clear()
        self._bound.clear()
        reason = one_line(str(failure))
        return (
            f"nothing was run: the variables of earlier code could not be restored, because {reason}. "
            "All variables are lost; bind again what you need"
        )

    async def _prepare(self, worker: Worker, bound: Mapping[str, None]) -> None:
        """Bind the functions that the snippet uses, and again those that earlier ones used.

        Raises `WorkerLost` and `SnippetFailed` only if variables of earlier snippets interfere.
        """
        functions = self._border.functions(self._functions.by_name[name][1] for name in bound)
        step = await worker.feed(("" if self._variables else self._border.source) + functions, lambda _text: None)
        if not isinstance(step, Finished):
            raise WorkerLost("they call a tool before any code is run")

    async def _ending(self, run: _Run, snippet: _Snippet) -> tuple[str, bool]:
        """Run a snippet to its end; return its report, and whether it failed."""
        try:
            await run.feed(snippet.code)
        except SnippetFailed as failure:
            return f"error: {failure_report(failure)}", True
        return await self._result(run, snippet), False

    async def _result(self, run: _Run, snippet: _Snippet) -> str:
        """Return the result if this snippet names it: a result of an earlier snippet is not shown again."""
        if RESULT not in snippet.words:
            return ""
        try:
            text = await run.feed(self._border.result_text)
        except SnippetFailed as failure:
            return "" if failure.kind == "NameError" else f"error: {one_line(failure.message)}"
        return result_report(str(text), self._limits.result_chars)


class _Snippet:
    """A snippet, and its text for the checker: with declarations before it, and type queries after it."""

    def __init__(self, code: str, functions: Functions, history: History) -> None:
        self.code = code
        self.words = words_of(code)
        self.functions = [name for name in names_in(code) if name in functions.by_name]
        prefix = "_toolgen_"
        while prefix in code:
            prefix += "_"
        self._types = functions.types
        self._question = Question([word for word in self.words if word not in functions.by_name], prefix)
        variables, named = history.declarations(self._question.words, prefix)
        source = functions.source(self.functions, (*self.words, *named), is_checked=True)
        self._before = f"{CHECKED_IMPORTS.format(prefix=prefix)}{source}{variables}"
        self.lines_before = self._before.count("\n")

    @property
    def text(self) -> str:
        """The text for the checker."""
        return f"{self._before}{self.code}"

    async def learned(self, pool: WorkerPool, limits: CodeActLimits, *, has_failed: bool) -> Mapping[str, str]:
        """Return the types of the variables that it bound; a failed snippet may have bound any of them, or none."""
        attempt = f"try:\n{textwrap.indent(self.code, ' ')}\n pass\nexcept BaseException: pass"
        text = f"{self._before}{attempt if has_failed else self.code}"
        try:
            found = await pool.check(f"{text}{self._question.text}", limits)
        except (SnippetFailed, WorkerLost):
            return self._question.unanswered()
        return self._question.answers(found, text.count("\n") + 1, self._types)


class _Run:
    """One snippet: the calls it made so far, and what it printed."""

    def __init__(self, turn: Turn, functions: Functions, ops: Ops, limits: CodeActLimits) -> None:
        self._turn = turn
        self.worker: Worker | None = None
        self._functions = functions
        self._ops = ops
        self._most_calls = limits.calls
        self._printed = Printed(limits.printed_chars)
        self._asked: list[RequestedCall] = []
        self._results: list[ToolResult[Any]] = []

    async def feed(self, code: str) -> Any:
        """Run code to its end, and return the value of its last expression. Raises `SnippetFailed` and `WorkerLost`."""
        assert self.worker is not None
        step = await self.worker.feed(code, self._printed.add)
        while not isinstance(step, Finished):
            if not step.is_bound and step.function in self._functions.by_name:
                missing = NameError(f"name {step.function!r} is not defined: call it in plain code, by its name")
                step = await self.worker.throw(step, missing)
                continue
            result = await self._call(step)
            if result.error is None:
                step = await self.worker.resume(step, result.payload.decode() or "null")
            else:
                step = await self.worker.throw(step, exception_of(result.error))
        return step.value

    async def refuse(self, names: list[str]) -> None:
        """Record that code calls names that are not tools of this run. None of them is run."""
        if names:
            requests = [ToolRequest(name=f"{name}{NOT_OFFERED}") for name in names]
            for name, result in zip(names, await self._ops.call(requests), strict=True):
                self._note(name, f"{name}{NOT_OFFERED}", result)

    async def _call(self, call: Suspended) -> ToolResult[Any]:
        if len(self._asked) == self._most_calls:
            raise WorkerLost(f"it made more calls than {self._most_calls}")
        found = self._functions.by_name.get(call.function)
        ident = found[0] if found else f"{call.function}{NOT_OFFERED}"
        (result,) = await self._ops.call([ToolRequest(name=ident, payload=call.arguments)])
        self._note(call.function, ident, result)
        return result

    def _note(self, function: str, ident: str, result: ToolResult[Any]) -> None:
        # Arguments of calls are not kept until the snippet ends, to save memory of the host.
        asked = ToolRequest(name=function, payload=b"", tool_call_id=result.tool_call_id)
        request = ToolRequest(name=ident, payload=b"", tool_call_id=result.tool_call_id)
        self._asked.append(RequestedCall(asked=asked, request=request))
        self._results.append(result)

    def ended(self, ending: str) -> Turn:
        """Return the turn with the calls of its code and the report."""
        parts = [part for part in (self._printed.report(), ending) if part]
        report = "\n".join(parts) or f"it ran; nothing was printed, and `{RESULT}` was not bound"
        return replace(self._turn, calls=tuple(self._asked), results=tuple(self._results), report=report)
