"""Replay: checks recorded calls against the codecs of generated packages: accepted or not, and altered or not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.contract.picklable import Picklable
from toolgen.contract.records import FailureKind, Issue
from toolgen.runtime.base.errors import InvalidPayload, ToolNotFound, TypesDisagree
from toolgen.runtime.base.json_text import parse
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.known_tools import KnownTools
from toolgen.runtime.redact.call_secrets import (
    hide_issue,
    hide_text,
    json_of,
    secrets_of_call,
    secrets_of_tool,
    with_result_values,
)
from toolgen.runtime.redact.redacted import issues_of_rest
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.spec.text import cut, shown_name

if TYPE_CHECKING:
    from toolgen.runtime.base.packages import Side
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.codec.codec import Codec

_SIDES: Final[dict[str, Side]] = {"arguments": "args", "result": "result"}
_KEYS: Final = ("tool", *_SIDES, "accept", "error", "schemas")


class AmbiguousTool(Picklable, LookupError):
    """The name of a tool matches several tools, `idents`."""

    def __init__(self, name: str, idents: Sequence[str]) -> None:
        self.name = name
        self.idents = tuple(idents)
        super().__init__(f"{cut(name, 100)!r} is ambiguous: it can be {', '.join(idents)}")


class BrokenLine(Picklable, ValueError):
    """A line is not a recorded call. `column` counts from 1, in characters."""

    def __init__(self, column: int, reason: str) -> None:
        self.column = column
        self.reason = reason
        super().__init__(f"column {column}: {reason}")


@dataclass(frozen=True, slots=True)
class RecordingLine:
    """One side of a recorded call. `payload` is the JSON text of the args or the result, as recorded.

    `accept` is the recorded verdict. `has_run` is whether the line has what became of a call whose args were accepted.
    """

    tool: str
    side: Side
    payload: bytes
    accept: bool | None
    has_run: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one call. `got` is whether it was accepted, None if no tool has that name.

    `side` is what the rest is about: the first side that is not accepted, if there is one.
    """

    line: int
    tool: str
    expected: bool | None
    got: bool | None
    issues: tuple[Issue, ...] = ()
    altered: bool = False
    side: Side = "args"


@dataclass
class Report:
    """The outcome of a replay. Lines count from 1; a call with its result is one call.

    `disagree` are the outcomes that differ from the recorded ones, and calls of unknown tools; `rejections` those
    without a recorded outcome. `broken` maps lines that are not recorded calls to their errors.
    """

    total: int = 0
    accepted: int = 0
    rejected: int = 0
    agree: int = 0
    disagree: list[Outcome] = field(default_factory=list[Outcome])
    rejections: list[Outcome] = field(default_factory=list[Outcome])
    altered: list[int] = field(default_factory=list[int])
    broken: dict[int, BrokenLine] = field(default_factory=dict[int, BrokenLine])

    def add(self, outcome: Outcome) -> None:
        """Count one call."""
        self.total += 1
        self.accepted += outcome.got is True
        self.rejected += outcome.got is False
        if outcome.altered:
            self.altered.append(outcome.line)
        if outcome.got is None or outcome.expected not in (None, outcome.got):
            self.disagree.append(outcome)
        elif outcome.expected is not None:
            self.agree += 1
        elif not outcome.got:
            self.rejections.append(outcome)


def replay(lines: Iterable[bytes], catalogs: Sequence[Catalog], *, toolset: str | None = None) -> Report:
    """Check every line of a recording, JSON in UTF-8: `{"tool", "arguments" or "result", "accept"?}`.

    A line may also have the args with the `result` or the `error` that they got, as `toolgen.testing` records calls, or
    the `schemas` that calls after it were made under. A tool that ran had accepted its args. `[redacted]` stands for
    the value that was there, with the verdict of then. A tool may be given by any of its names; with `toolset`, only
    that toolset is searched. Raises `AmbiguousTool`.
    """
    tools = _Tools(catalogs, toolset)
    report = Report()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            calls = read_calls(line)
        except BrokenLine as error:
            report.broken[number] = error
        else:
            outcomes = [tools.try_call(call, number) for call in calls]
            if outcomes:
                report.add(_of_call(outcomes))
    return report


