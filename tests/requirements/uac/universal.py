"""The worked example of an action catalog, as a model uses it through the wrappers."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from specs.examples.router.app import Router
from toolgen.contract.records import ToolRequest
from toolgen.llm import HotList, ToolUse, ToolUseConfig
from toolgen.llm.tool_use import RunOps
from toolgen.providers.protocol import ModelReply
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.events.records import RunNotFound
from toolgen.toolsets.actions import ActionTools

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from toolgen.llm.actions.view import ResourceProvider
    from toolgen.providers.protocol import CallAnswer
    from toolgen.runtime.events.records import Event

SEATBELT = {"sandbox_backend": "seatbelt"}


@dataclass
class Clock:
    """A clock that tests control."""

    now: datetime = datetime(2026, 5, 16, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)


@dataclass
class Universal:
    """A model of the light or strong tier with the example catalog, in a separate folder."""

    folder: Path
    config: ToolUseConfig = field(default_factory=lambda: ToolUseConfig(settings=SEATBELT, hot_list_size=0))
    resources: Mapping[str, ResourceProvider] | None = None
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        router = Router(self.folder / "router")
        catalog = load("generated")
        self.hot_list = HotList(self.clock)
        self.tool_use = ToolUse(
            catalog,
            self.config,
            resources=router.resources if self.resources is None else self.resources,
            hot_list=self.hot_list,
        )
        self.store = MemoryStore()
        self.runtime = Runtime(
            catalog,
            executors=[*router.registrations, ActionTools(self.tool_use).registration()],
            missing=catalog.toolsets,
            permission=allow_all,
            store=self.store,
        )
        self.run = self.runtime.start_run()
        self.presentation = self.tool_use.presentation("step", self.run)
        self.ops = RunOps(self.runtime, self.run)
        self._ids = count(1)

    @property
    def tool_listing(self) -> Any:
        return self.presentation.build_presentation()

    def ask(self, name: str, args: Any) -> CallAnswer:
        """Make one call as a model does and return the answer."""
        return self.ask_all([(name, args)])[0]

    def ask_all(self, calls: Sequence[tuple[str, Any]]) -> tuple[CallAnswer, ...]:
        """Make several calls in one response and return the answer to each."""
        return asyncio.run(self._ask(calls))

    def answers(self, asked: Sequence[ToolRequest]) -> tuple[CallAnswer, ...]:
        """Make calls with the payloads that a model has written, and return the answer to each."""
        return asyncio.run(self._answers(tuple(asked)))

    async def _ask(self, calls: Sequence[tuple[str, Any]]) -> tuple[CallAnswer, ...]:
        asked = tuple(
            ToolRequest(name=name, payload=json.dumps(args), tool_call_id=f"m{next(self._ids)}") for name, args in calls
        )
        return await self._answers(asked)

    async def _answers(self, asked: tuple[ToolRequest, ...]) -> tuple[CallAnswer, ...]:
        action = self.presentation.interpret(ModelReply(calls=asked))
        outcome = await self.presentation.execute(action, self.ops)
        answers = (await self.presentation.format_feedback(outcome)).answers
        assert [answer.tool_call_id for answer in answers] == [call.tool_call_id for call in asked]
        return answers

    def listing(self, **args: Any) -> Any:
        return json.loads((self.ask("list_actions", args)).text)

    def names(self, **args: Any) -> list[str]:
        return [item["qualified_name"] for item in (self.listing(limit=200, **args))["items"]]

    def describe(self, name: str) -> Any:
        return json.loads((self.ask("describe_action", {"action_name": name})).text)

    def search(self, query: str, **args: Any) -> Any:
        return json.loads((self.ask("search_actions", {"query": query, **args})).text)

    def invoke(self, name: str, args: Any = None) -> CallAnswer:
        return self.ask("invoke_action", {"action_name": name, "args": {} if args is None else args})

    def invoke_well(self, name: str, args: Any = None) -> str:
        """Make a call of an action that has to succeed, and return the text of its result."""
        answer = self.invoke(name, args)
        assert not answer.is_error, answer.text
        return answer.text

    def record(self) -> tuple[Event, ...]:
        """Return the record of the run."""
        run_id = self.run.meta.run_id
        assert run_id is not None
        try:
            return asyncio.run(self.store.read(run_id)).events
        except RunNotFound:
            return ()

    def calls(self) -> list[str]:
        """Return the called tools, according to the record."""
        return [event.tool for event in self.record() if event.kind not in ("tool_started", "tool_progress")]

    def refused(self) -> list[tuple[str, str | None]]:
        """Return the tools meant by calls that were not offered, and why they were refused, according to the record."""
        return [
            (event.tool, event.data.get("reason"))
            for event in self.record()
            if event.kind == "tool_denied" and not event.tool.startswith("actions.")
        ]

    def trace(self) -> list[Any]:
        """Return the record without values that always differ: ids of runs, and times."""
        return [(event.kind, event.tool, event.tool_call_id, _timeless(event.data)) for event in self.record()]


def _timeless(data: Mapping[str, Any]) -> Any:
    stages = [{key: value for key, value in stage.items() if key != "us"} for stage in data.get("stages", ())]
    return {**data, "stages": stages} if stages else dict(data)
