"""A project, a home and a folder outside both, and calls of the handlers of `code` in them."""

from __future__ import annotations

import asyncio
import json
import shutil
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import ToolCallMeta
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.paths import PathPolicy
from toolgen.toolsets.code import CodeTools
from toolgen.toolsets.generated.tools import code

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2"

needs_ripgrep = pytest.mark.skipif(
    shutil.which("rg") is None, reason="ripgrep is not installed (apt-get install ripgrep)"
)


class World:
    """The folders `project`, `home` and `outside`, with the files named in the tables of the tests."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.project = top / "project"
        self.home = top / "home"
        self.outside = top / "outside"
        self.temporary = top / "temporary"
        for folder in (self.project, self.home, self.outside, self.temporary):
            folder.mkdir()
        self.granted: list[str] = []
        self.tools = self.tools_with()

    def tools_with(self, *, policy: PathPolicy | None = None, **options: Any) -> CodeTools:
        return CodeTools(self.project, policy=policy or self.policy(), granted=lambda _meta: self.granted, **options)

    def policy(self, **options: Any) -> PathPolicy:
        return PathPolicy(self.project, **{"home": self.home, "temporary": (self.temporary,), **options})

    def put(self, path: str, content: str | bytes = "") -> Path:
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def call(self, tool: str, /, *, tools: CodeTools | None = None, session: str | None = None, **args: Any) -> Any:
        """Call a handler with JSON args; return the typed result. Raises the exceptions of the handler."""
        handlers = tools or self.tools
        typed = code.codecs.args(getattr(code, tool.upper())).decode(json.dumps(args))
        given = getattr(handlers, tool)(typed, ToolCallMeta(session_id=session))

        async def awaited() -> Any:
            return await given

        result = asyncio.run(awaited()) if isawaitable(given) else given
        return code.codecs.result(getattr(code, tool.upper())).decode(json.dumps(result))

    def failure(self, tool: str, /, **args: Any) -> CallFailed:
        """Call a handler that must fail and return the failure."""
        with pytest.raises(CallFailed) as caught:
            self.call(tool, **args)
        return caught.value

    def code(self, tool: str, /, **args: Any) -> str:
        return self.failure(tool, **args).code

    def contents(self, *folders: Path) -> dict[str, bytes | str]:
        """Return the content of folders: of files the content, of links the target."""
        return {
            str(path): str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else "other"
            for folder in folders
            for path in sorted(folder.rglob("*"))
        }