def _of_call(sides: Sequence[Outcome]) -> Outcome:
    """Return the outcome of a call by those of its sides."""
    return next((each for each in sides if not each.got), next((each for each in sides if each.altered), sides[0]))


def read_calls(line: bytes) -> tuple[RecordingLine, ...]:
    """Parse one line; return the sides that it has, none for a line of schemas. Raises `BrokenLine`."""
    try:
        text = line.decode("utf-8").rstrip("\r\n")
        members = dict(_members(text))
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8")) + 1
        raise BrokenLine(column, f"it is not UTF-8 text: {error.reason}") from None
    except json.JSONDecodeError as error:
        raise BrokenLine(error.pos + 1, f"it is not JSON: {error.msg[0].lower()}{error.msg[1:]}") from None
    except RecursionError:
        raise BrokenLine(1, "it is nested too deeply") from None
    strange = next((key for key in members if key not in _KEYS), None)
    if strange is not None:
        meant = nearest(strange, _KEYS, count=1)
        keys = f"did you mean `{meant[0]}`?" if meant else f"the keys are {', '.join(f'`{key}`' for key in _KEYS)}"
        shown = shown_name(hide_text(strange, NO_SECRETS))
        raise BrokenLine(members[strange].key_column, f"a recorded call has no `{shown}`; {keys}")
    tool, accept = members.get("tool"), members.get("accept")
    if tool is None or not isinstance(tool.value, str):
        raise BrokenLine(tool.column if tool else 1, "it needs a `tool`, a string")
    if accept is not None and not isinstance(accept.value, bool | None):
        raise BrokenLine(accept.column, "`accept` is true or false")
    given = [key for key in _SIDES if key in members]
    if "schemas" in members:
        if given or "error" in members:
            raise BrokenLine(members["schemas"].key_column, "a line with `schemas` has no call")
        return ()
    if not given:
        raise BrokenLine(1, "it needs `arguments` or a `result`, and has neither")
    if "error" in members and given != ["arguments"]:
        raise BrokenLine(members["error"].key_column, "a line with an `error` has `arguments`, and no `result`")
    if len(given) > 1 and accept is not None:
        raise BrokenLine(accept.key_column, "`accept` is about `arguments` or a `result`, and the line has both")
    verdict, has_run = accept.value if accept else None, _has_run(members)
    return tuple(RecordingLine(tool.value, _SIDES[key], members[key].text.encode(), verdict, has_run) for key in given)


def _has_run(members: Mapping[str, _Member]) -> bool:
    """Whether the tool of a line ran: it has the args, with a result or with an error that is not about them."""
    if "arguments" not in members or "error" not in members:
        return "arguments" in members and "result" in members
    error = members["error"].value
    return is_object(error) and error.get("kind") != FailureKind.INVALID_CALL


class _Member(NamedTuple):
    """One member of a line: its value, its text, and their columns, from 1. Numbers are not converted."""

    value: Any
    text: str
    column: int
    key_column: int


_DECODER: Final = json.JSONDecoder(parse_int=float)
_SPACE: Final = re.compile(r"[ \t\r\n]*")


def _members(text: str) -> Iterator[tuple[str, _Member]]:
    """Parse the members of an object. Raises json.JSONDecodeError, and RecursionError if it is nested too deeply."""
    at = _after(text, _skipped(text, 1 if text.startswith("\ufeff") else 0), "{")
    more = text[at : at + 1] != "}"
    while more:
        if text[at : at + 1] != '"':
            raise json.JSONDecodeError("Expecting a key in double quotes", text, at)
        key_column = at + 1
        key, at = _DECODER.raw_decode(text, at)
        start = _after(text, _skipped(text, at), ":")
        value, end = _DECODER.raw_decode(text, start)
        yield key, _Member(value, text[start:end], start + 1, key_column)
        at = _skipped(text, end)
        more = text[at : at + 1] == ","
        if more:
            at = _skipped(text, at + 1)
    at = _after(text, at, "}")
    if at < len(text):
        raise json.JSONDecodeError("Extra text", text, at)


