"""A project on disk, surrounded by files that no build may touch or show."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.hostile.building import shown, spec_texts, toolset
from toolgen.compiler.build import build_target
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import ConfigError, load_config

if TYPE_CHECKING:
    from collections.abc import Mapping

PRIVATE: Final = "not to be shown"


@dataclass(frozen=True)
class Project:
    """The folder `project`, beside foreign files that contain a secret and could be read as specs."""

    outside: Path

    @property
    def root(self) -> Path:
        return self.outside / "project"

    @property
    def out(self) -> Path:
        return self.root / "generated"

    @property
    def foreign(self) -> Path:
        """A folder with a spec file and another file, both secret."""
        return self.outside / "foreign"

    def prepare(self) -> Project:
        (self.root / "specs").mkdir(parents=True)
        self.foreign.mkdir()
        secret = toolset("foreign", {"description": PRIVATE}, types={"Secret": {"type": "object", "title": PRIVATE}})
        for path, text in spec_texts({"secret.json": secret}).items():
            (self.foreign / path).write_text(text, encoding="utf-8")
        (self.foreign / "password.yaml").write_text(f"root: {PRIVATE}: 1\n", encoding="utf-8")
        return self

    def write(self, files: Mapping[str, Any]) -> None:
        """Write spec files: texts by path below the folder of specs, or data that is written as JSON."""
        for path, text in spec_texts(files).items():
            place = self.root / "specs" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")

    def build(self) -> str:
        """Build and return the messages.

        Asserts that nothing outside the output folder and the cache changes, and no secret is shown.
        """
        before = self.surroundings()
        output = self._build()
        assert self.surroundings() == before
        assert PRIVATE not in output
        assert all(PRIVATE.encode() not in content for content in self.package().values())
        return output

    def _build(self) -> str:
        sink = Diagnostics()
        sources: dict[str, str] = {}
        try:
            config = load_config(self.root)
        except ConfigError as error:
            for diagnostic in error.diagnostics:
                sink.add(diagnostic)
        else:
            for target in config.targets:
                sources.update(build_target(config, target, sink).sources)
        return shown(sink, sources)

    def package(self) -> dict[str, bytes]:
        """Return the files in the output folder by path, without links and the lock, which names the specs."""
        if self.out.is_symlink():
            return {}
        return {
            place.relative_to(self.out).as_posix(): place.read_bytes()
            for place in sorted(self.out.rglob("*"))
            if place.is_file() and not place.is_symlink() and place.name != "toolgen.lock"
        }

    def surroundings(self) -> dict[Path, bytes]:
        """Return everything outside the output folder: files with content, links with targets, and folders.

        A folder `.toolgen` of the project, with the cache, may be written.
        """
        own = {self.out, self.root / ".toolgen"}
        found: dict[Path, bytes] = {}
        for folder, folders, files in os.walk(self.outside):
            if Path(folder) in own and not Path(folder).is_symlink():
                folders.clear()
                continue
            found.update({place: _content(place) for place in (Path(folder, name) for name in (*folders, *files))})
        return {place: content for place, content in found.items() if place not in own or place.is_symlink()}


def _content(place: Path) -> bytes:
    if place.is_symlink():
        return os.fsencode(place.readlink())
    return b"a folder" if place.is_dir() else place.read_bytes()
