"""Costs: bytes of tools in the first request of a conversation; tokens need the extra `tokens`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.extras import MissingExtra
from toolgen.llm.tool_use import ToolUse, idle_runtime, presentations_in
from toolgen.providers.protocol import UnsupportedCapability
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.issues.issue_text import counted
from toolgen.schema.json_values import compact_json
from toolgen.spec.tool_use import LAYERS, LEXICAL, PRESENTATIONS

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.spec.tool_use import PresentationName, ToolUseConfig


# Tokens: how many a text takes, where a tokenizer is installed.

ENCODING: Final = "o200k_base"
"""The tiktoken encoding of OpenAI's models since GPT-4o. Other models' counts differ."""

_PIECE: Final = 50_000
"""Characters that are encoded at once: bpe-openai refuses a text of a million, or of 200,000 tokens."""

_BREAK: Final = re.compile(r"(?<=\S)(?= [A-Za-z])|(?<=\n)(?=[A-Za-z0-9])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
"""Where a text can be cut without changing its tokens: the pattern of the encoding lets no token go on across it."""


def token_counter() -> tuple[Callable[[str], int | None] | None, str]:
    """Return what counts the tokens of a text, or why nothing does: an estimate would pass for a count.

    It returns None for a text that cannot be counted, because some 200,000 characters and more of it are one word.
    bpe-openai counts as OpenAI's own tiktoken does, which would have to fetch the vocabulary when it first counts.
    """
    try:
        tokenizer: Any = import_module("bpe_openai")
    except ImportError:
        return None, str(MissingExtra("bpe-openai is not installed", "tokens"))
    encoding = _encoding_of(tokenizer)

    def count(text: str) -> int | None:
        try:
            return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))
        except ValueError:  # a piece is too long
            return None

    return count, ""


@cache
def _encoding_of(tokenizer: Any) -> Any:
    """Return the encoding of a module, which takes 50 ms to make."""
    return tokenizer.get_encoding(ENCODING)


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while found := _BREAK.search(text, start + _PIECE):
        yield text[start : found.start()]
        start = found.start()
    yield text[start:]


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
    runtime, presented = idle_runtime(catalog), presentations_in(catalog, config)
    run = runtime.start_run(agent)
    for presentation in presentations:
        embedding_class = config.embedding_class or (LEXICAL if presentation == "retrieval" else "")
        tool_use = ToolUse(
            catalog,
            replace(config, presentations=dict.fromkeys(LAYERS, presentation), embedding_class=embedding_class),
            searches=False,
        )
        layers = tuple(layer for layer in LAYERS if presented[layer] == presentation)
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
