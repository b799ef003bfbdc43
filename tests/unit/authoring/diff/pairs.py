"""Pairs of `tests/cases/diff`: two versions of specs, and every rule that `toolgen diff` reports between them.

A file has pairs of one kind (`in`): the keys of one tool `find` (`tool`), the keys of a toolset (`toolset`), or whole
spec files by name (`files`). All tools and toolsets are compiled together, each pair as a toolset of its own, so that
hundreds of pairs take seconds; pairs of files are projects of their own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.case import CASES, PAIRS
from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.sides import working_tree
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import Config
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from toolgen.authoring.diff.compare import Located, Report


@dataclass(frozen=True)
class Pair:
    """One pair. `expected` are the codes of all changes, each once, sorted."""

    file: str
    number: int
    name: str
    kind: str
    before: Mapping[str, Any] = field(hash=False)
    after: Mapping[str, Any] = field(hash=False)
    expected: tuple[str, ...]

    @property
    def toolset(self) -> str:
        """The toolset that the pair is compiled as, where it is no project."""
        server = self.before.get("kind") == "mcp"
        return f"mcp.{self.file}_{self.number}" if server else f"{self.file}.p{self.number}"

    def specs(self, side: Mapping[str, Any]) -> dict[str, Any]:
        """Return the spec files of one side, by name."""
        if self.kind == "files":
            return {f"{name}.yaml": {"toolgen": 1, **spec} for name, spec in side.items()}
        head = {"toolgen": 1, "toolset": self.toolset}
        if self.kind == "toolset":
            tools = {key: tool(keys) for key, keys in side.get("tools", {"find": {}}).items()}
            return {f"{self.toolset}.yaml": {**head, **side, "tools": tools}}
        return {f"{self.toolset}.yaml": {**head, "tools": {"find": tool(side)}}}


def tool(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": "Find things.", "permission": "readonly", **keys}


def all_pairs() -> list[Pair]:
    """Return the pairs of all files, in their order."""
    found: list[Pair] = []
    for path in sorted((CASES / PAIRS).glob("*.yaml")):
        node = parse(path.read_text(encoding="utf-8"), path.name, Diagnostics())
        assert node is not None, path
        content = node.to_data()
        for number, each in enumerate(content["pairs"], 1):
            expected = tuple(sorted(each["expect"].split()))
            found.append(Pair(path.stem, number, each["pair"], content["in"], each["before"], each["after"], expected))
    return found


def compare_folders(before: Path, after: Path) -> Report:
    """Compare two projects."""
    return compare_sides(working_tree(Config(before)), working_tree(Config(after)))


def write_specs(folder: Path, specs: Mapping[str, Any]) -> None:
    (folder / "specs").mkdir(parents=True, exist_ok=True)
    for name, spec in specs.items():
        (folder / "specs" / name).write_text(json.dumps(spec, indent=1), encoding="utf-8")


def compare_pairs(pairs: Iterable[Pair], folder: Path) -> dict[Pair, Sequence[Located]]:
    """Return the changes of each pair."""
    found: dict[Pair, Sequence[Located]] = {}
    together: dict[str, Pair] = {}
    for pair in pairs:
        for side, specs in (("before", pair.before), ("after", pair.after)):
            place = folder / (f"{pair.file}_{pair.number}" if pair.kind == "files" else "together") / side
            write_specs(place, pair.specs(specs))
        if pair.kind == "files":
            place = folder / f"{pair.file}_{pair.number}"
            found[pair] = compare_folders(place / "before", place / "after").changes
        else:
            together[pair.toolset] = pair
    if together:
        place = folder / "together"
        by_toolset: dict[str, list[Located]] = {name: [] for name in together}
        for each in compare_folders(place / "before", place / "after").changes:
            name = _toolset(each, together)
            assert name in by_toolset, each
            by_toolset[name].append(each)
        found |= {pair: by_toolset[name] for name, pair in together.items()}
    return found


def _toolset(located: Located, known: Iterable[str]) -> str:
    section, name = (located.change.after_path or located.change.before_path or ("", ""))[:2]
    return name.rpartition(".")[0] if section == "tools" and name not in known else name
