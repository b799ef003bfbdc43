"""Objections: which diagnostics of the type checker are a reason not to run a snippet, and which calls they stopped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from toolgen.llm.sandbox.checker import TypeCheckError
    from toolgen.providers.stubs.stub import Stub

_LINT: Final = frozenset({"redundant-condition"})
"""Rules about style, and those that our own lines break on purpose: code that breaks them can be right."""

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
_LITERALS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?\w+', re.DOTALL)
_PART: Final = re.compile(r"(\w*)\[([^\[\]]*)\]")
_OF_PARTS: Final = re.compile(r"(?:found|Object of type|value of type) `(?:dict|list)\[")
_CALLED: Final = re.compile(r"((?:\s*\.\s*\w+)*)\s*\(")


def serious(
    type_check_errors: Iterable[TypeCheckError], functions: Mapping[str, tuple[str, Stub]], open_types: Container[str]
) -> list[TypeCheckError]:
    """Leave out what the schemas of tools accept all the same, and what says nothing about types.

    Those are other keys of objects that are open, unless they resemble one of their own; text that was computed, where
    one of a few is expected; and names that are bound to something else. Calls are held to the schemas when they are
    made.
    """
    listed = list(type_check_errors)
    forgiven = [each for each in listed if _is_forgiven(each, functions, open_types)]
    left = [each for each in listed if each not in forgiven]
    return [each for each in left if not _is_of_parts(each, forgiven) or _is_of_parts(each, left)]


def undefined_name(error: TypeCheckError) -> str:
    """The name that an error says is not defined, or an empty text."""
    found = _UNDEFINED.match(error.message) if error.rule == "unresolved-reference" else None
    return found[1] if found else ""


def undefined_calls(type_check_errors: Iterable[TypeCheckError], code: str) -> list[str]:
    """The names, with their attributes, that code calls and that are not defined; each once."""
    lines = code.split("\n")
    called: dict[str, None] = {}
    for each in type_check_errors:
        name, (row, column) = undefined_name(each), each.end
        if name and 0 < row <= len(lines):
            found = _CALLED.match(lines[row - 1], column - 1)
            if found:
                called.setdefault(name + re.sub(r"\s", "", found[1]))
    return list(called)


def _is_of_parts(error: TypeCheckError, others: Iterable[TypeCheckError]) -> bool:
    """Whether an object or a list does not fit its type because of parts that others are about."""
    return bool(_OF_PARTS.search(error.message)) and any(error.holds(other) for other in others)


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
    """Whether all that is wrong is that a value is not known to be one of a few, because it was computed."""
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
    """The members of a union, with its types in the place of literals: those of parts in one order."""
    plain = _LITERAL.sub(lambda found: " | ".join(map(_type_of, _LITERALS.findall(found[1]))), text)
    plain = plain.replace("LiteralString", "str")
    while (inner := _PART.search(plain)) is not None:
        parts = sorted({part.strip() for part in inner[2].split("|")})
        plain = f"{plain[: inner.start()]}{inner[1]}<{'/'.join(parts)}>{plain[inner.end() :]}"
    return {member.strip() for member in plain.split("|")}


def _type_of(literal: str) -> str:
    if literal in ("True", "False"):
        return "bool"
    return "str" if literal.startswith('"') else "int"
