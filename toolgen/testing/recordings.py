"""Recordings: calls that were made once, and answer the same calls in tests.

A recording is a file of JSON Lines, which this module also writes, or a store of runs. Each call is checked against the
tools of today: one that they would not take, or whose result they could not have, is stale, and answers nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from toolgen.changes.rules import RULES, Level
from toolgen.changes.wire import compare_schemas
from toolgen.contract.records import FailureKind, ToolError
from toolgen.record.calls import calls_of
from toolgen.record.replay import BrokenLine, read_calls
from toolgen.record.stores import SQLITE, name_of_target, open_reader
from toolgen.runtime.base.postgres import is_postgres_url
from toolgen.runtime.base.received import TooMuch, json_of
from toolgen.runtime.catalog.known_tools import KnownTools
from toolgen.runtime.codec.typed_values import with_integers
from toolgen.runtime.events.records import EventKind, StoreError
from toolgen.runtime.redact.credentials import REDACTED
from toolgen.runtime.redact.redacted import issues_of_rest, redacted_places
from toolgen.schema.json_values import canonical, compact_json, is_array, is_object
from toolgen.spec.files import read_file
from toolgen.spec.text import cut, has_parts, visible
from toolgen.spec.writing import PRIVATE, Changed, append_lines_inside, is_torn, named_place, replace_inside

if TYPE_CHECKING:
    from toolgen.changes.rules import Change
    from toolgen.contract.records import Issue, ToolsetRegistration
    from toolgen.record.calls import RecordedCall
    from toolgen.runtime.base.packages import Side
    from toolgen.runtime.catalog.catalog import Catalog

Mode: TypeAlias = Literal["none", "once", "new", "all"]
"""What is recorded: nothing; everything where the file is missing; calls that it does not have; all calls, anew."""

_MOST_BYTES: Final = 256 * 1024 * 1024
"""Bytes of a file that is read."""

_MOST_CALLS: Final = 100_000
"""Calls of a recording, and a tenth of the events of a store."""

_MOST_VALUES: Final = 250_000
"""JSON values of one recorded call."""

BEGINNINGS: Final = (b'{"tool":"',)
"""How lines begin that are written here."""

_LONGEST: Final = 200
"""Characters of args, or of an error, in a message."""


class RecordingError(ValueError):
    """A recording cannot be read, or written. The message names its place, and what to change."""


def key_of(value: Any) -> bytes:
    """Return what equal JSON values have in common: 1 is equal to 1.0, and the order of fields has no effect."""
    return canonical(with_integers(value))


def recorded(target: str | Path, mode: Mode = "none", *, executors: Iterable[ToolsetRegistration] = ()) -> Recording:
    """Read a recording, for `stub_executors(catalog, recording=recorded("calls.jsonl"))`.

    `target` is a file of JSON Lines, or a store of `Runtime(store=…)`: an SQLite file, or a `postgresql://` URL. A call
    is answered by the recorded one with equal args, as JSON; of several, each answers once, and the last one again.
    `[redacted]` in recorded args stands for anything.

    `mode` is what is recorded, by calling `executors`, the real ones: `none` (nothing), `once` (everything where the
    file is missing, else nothing), `new` (calls that the file does not have), `all` (all calls, in place of the file).
    Secrets are redacted as in a record. A store is only read: the runtime writes it. Raises `RecordingError`.
    """
    return Recording(target, mode, executors=executors)


@dataclass(slots=True, kw_only=True, eq=False)
class Take:
    """One recorded call. `result` is JSON, meaningful without an `error`; `place` is where it is recorded.

    `schemas` are those of the tool when it was recorded, if they are known. `ident` is that of the tool today, empty if
    it is gone, and `stale` why the call answers nothing; empty if it does. `line` is its index among the lines.
    """

    tool: str
    place: str
    arguments: Any
    result: Any = None
    error: ToolError | None = None
    schemas: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ident: str = ""
    stale: str = ""
    is_used: bool = False
    line: int = -1

    @property
    def redacted(self) -> tuple[str, ...]:
        """The JSON pointers of args that are redacted, so that they match anything."""
        return redacted_places(self.arguments)

    def __str__(self) -> str:
        return f"{self.place}: {self.tool} {cut(compact_json(self.arguments), _LONGEST)}"


class Recording:
    """A recording that is read, and may be added to. `recorded` describes the arguments."""

    def __init__(
        self, target: str | Path, mode: Mode = "none", *, executors: Iterable[ToolsetRegistration] = ()
    ) -> None:
        if mode not in get_args(Mode):
            raise RecordingError(f"the mode of a recording is {', '.join(get_args(Mode))}, not {mode!r}")
        self._target: Final = str(target)
        self.name: Final = name_of_target(str(target))
        self.mode: Final = mode
        self.executors: Final = {each.toolset: each for each in executors}
        exists = is_postgres_url(self._target) or os.path.exists(self._target)  # noqa: PTH110  # of any length
        from_store = exists and is_store(self._target)
        if mode != "none" and from_store:
            raise RecordingError(
                f"{self.name} is a store, which the runtime writes: `Runtime(store=…)`; record to a `.jsonl` file"
            )
        if mode == "none" and not exists:
            raise RecordingError(f"{self.name} is missing: record it with the mode `once`")
        self.records: Final = mode in ("new", "all") or (mode == "once" and not exists)
        if self.records and not self.executors:
            raise RecordingError(f'the mode `{mode}` needs what runs the tools: recorded(…, "{mode}", executors=[…])')
        self._lines: list[bytes] = []
        self._takes: list[Take] = []
        self._present: list[bytes] | None = None
        self._left_out: list[str] = []
        if from_store:
            self._takes = list(_in_store(self._target, self._left_out))
        elif exists:
            content = _content(self._target, self.name)
            self._present = [content] if self.records else None
            self._takes = [] if mode == "all" else list(self._in_lines(content))
        self.has_recorded = False
        self._schemas: dict[str, bytes] = {}
        self._by_ident: dict[str, _Takes] = {}
        self._catalog: Catalog | None = None

    @property
    def takes(self) -> Sequence[Take]:
        """All recorded calls, in their order."""
        return tuple(self._takes)

    @property
    def stale(self) -> Sequence[str]:
        """The calls that the tools of today exclude, each with the rule of `toolgen diff` that broke it."""
        return [f"{each}: {each.stale}" for each in self._takes if each.stale]

    @property
    def left_out(self) -> Sequence[str]:
        """The calls that answer nothing, each with its place and why.

        Such as one of a store that was refused, or the part of a last line that a process was writing when it was
        stopped. Where calls are recorded, that is removed.
        """
        return tuple(self._left_out)

    @property
    def unused(self) -> Sequence[str]:
        """The calls that have answered none."""
        return [str(each) for each in self._takes if not each.is_used]

    def check(self, catalog: Catalog) -> None:
        """Find the tools of the calls in a catalog, and which calls are stale. One recording is of one catalog."""
        if self._catalog is catalog:
            return
        self._catalog = catalog
        known = KnownTools(catalog.spelled_tools())
        self._by_ident = {}
        for each in self._takes:
            find_tool(each, catalog, known)
            if each.ident:
                self._by_ident.setdefault(each.ident, _Takes()).add(each)

    def has(self, ident: str) -> bool:
        """Whether calls of a tool are recorded."""
        return ident in self._by_ident

    def find(self, ident: str, arguments: Mapping[str, Any]) -> Take | None:
        """Return the recorded call that answers one, which is used then; None if there is none."""
        takes = self._by_ident.get(ident)
        found = None if takes is None else takes.find(arguments)
        if found is not None:
            found.is_used = True
        return found

    def add(self, take: Take) -> None:
        """Record a call, which is written at once, in place of stale ones with its args. Raises `RecordingError`."""
        assert self._catalog is not None
        take.ident, take.is_used, take.place = take.tool, True, f"{self.name}, recorded now"
        takes, schemas = self._by_ident.get(take.ident) or _Takes(), schemas_of(take, self._catalog)
        replaced = takes.stale_like(take)
        kept = [*self._lines] if replaced else self._lines
        for each in replaced:
            kept[each.line] = b""
        is_known = self._schemas.get(take.ident) == canonical(schemas)
        lines = [*([] if is_known else [schemas_line(take.ident, schemas)]), take_line(take)]
        if self.has_recorded and not replaced:
            self._write(b"".join(lines), is_appended=True)
        else:
            self._write(b"".join([*kept, *lines]), is_appended=False)
        self._lines = kept  # nothing is noted before it is written
        self._lines += lines
        self._schemas[take.ident] = canonical(schemas)
        for each in replaced:
            self._takes.remove(each)
            takes.remove(each)
        self._takes.append(take)
        takes.add(take)
        self._by_ident[take.ident] = takes

    def _write(self, content: bytes, *, is_appended: bool) -> None:
        """Write lines, behind those that are written or in their place."""
        present = self._present
        try:
            if is_appended and present is not None:
                size = sum(map(len, present))
                append_lines_inside(*named_place(self._target), content, beginnings=BEGINNINGS, size=size)
            else:
                before = None if present is None else b"".join(present)
                replace_inside(*named_place(self._target), before, content, mode=PRIVATE)
        except Changed:
            raise RecordingError(f"{self.name} has changed meanwhile: record again") from None
        except OSError as error:
            raise RecordingError(f"{self.name} cannot be written: {error.strerror}") from error
        self._present = [*(present or ()), content] if is_appended else [content]
        self.has_recorded = True

    def _in_lines(self, content: bytes) -> Iterator[Take]:
        """Read JSON Lines. Raises `RecordingError`."""
        schemas: dict[str, Mapping[str, Any]] = {}
        count = 0
        lines = content.split(b"\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            if number == len(lines) and is_torn(line, BEGINNINGS):
                self._left_out.append(f"{self.name} line {number}: it has no end, as what wrote it was stopped")
                continue
            self._lines.append(line + b"\n")
            place = f"{self.name} line {number}"
            call = _parsed(line, place)
            if "schemas" in call:
                schemas[call["tool"]] = call["schemas"] if is_object(call["schemas"]) else {}
                continue
            if "arguments" not in call or ("result" not in call and "error" not in call):
                continue  # one side of a call, for `toolgen replay` and `toolgen diff --calls`
            count += 1
            if count > _MOST_CALLS:
                raise RecordingError(f"{self.name} has more than {_MOST_CALLS:,} calls: keep those that tests need")
            take = take_of(call, place)
            take.schemas, take.line = schemas.get(call["tool"], {}), len(self._lines) - 1
            yield take


class _Takes:
    """The recorded calls of one tool."""

    def __init__(self) -> None:
        self._exact: dict[bytes, list[Take]] = {}
        self._redacted: list[Take] = []

    def add(self, take: Take) -> None:
        if take.redacted:
            self._redacted.append(take)
        else:
            self._exact.setdefault(key_of(take.arguments), []).append(take)

    def remove(self, take: Take) -> None:
        (self._redacted if take.redacted else self._exact[key_of(take.arguments)]).remove(take)

    def stale_like(self, take: Take) -> Sequence[Take]:
        """Return the stale calls with equal args, which a call replaces."""
        key = key_of(take.arguments)
        equal = [*self._exact.get(key, ()), *(each for each in self._redacted if key_of(each.arguments) == key)]
        return [each for each in equal if each.stale]

    def find(self, arguments: Mapping[str, Any]) -> Take | None:
        """Return the first call with equal args that has answered none, else the last with equal args."""
        found = self._exact.get(key_of(arguments), ())
        if not found:
            given = with_integers(arguments)
            found = [each for each in self._redacted if _matches(with_integers(each.arguments), given)]
        valid = [each for each in found if not each.stale] or found
        return next((each for each in valid if not each.is_used), valid[-1] if valid else None)


def find_tool(take: Take, catalog: Catalog, known: KnownTools | None = None) -> None:
    """Find the tool of a recorded call in a catalog, and whether the call is stale."""
    names = KnownTools(catalog.spelled_tools()) if known is None else known
    idents = names.find(take.tool)
    take.ident = idents[0] if len(idents) == 1 else ""
    take.stale = _stale(take, catalog) if take.ident else _gone(take.tool, idents, names)


def _matches(recorded: Any, given: Any) -> bool:
    """Whether a value is equal to a recorded one, whatever is redacted there."""
    if isinstance(recorded, str) and REDACTED in recorded:
        return recorded == REDACTED or (isinstance(given, str) and has_parts(given, recorded.split(REDACTED)))
    if is_object(recorded) and is_object(given):
        return recorded.keys() == given.keys() and all(_matches(each, given[name]) for name, each in recorded.items())
    if is_array(recorded) and is_array(given):
        return len(recorded) == len(given) and all(map(_matches, recorded, given))
    return canonical(recorded) == canonical(given)


# Stale calls: those that the tools of today exclude.


def _gone(tool: str, idents: Sequence[str], known: KnownTools) -> str:
    if idents:
        return f"the name is that of several tools: {', '.join(idents)}"
    meant = known.nearest(tool)
    return f"WIRE101 {RULES['WIRE101'].name}: no tool is named so{f'; did you mean {meant[0]}?' if meant else ''}"


def _stale(take: Take, catalog: Catalog) -> str:
    """Return why a recorded call cannot be made today, or cannot end so; empty if it can."""
    issues = issues_of_rest(catalog.codec(take.ident, "args").check(take.arguments), take.arguments)
    if issues:
        return _broken(take, catalog, "args", "WIRE501", issues)
    for change in _changes(take, catalog, "args"):
        if change.code in ("WIRE210", "WIRE211") and change.before_path and change.before_path[-1] in take.arguments:
            return _told(change.code, change.message)
    if take.error is None and catalog.definition(take.ident).has_certain_result:
        every = catalog.codec(take.ident, "result").check(take.result)
        issues = issues_of_rest(every, take.result)
        if issues:
            return _broken(take, catalog, "result", "WIRE502", issues)
        if every:
            return f"its result is redacted at {every[0].pointer}, and no result of the tool is so: set an answer"
    return ""


def _broken(take: Take, catalog: Catalog, side: Side, code: str, issues: Sequence[Issue]) -> str:
    """Return the rule that broke a call: that of the change which its issues show, if the schemas of then are known."""
    changes = _changes(take, catalog, side)
    names = {step for issue in issues for step in issue.pointer.split("/")[1:2]}
    shown = [each for each in changes if each.after_path and each.after_path[-1:] and names & {*each.after_path}]
    found = next(iter(shown or changes), None)
    first = f"{issues[0].pointer or '/'}: {issues[0].hint}"
    if found is None or found.level not in (Level.BREAKING, Level.IGNORED):
        message = first if found is None else f"{first} ({found.code} {found.rule.name}: {found.message})"
        return _told(code, message)
    return _told(found.code, f"{found.message} ({first})")


def _changes(take: Take, catalog: Catalog, side: Side) -> list[Change]:
    """Return the changes of one side of a tool since a call was recorded, the breaking ones first."""
    if side not in take.schemas:
        return []
    formats = (catalog.asserts_formats, catalog.asserts_formats)
    before, after = take.schemas[side], catalog.schema(take.ident, side)
    changes = list(compare_schemas(take.ident, side, before, after, path=("tools", take.ident), formats=formats))
    return sorted(changes, key=lambda each: list(Level).index(each.level))


def _told(code: str, message: str) -> str:
    return f"stale by {code} {RULES[code].name}: {message}"


# Lines, files and stores.


def take_of(call: Mapping[str, Any], place: str) -> Take:
    """Return the call of a line: its `tool` and `arguments`, and its `result` or its `error`."""
    error = _error_of(call["error"]) if "error" in call else None
    return Take(tool=call["tool"], place=place, arguments=call["arguments"], result=call.get("result"), error=error)


def take_line(take: Take) -> bytes:
    """Return the line of a call, by the ident of its tool if that is known."""
    ended = {"result": take.result} if take.error is None else {"error": _error_json(take.error)}
    return _line({"tool": take.ident or take.tool, "arguments": take.arguments, **ended})


def schemas_of(take: Take, catalog: Catalog) -> dict[str, Any]:
    """Return the schemas that a call of today is made under."""
    return {side: catalog.schema(take.ident, side) for side in ("args", "result")}


def schemas_line(ident: str, schemas: Mapping[str, Any]) -> bytes:
    """Return the line of the schemas that later calls of a tool were made under."""
    return _line({"tool": ident, "schemas": schemas})


def is_store(target: str) -> bool:
    """Whether a target is a store of runs. Raises `RecordingError` for a file that cannot be read."""
    if is_postgres_url(target):
        return True
    try:
        with Path(target).open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise RecordingError(f"{name_of_target(target)} cannot be read: {error.strerror}") from error


def _content(target: str, name: str) -> bytes:
    try:
        return read_file(target, _MOST_BYTES)
    except OSError as error:
        raise RecordingError(f"{name} cannot be read: {error.strerror}") from error


def _parsed(line: bytes, place: str) -> dict[str, Any]:
    """Parse one line. Raises `RecordingError`."""
    try:
        read_calls(line)
        call: dict[str, Any] = json_of(line.decode().removeprefix("\ufeff"), _MOST_VALUES)
    except BrokenLine as error:
        raise RecordingError(f"{place}, column {error.column}: {error.reason}") from error
    except (TooMuch, ValueError) as error:
        raise RecordingError(f"{place}: {error}") from error
    return call


def _in_store(target: str, left_out: list[str]) -> Iterator[Take]:
    """Read the calls of all runs that a tool has ended, with a result that is stored. Raises `RecordingError`.

    The others are added to `left_out`, each with its place and why.
    """
    name = name_of_target(target)
    try:
        if not is_postgres_url(target) and Path(target).stat().st_size > _MOST_BYTES:
            raise RecordingError(f"{name} is over {_MOST_BYTES:,} bytes")
        with closing(open_reader(target)) as store:
            runs = store.runs()
            if sum(run.events for run in runs) > 10 * _MOST_CALLS:
                raise RecordingError(f"{name} has more than {10 * _MOST_CALLS:,} events")
            for run in runs:
                yield from _takes_of(calls_of(store.read(run.run_id)), f"{name} run {visible(run.run_id)}", left_out)
    except (StoreError, LookupError) as error:
        raise RecordingError(f"{name}: {error}") from error


def lines_of_store(target: str, left_out: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the calls of a store as lines of a recording, each with its place. Raises `RecordingError`.

    The others are added to `left_out`, each with its place and why.
    """
    return ((take.place, take_line(take)) for take in _in_store(target, left_out))