def _after(text: str, at: int, mark: str) -> int:
    """Return the position after a mark and the whitespace that follows it."""
    if text[at : at + 1] != mark:
        raise json.JSONDecodeError(f"Expecting `{mark}`", text, at)
    return _skipped(text, at + 1)


def _skipped(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


class _Tools:
    """The tools of the recorded calls, and their codecs."""

    def __init__(self, catalogs: Sequence[Catalog], toolset: str | None) -> None:
        self._catalogs = {ident: catalog for catalog in reversed(catalogs) for ident in catalog}
        every = (tool for catalog in catalogs for tool in catalog.spelled_tools())
        self._known = KnownTools(tool for tool in every if toolset is None or self._toolset_of(tool.ident) == toolset)
        self._found: dict[str, tuple[Catalog, str] | ToolNotFound] = {}

    def try_call(self, call: RecordingLine, line: int) -> Outcome:
        """Return the verdict on one call. Raises `AmbiguousTool`."""
        found = self._found.get(call.tool)
        if found is None:
            found = self._found[call.tool] = self._find(call.tool)
        if isinstance(found, ToolNotFound):
            name = shown_name(call.tool)
            issue = Issue(pointer="", keyword="", expected="the name of a tool", found=name, hint=str(found))
            return Outcome(line, name, call.accept, None, (issue,))
        catalog, ident = found
        definition = catalog.definition(ident)
        got, issues, altered = _verdict(catalog.codec(ident, call.side), call.payload)
        if issues:
            issues = tuple(issues_of_rest(issues, json_of(call.payload)))
            got = not issues and call.accept is not False
            issues = _without_secrets(issues, definition, call)
        return Outcome(line, ident, _expected(call, definition), got, issues, altered, call.side)

    def _find(self, name: str) -> tuple[Catalog, str] | ToolNotFound:
        idents = self._known.find(name)
        if len(idents) > 1:
            raise AmbiguousTool(name, sorted(idents))
        return (self._catalogs[idents[0]], idents[0]) if idents else ToolNotFound(name, self._known.nearest(name))

    def _toolset_of(self, ident: str) -> str:
        return self._catalogs[ident].toolset_of(ident)


def _expected(call: RecordingLine, definition: ToolDefinition) -> bool | None:
    """Return the verdict of then. A call of a tool whose result is not certain may have got one that differs."""
    if call.accept is not None:
        return call.accept
    return True if call.has_run and (call.side == "args" or definition.has_certain_result) else None


def _verdict(codec: Codec[Any], payload: bytes) -> tuple[bool, tuple[Issue, ...], bool]:
    """Return whether a payload is accepted, its issues, and whether decoding and encoding alters it."""
    try:
        value = codec.decode_json(payload)
        typed = codec.build(value)
    except InvalidPayload as error:
        return False, error.issues, False
    except TypesDisagree as error:
        return False, (Issue(pointer="", keyword="", expected="", found="", hint=str(error)),), False
    try:
        text = codec.encode(typed)
    except InvalidPayload:
        return True, (), True
    return True, (), text != canonical(value) and not _same(parse(text), value)


def _without_secrets(issues: Sequence[Issue], definition: ToolDefinition, call: RecordingLine) -> tuple[Issue, ...]:
    """Redact the secrets of a call from its issues, which are printed."""
    of_tool = secrets_of_tool(definition)
    if call.side == "args":
        secrets = secrets_of_call(of_tool, call.payload)
    else:
        secrets = with_result_values(of_tool, json_of(call.payload))
    return tuple(hide_issue(issue, secrets) for issue in issues)


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: 1 equals 1.0, but not true."""
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
