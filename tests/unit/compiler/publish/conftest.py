"""A project with an output folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.publish.apply import Disk
from toolgen.compiler.publish.inputs import Inputs
from toolgen.compiler.publish.publish import Package, publish, recover
from toolgen.compiler.publish.tree import LOCK, Tree
from toolgen.spec.derived import DERIVED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from toolgen.compiler.publish.publish import Published

INPUTS = Inputs(specs={"specs/a.yaml": "0" * 64}, generator="1" * 64, formatter="0.1.0", config="2" * 64)


@dataclass
class Project:
    """A project with one output folder; diagnostics are collected in `sink`."""

    root: Path
    name: str = "generated"
    inputs: Inputs = INPUTS
    owners: Mapping[str, str] = field(default_factory=dict[str, str])
    disk: Disk = field(default_factory=Disk)
    sink: Diagnostics = field(default_factory=Diagnostics)

    @property
    def tree(self) -> Tree:
        return Tree(self.root, self.name)

    @property
    def out(self) -> Path:
        return self.root / self.name

    @property
    def messages(self) -> list[str]:
        return [f"{found.code} {found.message}" for found in self.sink]

    def publish(self, files: Mapping[str, str], *, force: bool = False, disk: Disk | None = None) -> Published | None:
        content = {path: text.encode() for path, text in files.items()}
        package = Package(content, self.inputs, self.owners)
        return publish(self.tree, package, force=force, sink=self.sink, disk=disk or self.disk)

    def recover(self, *, force: bool = False, disk: Disk | None = None) -> bool:
        return recover(self.tree, force=force, sink=self.sink, disk=disk or self.disk)

    def write(self, path: str, text: str) -> None:
        """Change a file of the package by hand."""
        place = self.out / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def content(self) -> dict[str, str]:
        """Return every file of the package including the notes of publishing, without lock and derived data."""
        files = (path for path in self.out.rglob("*") if path.is_file() and path.parent.name != DERIVED)
        found = {path.relative_to(self.out).as_posix(): path.read_text() for path in files}
        found.pop(LOCK, None)
        return found

    def folders(self) -> list[str]:
        found = (path for path in self.out.rglob("*") if path.is_dir() and path.name != DERIVED)
        return sorted(path.relative_to(self.out).as_posix() for path in found)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
