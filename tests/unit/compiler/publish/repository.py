"""A git repository with a project of many tools in one toolset, and the effects of commits on its package."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgen.compiler.build import BuiltTarget, CheckedTarget, build_target, check_target
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import load_config

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ATTRIBUTES = "/generated/** linguist-generated -text\n/generated/toolgen.lock merge=union\n"
"""The git attributes that `toolgen init` writes."""

TOOL = """\
  {name}:
    description: Does what {name} does.
    permission: readonly
    args:
      key: {{type: string, description: Which one.}}
      limit?: {{type: integer, default: 10, minimum: 1}}
    result:
      found: integer
"""


def tool(number: int) -> str:
    """Return the name of one of the tools."""
    return f"tool_{number:03}"


@dataclass(frozen=True)
class Repository:
    """A repository whose tree is a project; its one toolset is `shop.many`, in `specs/many.yaml`."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, tools: int, attributes: str = ATTRIBUTES) -> Repository:
        """Create a repository with one commit of the specs and their package."""
        made = cls(folder)
        made.git("init", "--quiet", "--initial-branch=main")
        (folder / ".gitattributes").write_text(attributes, encoding="utf-8")
        (folder / "specs").mkdir()
        head = "toolgen: 1\ntoolset: shop.many\ndescription: Many tools.\ntools:\n"
        made.spec.write_text(head + "".join(TOOL.format(name=tool(number)) for number in range(tools)), "utf-8")
        made.commit()
        return made

    @property
    def spec(self) -> Path:
        return self.folder / "specs" / "many.yaml"

    @property
    def package(self) -> Path:
        return self.folder / "generated"

    def git(self, *arguments: str, fine: bool = True) -> str:
        """Run git with a dummy identity and return its output."""
        nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        who = {
            f"GIT_{role}_{key}": "toolgen@example.com" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env={**os.environ, **nobody, **who}, capture_output=True, text=True
        )
        assert done.returncode == 0 or not fine, done.stdout + done.stderr
        return done.stdout

    def built(self, *, force: bool = False) -> tuple[BuiltTarget, list[str]]:
        """Build the package and return the diagnostics."""
        config, sink = load_config(self.folder), Diagnostics()
        made = build_target(config, config.targets[0], sink, force=force)
        return made, [f"{found.code} {found.message}" for found in sink]

    def checked(self) -> CheckedTarget:
        """Compare the package with the specs."""
        config = load_config(self.folder)
        return check_target(config, config.targets[0], Diagnostics())

    def replace(self, old: str, new: str) -> None:
        """Replace one part of the spec."""
        text = self.spec.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        self.spec.write_text(text.replace(old, new), encoding="utf-8")

    def commit(self) -> None:
        """Build, and commit everything."""
        made, reported = self.built()
        assert made.published, reported
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=change")

    def changed_lines(self) -> dict[str, int]:
        """Return the number of lines that the last commit added and removed in the package, by path."""
        rows = [line.split("\t") for line in self.git("diff", "--numstat", "HEAD^", "--", "generated").splitlines()]
        return {path.removeprefix("generated/"): int(added) + int(removed) for added, removed, path in rows}

    @contextmanager
    def branch(self, name: str) -> Iterator[None]:
        """Commit the changes made in the block on a new branch from `main`."""
        self.git("checkout", "--quiet", "-b", name, "main")
        yield
        self.commit()
        self.git("checkout", "--quiet", "main")

    def merge(self, *names: str) -> list[str]:
        """Merge branches into the current one and return the conflicting paths of the last merge."""
        for name in names:
            self.git("merge", "--quiet", "--no-edit", name, fine=False)
        return self.git("diff", "--name-only", "--diff-filter=U").splitlines()

    def files(self) -> Mapping[str, bytes]:
        """Return the package without derived data."""
        paths = (path for path in self.package.rglob("*") if path.is_file() and path.parent.name != "_derived")
        return {path.relative_to(self.package).as_posix(): path.read_bytes() for path in paths}
