"""Sessions: the snippets of one conversation, each of which sees the variables of earlier ones."""

from __future__ import annotations

import asyncio
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import NOT_OFFERED, FailureKind, Response, ToolRequest
from toolgen.llm.codeact.names import names_in, words_of
from toolgen.llm.presentations.protocol import RequestedCall
from toolgen.llm.sandbox.checker import serious, undefined_calls, undefined_name
from toolgen.llm.sandbox.process import SandboxUnavailable, SnippetFailed, WorkerLost
from toolgen.llm.sandbox.sandbox_code import CHECKED_IMPORTS, UNCHECKED, Border
from toolgen.llm.sandbox.worker import Finished
from toolgen.providers.stubs import BUILTINS, CHECKED_NAMES, RESULT
from toolgen.runtime.base.suggest import nearest
from toolgen.spec.text import escaped, is_hidden, json_escaped, visible

if TYPE_CHECKING:
    from toolgen.contract.records import ToolError, ToolResult
    from toolgen.llm.codeact.stubs import Functions
    from toolgen.llm.presentations.protocol import PresentationOps, Turn
    from toolgen.llm.sandbox.checker import TypeCheckError
    from toolgen.llm.sandbox.pool import SandboxPool
    from toolgen.llm.sandbox.process import CodeActLimits
    from toolgen.llm.sandbox.worker import Suspended, Worker


# History: the variables of earlier snippets and their types, for the type checker.
#
# Earlier code is not checked again, so snippets do not make later ones slower to check, nor cause errors in them.

