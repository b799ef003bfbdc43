"""Models that are evaluated: those of the configuration, and `search`, which comes with toolgen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolRequest
from toolgen.llm.conversation import provider_named
from toolgen.llm.search.index import SearchIndex
from toolgen.providers.protocol import ModelReply
from toolgen.schema.json_values import compact_json, is_array, is_object
from toolgen.search.documents import document_of_tool

if TYPE_CHECKING:
    from toolgen.llm.conversation import AskModel
    from toolgen.spec.tool_use import PresentationName

SEARCH: Final = "search"
"""The name of the model that comes with toolgen."""

SEARCH_PROVIDER: Final = "litellm"
"""The format that it reads and writes: that of OpenAI, for any number of tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedModel:
    """A model as it is evaluated: `ask` is the host's call of it, as `Conversation.run` takes it.

    `provider` is the format of its API, `presentation` how it is shown the tools. Prices are those of a million tokens.
    """

    name: str
    ask: AskModel
    provider: str = "openai"
    presentation: PresentationName = "enumerate-all"
    input_price: float = 0.0
    output_price: float = 0.0

    @property
    def label(self) -> str:
        """Its name in reports."""
        return f"{self.name}, {self.presentation}"

    @property
    def has_prices(self) -> bool:
        """Whether its tokens cost anything."""
        return bool(self.input_price or self.output_price)

    def is_cost_known(self, tokens: Mapping[str, float]) -> bool:
        """Whether tokens tell all that has a price."""
        prices = {"input_tokens": self.input_price, "output_tokens": self.output_price}
        return all(name in tokens for name, price in prices.items() if price)

    def cost(self, tokens: Mapping[str, float]) -> float:
        """Return what tokens cost."""
        spent = tokens.get("input_tokens", 0) * self.input_price + tokens.get("output_tokens", 0) * self.output_price
        return spent / 1_000_000


_WORD: Final = re.compile(r"[^\W_]+(?:[-_.@:/+#][^\W_]+)*")
_NUMBER: Final = re.compile(r"(?<![\w.-])-?\d++(?:\.\d++)?(?![\w.]*\w)")
_QUOTED: Final = re.compile(r"[\"“”«»`]([^\"“”«»`]{1,200})[\"“”«»`]|(?<!\w)'([^']{1,200})'(?!\w)")
_DATE: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_CODE: Final = re.compile(r"^(?=.*\d)(?=.*[^\W\d]).{2,}$|^[A-Z]{2}[\dA-Z]*$|@|://")
"""Words that name something, such as `o-1`, `SFO` or a mail address: with digits and letters, or capitals alone."""

_LONGEST: Final = 4_000
"""Characters of a question that args are looked for in."""

_INDEXES: Final = 8
"""Lists of tools whose index is kept."""


class SearchModel:
    """A model without a model: it calls the offered tool that search ranks first, and fills its args by plain rules.

    It needs no key and no network, and tells which tools their own words keep apart. It answers in the format of
    OpenAI, calls nothing where no word fits, and answers the results of its calls with a text.
    """

    def __init__(self) -> None:
        self._format: Final = provider_named(SEARCH_PROVIDER).turns
        self._shown: dict[int, tuple[Any, _Shown]] = {}

    def __call__(self, messages: Sequence[Mapping[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one request."""
        assert self._format is not None
        last = messages[-1] if messages else {}
        content = last.get("content")
        if last.get("role") != "user" or not isinstance(content, str):
            return self._format.response(ModelReply(text="done"))
        shown = self._of(request.get("tools", ()))
        hits = shown.index.search(content, 1)
        if not hits:
            return self._format.response(ModelReply(text="no tool fits"))
        tool = shown.tools[hits[0].key]
        args = filled(tool.get("parameters", {}), content)
        call = ToolRequest(name=hits[0].key, payload=compact_json(args).encode(), tool_call_id="call_1")
        return self._format.response(ModelReply(calls=(call,)))

    def _of(self, offered: Any) -> _Shown:
        """Return the index of a list of tools, which requests share."""
        kept = self._shown.get(id(offered))
        if kept is not None and kept[0] is offered:
            return kept[1]
        tools: dict[str, Mapping[str, Any]] = {each["function"]["name"]: each["function"] for each in offered}
        documents = (
            document_of_tool(
                name,
                source_name="",
                title="",
                description=tool.get("description", ""),
                args=tool.get("parameters", {}),
                inject=(),
                tags=(),
            )
            for name, tool in tools.items()
        )
        if len(self._shown) >= _INDEXES:
            self._shown.clear()
        shown = _Shown(tools=tools, index=SearchIndex.build(documents))
        self._shown[id(offered)] = offered, shown
        return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The tools of a request by name, and their index."""

    tools: Mapping[str, Mapping[str, Any]]
    index: SearchIndex


def filled(schema: Any, question: str) -> dict[str, Any]:
    """Return args that a question names, by plain rules: values of enums, numbers, dates, quotes and codes.

    What is required and not found is left out.
    """
    properties = schema.get("properties", {}) if is_object(schema) else {}
    found = _Found(question[:_LONGEST])
    args: dict[str, Any] = {}
    for name, field in properties.items():
        for value in found.values(name, field if is_object(field) else {}):
            args[name] = value
            break
    return args


class _Found:
    """What a question has for args; what one arg has taken, no other one gets."""

    def __init__(self, question: str) -> None:
        self._question: Final = question
        self._words: Final = question.casefold()
        self._dates = _DATE.findall(question)
        self._numbers = _NUMBER.findall(question)
        self._quotes = [one or other for one, other in _QUOTED.findall(question)]
        self._codes = [each for each in _WORD.findall(question) if _CODE.search(each) and each not in self._dates]

    def values(self, name: str, field: Mapping[str, Any]) -> Iterator[Any]:
        """Yield values for an arg, the best first."""
        if is_array(allowed := field.get("enum")):
            named = [each for each in allowed if isinstance(each, str) and self._has(each)]
            yield from sorted(named, key=len, reverse=True)
            return
        kind = field.get("type")
        if kind in ("integer", "number"):
            yield from self._taken_number(name, is_whole=kind == "integer")
        elif kind == "string":
            yield from self._taken_text(field)
        elif kind == "array" and is_object(items := field.get("items")):
            inside = list(self.values(name, items))
            if inside:
                yield inside

    def _has(self, text: str) -> bool:
        spelled = re.escape(text.casefold().replace("_", " "))
        return bool(text) and re.search(rf"(?<!\w){spelled}(?!\w)", self._words.replace("_", " ")) is not None

    def _taken_number(self, name: str, *, is_whole: bool) -> Iterator[int | float]:
        numbers = [each for each in self._numbers if not is_whole or "." not in each]
        words = [re.escape(each) for each in re.split(r"[\W_]+", name.casefold()) if len(each) > 2]
        near = re.search(rf"(?:{'|'.join(words)})\D{{0,20}}?(-?\d+(?:\.\d+)?)", self._words) if words else None
        chosen = near[1] if near and near[1] in numbers else next(iter(numbers), None)
        if chosen is not None:
            self._numbers.remove(chosen)
            yield int(chosen) if "." not in chosen else float(chosen)

    def _taken_text(self, field: Mapping[str, Any]) -> Iterator[str]:
        is_date = field.get("format") in ("date", "date-time")
        for source in (self._dates,) if is_date else (self._quotes, self._codes):
            if source:
                yield source.pop(0)
                return
