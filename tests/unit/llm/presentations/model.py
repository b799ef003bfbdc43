"""A model that a test leads step by step: it has tasks, and acts only on the text of requests, not on the host."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.unit.runtime.responses import RESPONSES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.llm import Conversation, Turn

_NAMES = re.compile(r'"name": ?"([^"]+)"')


@dataclass(frozen=True)
class Task:
    """One call for the model to make: of the tool described by `words`, under one of its possible names."""

    words: str
    names: tuple[str, ...]
    category: str
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])


class SteppedModel:
    """Performs its tasks one by one with the tools that each request offers, and answers `done` after the last."""

    def __init__(self, conversation: Conversation, provider: str = "openai") -> None:
        self._conversation = conversation
        self._provider = provider
        self._ids = 0
        self.answers: list[str] = []
        self.sent: list[str] = []
        self.requests = 0

    async def do(self, tasks: Sequence[Task]) -> Turn:
        """Perform all tasks and answer `done`. `told` contains the answers, a text for each request."""
        for task in tasks:
            await self._make(task)
        turn = await self.say("done")
        assert turn.is_final
        return turn

    async def say(self, text: str = "", *calls: tuple[str, Mapping[str, Any]]) -> Turn:
        """Respond to one request with a text and calls."""
        self.sent.append(json.dumps(dict(self._conversation.request())) + self._conversation.prompt)
        self.requests += 1
        numbered = [(self._next_id(), name, args) for name, args in calls]
        turn = await self._conversation.take(RESPONSES[self._provider](text, numbered))
        self.answers.append(json.dumps(turn.messages))
        return turn

    def _next_id(self) -> str:
        self._ids += 1
        return f"call_{self._ids}"

    @property
    def offered(self) -> set[str]:
        """Return the names of the tools in the next request."""
        return set(_NAMES.findall(json.dumps(dict(self._conversation.request()))))

    async def _make(self, task: Task) -> None:
        prompt = self._conversation.prompt
        direct = [name for name in task.names if name in self.offered]
        if direct:
            await self.say("", (direct[0], task.args))
        elif "```python" in prompt:
            function = next(name for name in task.names if f"def {name}(" in prompt)
            given = ", ".join(f"{name}={value!r}" for name, value in task.args.items())
            await self.say(f"```python\nresult = {function}({given})\n```")
        elif "search_tools" in self.offered:
            await self.say("", ("search_tools", {"query": task.words}))
            found = next(name for name in task.names if name in self.offered)
            await self.say("", (found, task.args))
        elif "list_actions" in self.offered:
            await self.say("", ("list_actions", {"category": [task.category]}))
            action = next(name for name in task.names if f'"{name}' in self.answers[-1])
            await self.say("", ("invoke_action", {"action_name": action, "args": task.args}))
        else:
            tag = next((name for name in task.names if f"{name}: " in prompt), "")
            assert tag, f"the model finds no way to call {' or '.join(task.names)}, offered {self.offered}"
            await self.say(f"{tag}: {' '.join(map(str, task.args.values()))}")
