"""run_command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import FailureKind
from toolgen.execute.processes import MARK
from toolgen.runtime.policy.policy import Policies

if TYPE_CHECKING:
    from tests.unit.toolsets.code.world import World


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_reg_50_a_program_runs_in_the_project(world: World) -> None:
    code = "import os, sys; print(os.getcwd()); print('log', file=sys.stderr); sys.exit(3)"
    result = world.call("run_command", argv=python(code))
    assert (result.exit_code, result.stdout, result.stderr) == (3, f"{world.project}\n", "log\n")
    assert result.truncated is False


def test_reg_50_cwd_must_be_a_folder_inside_the_roots(world: World) -> None:
    (world.project / "sub").mkdir()
    code = "import os; print(os.getcwd())"
    assert world.call("run_command", argv=python(code), cwd="sub").stdout == f"{world.project}/sub\n"
    assert world.code("run_command", argv=python(code), cwd="../outside") == "outside_roots"
    world.granted.append(str(world.outside))
    assert world.code("run_command", argv=python(code), cwd="../outside") == "outside_roots", "no grant overrides this"


@pytest.mark.parametrize("argument", ['a; rm -rf / "x y"', "$(id)", "`id`", "*", "-rf", "a\nb", "", "ü", "{{args.x}}"])
def test_reg_50_arguments_are_not_interpreted_by_a_shell(world: World, argument: str) -> None:
    code = "import sys; sys.stdout.buffer.write(ascii(sys.argv[1:]).encode())"
    assert world.call("run_command", argv=[*python(code), argument]).stdout == ascii([argument])


def test_reg_50_the_host_and_policies_choose_the_environment(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    monkeypatch.setenv("TMPDIR", "/somewhere")
    code = f"import os; print(sorted(set(os.environ) - {{'LC_CTYPE', 'PWD', 'SHLVL', '_', '{MARK}'}}))"
    assert (
        world.call("run_command", argv=python(code), tools=world.tools_with()).stdout == "['HOME', 'PATH', 'TMPDIR']\n"
    )
    tools = world.tools_with(environment={"PATH": "/usr/bin:/bin", "MINE": "1", "OTHER": "2"})
    assert world.call("run_command", argv=python(code), tools=tools).stdout == "['PATH']\n"
    tools = tools.under(Policies({"p": {"env": ["PATH", "MINE"]}}))
    assert world.call("run_command", argv=python(code), tools=tools).stdout == "['MINE', 'PATH']\n"


@pytest.mark.parametrize(
    ("asked", "most", "given"),
    [
        (None, None, 120_000),
        (600_000, None, 600_000),
        (600_001, None, 600_000),
        (10**12, None, 600_000),
        (5, None, 5),
        (9, 7, 7),
        (None, 7, 7),
    ],
)
def test_reg_51_the_timeout_is_clamped(
    world: World, monkeypatch: pytest.MonkeyPatch, asked: int | None, most: int | None, given: int
) -> None:
    from toolgen.execute import processes

    seen: list[int] = []
    run = processes.run_process

    async def watched(argv: Any, **options: Any) -> Any:
        seen.append(options.pop("timeout_ms"))
        return await run(argv, timeout_ms=60_000, **options)

    monkeypatch.setattr(processes, "run_process", watched)
    args: dict[str, Any] = {} if asked is None else {"timeout_ms": asked}
    bound: dict[str, Any] = {} if most is None else {"max_timeout_ms": most}
    world.call("run_command", argv=["true"], tools=world.tools_with(**bound), **args)
    assert seen == [given]


def test_reg_51_a_program_that_takes_too_long_is_stopped_and_its_output_returned(world: World) -> None:
    code = "import time; print('working', flush=True); time.sleep(60)"
    failure = world.failure("run_command", argv=python(code), timeout_ms=1000)
    assert (failure.kind, failure.code) == (FailureKind.TIMEOUT, "timeout")
    assert failure.message == "the program took longer than 1000 ms"
    assert failure.hint == "its last output: working"


def test_output_beyond_the_bound_is_truncated_with_a_note(world: World) -> None:
    tools = world.tools_with(output_bytes=10)
    result = world.call("run_command", argv=python("print('x' * 100)"), tools=tools)
    assert (result.stdout, result.truncated) == ("x" * 10, True)


def test_output_that_is_not_text_is_marked(world: World) -> None:
    code = "import sys; sys.stdout.buffer.write(b'caf\\xe9')"
    assert world.call("run_command", argv=python(code)).stdout == "caf\ufffd"


@pytest.mark.parametrize("argv", [["no-such-program"], ["a\0b"], ["true", "x" * 131_072], [""]])
def test_a_program_that_cannot_be_started_is_reported(world: World, argv: list[str]) -> None:
    failure = world.failure("run_command", argv=argv)
    assert failure.kind in (FailureKind.UNAVAILABLE, FailureKind.INVALID_CALL)
    assert str(world.top) not in failure.message + failure.hint
