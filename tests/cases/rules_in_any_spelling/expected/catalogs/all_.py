"""The action catalog `all`: where its actions lead, and which of them are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.contract.actions import ActionRule, ActionTables, Visibility, passed_on, renamed, without

if TYPE_CHECKING:
    from collections.abc import Mapping

CATEGORIES: Final = (
    "note",
    "peer",
)
"""Every category, in its order."""

OPERATION_RULES: Final[Mapping[str, ActionRule]] = {
    "note__add": ActionRule("team.notes.add", passed_on),
    "note__drop": ActionRule(
        "team.notes.drop", lambda _entry, args: {**without(args, "id", "note"), **renamed(args, "note", "id")}
    ),
}
"""Where fixed entries lead, by qualified name."""

RESOURCE_RULES: Final[Mapping[str, ActionRule]] = {
    "peer": ActionRule("team.notes.tell", lambda entry, args: {**without(args, "to"), "to": entry}),
}
"""Where entries that the host names lead, by category."""

TABLES: Final = ActionTables(categories=CATEGORIES, operations=OPERATION_RULES, resources=RESOURCE_RULES)


def is_search_available(embedding_class: str | None) -> bool:
    """Whether `the search for actions` is seen, by the setting `embedding_class`."""
    return bool(embedding_class)


VISIBILITY: Final[Mapping[str, Visibility]] = {}
"""The categories that are only seen where a setting allows it."""

SEARCH: Final = Visibility("embedding_class", is_search_available)
"""When actions can be searched."""
