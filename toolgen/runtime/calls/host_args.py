"""Arguments of a host: what a runtime, a run and a turn need, checked before any call could fail for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.runtime.runs.run import Run, Session
from toolgen.spec.text import cut

_LIST: Final = (list, tuple)
_URL: Final = "a URL"
_LONGEST: Final = 100
"""Characters of a text in a message, at most."""


class Need(NamedTuple):
    """What an argument must be, by a test and in words; `{}` in the words is the text that was given, or `example`."""

    is_met: Callable[[Any], bool]
    words: str
    example: str = ""


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, type) and all(hasattr(value, name) for name in names)


def _is(*classes: type[Any]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, classes)


def _is_callback(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


_NEEDS: Final[Mapping[str, Need]] = {
    "catalog": Need(_has("freeze", "definition"), "a catalog: load it by load({})", '"generated"'),
    "permission": Need(_is_callback, "a callback, allow_all or deny_all"),
    "inject": Need(_is(Mapping), 'functions by the names of fields: write {"user": find}'),
    "permission_timeout": Need(_is_seconds, "a number of seconds, such as 300 (math.inf waits without end)"),
    "hooks": Need(_is(*_LIST), "a list of hooks: write [hook]"),
    "gate": Need(_is_callback, "a function that takes a request of the gate and returns a GateDecision"),
    "gate_timeout": Need(_is_seconds, "a number of seconds, such as 2"),
    "store": Need(_has("append", "finish"), "a store: open it by open_store({})", '"calls.db"'),
    "artifacts": Need(_has("put"), "a store of artifacts: pass Artifacts({})", '"artifacts"'),
    "counters": Need(
        _has("take", "wait"),
        "an object with take and wait, such as RedisCounters(url), PostgresCounters(url) or SqliteCounters(path)",
    ),
    "telemetry": Need(_has("calls"), "an object of the class Telemetry: pass Telemetry()"),
    "clock": Need(callable, "a function that returns the time, such as partial(datetime.now, UTC)"),
    "new_id": Need(callable, "a function that takes `call`, `run` or `agent` and returns an id"),
}
"""The arguments of a runtime. `executors`, `missing` and `disabled_policies` are checked against the catalog."""

_REQUIRED: Final = frozenset(
    {"catalog", "permission", "inject", "hooks", "permission_timeout", "gate_timeout", "clock"}
)
_HOOK: Final = Need(_has("pre_tool_use", "post_tool_use"), "an object with methods pre_tool_use and post_tool_use")
_INJECTED: Final = Need(callable, "a function that takes the meta of a call: write `lambda meta: {}`", "meta.user")
_META: Final = Need(_is(ToolCallMeta), 'a ToolCallMeta: write ToolCallMeta(user="ann")')
_SESSION: Final = Need(_is(Session), "a Session: keep one Session() for all runs of a conversation")
_RUN: Final = Need(_is(Run), "a Run: start it by runtime.start_run()")
_REQUEST: Final = Need(_is(ToolRequest), "a ToolRequest")
_REQUESTS: Final = Need(_is_sequence, "a list of requests: write [request]")


def check_runtime_args(**given: Any) -> None:
    """Raise TypeError for the first argument of a runtime that is not what it must be."""
    for name, value in given.items():
        if value is not None or name in _REQUIRED:
            _check(name, value, _NEEDS[name])
    for place, hook in enumerate(given["hooks"]):
        _check(f"hooks[{place}]", hook, _HOOK)
    for name, function in given["inject"].items():
        _check(f"inject[{name!r}]", function, _INJECTED)


def check_run_args(session: Any, meta: Any) -> None:
    """Raise TypeError if a run cannot be started with these."""
    if session is not None and not isinstance(session, Session):
        _check("session", session, _SESSION)
    if meta is not None and not isinstance(meta, ToolCallMeta):
        _check("meta", meta, _META)


def check_turn_args(requests: Any, run: Any) -> None:
    """Raise TypeError if these are not requests and a run. Each request is checked by its call."""
    if not isinstance(requests, _LIST):
        _check("requests", requests, _REQUESTS)
    check_run(run)


def check_call_args(request: Any, run: Any) -> None:
    """Raise TypeError if these are not a request and a run."""
    if not isinstance(request, ToolRequest):
        _check("request", request, _REQUEST)
    check_run(run)


def check_run(run: Any) -> None:
    """Raise TypeError if it is not a run."""
    if not isinstance(run, Run):
        _check("run", run, _RUN)


def _check(name: str, value: Any, need: Need) -> None:
    if need.is_met(value):
        return
    shown = _described(value)
    text = need.example
    if isinstance(value, str):
        text = "url" if shown == _URL else shown
    raise TypeError(f"{name} is {shown}; it must be {need.words.replace('{}', text)}")


def _described(value: Any) -> str:
    """Return what a value is, for a message; of a URL, which may have a password, and of objects only the kind."""
    if isinstance(value, str):
        return _URL if "://" in value else json.dumps(cut(value, _LONGEST))
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    return f"the class {value.__name__}" if isinstance(value, type) else f"of type {type(value).__name__}"
