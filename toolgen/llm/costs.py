"""Costs: how many bytes and tokens tools take in the first request of a conversation, by presentation and provider."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolgen.llm.idle import idle_runtime
from toolgen.llm.tool_use.tool_use import ToolUse
from toolgen.providers.protocol import UnsupportedCapability
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.issues.issue_text import counted
from toolgen.schema.json_values import compact_json
from toolgen.spec.tool_use import LAYERS, LEXICAL, PRESENTATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from toolgen.runtime import Catalog
    from toolgen.spec.tool_use import PresentationName, ToolUseConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of the tools in the first request of a conversation.

    `tools` is the number of tools in the request. `tools_bytes` is their size as compact JSON in UTF-8, `prompt_bytes`
    the size of the system prompt section, and `bytes` the sum; `tokens` counts both, None if one is not counted.
    With a `problem` there is no such request, and the figures are 0.
    """

    package: str
    presentation: PresentationName
    provider: str
    layers: tuple[str, ...]
    tools: int = 0
    tools_bytes: int = 0
    prompt_bytes: int = 0
    bytes: int = 0
    tokens: int | None = None
    problem: str = ""


def costs(
    package: str,
    catalog: Catalog,
    config: ToolUseConfig,
    agent: str,
    providers: Sequence[str],
    count_tokens: Callable[[str], int | None] | None,
    presentations: Sequence[PresentationName] = PRESENTATIONS,
) -> Iterator[Cost]:
    """Yield the costs of one package, by presentation and then provider."""
    runtime = idle_runtime(catalog)
    run = runtime.start_run(agent)
    for presentation in presentations:
        embedding_class = config.embedding_class or (LEXICAL if presentation == "retrieval" else "")
        tool_use = ToolUse(
            catalog,
            replace(config, presentations=dict.fromkeys(LAYERS, presentation), embedding_class=embedding_class),
            searches=False,
        )
        layers = tuple(layer for layer in LAYERS if config.presentations[layer] == presentation)
        for provider in providers:
            cost = Cost(package=package, presentation=presentation, provider=provider, layers=layers)
            try:
                conversation = tool_use.conversation("chat", runtime, run, provider)
                tools = len(tool_use.presentation("chat", run, provider).build_presentation().tools)
            except (CatalogError, UnsupportedCapability) as error:
                yield replace(cost, problem=_reason(error))
                continue
            tools_text = "".join(compact_json(value) for value in conversation.request().values()) if tools else ""
            prompt = conversation.prompt
            sizes = len(tools_text.encode()), len(prompt.encode())
            tokens = [count_tokens(text) if count_tokens else None for text in (tools_text, prompt)]
            yield replace(
                cost,
                tools=tools,
                tools_bytes=sizes[0],
                prompt_bytes=sizes[1],
                bytes=sum(sizes),
                tokens=None if None in tokens else sum(filter(None, tokens)),
            )


def _reason(error: CatalogError | UnsupportedCapability) -> str:
    if isinstance(error, UnsupportedCapability):
        tools = Counter(problem.tool for problem in error.problems)
        return f"cannot represent {counted(len(tools), 'tool')}, such as {error.problems[0]}"
    return str(error)
