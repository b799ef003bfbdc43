"""The plugin for pytest: its fixtures in a project of their own, and that nothing else needs pytest."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests.case import write
from tests.project.checkout import ROOT
from tests.unit.cli.forked_python import forked_python
from tests.unit.compiler.specs import resolved
from tests.unit.testing.world import ORDERS
from toolgen.compiler.compile import generate

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
import asyncio
from generated.shop.tools import orders
from toolgen.llm import ToolUse
from toolgen.testing import when
import pytest

@pytest.fixture
def toolgen_recording(toolgen_recorded):
    return toolgen_recorded("calls.jsonl")

def ask(runtime, args):
    return asyncio.run(runtime.call(orders.REFUND, args)).value

def test_stubs(toolgen_stubs, toolgen_runtime):
    toolgen_stubs.set(when(orders.REFUND, order_id="o-2").returns(orders.RefundResult(refunded=2)))
    assert ask(toolgen_runtime, orders.RefundArgs(order_id="o-1")).refunded == 1
    assert ask(toolgen_runtime, orders.RefundArgs(order_id="o-2")).refunded == 2

def test_unused_answer(toolgen_stubs):
    toolgen_stubs.set(when(orders.REFUND).returns(orders.RefundResult(refunded=2)))

def test_failed_with_an_unused_answer(toolgen_stubs):
    toolgen_stubs.set(when(orders.REFUND).returns(orders.RefundResult(refunded=2)))
    assert False

def talk(toolgen_runtime, model):
    conversation = ToolUse(toolgen_runtime.catalog).conversation("chat", toolgen_runtime, toolgen_runtime.start_run())
    return asyncio.run(conversation.run(model, [{"role": "user", "content": "go"}])).text

def test_model(toolgen_runtime, toolgen_model, toolgen_snapshot):
    model = toolgen_model(orders.new_refund_call(order_id="o-1"), "done")
    assert talk(toolgen_runtime, model) == "done"
    toolgen_snapshot(model.requests[0])
    toolgen_snapshot(model.requests[1].fields, "again")

def test_unused_turn(toolgen_runtime, toolgen_model):
    assert talk(toolgen_runtime, toolgen_model("done", "more")) == "done"
"""

RECORDINGS = """
import asyncio
from generated.shop.tools import orders
from toolgen.runtime import Runtime, ToolResult, ToolsetRegistration, allow_all
from toolgen.testing import stub_executors
import pytest

class Shop:
    async def execute(self, request, meta):
        return ToolResult(payload=b'{"refunded": 1}')

@pytest.fixture
def toolgen_recording(toolgen_recorded):
    return toolgen_recorded("calls.jsonl", executors=[ToolsetRegistration(toolset="shop.orders", executor=Shop())])

def refunded(runtime, order):
    return asyncio.run(runtime.call(orders.REFUND, orders.RefundArgs(order_id=order))).value.refunded

def test_without_calls(toolgen_stubs):
    pass

@pytest.mark.parametrize("order", ["o-1", "o-2", "o-1"])
def test_refund(toolgen_runtime, order):
    assert refunded(toolgen_runtime, order) == 1

def test_two_hosts(toolgen_runtime, toolgen_catalog, toolgen_recorded, toolgen_recording):
    again = toolgen_recorded("../hosts/calls.jsonl", executors=toolgen_recording.executors.values())
    other = Runtime(toolgen_catalog, executors=stub_executors(toolgen_catalog, recording=again), permission=allow_all)
    assert refunded(toolgen_runtime, "o-3") == refunded(other, "o-4") == 1
"""

SNAPSHOTS = """
import pytest

def tools(name):
    return {"tools": [{"name": name}]}

@pytest.mark.parametrize("text", ["a b", "a_b", "a-b", "A_b"])
def test_shown(toolgen_snapshot, text):
    toolgen_snapshot(tools(text))

def test_capitals(toolgen_snapshot):
    toolgen_snapshot(tools("lower"))

def test_CAPITALS(toolgen_snapshot):
    toolgen_snapshot(tools("upper"))

def test_of_a_LONG_name(toolgen_snapshot):
    for name in ("first", "second", "First", "a b", "a_b"):
        toolgen_snapshot(tools(name), name)

class TestOpenai:
    def test_shown(self, toolgen_snapshot):
        toolgen_snapshot(tools("openai"))

class TestAnthropic:
    @pytest.mark.xdist_group("anthropic")
    def test_shown(self, toolgen_snapshot):
        toolgen_snapshot(tools("anthropic"))

    class TestNested:
        def test_shown(self, toolgen_snapshot):
            toolgen_snapshot(tools("nested"))
""".replace("LONG", "long" * 80)

