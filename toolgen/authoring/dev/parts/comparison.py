"""Comparison: the changes since another version, which is read once, and again when it is another commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.authoring.dev.parts.records import Changes, PartProblem
from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.errors import DiffError
from toolgen.authoring.diff.sides import commit_of, other_side, working_tree
from toolgen.compiler.cache.store import open_cache
from toolgen.compiler.project.config import ConfigError

if TYPE_CHECKING:
    from toolgen.authoring.dev.parts.records import Question
    from toolgen.authoring.diff.sides import Side


def present_side(question: Question) -> Side:
    """Compile the project. Raises PartProblem if its specs have errors."""
    config = question.config
    try:
        return working_tree(config, open_cache(config.root))
    except DiffError as error:
        raise PartProblem(str(error)) from None


class OtherSide:
    """The version to compare with."""

    def __init__(self) -> None:
        self._commit: str | None = None
        self._side: Side | None = None

    def read(self, question: Question) -> Side:
        """Return the version to compare with. Raises PartProblem."""
        config, against = question.config, question.choices.against
        try:
            commit = commit_of(config, against)
            if self._side is None or commit is None or commit != self._commit:
                with other_side(config, against) as side:
                    self._commit, self._side = commit, side
        except (DiffError, ConfigError) as error:
            raise PartProblem(str(error)) from None
        return self._side


class Comparison:
    """Finds the changes since another version."""

    def __init__(self) -> None:
        self._other = OtherSide()

    def __call__(self, question: Question) -> Changes:
        """Compare the project as it is now. Raises PartProblem."""
        before, now = self._other.read(question), present_side(question)
        try:
            return Changes(before.label, compare_sides(before, now).changes)
        except DiffError as error:
            raise PartProblem(str(error)) from None
