"""What rules look at: a compiled target with the documents that it came from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.authoring.lint.view.parts import parts_of
from toolgen.authoring.lint.view.places import Place
from toolgen.compiler.project.listing import BUILTIN_PREFIX
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolgen.authoring.lint.view.parts import Part
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.ir.catalog import ActionCatalog, Agent, Catalog, Policy, Tool, Toolset
    from toolgen.compiler.project.config import Config, Target

T = TypeVar("T")

READING: Final = frozenset(
    ["get", "list", "read", "search", "find", "show", "view", "describe", "lookup", "query", "count", "fetch"]
)
"""Words that names of tools start with that only read."""


def first_word(name: str) -> str:
    """Return the first word of a name, in lower case."""
    return next(iter(words(name)), "").lower()


@dataclass(frozen=True)
class LintedTool:
    """One tool, with its place, and the parts of its schemas."""

    project: Project
    toolset: Toolset
    tool: Tool
    place: Place

    @property
    def key(self) -> Place:
        """The place of its name."""
        return self.place.of_key

    @cached_property
    def args(self) -> list[Part]:
        """All parts of its args."""
        return parts_of(self.tool.args.json, self.place / "args", self.project.by_path)

    @cached_property
    def result(self) -> list[Part]:
        """All parts of its result."""
        return parts_of(self.tool.result.json, self.place / "result", self.project.by_path)

    @property
    def parameters(self) -> list[Part]:
        """Its args: the named parts at the root."""
        return [part for part in self.args if part.depth == 1 and part.name]

    @property
    def is_write(self) -> bool:
        """Whether it may change anything."""
        return self.tool.permission.value == "write"

    @property
    def changes_things(self) -> bool:
        """Whether it is a write tool that is meant to be one: by its spec, or its name is not one that only reads."""
        return self.is_write and (self.sets("permission") or first_word(self.tool.key) not in READING)

    def sets(self, key: str) -> bool:
        """Whether the tool, or the defaults of its file, set a key."""
        return (self.place / key).exists or Place(self.place.document, ("defaults", key)).exists


class Project:
    """A compiled target. `tools` are those of the project's own files, by ident; the catalog has built-in ones too."""

    def __init__(self, config: Config, target: Target, catalog: Catalog, documents: Sequence[Document[Any]]) -> None:
        self.config = config
        self.target = target
        self.catalog = catalog
        self.documents = [each for each in documents if not each.path.startswith(BUILTIN_PREFIX)]
        self.by_path = {document.path: document for document in documents}
        self._computed: dict[Callable[[Project], Any], Any] = {}

    def once(self, compute: Callable[[Project], T]) -> T:
        """Return what a function computes from this project; it is called once, and several rules share the outcome."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        found: T = self._computed[compute]
        return found

    @cached_property
    def tools(self) -> list[LintedTool]:
        """The tools of the project's own files."""
        found: list[LintedTool] = []
        for toolset in self.toolsets:
            document = self.by_path[toolset.span.file]
            found += [LintedTool(self, toolset, tool, Place(document, ("tools", tool.key))) for tool in toolset.tools]
        return sorted(found, key=lambda each: each.tool.ident)

    @property
    def toolsets(self) -> list[Toolset]:
        """The toolsets of the project's own files."""
        return [each for each in self.catalog.toolsets if not each.span.file.startswith(BUILTIN_PREFIX)]

    def place(self, record: Toolset | Agent | Policy | ActionCatalog, *path: str | int) -> Place:
        """Return a place in the file of a toolset, an agent, a policy or an action catalog."""
        return Place(self.by_path[record.span.file], path)

    def threshold(self, code: str) -> float:
        """Return the threshold of a rule: as configured, or its default."""
        return self.config.lint.threshold(code)
