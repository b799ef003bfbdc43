"""What a model reads of actions: the section of its prompt, and the answers of the tools that list actions."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.actions import UnknownActionError
from toolgen.spec.text import cut, visible

if TYPE_CHECKING:
    from toolgen.llm.actions.catalog import Category
    from toolgen.llm.actions.view import ActionEntry, ActionView

# Error answers for actions that cannot be found or called: the error, the reason, and a hint.

HINT: Final = "Use list_actions(category=[...]) to discover the correct name."
ARGS_HINT: Final = (
    "The name is right: describe_action(action_name) has the schema of its args, and so has "
    "list_actions(category=[...])."
)
_SHOWN: Final = 200
"""Maximum characters of a name that are repeated."""

_NAMED: Final = 10
"""Maximum number of unknown categories that are repeated."""


def unknown_action(name: str, reason: str, suggestions: Sequence[str]) -> dict[str, Any]:
    """Return the error for an unknown action, with similar names."""
    return {
        "error": f"Unknown action '{_shown(name)}'",
        "reason": _shown(reason),
        "suggestions": list(suggestions),
        "hint": HINT,
    }


def missing(what: str, reason: str, hint: str = HINT) -> dict[str, Any]:
    """Return the error for a missing or malformed argument of a wrapper."""
    return {"error": f"Missing or invalid `{what}`", "reason": reason, "suggestions": [], "hint": hint}


def unmappable(name: str, reason: str) -> dict[str, Any]:
    """Return the error for args of an action that cannot be mapped to its target."""
    return {"error": f"Invalid args of '{_shown(name)}'", "reason": reason, "suggestions": [], "hint": ARGS_HINT}


def unknown_categories(unknown: Sequence[str], valid: Sequence[str], successors: Mapping[str, str]) -> dict[str, Any]:
    """Return the error for unknown categories, with the new names of renamed ones."""
    named = unknown[:_NAMED]
    reasons = [
        f"'{_shown(name)}' → '{successors[name]}'" if name in successors else f"there is no category '{_shown(name)}'"
        for name in named
    ]
    if len(unknown) > _NAMED:
        reasons.append(f"and {len(unknown) - _NAMED} more")
    return {
        "error": f"Unknown categories: {', '.join(map(_shown, named))}",
        "reason": "; ".join(reasons),
        "hint": "Call list_actions again with categories from `valid`.",
        "unknown": [_shown(name) for name in named],
        "valid": list(valid),
    }


def _shown(text: str) -> str:
    return cut(visible(text), _SHOWN)


_PAGE_BYTES: Final = 48_000
"""Maximum bytes of JSON of a page, which ends after an item: the limit of results could cut it anywhere."""


async def list_actions(
    view: ActionView,
    *,
    categories: Sequence[str] = (),
    text: str = "",
    offset: int = 0,
    limit: int = 50,
    first: Callable[[Mapping[str, ActionEntry]], Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return one page of the visible actions, `{items, total}`; `total` counts all that match the filters.

    A page that would be too long has fewer items than requested, and `next_offset` is the offset of the next one.

    They are sorted by name, behind those that `first` gives of them. `text` is looked for in names and short
    descriptions, whatever its case. Items of categories that were asked for carry their descriptions and schemas.
    """
    unknown = [name for name in dict.fromkeys(categories) if name not in view.categories]
    if unknown:
        return unknown_categories(unknown, list(view.categories), view.successors)
    entries = await view.entries(categories)
    if text:
        sought = text.casefold()
        entries = {
            name: entry
            for name, entry in entries.items()
            if sought in name.casefold() or sought in entry.short_description.casefold()
        }
    ahead = first(entries) if first is not None else ()
    ordered = [*ahead, *(name for name in entries if name not in ahead)] if ahead else list(entries)
    page = [entries[name] for name in ordered[offset : offset + limit]]
    items = _fitting(_item(entry, is_narrowed=bool(categories)) for entry in page)
    listed = {"items": items, "total": len(entries)}
    return listed if len(items) == len(page) else {**listed, "next_offset": offset + len(items)}


def _fitting(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first items that fit on a page, at least one."""
    found: list[dict[str, Any]] = []
    room = _PAGE_BYTES
    for item in items:
        room -= len(json.dumps(item, ensure_ascii=False).encode("utf-8", "replace"))
        if found and room < 0:
            break
        found.append(item)
    return found


def _item(entry: ActionEntry, *, is_narrowed: bool) -> dict[str, Any]:
    if is_narrowed:
        return entry.as_found()
    return {"qualified_name": entry.name, "short_description": entry.short_description}


async def search_actions(
    view: ActionView, query: str, limit: int, find: Callable[[str, int, ActionView], Awaitable[Sequence[ActionEntry]]]
) -> dict[str, Any]:
    """Return the visible actions that match a query best, found with `find`, with descriptions and schemas."""
    if not query.strip():
        return missing("query", "describe what to do in a few words")
    found = await find(query, limit, view)
    items = _fitting(entry.as_found() for entry in found)
    return {"items": items, "total": len(items)}


async def describe_action(view: ActionView, name: str) -> dict[str, Any]:
    """Return the full description of one action, listed or not; for an unknown name, similar names."""
    if not name:
        return missing("action_name", "it must be the name of an action from list_actions")
    try:
        entry = await view.find(name)
    except UnknownActionError as error:
        return unknown_action(error.name, error.reason, await view.suggestions(name))
    return entry.as_described()


# The section of the system prompt. It lists only categories, so its size is independent of actions.

_HEADING: Final = "## Action categories"

_INTRODUCTION: Final = (
    "Everything you can do is an action of one of these categories. Find actions with list_actions, which also says "
    "what args they take, and run one with invoke_action."
)


def action_categories(view: ActionView, tier: str = "") -> str:
    """Return the section: the visible categories, and the instructions for models of a tier.

    Instructions precede the categories, and are repeated after them.
    """
    mandates = [mandate for mandate in view.catalog.mandates if tier and tier in mandate.tiers]
    repeated = [
        " ".join(mandate.text.split())
        for round_ in range(max((mandate.repeat for mandate in mandates), default=0))
        for mandate in mandates
        if round_ < mandate.repeat
    ]
    before, after = repeated[: len(mandates)], repeated[len(mandates) :]
    paragraphs = [
        _HEADING,
        view.catalog.prompt or _INTRODUCTION,
        *before,
        "\n".join(_bullets(view)),
        *after,
    ]
    return "\n\n".join(paragraphs)


def _bullets(view: ActionView) -> Iterator[str]:
    for category in view.categories.values():
        yield f"- `{category.name}`: {_line(category)}"


def _line(category: Category) -> str:
    description = " ".join(category.description.split())
    return f"{description} Invoking an entry: {' '.join(category.invoke.split())}" if category.invoke else description


def system_prompt(capabilities: str, behaviour: str, section: str = "") -> str:
    """Return the static part of a system prompt; without a section it does not mention actions.

    It is the same for every request of a run, so that providers can cache it: append changing parts to it.
    """
    parts = [f"## Capabilities\n\n{capabilities.strip()}", section, f"## Behaviour\n\n{behaviour.strip()}"]
    return "\n\n".join(part for part in parts if part) + "\n"
