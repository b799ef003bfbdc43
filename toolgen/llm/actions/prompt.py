"""The section of the system prompt about actions. It lists only categories, so its size is independent of actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgen.llm.actions.catalog import Category
    from toolgen.llm.actions.view import ActionView

HEADING: Final = "## Action categories"

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
        HEADING,
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
