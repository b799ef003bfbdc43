"""Sessions: the snippets of one conversation, each of which finds the variables of those before it."""

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
"""Names of one snippet that is not run, of which it is put on record that they were called."""

_NOT_KEPT: Final = (
    "variables are as they were before it, for they would take more memory than is kept for the next code"
)


class Session:
    """What the snippets of a conversation left behind, and how the next one runs.

    A process serves one snippet at a time: the variables are kept as bytes, and each worker begins with them. What
    stops a worker before its time leaves them as they were.
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
        """Check the code of a turn, run it, and make its calls. Raises nothing but what ends a task."""
        if len(code) > self._limits.source_chars:
            most = self._limits.source_chars
            return replace(turn, report=f"nothing was run: the code has {len(code)} characters, and {most} is the most")
        run = _Run(turn, self._functions, ops, self._limits)
        try:
            async with asyncio.timeout(self._limits.total_seconds):
                return await self._checked(run, code)
        except TimeoutError:
            return run.ended(
                f"error: the code was stopped, for it took more than {self._limits.total_seconds:g} s with its calls; "
                "variables are as they were before it"
            )
        except SandboxUnavailable as unavailable:
            return run.ended(f"sandbox_unavailable: no code can be run, for {unavailable}")

    async def _checked(self, run: _Run, code: str) -> Turn:
        """Run a snippet that the type checker has nothing against."""
        snippet = _Snippet(code, self._functions, self._history)
        try:
            found = await self._pool.check(snippet.text, self._limits)
        except SnippetFailed as failure:
            return run.ended(f"nothing was run: {failure_report(failure.moved_up(snippet.lines_before))}")
        except WorkerLost as lost:
            return run.ended(f"nothing was run: the type checker came to no end with this code, for {lost}")
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
                    return run.ended(f"error: the code was stopped, for {lost}; variables are as they were before it")
        except WorkerLost as lost:
            return run.ended(self._forget(lost))
        if len(variables) > self._limits.kept_bytes:
            return run.ended("\n".join(filter(None, [ending, _NOT_KEPT])))
        self._variables, self._bound = variables, bound
        self._history.learn(await snippet.learned(self._pool, self._limits, has_failed=has_failed))
        return run.ended(ending)

    def _forget(self, failure: Exception) -> str:
        """Begin anew, where what earlier snippets left behind would fail every later one."""
        self._variables = None
        self._history.clear()
        self._bound.clear()
        reason = one_line(str(failure))
        return (
            f"nothing was run: the variables of earlier code could not be brought back, for {reason}. "
            "All variables are gone; bind again what you need"
        )

    async def _prepare(self, worker: Worker, bound: Mapping[str, None]) -> None:
        """Bind the functions that the snippet names, and again those that earlier ones named.

        Raises `WorkerLost` and `SnippetFailed` only where an earlier snippet left behind what does not go with that.
        """
        functions = self._border.functions(self._functions.by_name[name][1] for name in bound)
        step = await worker.feed(("" if self._variables else self._border.source) + functions, lambda _text: None)
        if not isinstance(step, Finished):
            raise WorkerLost("they call a tool before any code is run")

    async def _ending(self, run: _Run, snippet: _Snippet) -> tuple[str, bool]:
        """Run a snippet to its end; give a report of it, and whether it failed."""
        try:
            await run.feed(snippet.code)
        except SnippetFailed as failure:
            return f"error: {failure_report(failure)}", True
        return await self._result(run, snippet), False

    async def _result(self, run: _Run, snippet: _Snippet) -> str:
        """Return the result, where this snippet names it: what an earlier one bound is not shown again."""
        if RESULT not in snippet.words:
            return ""
        try:
            text = await run.feed(self._border.result_text)
        except SnippetFailed as failure:
            return "" if failure.kind == "NameError" else f"error: {one_line(failure.message)}"
        return result_report(str(text), self._limits.result_chars)


class _Snippet:
    """A snippet, and what the checker reads of it: what it uses stands before it, and questions behind it."""

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
        """What is checked."""
        return f"{self._before}{self.code}"

    async def learned(self, pool: WorkerPool, limits: CodeActLimits, *, has_failed: bool) -> Mapping[str, str]:
        """The types of the variables that it bound; one that failed may have bound any of them, or none."""
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
        """Run code to its end, and give the value of its last expression. Raises `SnippetFailed` and `WorkerLost`."""
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
        """Put on record that code calls names that are no tools of this run. None of them is run."""
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
        # What the calls were given is not kept until the snippet ends: it would be the host's memory that holds it.
        asked = ToolRequest(name=function, payload=b"", tool_call_id=result.tool_call_id)
        request = ToolRequest(name=ident, payload=b"", tool_call_id=result.tool_call_id)
        self._asked.append(RequestedCall(asked=asked, request=request))
        self._results.append(result)

    def ended(self, ending: str) -> Turn:
        """The turn, with all that its code called, and a report of its end."""
        parts = [part for part in (self._printed.report(), ending) if part]
        report = "\n".join(parts) or f"it ran; nothing was printed, and `{RESULT}` was not bound"
        return replace(self._turn, calls=tuple(self._asked), results=tuple(self._results), report=report)
