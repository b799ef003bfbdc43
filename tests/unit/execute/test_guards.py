"""The guard of a run is asked before whatever executes its calls: the run may be another process's by then."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from starlette.responses import JSONResponse, RedirectResponse

from tests.unit.execute.http.api import TOOLSET, Recorder, package_of
from tests.unit.execute.http.test_sending import ENVIRONMENT, POLICY, SPEC
from tests.unit.execute.user_tools.test_loading import FULL, Home
from tests.unit.runtime.tools import add
from tests.unit.toolsets.code.world import World
from toolgen.contract.records import ToolRequest
from toolgen.execute.http import HttpHost, http_executor
from toolgen.runtime import Catalog, Runtime, allow_all, load

if TYPE_CHECKING:
    from pathlib import Path


class Guard:
    """Lets so many looks pass, and then says that the run is another's."""

    def __init__(self, passes: int = 0) -> None:
        self.left = passes

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            raise asyncio.CancelledError


async def is_refused(runtime: Runtime, guard: Guard, name: str, **args: Any) -> bool:
    """Make a call in a run with the guard; return whether it was cancelled."""
    run = runtime.start_run()
    run.progress.guard = guard
    call = asyncio.create_task(runtime.invoke(ToolRequest(name=name, payload=json.dumps(args)), run=run))
    await asyncio.wait([call])
    return call.cancelled()


def test_no_function_of_the_host_runs() -> None:
    ran: list[Any] = []
    catalog = Catalog()
    add(catalog, ran.append, "own.note", input_schema={"type": "object"})
    runtime = Runtime(catalog, permission=allow_all)
    assert asyncio.run(is_refused(runtime, Guard(), "own.note"))
    assert not ran
    asyncio.run(is_refused(runtime, Guard(1), "own.note"))
    assert ran


def test_no_tool_for_code_writes(tmp_path: Path) -> None:
    world = World(tmp_path)
    catalog = load("toolgen.toolsets.generated")
    runtime = Runtime(catalog, permission=allow_all, executors=[world.tools.registration()], missing=catalog.toolsets)
    for tool, args in (("write_file", {"path": "a", "content": ""}), ("run_command", {"argv": ["touch", "a"]})):
        assert asyncio.run(is_refused(runtime, Guard(), f"code.{tool}", **args))
        assert not (world.project / "a").exists()
        asyncio.run(is_refused(runtime, Guard(1), f"code.{tool}", **args))
        (world.project / "a").unlink()


def test_no_program_of_the_user_runs(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.write("show.json", FULL)
    home.load()
    (home.project / "show").write_text("#!/bin/sh\ntouch ran\n")
    runtime = Runtime(home.catalog, permission=allow_all)
    assert asyncio.run(is_refused(runtime, Guard(), "local.show", word="a"))
    assert not [*home.project.rglob("ran")]
    asyncio.run(is_refused(runtime, Guard(1), "local.show", word="a"))
    assert [*home.project.rglob("ran")]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("guards"), "compiled_guards", SPEC, POLICY)


@pytest.mark.parametrize(
    ("tool", "answers", "passes", "sent"),
    [
        ("get", [], 1, []),
        ("get", [JSONResponse({}, 503, headers={"Retry-After": "0"})], 2, ["/items"]),
        ("get", [RedirectResponse("/others", 307)], 2, ["/items"]),
        ("client", [JSONResponse({"access_token": "t", "token_type": "bearer"})], 1, ["/token"]),
    ],
    ids=["before", "before another attempt", "before a redirect", "after a token"],
)
def test_no_request_leaves(tool: str, answers: list[Any], passes: int, sent: list[str], catalog: Catalog) -> None:
    app = Recorder(answers=answers)

    async def made() -> bool:
        registration = http_executor(catalog, TOOLSET, HttpHost(app=app, environment=ENVIRONMENT))
        runtime = Runtime(catalog, permission=allow_all, executors=[registration])
        runs: Any = registration.executor
        async with runs:
            return await is_refused(runtime, Guard(passes), f"{TOOLSET}.{tool}")

    assert asyncio.run(made())
    assert [each.target for each in app.requests] == sent
