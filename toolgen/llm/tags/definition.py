"""Definitions of tag tools: the context of their calls, and the lines that call them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgen.contract.records import NOTHING, FailureKind, ToolError, ToolResult
from toolgen.execute.result_texts import ResultTexts
from toolgen.runtime.base.errors import CatalogError
from toolgen.schema.fields import fields_named
from toolgen.schema.references import alone
from toolgen.spec.tag_pattern import PatternRefused, TagPattern

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog

TagCost: TypeAlias = Literal["free", "cheap", "expensive"]


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """The context of a call, passed to the handler.

    `raw_arg` is the text after the tag, `args` the groups of the tool's pattern in it, by name, as values of the types
    that a compiled tool declares: both are filled in when a tool is run. `user_message` is the message that the model
    responds to, `user` its author, to whom limits apply; `kb_context` is the available knowledge, `confidence` that of
    the model.
    """

    user_message: str
    user: str
    chat_id: int
    raw_arg: str = ""
    args: Mapping[str, Any] = NOTHING
    kb_context: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, kw_only=True)
class TagResult:
    """The result of a handler that reports a failure by a flag instead of an error.

    `message` is sent to the user, and nothing is if it is None, also after a failure. `side_effects` describe what was
    done (`created:inbox/tides.md`), `audit` is a JSON object for the record.
    """

    success: bool = True
    message: str | None = None
    side_effects: Sequence[str] = ()
    audit: Mapping[str, Any] = NOTHING

    def as_tool_result(self) -> ToolResult[None]:
        """Return the same result as that of any tool: a failure has the code `tool_failed`."""
        success: Any = self.success  # a host may pass anything
        if not isinstance(success, bool):
            raise TypeError(f"`success` must be true or false, not {success!r}")
        message = self.message or "the tool failed and gave no reason"
        error = ToolError(message=message, kind=FailureKind.DOMAIN_REJECTION, code=TOOL_FAILED)
        return ToolResult(
            error=None if self.success else error,
            message=self.message,
            side_effects=tuple(self.side_effects),
            audit=self.audit,
        )


TOOL_FAILED: Final = "tool_failed"
"""The code of a failure that a `TagResult` reports."""

TagHandler: TypeAlias = "Callable[[ToolContext], Awaitable[TagResult | ToolResult[Any]]]"


@dataclass(frozen=True, kw_only=True)
class ToolDef:
    """A tool that a model calls with a tag in its response, such as `RESEARCH: recent posts on tides`.

    `arg_pattern` matches the text after the prefix; its groups are the args named by `arg_groups`, in order. Without a
    `prompt_example` the form of the tag is built from these names. Cooldown is in seconds, the daily limit in calls;
    both are per user, and 0 means none. Raises ValueError for an unknown cost.
    """

    name: str
    description: str
    tag_prefix: str
    arg_pattern: str = "(.+)"
    arg_groups: list[str] = field(default_factory=lambda: ["raw_arg"])
    prompt_example: str = ""
    handler: TagHandler | None = None
    cost: TagCost = "free"
    requires_gate: bool = False
    strip_from_display: bool = True
    cooldown_seconds: float = 0
    daily_limit: int = 0

    def __post_init__(self) -> None:
        if self.cost not in ("free", "cheap", "expensive"):
            raise ValueError(f"the cost of {self.name} is {self.cost!r}; it must be free, cheap or expensive")


def tag_idents(catalog: Catalog) -> dict[str, str]:
    """Return the idents of the tag tools of a catalog by their names (their keys), sorted.

    Raises `CatalogError` if two have the same name.
    """
    found: dict[str, str] = {}
    for ident in sorted(ident for ident in catalog if catalog.definition(ident).settings.tag):
        other = found.setdefault(ident.rpartition(".")[2], ident)
        if other != ident:
            raise CatalogError(f"{other} and {ident} would both be the tag tool {ident.rpartition('.')[2]}: rename one")
    return dict(sorted(found.items()))


def tool_defs(catalog: Catalog, handlers: Mapping[str, TagHandler] = NOTHING) -> list[ToolDef]:
    """Return the tag tools of a catalog, sorted by name. `handlers` are by name too. Raises as `tag_idents` does."""
    found: list[ToolDef] = []
    for name, ident in tag_idents(catalog).items():
        definition = catalog.definition(ident)
        settings, limits = definition.settings, definition.settings.limits
        tag = settings.tag
        assert tag is not None, "it is a tag tool"
        found.append(
            ToolDef(
                name=name,
                description=definition.description,
                tag_prefix=tag.prefix,
                arg_pattern=tag.pattern,
                arg_groups=list(tag.groups),
                prompt_example=tag.example,
                handler=handlers.get(name),
                cost=settings.cost,
                requires_gate=settings.gate,
                strip_from_display=tag.strip_from_display,
                cooldown_seconds=limits.cooldown_seconds,
                daily_limit=limits.daily_limit,
            )
        )
    return found


# Lines that call a tool: a tag, a colon, spaces, and text that matches the pattern of the tool.

MAX_LINE: Final = 2048
"""Maximum bytes of UTF-8, including the tag. A longer line is not a call."""

_PREFIX: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_BLANKS: Final = " \t"


@dataclass(frozen=True, slots=True)
class TagLine:
    """The form of the line of one tool, and its parser. `texts` read its args, one for each group of the pattern."""

    tool: ToolDef
    pattern: TagPattern
    texts: tuple[ResultTexts, ...]

    @classmethod
    def of(cls, tool: ToolDef, args: Any = True) -> TagLine:
        """Return the line of a tool; `args` is the schema of its args. Args that it does not describe are texts.

        Raises `CatalogError` for an invalid prefix or pattern.
        """
        if not _PREFIX.fullmatch(tool.tag_prefix):
            raise CatalogError(
                f"the tag prefix of {tool.name} is {tool.tag_prefix!r}: write letters, digits, `_` and `-`, "
                "a letter first"
            )
        try:
            pattern = TagPattern.parse(tool.arg_pattern)
        except PatternRefused as refused:
            hint = f"; {refused.hint}" if refused.hint else ""
            raise CatalogError(f"the pattern of {tool.name} {refused.reason}{hint}") from None
        names = tool.arg_groups
        if pattern.groups != len(names) or len({*names}) < len(names):
            shown = ", ".join(names) or "none"
            raise CatalogError(f"the pattern of {tool.name} has {pattern.groups} groups, and its args are {shown}")
        fields = fields_named(frozenset(names), args, args)
        texts = (
            ResultTexts(alone(fields[name].written, args) if name in fields else True, f"{tool.name} ({name})")
            for name in names
        )
        return cls(tool, pattern, tuple(texts))

    @property
    def form(self) -> str:
        """The form of the line: the tool's example, or else its prefix and the names of its args, if any."""
        args = " ".join(f"[{name}]" for name in self.tool.arg_groups) or self.tool.arg_pattern
        return self.tool.prompt_example or f"{self.tool.tag_prefix}: {args}"

    def read(self, raw_arg: str) -> dict[str, Any] | None:
        """Return the args in the text after the tag, by name; None if it does not match, or is too long.

        Each has the type that its schema gives: `5` is a number where it takes no texts.
        """
        if is_too_long(raw_arg):
            return None
        caught = self.pattern.match(raw_arg)
        if caught is None:
            return None
        names = self.tool.arg_groups
        return {name: reader.value(text) for name, reader, text in zip(names, self.texts, caught, strict=True)}


