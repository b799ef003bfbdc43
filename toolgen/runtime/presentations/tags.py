"""Tag tools in the flat form of a tag registry: what a line of text must look like to call them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.runtime.catalog import Catalog

Cost = Literal["free", "cheap", "expensive"]


@dataclass(frozen=True, kw_only=True)
class ToolDef:
    """A tool that a model calls with a tag in its answer, such as `RESEARCH: recent posts on tides`.

    `arg_pattern` matches what stands after the prefix; its groups are the args named by `arg_groups`, in order.
    Cooldown is in seconds, the daily limit in calls; both are per user, and 0 means none.
    Raises ValueError for a cost that is none of the three.
    """

    name: str
    description: str
    tag_prefix: str
    arg_pattern: str = "(.+)"
    arg_groups: list[str] = field(default_factory=lambda: ["raw_arg"])
    prompt_example: str = ""
    handler: Callable[..., Any] | None = None
    cost: Cost = "free"
    requires_gate: bool = False
    strip_from_display: bool = True
    cooldown_seconds: float = 0
    daily_limit: int = 0

    def __post_init__(self) -> None:
        if self.cost not in ("free", "cheap", "expensive"):
            raise ValueError(f"the cost of {self.name} is {self.cost!r}, and not free, cheap or expensive")


def tool_defs(catalog: Catalog, handlers: Mapping[str, Callable[..., Any]] | None = None) -> list[ToolDef]:
    """The tag tools of a catalog, sorted by name. `handlers` maps names, the last word of an ident, to functions."""
    found: list[ToolDef] = []
    for ident in catalog:
        definition = catalog.definition(ident)
        tag = definition.metadata.get("tag")
        if tag is None:
            continue
        name = ident.rpartition(".")[2]
        limits = definition.metadata.get("limits", {})
        found.append(
            ToolDef(
                name=name,
                description=definition.description,
                tag_prefix=tag["prefix"],
                arg_pattern=tag["pattern"],
                arg_groups=list(tag["groups"]),
                prompt_example=tag["example"],
                handler=(handlers or {}).get(name),
                cost=definition.metadata.get("cost", "free"),
                requires_gate=definition.metadata.get("gate", False),
                strip_from_display=tag["strip_from_display"],
                cooldown_seconds=limits.get("cooldown_seconds", 0),
                daily_limit=limits.get("daily_limit", 0),
            )
        )
    return sorted(found, key=lambda tool: tool.name)
