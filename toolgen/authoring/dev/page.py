"""The state of the page: the newest version of the project, and the last answer of each part."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.authoring.diff.compare import Located
    from toolgen.compiler.diagnostics import Diagnostic
    from toolgen.compiler.project.config import Config, ConfigError
    from toolgen.llm.costs import Cost


# Parts of the page: what they are asked, and what they answer. All of it travels between processes.


class Part(StrEnum):
    """A part of the page, which is computed in a process of its own, so that none waits for another."""

    BUILD = "build"
    LINT = "lint"
    CHANGES = "changes"
    SURFACE = "surface"


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of the command. `against` is as `toolgen diff` takes it; `agent` is empty for all tools."""

    against: str = ""
    provider: str = "openai"
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What a part is computed from, beside the files of the project."""

    config: Config
    choices: Choices


@dataclass(frozen=True, slots=True)
class BuiltTarget:
    """The build of one target: a line on it, its diagnostics, and files of others in the package."""

    out: str
    is_published: bool
    outcome: str
    found: tuple[Diagnostic, ...] = ()
    strays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """The builds of all targets, and the seconds that they took.

    `evaluations` are the diagnostics of the cases, which are checked where all targets were built.
    """

    targets: tuple[BuiltTarget, ...]
    seconds: float
    evaluations: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Lint:
    """The findings of lint with those of the cases of evaluations, and how many of them `toolgen lint --fix` fixes.

    With `waits` there are none, because the specs have errors, which the build reports.
    """

    findings: tuple[Diagnostic, ...] = ()
    fixable: int = 0
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes since another version, which `label` names."""

    label: str
    changes: tuple[Located, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """The cost of one presentation now, and in the other version; None if it has no such package."""

    now: Cost
    before: Cost | None


@dataclass(frozen=True, slots=True)
class ToolSize:
    """The bytes of a request with one tool alone, now and in the other version; None if it did not have the tool."""

    package: str
    ident: str
    now: int
    before: int | None


@dataclass(frozen=True, slots=True)
class Surface:
    """What models are sent: the presentations of the layers, and tools by size, the largest first.

    `is_compared` is whether there is another version: `why_not` says why not. `tokens` says why none are counted.
    """

    presentations: tuple[Compared, ...]
    tools: tuple[ToolSize, ...]
    is_compared: bool
    why_not: str = ""
    tokens: str = ""


class PartProblem(Exception):
    """A part cannot be computed for a reason that a person can remove; the message says which."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a part was computed to: a Build, Lint, Changes or Surface; or a problem.

    `traceback` is that of an internal error.
    """

    found: Build | Lint | Changes | Surface | None = None
    problem: str = ""
    traceback: str = ""


T = TypeVar("T")


@dataclass
class Shown(Generic[T]):
    """The last answer of a part. `wanted` and `number` are those of the newest version, and of the one answered.

    `found` stays when a later version has a `problem`; `at` is the time when it was found.
    """

    wanted: int = 0
    number: int = 0
    found: T | None = None
    at: str = ""
    problem: str = ""

    @property
    def is_stale(self) -> bool:
        """Whether the answer is not of the newest version."""
        return self.number < self.wanted

    def take(self, number: int, found: T | None, problem: str) -> None:
        """Take an answer."""
        self.number, self.problem = number, problem
        if found is not None:
            self.found, self.at = found, time.strftime("%H:%M:%S")


@dataclass
class Page:
    """What the page shows.

    `number` counts versions, `cause` says what made the newest one, at the time `at`. `setting` is what is wrong with
    the configuration, which keeps parts from being asked.
    """

    root: Path
    choices: Choices
    number: int = 0
    at: str = ""
    cause: str = ""
    setting: ConfigError | str = ""
    build: Shown[Build] = field(default_factory=Shown[Build])
    lint: Shown[Lint] = field(default_factory=Shown[Lint])
    changes: Shown[Changes] = field(default_factory=Shown[Changes])
    surface: Shown[Surface] = field(default_factory=Shown[Surface])
    tracebacks: dict[str, None] = field(default_factory=dict[str, None])

    def begin(self, cause: str, parts: frozenset[Part] = frozenset(Part)) -> None:
        """Begin a version, of which the answers of these parts are wanted."""
        self.number += 1
        self.at, self.cause = time.strftime("%H:%M:%S"), cause
        for part in parts:
            self.shown(part).wanted = self.number

    def take(self, part: Part, number: int, answer: Answer) -> None:
        """Take the answer of a part."""
        if answer.traceback:
            self.tracebacks[answer.traceback] = None
        shown: Shown[object] = self.shown(part)
        shown.take(number, answer.found, answer.problem)

    def shown(self, part: Part) -> Shown[object]:
        """Return the last answer of a part."""
        found: Shown[object] = getattr(self, part.value)
        return found
