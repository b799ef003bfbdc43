"""Definitions of tag tools in a tag registry, and the context of their calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgen.contract.records import NOTHING, FailureKind, ToolError, ToolResult
from toolgen.runtime.base.errors import CatalogError

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog

TagCost: TypeAlias = Literal["free", "cheap", "expensive"]


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """The context of a call, passed to the handler.

    `raw_arg` is the text after the tag, `args` the groups of the tool's pattern in it, by name: both are filled in when
    a tool is run. `user_message` is the message that the model responds to, `user` its author, to whom limits apply;
    `kb_context` is the available knowledge, `confidence` that of the model.
    """

    user_message: str
    user: str
    chat_id: int
    raw_arg: str = ""
    args: Mapping[str, str] = NOTHING
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
