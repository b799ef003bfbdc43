"""Type checking of code with the sandbox's type checker, without running it.

A session takes 15 ms to start and 0.3 ms for a small text, so one session checks the texts of many snippets. Code is
never run in it, and code that is not run leaves no names behind.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from toolgen.llm.sandbox.process import SnippetFailed, WorkerLost
from toolgen.llm.sandbox.sandbox_code import TYPES, private_name
from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from toolgen.llm.sandbox.process import CodeActLimits, Process
    from toolgen.providers.stubs import Stub


# Type errors: which diagnostics prevent a snippet from running, and which calls they prevented.

_LINT: Final = frozenset({"redundant-condition"})
"""Rules about style, and rules that generated lines break on purpose: code that breaks them can be correct."""

_UNDEFINED: Final = re.compile(r"Name `(\w+)` used when not defined")
_OTHER_ARGUMENT: Final = re.compile(r"Argument `(\w+)` does not match any known parameter of function `(\w+)`")
_OTHER_KEY: Final = re.compile(r'Unknown key "[^"]*" for TypedDict `(\w+)`')
_FUNCTION_REBOUND: Final = re.compile(
    r"Object of type `.*` is not assignable to `(?:def |<class |<special-form )", re.DOTALL
)
_EXPECTED: Final = re.compile(
    r"(?:Expected `(?P<expected>.*)`, found `(?P<found>.*)`"
    r"|declared type `(?P<declared>.*)` on TypedDict `\w+`: value of type `(?P<value>.*)`"
    r"|Object of type `(?P<object>.*)` is not assignable to `(?P<target>.*)`)",
    re.DOTALL,
)
_LITERAL: Final = re.compile(r'Literal\[((?:"(?:[^"\\]|\\.)*"|[^\[\]"])*)\]', re.DOTALL)
_LITERALS: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|-?\w+', re.DOTALL)
_PART: Final = re.compile(r"(?<!\w)(\w*)\[([^\[\]]*)\]")
_OF_PARTS: Final = re.compile(r"(?:found|Object of type|value of type) `(?:dict|list)\[")
_CALLED: Final = re.compile(r"((?:\s*\.\s*\w+)*)\s*\(")


def serious(
    type_check_errors: Iterable[TypeCheckError], functions: Mapping[str, tuple[str, Stub]], open_types: Container[str]
) -> list[TypeCheckError]:
    """Drop diagnostics that are not about types, or about values that the schemas of tools accept.

    These are additional keys of open objects, unless similar to a known key; computed text where a literal is expected;
    and rebound names. Calls are validated against the schemas when they are made.
    """
    forgiven: list[TypeCheckError] = []
    left: list[TypeCheckError] = []
    for each in type_check_errors:
        (forgiven if _is_forgiven(each, functions, open_types) else left).append(each)
    of_forgiven, of_left = _Parts(forgiven), _Parts(left)
    return [
        each
        for each in left
        if not _OF_PARTS.search(each.message) or not of_forgiven.are_in(each) or of_left.are_in(each)
    ]


def undefined_name(error: TypeCheckError) -> str:
    """Return the undefined name of an error, or an empty text."""
    found = _UNDEFINED.match(error.message) if error.rule == "unresolved-reference" else None
    return found[1] if found else ""


def undefined_calls(type_check_errors: Iterable[TypeCheckError], code: str) -> list[str]:
    """Return the undefined names, with their attributes, that code calls; each once."""
    lines = code.split("\n")
    called: dict[str, None] = {}
    for each in type_check_errors:
        name, (row, column) = undefined_name(each), each.end
        if name and 0 < row <= len(lines):
            found = _CALLED.match(lines[row - 1], column - 1)
            if found:
                called.setdefault(name + re.sub(r"\s", "", found[1]))
    return list(called)


class _Parts:
    """The places of errors: an error of an object or list is caused by parts that other errors report."""

    def __init__(self, errors: Iterable[TypeCheckError]) -> None:
        ordered = sorted((each.start, each.end) for each in errors)
        self._starts = [start for start, _ in ordered]
        self._first_ends = [*accumulate((end for _, end in reversed(ordered)), min)][::-1]
        """The first end of the errors from each place on."""

    def are_in(self, error: TypeCheckError) -> bool:
        """Whether the range of one of them is within that of an error, and is not the same."""
        inside, after = bisect_left(self._starts, error.start), bisect_right(self._starts, error.start)
        ends = self._first_ends
        return inside < len(ends) and (ends[inside] < error.end or (after < len(ends) and ends[after] <= error.end))


def _is_forgiven(error: TypeCheckError, functions: Mapping[str, tuple[str, Stub]], open_types: Container[str]) -> bool:
    match error.rule:
        case rule if rule in _LINT:
            return True
        case "unknown-argument":
            found = _OTHER_ARGUMENT.match(error.message)
            stub = functions[found[2]][1] if found and found[2] in functions else None
            known = [python for python, _ in stub.parameters] if stub else []
            return bool(found and stub and stub.open and not nearest(found[1], known, count=1))
        case "invalid-key":
            found = _OTHER_KEY.match(error.message)
            return bool(found and found[1] in open_types and "did you mean" not in error.message)
        case "invalid-argument-type" | "invalid-assignment":
            return _is_rebound(error) or _is_computed(error.message)
        case _:
            return False


def _is_rebound(error: TypeCheckError) -> bool:
    return error.rule == "invalid-assignment" and bool(_FUNCTION_REBOUND.match(error.message))


def _is_computed(message: str) -> bool:
    """Whether the only error is that a computed value is not known to be one of several literals."""
    found = _EXPECTED.search(message)
    if found is None:
        return False
    expected = found["expected"] or found["declared"] or found["target"] or ""
    given = found["found"] or found["value"] or found["object"] or ""
    few = set(_LITERALS.findall(" ".join(_LITERAL.findall(expected))))
    if not few or not few.issuperset(_LITERALS.findall(" ".join(_LITERAL.findall(given)))):
        return False
    return _widened(given) <= _widened(expected)


def _widened(text: str) -> set[str]:
    """Return the members of a union with literals replaced by their types, in a normalized order."""
    plain = _LITERAL.sub(lambda found: " | ".join(map(_type_of, _LITERALS.findall(found[1]))), text)
    plain = plain.replace("LiteralString", "str")
    count = 1
    while count:
        plain, count = _PART.subn(_closed, plain)
    return {member.strip() for member in plain.split("|")}


def _closed(part: re.Match[str]) -> str:
    members = sorted({member.strip() for member in part[2].split("|")})
    return f"{part[1]}<{'/'.join(members)}>"


def _type_of(literal: str) -> str:
    if literal in ("True", "False"):
        return "bool"
    return "str" if literal.startswith('"') else "int"


_SUSPENSIONS: Final = 100_000
"""A check takes one or two, and a process is replaced long before it has used so many."""


@dataclass(frozen=True, slots=True)
class TypeCheckError:
    """A diagnostic of the type checker. Lines and columns count from 1; the end is after the last character."""

    line: int
    column: int
    end: tuple[int, int]
    rule: str
    message: str

    def moved_up(self, lines: int) -> TypeCheckError:
        """Return a copy for the text without that many preceding lines."""
        return replace(self, line=self.line - lines, end=(self.end[0] - lines, self.end[1]))

    @property
    def start(self) -> tuple[int, int]:
        """The line and the column of the first character."""
        return self.line, self.column


async def check(process: Process, text: str, limits: CodeActLimits) -> list[TypeCheckError]:
    """Check a text. Raises `SnippetFailed` for a syntax error, and `WorkerLost`."""
    try:
        return await process.call(limits.seconds, partial(_check, process, text, limits))
    except SnippetFailed as failure:
        raise failure.moved_up(1) from None


def _check(process: Process, text: str, limits: CodeActLimits) -> list[TypeCheckError]:
    import pydantic_monty as monty

    if process.session is None:
        process.guard = private_name("checked")
        process.check_out(
            limits={"max_memory": limits.memory_bytes, "max_suspensions": _SUSPENSIONS},
            type_check=True,
            type_check_stubs=f"{TYPES}def {process.guard}() -> None: ...\n",
            type_check_format="json",
        )
    assert process.session is not None
    try:
        snapshot: Any = process.session.feed_start(f"{process.guard}()\n{text}")
    except monty.MontyTypingError as error:
        return [_type_check_error(each) for each in json.loads(error.display())]
    # The guard is called if there were no errors. It raises, so that nothing after it is run.
    while not isinstance(snapshot, monty.MontyComplete):
        try:
            snapshot = snapshot.resume({"exception": KeyboardInterrupt()})
        except monty.MontyRuntimeError:
            return []
    raise WorkerLost("it was run where it should have been checked")


def _type_check_error(found: dict[str, Any]) -> TypeCheckError:
    start, end = found["location"], found["end_location"]
    return TypeCheckError(
        start["row"] - 1, start["column"], (end["row"] - 1, end["column"]), found["name"], found["message"]
    )
