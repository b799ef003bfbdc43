"""Surface: what the tools take in requests to a model, by presentation and by tool, beside those of another version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.authoring.dev.page import Changes, Compared, PartProblem, Surface, ToolSize
from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.git import DiffError
from toolgen.authoring.diff.sides import NOTHING, commit_of, other_side, pairs, working_tree
from toolgen.authoring.lint.surface import loaded
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.config import ConfigError
from toolgen.llm.costs import Cost, costs, token_counter
from toolgen.llm.tool_use import ToolUse, idle_runtime, presentations_in
from toolgen.providers.table import provider as provider_of
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from toolgen.authoring.dev.page import Question
    from toolgen.authoring.diff.sides import Package, Side
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.spec.tool_use import PresentationName


# Comparison: the changes since another version, which is read once, and again when it is another commit.


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
                with other_side(config, against, open_cache(config.root)) as side:
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


_CATALOGS: Final = "catalogs/"
_OF_ACTIONS: Final = "universal-category"
"""The presentation that reads the modules of action catalogs."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """The costs of a package by presentation, and the bytes of its tools by ident."""

    costs: Mapping[str, Cost]
    sizes: Mapping[str, int]


class SurfaceMeasure:
    """Measures the surface. A package whose catalog has not changed is not measured again."""

    def __init__(self) -> None:
        self._other = OtherSide()
        self._count, self._why_not = token_counter()
        self._known: dict[tuple[object, ...], _Measured] = {}

    def __call__(self, question: Question) -> Surface:
        """Measure the project as it is now. Raises PartProblem if its specs have errors, or it lacks the agent."""
        now = present_side(question)
        try:
            before, why_not = self._other.read(question), ""
            packages = pairs(before, now)
        except (PartProblem, DiffError) as error:
            before, why_not = None, str(error)
            packages = [(out, NOTHING, package) for out, package in now.packages.items()]
        known = self._known
        self._known = {}
        presentations: list[Compared] = []
        sizes: list[ToolSize] = []
        for out, old, new in packages:
            measured = self._measure(out, new, question, known)
            earlier = self._measure(out, old, question, known)
            presentations += [
                Compared(cost, earlier.costs.get(name) if earlier else None)
                for name, cost in (measured.costs if measured else {}).items()
            ]
            sizes += [
                ToolSize(out, ident, size, earlier.sizes.get(ident) if earlier else None)
                for ident, size in (measured.sizes if measured else {}).items()
            ]
        if not presentations and question.choices.agent:
            raise PartProblem(f"there is no agent `{question.choices.agent}`")
        sizes.sort(key=lambda each: (-each.now, each.ident, each.package))
        return Surface(tuple(presentations), tuple(sizes), before is not None, why_not, self._why_not)

    def _measure(
        self, out: str, package: Package, question: Question, known: Mapping[tuple[object, ...], _Measured]
    ) -> _Measured | None:
        """Measure a package; None if it is not there, or lacks the agent."""
        if package is NOTHING:
            return None
        is_own = package.places is not None  # modules of a package that was read are not imported
        sources = package.sources(()) if is_own else {}
        modules = {path: text for path, text in sources.items() if path.startswith(_CATALOGS)}
        settings = (question.config.tool_use, question.choices)
        key = (out, package.text, *modules.items(), repr(settings))
        if key in known:
            self._known[key] = known[key]
            return known[key]
        with loaded(package.text.decode(), modules) as catalog:
            agent = question.choices.agent
            if agent and agent not in catalog.section("agents"):
                return None
            is_whole = is_own or not catalog.section("catalogs")
            self._known[key] = measured = self._measured(out, catalog, question, is_whole=is_whole)
        return measured

    def _measured(self, out: str, catalog: Catalog, question: Question, *, is_whole: bool) -> _Measured:
        """Measure a catalog. One that is not whole lacks the modules of its action catalogs."""
        config, choices = question.config.tool_use, question.choices
        chosen: dict[PresentationName, None] = dict.fromkeys(presentations_in(catalog, config).values())
        shown: list[PresentationName] = [each for each in chosen if is_whole or each != _OF_ACTIONS]
        found = costs(out, catalog, config, choices.agent, [choices.provider], self._count, shown)
        provider = provider_of(choices.provider)
        run = idle_runtime(catalog).start_run(choices.agent)
        sizes = {
            tool.ident: sum(len(compact_json(value).encode()) for value in provider.tools([tool]).fields.values())
            for tool in ToolUse(catalog, config, searches=False).candidates(run, choices.provider).flat.tools
        }
        return _Measured({cost.presentation: cost for cost in found}, sizes)