_REVEALED: Final = re.compile(r"Revealed type: `(.*)`", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_TYPE: Final = re.compile(
    r"""(?: [A-Za-z_]\w*+ | "[\w .,:;/@+-]*" | -?\d++ | [\[\],|\x20*] )*""", re.VERBOSE | re.ASCII
)
"""Types that are written as the checker shows them. It marks widened types with a star."""
_KNOWN: Final = frozenset({
    "Any", "False", "Literal", "None", "True", "bool", "bytes", "dict", "float", "frozenset", "int", "list", "set",
    "str", "tuple",
})  # fmt: skip
_MOST_ASKED: Final = 300
"""Maximum names of one snippet whose types are queried; other variables are `Any`."""

_MOST_KEPT: Final = 10_000
"""Maximum variables of a conversation; the oldest are dropped first."""

_LONGEST: Final = 500
"""Maximum characters of a type; a longer one is `Any`."""


class Question:
    """Lines that query the types of names from the checker, appended to the code that binds them."""

    def __init__(self, words: Iterable[str], prefix: str) -> None:
        self.words = [word for word in words if word not in CHECKED_NAMES]
        self._asked, self._others = self.words[:_MOST_ASKED], self.words[_MOST_ASKED:]
        self.text = "".join(f"\n{prefix}reveal({name})" for name in self._asked)

    def answers(self, errors: Iterable[TypeCheckError], last_line: int, types: Iterable[str]) -> dict[str, str]:
        """Return the type of each bound name as an annotation; `last_line` is the last line of the code."""
        found: dict[str, str] = {}
        unbound: set[str] = set()
        for each in errors:
            name = self._asked[each.line - last_line - 1] if each.line > last_line else ""
            if name and undefined_name(each):
                unbound.add(name)
            elif name and (revealed := _REVEALED.fullmatch(each.message)):
                found[name] = revealed[1]
        known = _KNOWN | set(types)
        return {
            **self.unanswered(self._others),
            **{
                name: _written(text, known)
                for name, text in found.items()
                if name not in unbound and not _is_builtin(name, text)
            },
        }

    def unanswered(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """Return all names that may be bound, with the type `Any`."""
        every = [*self._asked, *self._others] if names is None else names
        return {name: "Any" for name in every if name not in BUILTINS}


class History:
    """The variables of a conversation, and their types."""

    def __init__(self) -> None:
        self._types: dict[str, str] = {}

    def declarations(self, words: Iterable[str], prefix: str) -> tuple[str, set[str]]:
        """Return code for the checker that binds the variables among some words, and the names in their types.

        They are bound, not declared, so that code may change their types.
        """
        used = {word: self._types[word] for word in words if word in self._types}
        numbers = {text: number for number, text in enumerate(dict.fromkeys(used.values()))}
        lines = [
            *(f"def {prefix}{number}() -> {text}: ...{UNCHECKED}" for text, number in numbers.items()),
            *(f"{name} = {prefix}{numbers[text]}()" for name, text in used.items()),
        ]
        return "".join(f"{line}\n" for line in lines), {word for text in numbers for word in _WORD.findall(text)}

    def learn(self, types: Mapping[str, str]) -> None:
        """Add the variables that a snippet bound."""
        for name, text in types.items():
            self._types.pop(name, None)
            self._types[name] = text
        while len(self._types) > _MOST_KEPT:
            del self._types[next(iter(self._types))]

    def clear(self) -> None:
        """Drop all variables."""
        self._types.clear()


def _is_builtin(name: str, text: str) -> bool:
    """Whether a name still refers to the builtin."""
    return name in BUILTINS and text.startswith(("def ", "<class ", "Overload[", "type["))


def _written(text: str, known: frozenset[str]) -> str:
    """Return a type of the checker as an annotation; `Any` if it has no such form, or uses unknown names."""
    found = _TYPE.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return "Any"
    plain = re.sub(r"\bLiteralString\b", "str", re.sub(r"\bUnknown\b", "Any", text.replace("*", "")))
    names = _WORD.findall(re.sub(r'"[^"]*"', "", plain))
    return plain if all(name in known for name in names) else "Any"


# Reports of snippets for the model: one line per error, all of bounded length.

_EXCEPTIONS: Final[dict[FailureKind, type[Exception]]] = {
    FailureKind.PERMISSION_DENIED: PermissionError,
    FailureKind.TIMEOUT: TimeoutError,
    FailureKind.INVALID_CALL: ValueError,
    FailureKind.TOOL_NOT_AVAILABLE: LookupError,
}
"""The builtin exception that a snippet sees for a kind of failure; RuntimeError for all others."""

_MAX_ERRORS: Final = 10
_LINE: Final = 1_000
_PRINTED: Final = "| "
_PRINTED_LINE: Final = f"\n{_PRINTED}"


def exception_of(error: ToolError) -> Exception:
    """Return the exception that a failed call raises: its message begins with the kind."""
    hint = f" ({error.hint})" if error.hint and error.hint not in error.message else ""
    return _EXCEPTIONS.get(error.kind, RuntimeError)(one_line(f"{error.kind}: {error.message}{hint}"))


class Printed:
    """The output of a snippet, up to the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[str] = []
        self._room = limit
        self._length = 0

    def add(self, text: str) -> None:
        """Append output."""
        self._length += len(text)
        if self._room > 0:
            self._kept.append(text[: self._room])
            self._room -= len(text)

    def report(self) -> str:
        """Return the output, empty if there is none. Its lines are marked, so that they cannot imitate the report."""
        if not self._length:
            return ""
        shown, kept = _bounded("".join(self._kept), self._limit, _printed)
        return _with_cut_noted(f"printed:\n{_PRINTED}{shown.removesuffix(_PRINTED_LINE)}", kept, self._length)


def result_report(text: str, limit: int) -> str:
    """Report a result, given as JSON text; invisible characters become JSON escapes."""
    shown, kept = _bounded(text, limit, lambda char: json_escaped(char) if is_hidden(char) else char)
    return _with_cut_noted(f"result: {shown}", kept, len(text))


def failure_report(failure: SnippetFailed) -> str:
    """Report what a snippet raised, and where."""
    where = f"line {failure.line}: " if failure.line else ""
    source = f" in `{one_line(failure.source)}`" if failure.source else ""
    return f"{where}{failure.kind}: {one_line(failure.message)}{source}"


def type_check_report(errors: Sequence[TypeCheckError], functions: Collection[str]) -> str:
    """Report the type errors of a snippet."""
    lines = [f"line {each.line}: {one_line(each.message)}{_meant(each, functions)}" for each in errors[:_MAX_ERRORS]]
    more = len(errors) - _MAX_ERRORS
    return "\n".join([
        "nothing was run, because the type checker found:", *lines, *([f"and {more} more"] if more > 0 else [])
    ])  # fmt: skip


def _meant(error: TypeCheckError, functions: Collection[str]) -> str:
    name = undefined_name(error)
    near = nearest(name, functions, count=1) if name else ()
    return f"; did you mean `{near[0]}`?" if near else ""


def one_line(text: str) -> str:
    """Return text from a snippet as one line of bounded length."""
    line, kept = _bounded(text, _LINE, visible)
    return line if kept == len(text) else f"{line}…"


def _printed(char: str) -> str:
    if char == "\n":
        return _PRINTED_LINE
    return escaped(char) if is_hidden(char) and char != "\t" else char


def _bounded(text: str, limit: int, show: Callable[[str], str]) -> tuple[str, int]:
    """Return as much of a text as fits into `limit` characters with escapes and marks, and its original length."""
    shown: list[str] = []
    room = limit
    for char in text[:limit]:  # no character is shown shorter than it is
        piece = show(char)
        if len(piece) > room:
            break
        shown.append(piece)
        room -= len(piece)
    return "".join(shown), len(shown)


def _with_cut_noted(shown: str, kept: int, length: int) -> str:
    return shown if kept == length else f"{shown}\n[cut: these are the first {kept} of {length} characters]"


_UNDEFINED_CALLS: Final = 10
"""Maximum number of undefined names of a rejected snippet that are recorded as calls."""

_NOT_KEPT: Final = "variables are as they were before it, because they would exceed the memory for variables"


class CodeSession:
    """The variables of a conversation's snippets, and the execution of the next one.

    A process serves one snippet at a time: variables are kept as bytes, and each worker starts with them. If a worker
    is stopped early, the variables are unchanged.
    """

    def __init__(self, functions: Functions, limits: CodeActLimits, pool: SandboxPool) -> None:
        self._functions = functions
        self._limits = limits
        self._pool = pool
        self._border = Border()
        self._variables: bytes | None = None
        self._history = History()
        self._bound: dict[str, None] = {}

    async def run(self, turn: Turn, code: str, ops: PresentationOps) -> Turn:
        """Check the code of a turn, run it, and make its calls. Raises cancellation, and what `ops` raises."""
        if len(code) > self._limits.source_chars:
            most = self._limits.source_chars
            return replace(
                turn, report=f"nothing was run: the code has {len(code)} characters, and at most {most} are allowed"
            )
        run = _Run(turn, self._functions, ops, self._limits)
        deadline = asyncio.timeout(self._limits.total_seconds)
        try:
            async with deadline:
                return await self._checked(run, code)
        except TimeoutError:
            if not deadline.expired():
                raise  # one that `ops` raised
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

    async def learned(self, pool: SandboxPool, limits: CodeActLimits, *, has_failed: bool) -> Mapping[str, str]:
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

    def __init__(self, turn: Turn, functions: Functions, ops: PresentationOps, limits: CodeActLimits) -> None:
        self._turn = turn
        self.worker: Worker | None = None
        self._functions = functions
        self._ops = ops
        self._response = Response()
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
        (result,) = await self._ops.call([ToolRequest(name=ident, payload=call.arguments)], self._response)
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
