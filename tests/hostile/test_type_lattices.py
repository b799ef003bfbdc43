"""Types that many paths lead to: a small spec, whose types would be as many as its paths if each were written out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.providers.table import PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LEVELS = 40
SECONDS = 60
"""Seconds of processor time, for commands that take five. What follows each path takes years."""

REFERENCES: dict[str, Callable[[str], Any]] = {
    "fields": lambda name: {"a": name, "b": name},
    "optional fields": lambda name: {"a?": name, "b?": name},
    "lists": lambda name: {"a": [name], "b": [name]},
    "maps": lambda name: {key: {"type": "object", "additionalProperties": ref(name)} for key in "ab"},
    "nullable fields": lambda name: {key: {"anyOf": [ref(name), {"type": "null"}]} for key in "ab"},
    "unions": lambda name: {key: {"anyOf": [ref(name), {"type": "integer"}]} for key in "ab"},
}

CALLS = """
import asyncio
from generated.tools import shop
from toolgen.runtime import Runtime, ToolRequest, allow_all, load

class Shop:
    def get(self, args, meta, /):
        return args.q

async def main():
    runtime = Runtime(load("generated"), executors=[shop.executor(Shop())], permission=allow_all)
    for payload in ('{"z":1}', '{"q":1}', '{"q":{"a":1,"a":1}}', '{"q":{"a":{"a":{}}}}'):
        result = await runtime.invoke(ToolRequest(name="shop.get", payload=payload))
        print("ok" if result.error is None else result.error.code)

asyncio.run(main())
"""


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/types/{name}"}


def spec(step: Callable[[str], Any], leaf: str) -> str:
    types = {f"T{level}": step(f"T{level + 1}") for level in range(LEVELS)}
    tool = {"description": "Gets.", "permission": "readonly", "args": {"q?": "T0", "z?": "integer"}, "result": "any"}
    return json.dumps({
        "toolgen": 1, "toolset": "shop", "types": {**types, f"T{LEVELS}": {"x": leaf}}, "tools": {"get": tool},
    })  # fmt: skip


COMMANDS = """
import json, sys
from toolgen.cli import main

for command in json.loads(sys.argv[1]):
    sys.argv[1:] = command
    try:
        main()
    except SystemExit as ended:
        print(ended.code or 0)
"""


def bounded(folder: Path, code: str, *arguments: str) -> list[str]:
    """Return what code prints, run in a process that ends when it has had its time of the processor."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))\n"
    command = [sys.executable, "-c", limit + code, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("step", REFERENCES.values(), ids=REFERENCES)
def test_types_that_many_paths_lead_to_are_built_called_and_shown(step: Callable[[str], Any], tmp_path: Path) -> None:
    for folder, leaf in (("old", "string"), ("new", "integer")):
        (tmp_path / folder / "specs").mkdir(parents=True)
        (tmp_path / folder / "toolgen.toml").write_text("")
        (tmp_path / folder / "specs" / "shop.json").write_text(spec(step, leaf))
    exports = [["export", name] for name in PROVIDERS]
    commands = [["build"], ["lint"], ["docs", "-o", "site"], ["diff", "--against", str(tmp_path / "old")], *exports]
    ended = [line for line in bounded(tmp_path / "new", COMMANDS, json.dumps(commands)) if line in {"0", "1", "2"}]
    assert len(ended) == len(commands)
    assert "2" not in ended  # found something, or refused by the limits of a strict mode, and not failed
    assert bounded(tmp_path / "new", CALLS)[:3] == ["ok", "validation_error", "validation_error"]
