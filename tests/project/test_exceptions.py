"""Exceptions: each of them survives a pickle and a copy, because a pool of processes hangs on one that does not."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, Final

import pytest

import toolgen
from toolgen.compiler.diagnostics import Diagnostic, Severity, Span
from toolgen.contract.records import FailureKind, Issue
from toolgen.engine.protocol import ApprovalAnswer
from toolgen.providers.protocol import OfferProblem
from toolgen.runtime.base.effects import Effect
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.permission import Decision
from toolgen.spec.tool_use import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DIAGNOSTICS: Final = (Diagnostic("TG001", Severity.ERROR, Span("a.yaml"), "a message"),)
_FAILED: Final = CallFailed(FailureKind.DOMAIN_REJECTION, "not_found", "no such text", "read the file")
_ANSWER: Final = ApprovalAnswer(question="q", call="c", tool="t", decision=Decision.DENY, by="ann", at=1.0, via="web")
_ISSUE: Final = Issue(pointer="/a", keyword="type", expected="string", found="null", hint="a hint")

EXAMPLES: Final[dict[str, tuple[Any, ...]]] = {
    "authoring.diff.git.SpecsError": ("a message", _DIAGNOSTICS, {"a.yaml": "a"}),
    "cli.output.UnknownCommand": ("biuld", ["build"], None),  # a context of click cannot be pickled
    "compiler.importers.openapi.files.Fault": ("a message", None),  # a part can read its files
    "compiler.project.config.ConfigError": (_DIAGNOSTICS, {"a.yaml": "a"}),
    "contract.actions.UnknownActionError": ("a", "a reason", ("b",)),
    "contract.extras.MissingExtra": ("the server", "serve"),
    "engine.dbos.database.StepFailed": ({"error": "a"},),
    "engine.dbos.database.Unanswered": ({"stopped": "failed"},),
    "engine.dbos.endpoints._Unreadable": ("413 Content Too Large", "a reason"),
    "engine.dbos.lease.NameTaken": ("worker",),
    "engine.protocol.AlreadyAnswered": ("run", _ANSWER),
    "engine.protocol.NotApprover": ("q", "ann", "a reason"),
    "engine.protocol.NotAsked": ("run", "q"),
    "engine.protocol.NotForkable": ("run", "a reason"),
    "engine.protocol.NotResumable": ("run", "running"),
    "engine.schedules.ScheduleNotFound": ("nightly",),
    "engine.signals.NotSignalled": ("run", "stop", "a reason"),
    "execute.mcp.executor._NoAnswerError": (_FAILED,),
    "execute.mcp.executor._NotSentError": (_FAILED,),
    "execute.mcp.failures.ServerUnreachable": ("github", "a reason"),
    "explore.visit.Refused": (404, "a message"),
    "llm.sandbox.process.SnippetFailed": ("ValueError", "a message", 3, "a = b"),
    "llm.sandbox.process.WorkerLost": ("a reason",),
    "providers.protocol.NotRestored": ("/a", "a reason", "a hint"),
    "providers.protocol.UnsupportedCapability": ("openai", [OfferProblem("a.b", "a reason")]),
    "record.replay.AmbiguousTool": ("b", ["a.b", "c.b"]),
    "record.replay.BrokenLine": (7, "a reason"),
    "runtime.base.errors.CallFailed": (FailureKind.DOMAIN_REJECTION, "not_found", "no such text", "read the file"),
    "runtime.base.errors.InvalidPayload": ([_ISSUE],),
    "runtime.base.json_text.NotJson": ("a reason", "/a/b", "a hint"),
    "runtime.base.json_text.RepeatedKey": ("/a/b",),
    "runtime.base.errors.PermissionDenied": ("a.b", "a reason", "{}"),
    "runtime.base.errors.RunStopped": ("a reason", [{"done": 1}], Effect.POSSIBLE),
    "runtime.base.errors.TimedOut": (2.5, Effect.POSSIBLE),
    "runtime.base.errors.ToolNotFound": ("a.b", ["a.c"]),
    "runtime.base.errors.ToolRateLimited": ("a.b", 2.5),
    "runtime.base.errors.ToolUnavailable": ("a.b", "a"),
    "runtime.base.errors.UnknownAgent": ("a", ["b"]),
    "runtime.events.records.RunNotFound": ("run",),
    "runtime.policy.effective.ToolsNotGranted": ("a", ["a.b"]),
    "runtime.policy.paths.UnsupportedSystem": (),
    "runtime.redact.call_secrets.RedactedSecret": ("/pin",),
    "spec.tag_pattern.PatternRefused": ("a reason", "a hint"),
    "spec.tool_use.ToolUseError": ((Problem("a.b", "a message", "a fix"),),),
}
"""Args of the constructors in the package; classes with another one, such as Python's, are made of a text."""


def _exceptions() -> Iterator[type[BaseException]]:
    """Yield the classes of exceptions of all modules."""
    for module in walk_packages(toolgen.__path__, "toolgen."):
        if not module.name.endswith("__main__"):
            for found in vars(import_module(module.name)).values():
                if isinstance(found, type) and issubclass(found, BaseException) and found.__module__ == module.name:
                    yield found


def _name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}".removeprefix("toolgen.")


def _constructor(cls: type[BaseException]) -> str:
    """Return the name of the class in the package that has the constructor of a class; empty if none has."""
    owner = next(each for each in cls.__mro__ if "__init__" in vars(each))
    return _name(owner) if owner.__module__.startswith("toolgen.") else ""


def _parts(value: Any) -> Any:
    """Return what makes up an exception, for comparison; any other value as it is."""
    if not isinstance(value, BaseException):
        return value
    attributes = {name: _parts(each) for name, each in vars(value).items()}
    return type(value), str(value), [_parts(each) for each in value.args], attributes, getattr(value, "msg", None)


EXCEPTIONS: Final = {_name(each): each for each in _exceptions()}


def test_the_examples_are_those_of_the_constructors() -> None:
    assert len(EXCEPTIONS) > 100
    assert EXAMPLES.keys() == {*map(_constructor, EXCEPTIONS.values())} - {""}


@pytest.mark.parametrize("name", EXCEPTIONS)
@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_an_exception_survives_a_pickle_and_a_copy(name: str, again: Callable[[Any], Any]) -> None:
    cls = EXCEPTIONS[name]
    error = cls(*EXAMPLES.get(_constructor(cls), ("a text",)))
    error.add_note("a note")
    assert _parts(again(error)) == _parts(error)