def takes_of_run(target: str, run_id: str) -> tuple[list[Take], list[str]]:
    """Return the calls of one run of a store, as `Recording` has them, and why it has not the others, with their place.

    Raises `RecordingError`.
    """
    name = name_of_target(target)
    try:
        with closing(open_reader(target)) as store:
            calls = calls_of(store.read(run_id))
    except (StoreError, LookupError) as error:
        raise RecordingError(f"{name}: {error}") from error
    if len(calls) > _MOST_CALLS:
        raise RecordingError(f"{name} has more than {_MOST_CALLS:,} calls in this run")
    left_out: list[str] = []
    return list(_takes_of(calls, f"{name} run {visible(run_id)}", left_out)), left_out


def _takes_of(calls: Iterable[RecordedCall], run: str, left_out: list[str]) -> Iterator[Take]:
    """Yield the calls of a run that answer something; add the others to `left_out`."""
    for call in calls:
        place = f"{run} call {visible(call.tool_call_id)}"
        take = _take_of(call, place)
        if isinstance(take, Take):
            yield take
        else:
            left_out.append(f"{place}: {call.tool}: {take}")


def _take_of(call: RecordedCall, place: str) -> Take | str:
    """Return a call, or why it answers nothing: it was not made, or its args or its result are not stored."""
    started = next((event for event in call.events if event.kind == EventKind.TOOL_STARTED), None)
    if call.result is None:
        return "it has not ended"
    content = call.result.content
    error = _error_of(content["error"]) if "error" in content else None
    if started is None:
        return "it was not made" if error is None else f"it was not made ({error.kind}): {cut(error.message, _LONGEST)}"
    if "args" not in started.data:
        return "its args are not recorded"
    if error is None and "value" not in content:
        return "its result is not recorded: it is too large"
    return Take(tool=call.tool, place=place, arguments=started.data["args"], result=content.get("value"), error=error)


def _error_json(error: ToolError) -> dict[str, Any]:
    texts = {"message": error.message, "code": error.code, "hint": error.hint}
    return {"kind": FailureKind(error.kind).value, **{name: text for name, text in texts.items() if text}}


def _error_of(given: Any) -> ToolError:
    """Return the error of a recorded call, however it was edited."""
    fields: Mapping[str, Any] = given if is_object(given) else {}
    kind, message, code, hint = (str(fields.get(name, "")) for name in ("kind", "message", "code", "hint"))
    known = FailureKind(kind) if kind in list(FailureKind) else FailureKind.INTERNAL
    return ToolError(kind=known, message=message, code=code, hint=hint)


def _line(call: Mapping[str, Any]) -> bytes:
    return compact_json(call).encode() + b"\n"
