"""The state of the page: the newest version of the project, and the last answer of each part."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from toolgen.authoring.dev.parts.records import Build, Changes, Choices, Lint, Part, Surface

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.authoring.dev.parts.records import Answer
    from toolgen.compiler.project.config import ConfigError

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
