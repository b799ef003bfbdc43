"""Editing: how long an editor waits after a keystroke in a project of many tools, and `toolgen dev` after a save.

Compared with yaml-language-server and the schema of `toolgen schema`, which knows the keys and none of the names.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from benchmarks.processes import report_of, summary
from benchmarks.projects import build
from benchmarks.tools import SMALL, make_toolsets
from tests.programs.installed import environment, program
from tests.unit.authoring.language_client import Client, language_client
from toolgen.authoring.editor_schema import spec_json_schema

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from benchmarks.projects import Projects
    from benchmarks.scale import Scale

PACES: Final = {"typing": 0.12, "after a pause": 0.7}
"""Seconds between keystrokes. After a pause the whole project is being checked when the next key is pressed."""

_SAVES: Final = 7
WRITTEN: Final = "which the workspace shows to its members"


def measure(scale: Scale, projects: Projects) -> list[dict[str, Any]]:
    return [_measure(projects, tools, scale.keystrokes) for tools in scale.edited]


def _measure(projects: Projects, tools: int, keystrokes: int) -> dict[str, Any]:
    project = projects.new(make_toolsets(tools, min(20, tools), SMALL))
    build(project)
    servers: dict[str, AbstractAsyncContextManager[Client]] = {
        "toolgen lsp": language_client(project, sys.executable, "-m", "toolgen", "lsp")
    }
    if program("yaml-language-server").exists():
        servers["yaml-language-server"] = _yaml_language_server(project)
    found = {name: asyncio.run(_typed(server, project, keystrokes)) for name, server in servers.items()}
    return {"tools": tools, "keystrokes": keystrokes, "milliseconds": found, "dev_seconds": _dev(project)}


def _dev(project: Path) -> dict[str, Any]:
    """Return the seconds from a save until each part of `toolgen dev` is of the saved version."""
    git = shutil.which("git") or "git"
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"]):
        subprocess.run([git, *command], cwd=project, check=True)
    found = report_of(project, "-P", "-m", "benchmarks.measured.dev", str(_SAVES))
    return {part: summary(seconds, 2) for part, seconds in found.items()}


def _yaml_language_server(project: Path) -> AbstractAsyncContextManager[Client]:
    schema = project / "toolgen.schema.json"
    schema.write_text(json.dumps(spec_json_schema()), encoding="utf-8")
    settings = {
        "schemas": {schema.as_uri(): "*"},
        "schemaStore": {"enable": False},
        **dict.fromkeys(("validate", "completion", "hover"), True),
    }
    command = (str(program("yaml-language-server")), "--stdio")
    return language_client(project, *command, settings={"yaml": settings}, environment=environment())


async def _typed(server: AbstractAsyncContextManager[Client], project: Path, keystrokes: int) -> dict[str, Any]:
    """Write words into the description of a tool in the middle of a file."""
    async with server as client:
        spec = min(path.relative_to(project).as_posix() for path in (project / "specs").iterdir())
        text = (project / spec).read_text(encoding="utf-8")
        lines = text.split("\n")
        line = next(at for at in range(len(lines) // 2, 0, -1) if lines[at].lstrip().startswith("description: "))
        await client.diagnostics(spec, text)
        await asyncio.sleep(5)  # the first check of the project ends
        return {
            pace: await _paced(client, spec, line, lines[line], seconds, keystrokes) for pace, seconds in PACES.items()
        }


async def _paced(client: Client, spec: str, line: int, written: str, pause: float, keystrokes: int) -> dict[str, Any]:
    completions, diagnostics = [], []
    for stroke in range(keystrokes):
        await asyncio.sleep(pause)
        start = time.perf_counter()
        at = client.type(spec, line, len(written), WRITTEN[stroke % len(WRITTEN)])
        written += "x"
        checked = asyncio.ensure_future(_until_checked(client, spec, start))
        await client.client.text_document_completion_async(types.CompletionParams(at.text_document, at.position))
        completions.append((time.perf_counter() - start) * 1000)
        diagnostics.append(await checked)
    return {"completion": summary(completions, 1), "diagnostics": summary(diagnostics, 1)}


async def _until_checked(client: Client, spec: str, start: float) -> float:
    await client.diagnostics(spec)
    return (time.perf_counter() - start) * 1000
