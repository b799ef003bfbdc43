"""A project with some programs and a really compiled toolset of commands."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import write
from tests.unit.compiler.specs import resolved
from toolgen.compiler.compile import generate
from toolgen.contract.records import ToolRequest
from toolgen.execute.command import CommandHost, command_executor
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.policy.paths import PathPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.contract.records import ToolError, ToolResult

PROGRAMS = {
    # the number of arguments, and the first of them unchanged
    "show": """printf '%s\\n%s' "$#" "$1" """,
    "show_all": """for argument in "$@"; do printf '[%s]' "$argument"; done""",
    "where": "pwd",
    "environment": "env",
    "echo_stdin": "cat",
    "say": """printf '%s' "$1" """,
    "fail": """echo "cannot open $PWD/a.txt" >&2; echo 'it is locked; token=abcdefgh12345678' >&2; exit "$1" """,
    "crash": "kill -SEGV $$",
    "print": """head -c "$1" /dev/zero | tr '\\0' x""",
    "log": """echo 'looking' >&2; echo 'found' """,
    "wait": "sleep 60",
    "leak": """echo "no login as bob with $1" >&2; head -c 1000 /dev/zero | tr '\\0' "$1"; echo "$1"; exit "$2" """,
}

SPEC = """
toolgen: 1
toolset: local
kind: command
types:
  Place: {type: string, default: .env}
  Somewhere: {$ref: "#/types/Place"}
  AtPlace: {type: object, properties: {path: {type: string, default: .env}}}
tools:
  read_inline: {description: x, permission: readonly, access: {read: path}, result: string,
    args: {path: {type: string, default: .env}}, command: {exec: [./show, "{{args.path}}"]}}
  read_named: {description: x, permission: readonly, access: {read: path}, result: string,
    args: {"path?": Place}, command: {exec: [./show, "{{args.path}}"]}}
  read_renamed: {description: x, permission: readonly, access: {read: path}, result: string,
    args: {"path?": Somewhere}, command: {exec: [./show, "{{args.path}}"]}}
  read_whole: {description: x, permission: readonly, access: {read: path}, result: string,
    args: {type: object, properties: {path: {type: string}}, allOf: [{$ref: "#/types/AtPlace"}]},
    confirm: "Read {{args.path}}?", command: {exec: [./show, "{{args.path}}"]}}
  show: {description: x, permission: readonly, args: {value: string}, result: string,
    command: {exec: [./show, "{{args.value}}"]}}
  show_in_shell: {description: x, args: {value: string}, result: string,
    command: {shell: "./show {{args.value}}"}}
  show_around: {description: x, args: {value: string}, result: string,
    command: {exec: [./show, "--value={{args.value}}, twice {{args.value}}"]}}
  show_around_in_shell: {description: x, args: {value: string}, result: string,
    command: {shell: "./show --value={{args.value}}', twice '{{args.value}}"}}
  options: {description: x, result: string,
    args: {pattern: string, "glob?": string, "max?": integer, "deep?": boolean, "ratio?": number,
      size: {type: integer, default: 7}},
    command: {exec: [./show_all, [--glob, "{{args.glob}}"], ["--max={{args.max}}"], ["{{args.deep}}", "{{args.max}}"],
      "--ratio={{args.ratio}}", ["--size={{args.size}}"], --, "{{args.pattern}}"]}}
  options_in_shell: {description: x, args: {a: string, "b?": string, size: {type: integer, default: 7}}, result: string,
    command: {shell: "./show_all {{args.a}} {{args.b}} {{args.size}} $#"}}
  backticks: {description: x, args: {value: string}, result: string,
    command: {shell: "./show_all `printf '<%s>' {{args.value}}` # {{args.value}}"}}
  where: {description: x, result: string, command: {exec: [../where], cwd: inside}}
  environment: {description: x, args: {"env?": object}, result: string, command: {exec: [./environment], env: [MODE]}}
  echo: {description: x, args: {"a?": any, "b?": any}, command: {exec: [./echo_stdin]}}
  say: {description: x, args: {text: string}, command: {exec: [./say, "{{args.text}}"]}}
  say_lines: {description: x, args: {text: string}, result: {lines: integer},
    command: {exec: [./say, "{{args.text}}"]}}
  say_success: {description: x, args: {text: string}, result: {success: boolean},
    command: {exec: [./say, "{{args.text}}"]}}
  fail: {description: x, args: {code: integer}, result: string, command: {exec: [./fail, "{{args.code}}"]}}
  crash: {description: x, result: string, command: {exec: [./crash]}}
  print: {description: x, args: {bytes: integer}, result: string, command: {exec: [./print, "{{args.bytes}}"]},
    limits: {result_bytes: 1000}}
  print_json: {description: x, args: {text: string}, command: {exec: [./say, "{{args.text}}"]},
    limits: {result_bytes: 20}}
  log: {description: x, result: string, command: {exec: [./log]}}
  wait: {description: x, result: string, command: {exec: [./wait]}, limits: {timeout_ms: 100}}
  leak: {description: x, args: {word: {type: string, format: password}, code: integer}, result: string,
    command: {exec: [./leak, "{{args.word}}", "{{args.code}}"]}, limits: {result_bytes: 40}}
  wait_long: {description: x, result: string, command: {exec: [./wait]}}
  wait_in_shell: {description: x, result: string, command: {shell: "sleep 60 & sleep 60"}, limits: {timeout_ms: 5000}}
  missing: {description: x, result: string, command: {exec: [no-such-program]}}
  missing_folder: {description: x, result: string, command: {exec: [./where], cwd: not-there}}
"""


@dataclass(frozen=True, kw_only=True)
class Project:
    """A project folder, the host of its commands, and the package with its toolset."""

    folder: Path
    host: CommandHost
    package: str
    shared: Runtime | None = None
    """What makes the calls, if they share one; else each has its own."""

    def runtime(self, **changes: Any) -> Runtime:
        host = replace(self.host, **changes)
        catalog = load(self.package)
        return Runtime(catalog, permission=allow_all, executors=[command_executor(catalog, "local", host)])

    def invoke(self, tool: str, args: Any = None, **changes: Any) -> ToolResult[Any]:
        runtime = self.shared if self.shared and not changes else self.runtime(**changes)
        request = ToolRequest(name=f"local.{tool}", payload=json.dumps(args or {}))
        return asyncio.run(runtime.invoke(request))

    def value(self, tool: str, args: Any = None, **changes: Any) -> Any:
        result = self.invoke(tool, args, **changes)
        assert result.error is None, result.error
        return result.value

    def error(self, tool: str, args: Any = None, **changes: Any) -> ToolError:
        result = self.invoke(tool, args, **changes)
        assert result.error is not None, result.value
        return result.error


@pytest.fixture(scope="session")
def commands_package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("commands")
    found = resolved(SPEC)
    assert not found.has_errors, found.messages
    write(folder / "compiled_commands", generate(found.catalog))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield "compiled_commands"
    sys.path.remove(str(folder))


@pytest.fixture
def project(tmp_path: Path, commands_package: str) -> Project:
    return project_in(tmp_path, commands_package)


def project_in(tmp_path: Path, package: str) -> Project:
    folder = tmp_path / "project"
    (folder / "inside").mkdir(parents=True)
    for name, body in PROGRAMS.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "SECRET_TOKEN": "s", "MODE": "fast", "LANG": "C"}
    return Project(
        folder=folder,
        host=CommandHost(paths=PathPolicy(folder, home=tmp_path), environment=environment),
        package=package,
    )
