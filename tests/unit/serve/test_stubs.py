"""`toolgen serve --stub` and `--replay`: a mock server of a package, to which no tool runs."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from tests.unit.serve.conftest import Project

pytestmark = pytest.mark.xdist_group("serve")

CALLS = [
    {"tool": "team.notes.read", "arguments": {"book": "a"}, "result": ["recorded"]},
    {"tool": "team.notes.read", "arguments": {"book": "b"}, "result": 5},
    {"tool": "team.jobs.fail", "arguments": {}, "error": {"kind": "unavailable", "message": "out of paper"}},
]


async def called(project: Project, options: list[str], name: str, args: Any) -> Any:
    async with project.by_stdio("--user", "ana", *options) as client:
        return await client.call_tool(name, args)


def test_stubs_answer_a_client(project: Project) -> None:
    (project.folder / "app.py").rename(project.folder / "away.py")
    try:
        answer = asyncio.run(called(project, ["--stub"], "team__jobs__wait", {"name": "x", "seconds": 1}))
        assert answer.is_error is False
        assert isinstance(answer.structured_content["waited"], int | float)
    finally:
        (project.folder / "away.py").rename(project.folder / "app.py")


def test_a_recording_answers_a_client_and_stale_calls_do_not(project: Project) -> None:
    file = project.folder / "calls.jsonl"
    file.write_text("".join(f"{json.dumps(call)}\n" for call in CALLS))

    async def use() -> None:
        async with project.by_stdio("--user", "ana", "--replay", str(file)) as client:
            found = await client.call_tool("team__notes__read", {"book": "a"})
            assert "recorded" in json.dumps(found.model_dump(mode="json"))
            stale = await client.call_tool("team__notes__read", {"book": "b"})
            assert stale.is_error
            assert "WIRE502" in json.dumps(stale.model_dump(mode="json"))
            failed = await client.call_tool("team__jobs__fail", {})
            assert "out of paper" in json.dumps(failed.model_dump(mode="json"))

    asyncio.run(use())
    log = (project.folder / "stderr").read_text()
    assert "left out: calls.jsonl line 2" in log


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--replay", "none.jsonl"], "none.jsonl is missing"),
        (["--replay", "app.py"], "app.py line 1, column 1: it is not JSON"),
        (["--stub", "--database", "runs.sqlite"], "--stub and --replay are not for it"),
    ],
)
def test_what_cannot_be_replayed_is_an_error(project: Project, options: list[str], said: str) -> None:
    done = toolgen(project.folder, "serve", *options)
    assert done.code == 2
    assert said in done.err