CALLS = [
    {"tool": "shop.orders.refund", "arguments": {"order_id": order}, "result": {"refunded": 1}}
    for order in ("o-1", "o-7")
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a project with tests that use all fixtures."""
    folder = tmp_path_factory.mktemp("project")
    found = resolved(ORDERS)
    write(folder / "generated", generate(found.catalog))
    (folder / "test_orders.py").write_text(TESTS)
    (folder / "calls.jsonl").write_text("".join(f"{json.dumps(call)}\n" for call in CALLS))
    (folder / "pytest.ini").write_text("[pytest]\ntoolgen_package = generated\npythonpath = .\n")
    return folder


def run(project: Path, *options: str) -> str:
    """Run its tests with this plugin and no others, whether the checkout was installed with it or not."""
    plugins = ["-p", "toolgen.testing.plugin", "-p", "xdist", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    command = [forked_python(), "-m", "pytest", "-q", *plugins, *options]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, env=environment)
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_fixtures_stub_record_script_and_compare(project: Path) -> None:
    missing = run(project, "-k", "test_model")
    assert "there is no snapshot test_orders-test_model.json: write it with `pytest --toolgen-update`" in missing
    run(project, "-k", "test_model", "--toolgen-update")
    assert sorted(file.name for file in (project / "snapshots").iterdir()) == [
        "test_orders-test_model-again.json",
        "test_orders-test_model.json",
    ]
    output = run(project)
    assert "4 passed, 1 failed, 2 errors" in output or "1 failed, 4 passed, 2 errors" in output, output
    assert "no call got the answer of when(shop.orders.refund)" in output
    assert "1 of the 2 turns of the script were not asked for" in output
    assert 'calls.jsonl line 2: shop.orders.refund {"order_id":"o-7"}' in output
    assert "calls.jsonl line 1" not in output


@pytest.mark.slow
def test_a_snapshot_shows_what_a_model_sees_otherwise(project: Path) -> None:
    run(project, "-k", "test_model", "--toolgen-update")
    file = project / "snapshots" / "test_orders-test_model.json"
    file.write_text(file.read_text().replace("Refund an order.", "Refund any order."))
    output = run(project, "-k", "test_model")
    assert "Refund any order." in output
    assert "`pytest --toolgen-update` keeps them" in output


@pytest.mark.slow
def test_each_snapshot_has_a_file_of_its_own(project: Path) -> None:
    folder = project / "shown"
    folder.mkdir()
    (folder / "shown.py").write_text(SNAPSHOTS)
    updated = run(project, "shown/shown.py", "--toolgen-update")
    assert "10 passed" in updated, updated
    names = sorted(file.name for file in (folder / "snapshots").iterdir())
    assert len(names) == len({name.lower() for name in names}) == 14
    assert "shown-test_capitals.json" in names
    assert all(re.fullmatch(r"[\w.-]{1,120}", name, re.ASCII) for name in names)
    assert "10 passed" in run(project, "shown/shown.py")
    assert "10 passed" in run(project, "shown/shown.py", "-n", "2", "--dist", "loadgroup")


@pytest.mark.slow
def test_an_update_refuses_two_snapshots_of_one_name(project: Path) -> None:
    folder = project / "twice"
    folder.mkdir()
    (folder / "twice.py").write_text("""
def test_shown(toolgen_snapshot):
    for name in ("find", "find", "refund"):
        toolgen_snapshot({"tools": [{"name": name}]})
""")
    output = run(project, "twice/twice.py", "--toolgen-update")
    assert "two different requests have one snapshot twice-test_shown.json: give them names" in output


@pytest.mark.slow
def test_workers_report_unused_calls_together(project: Path) -> None:
    output = run(project, "-n", "2", "-k", "test_stubs or test_unused_turn")
    assert 'calls.jsonl line 2: shop.orders.refund {"order_id":"o-7"}' in output
    assert "calls.jsonl line 1" not in output


def orders_of(file: Path) -> list[str]:
    """Return the orders of the calls in a recording."""
    calls = map(json.loads, file.read_text().splitlines())
    return [call["arguments"]["order_id"] for call in calls if "arguments" in call]


def shops(project: Path, folder: str) -> Path:
    """Return a folder with tests that record calls, which pytest does not collect unless it is named."""
    (project / folder).mkdir()
    (project / folder / "shops.py").write_text(RECORDINGS)
    return project / folder


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["once", "new", "all"])
def test_tests_of_a_session_record_to_one_file(project: Path, mode: str) -> None:
    folder = shops(project, f"{mode}-session")
    if mode != "once":
        (folder / "calls.jsonl").write_text(json.dumps(CALLS[1]))
    tests = [f"{folder.name}/shops.py", "-k", "not two_hosts"]
    output = run(project, *tests, "--toolgen-record", mode)
    assert "4 passed" in output, output
    assert "no test has used" not in output
    assert orders_of(folder / "calls.jsonl") == (["o-7"] if mode == "new" else []) + ["o-1", "o-2"]
    assert "4 passed" in run(project, *tests)


@pytest.mark.slow
def test_a_test_records_two_hosts_to_one_file(project: Path) -> None:
    folder = shops(project, "hosts")
    tests = [f"{folder.name}/shops.py", "-k", "two_hosts"]
    assert "1 passed" in run(project, *tests, "--toolgen-record", "all")
    assert orders_of(folder / "calls.jsonl") == ["o-3", "o-4"]
    assert "1 passed" in run(project, *tests)


@pytest.mark.slow
def test_workers_do_not_record(project: Path) -> None:
    folder = shops(project, "workers")
    file, tests = folder / "calls.jsonl", [f"{folder.name}/shops.py", "-k", "test_refund", "-n", "2"]
    refused = "calls.jsonl cannot be recorded by several workers of pytest-xdist: record it without `-n`"
    output = run(project, *tests, "--toolgen-record", "once")
    assert "3 errors" in output, output
    assert refused in output
    assert not file.exists()
    assert "3 passed" in run(project, *tests, "-n", "0", "--toolgen-record", "once")
    assert "3 passed" in run(project, *tests, "--toolgen-record", "once")  # which records nothing now
    assert refused in run(project, *tests, "--toolgen-record", "all")
    assert orders_of(file) == ["o-1", "o-2"]


def test_pytest_finds_the_plugin_and_nothing_else_needs_pytest() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"toolgen": "toolgen.testing.plugin"}
    program = "import sys, toolgen.testing as t; [getattr(t, name) for name in dir(t)]; print('pytest' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
