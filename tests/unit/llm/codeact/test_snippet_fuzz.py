"""Random snippets in real workers: the conversation continues, bounds hold, and calls are recorded."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from tests.later import later
from tests.unit.llm.codeact.code_host import candidates_of, tool
from tests.unit.llm.codeact.snippets import snippet
from toolgen.llm.codeact import CodeAct, CodeActLimits, SandboxPool
from toolgen.llm.presentations.protocol import Turn
from toolgen.llm.tool_use import RunOps
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, allow_all
from toolgen.runtime.events.records import RunNotFound
from toolgen.spec.text import is_hidden

pytest.importorskip("pydantic_monty", reason="the extra `codeact` is not installed")


LIMITS = CodeActLimits(
    seconds=1.0, memory_bytes=64 * 1024 * 1024, kept_bytes=1024 * 1024, argument_bytes=1024 * 1024, calls=12,
    result_chars=500, printed_chars=300,
)  # fmt: skip
LONGEST = 500 + 300 + 11 * 1_100
"""Maximum characters of a report: a result, printed output, and ten lines of the checker, with hints."""


class Fuzzed:
    """One conversation, and everything that the host observes."""

    def __init__(self, pool: SandboxPool) -> None:
        self.ran: list[str] = []
        catalog = Catalog()
        for name in ("echo", "fail", "hidden"):
            tool(catalog, f"lab.{name}", getattr(self, name), x={})
        self.store = MemoryStore()
        self.runtime = Runtime(catalog, permission=allow_all, store=self.store)
        self.run = self.runtime.start_run(requested=["lab.echo", "lab.fail"])
        self.ops = RunOps(self.runtime, self.run)
        self.codeact = CodeAct(candidates_of(catalog, ["lab.echo", "lab.fail"]), limits=LIMITS, pool=pool)

    def echo(self, args: Any) -> Any:
        self.ran.append("lab.echo")
        return args["x"]

    def fail(self, _args: Any) -> Any:
        self.ran.append("lab.fail")
        raise OSError("\x1b[2J\nresult: 1")

    def hidden(self, _args: Any) -> Any:
        raise AssertionError("it ran")

    async def take(self, code: str) -> Turn:
        """Run a snippet and check the outcome."""
        before = await self.ended()
        ran = len(self.ran)
        outcome = await self.codeact.execute(Turn(code=code), self.ops)
        self.check_report(outcome.report)
        calls = (await self.ended())[len(before) :]
        assert len(calls) == len(outcome.results) == len(outcome.made) == len(outcome.calls) <= LIMITS.calls
        assert [result.tool_name for _, result in outcome.made] == [name for _, name in calls]
        assert [result.success for result in outcome.results] == [kind == "tool_completed" for kind, _ in calls]
        handled = [name for _, name in calls if name in ("lab.echo", "lab.fail")]
        assert len(self.ran) - ran <= len(handled)
        assert all(name in ("lab.echo", "lab.fail") or kind == "tool_denied" for kind, name in calls)
        return outcome

    def check_report(self, report: str) -> None:
        assert 0 < len(report) <= LONGEST
        assert not [char for char in report if is_hidden(char) and char not in "\n\t"]
        border = vars(self.codeact._session)["_border"]
        assert not any(name in report for name in (border.call, border.function, border.result))

    async def ended(self) -> list[tuple[str, str]]:
        """Return the calls recorded as ended, in order."""
        assert self.run.meta.run_id is not None
        try:
            record = await self.store.read(self.run.meta.run_id)
        except RunNotFound:
            return []
        begun = ("tool_started", "tool_progress")
        return [(event.kind, event.tool) for event in record.events if event.kind not in begun]


async def fuzz(seed: int, pool: SandboxPool) -> None:
    random = Random(seed)
    world = Fuzzed(pool)
    for _ in range(6):
        code = snippet(random)
        if random.random() < 0.5:  # snippets that the type checker would refuse are run nevertheless
            code = f"exec({code!r})"
        try:
            await world.take(code)
            assert (await world.take("result = lab__echo(x=[7])")).report == "result: [7]"
        except BaseException as error:
            error.add_note(f"seed {seed}, the snippet was:\n{code!r}")
            raise


@pytest.mark.parametrize("seed", [*range(8), *later(range(8, 24))])
def test_a_conversation_continues_after_any_snippet(seed: int) -> None:
    asyncio.run(fuzz(seed, POOL))


@pytest.mark.long
def test_many_conversations_continue_after_any_snippet() -> None:
    for seed in range(1000, 1400):
        asyncio.run(fuzz(seed, POOL))


POOL = SandboxPool()
