"""Secrets of calls that start agents under an engine."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.unit.engine.app import read, request, script
from toolgen.contract.records import ToolCallMeta
from toolgen.engine.children import run_children
from toolgen.runtime.redact.secret_values import SecretValues

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running

SECRET = "hunter2-token"


def test_a_run_that_a_call_started_is_stored_without_the_secrets_of_the_call(engines: Engines) -> None:
    async def body(running: Running) -> None:
        meta = ToolCallMeta(run_id="p.0123456789abcdef", parent_run_id="p", parent_tool_call_id="c")
        run = running.host.runtime.start_run("main", meta=meta)
        child: Any = SimpleNamespace(
            run=replace(run, secrets=SecretValues(lambda: [SECRET])),
            messages=script([read(f"{SECRET}.txt")], answer=[SECRET, SECRET.encode().hex()]),
        )
        await running.engine.start(request([read("slow-30")], run_id="p"))
        outcome = await run_children(running.engine)(child)
        assert outcome.value == ["[redacted]", "[redacted]"]
        end = await running.engine.result("p.0123456789abcdef", 300)
        assert SECRET not in json.dumps(end.as_json())
        assert running.marks().count("[redacted].txt") == 1
        await running.engine.cancel("p")

    engines.run(body)
