"""A scratch git repository with a project in it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any, Final

from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.cli.command_line import Finished

ORDERS: Final = """\
toolgen: 1
toolset: shop.orders
tools:
  find:
    description: Find orders.
    permission: readonly
    args:
      customer: string
      limit: {type: integer, maximum: 50, default: 10}
      token?: {type: string, writeOnly: true}
    result: [{id: string}]
"""
"""A spec. Tests change it by replacing text."""


def git(folder: Path, *arguments: str) -> str:
    identity = {f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=own, capture_output=True, text=True, check=True)
    return done.stdout


class Project:
    """A project in a repository on branch `main`, with one commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write(ORDERS)
        git(folder, "init", "--quiet", "--initial-branch=main")
        self.commit()

    def write(self, text: str, name: str = "specs/orders.yaml") -> None:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def edit(self, *replacements: tuple[str, str]) -> None:
        """Write the spec with texts replaced."""
        text = ORDERS
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new)
        self.write(text)

    def commit(self) -> str:
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--message=x")
        return git(self.folder, "rev-parse", "HEAD").strip()

    def diff(self, *arguments: str, stdin: str = "") -> Finished:
        return toolgen(self.folder, "diff", *arguments, stdin=stdin)

    def codes(self, *arguments: str) -> list[str]:
        report: Any = self.diff(*arguments, "--format", "json").json
        return [each["code"] for each in report["changes"]]