def split_line(line: str) -> tuple[str, str] | None:
    """Split a line into the tag and the text after it; None if it has no colon followed by a space."""
    prefix, _, rest = line.partition(":")
    raw_arg = rest.lstrip(_BLANKS)
    return None if len(raw_arg) == len(rest) else (prefix, raw_arg)


def is_too_long(line: str) -> bool:
    """Whether a line is too long to be a call."""
    return len(line) > MAX_LINE or len(line.encode("utf-8", "surrogatepass")) > MAX_LINE


# The prompt of tag tools. It always has all of them, because a model can only write tags that it knows.

_HOW: Final = (
    "You can use the tools below by tags in your answer. A tag is one line, written exactly as shown, with your own "
    "words in place of the brackets. Nothing precedes it on its line."
)


def prompt_block(tools: Iterable[ToolDef]) -> str:
    """Describe all tools, ordered by name: how each is called, what it does, and the allowed values of args.

    Empty without tools. Raises `CatalogError` for a tool that no line can call.
    """
    entries = [_entry(TagLine.of(tool)) for tool in sorted(tools, key=lambda tool: tool.name)]
    return "\n\n".join([_HOW, *entries]) if entries else ""


def _entry(line: TagLine) -> str:
    words = [
        f"[{name}] is one of: {', '.join(choice)}."
        for name, choice in zip(line.tool.arg_groups, line.pattern.words, strict=True)
        if choice
    ]
    return "\n".join([line.form, line.tool.description, *words])
