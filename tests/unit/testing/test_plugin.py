"""The plugin for pytest: its fixtures in a project of their own, and that nothing else needs pytest."""

from __future__ import annotations

import json
import os
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
def test_workers_report_unused_calls_together(project: Path) -> None:
    output = run(project, "-n", "2", "-k", "test_stubs or test_unused_turn")
    assert 'calls.jsonl line 2: shop.orders.refund {"order_id":"o-7"}' in output
    assert "calls.jsonl line 1" not in output


def test_pytest_finds_the_plugin_and_nothing_else_needs_pytest() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"toolgen": "toolgen.testing.plugin"}
    program = "import sys, toolgen.testing as t; [getattr(t, name) for name in dir(t)]; print('pytest' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
