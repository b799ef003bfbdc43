"""The view of a run on an action catalog: only what the run may call is listed, found and resolved."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from toolgen.contract.actions import ActionRule, ActionTables, UnknownActionError, Visibility, passed_on
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.llm.actions.catalog import Action, ActionCatalog, Category
from toolgen.llm.actions.view import ActionView, Resource, Resources
from toolgen.llm.presentations.protocol import Candidates
from toolgen.runtime import Catalog, Runtime, allow_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

IDENTS = ("desk.open", "desk.shut", "lamp.light", "room.play", "room.rest")

ACTIONS = ActionCatalog(
    name="house",
    categories=(
        Category(
            name="desk",
            description="A desk.",
            actions={"open": Action(target="desk.open"), "shut": Action(target="desk.shut")},
        ),
        Category(name="lamp", description="A lamp.", actions={"light": Action(target="lamp.light")}),
        Category(
            name="room", description="The rooms.", resource=Action(target="room.play"), invoke="Plays in that room."
        ),
    ),
    tables=ActionTables(
        categories=("desk", "lamp", "room"),
        operations={
            "desk__open": ActionRule("desk.open", passed_on),
            "desk__shut": ActionRule("desk.shut", passed_on),
            "lamp__light": ActionRule("lamp.light", passed_on),
        },
        resources={"room": ActionRule("room.play", lambda entry, _: {"room": entry})},
    ),
    visibility={},
    search=Visibility("embedding_class", bool),
)


def view(
    allowed: Iterable[str] = IDENTS, actions: ActionCatalog = ACTIONS, rooms: Iterable[Resource] = ()
) -> ActionView:
    catalog = Catalog()
    for ident in IDENTS:
        catalog.tool(ident, description=f"Tool {ident}.", input_schema={"type": "object"})(lambda _: None)
    runtime = Runtime(catalog, permission=allow_all)
    everything = ToolUse(catalog, ToolUseConfig()).candidates(runtime.start_run())
    candidates = Candidates(allowed, everything.__getitem__, str)
    return ActionView(actions, candidates, {}, Resources(actions, {"room": lambda: rooms}))


@pytest.fixture
def without() -> Callable[[str], ActionView]:
    """Return a function that gives the view of a run that may call all tools but one."""
    return lambda excluded: view(ident for ident in IDENTS if ident != excluded)


def test_an_action_whose_target_is_excluded_is_not_listed_and_the_rest_of_its_category_is(
    without: Callable[[str], ActionView],
) -> None:
    seen = without("desk.shut")
    assert list(seen.categories) == ["desk", "lamp", "room"]
    assert list(seen.operations) == ["desk__open", "lamp__light"]
    assert list(asyncio.run(seen.entries(["desk"]))) == ["desk__open"]
    assert seen.targets == {"desk.open", "lamp.light", "room.play"}
    with pytest.raises(UnknownActionError, match="the category 'desk' has no entry 'shut'"):
        seen.resolve("desk__shut", {})
    assert seen.resolve("desk__open", {"wide": True}).target_args == {"wide": True}


def test_a_category_without_a_target_that_may_be_called_is_unknown(without: Callable[[str], ActionView]) -> None:
    seen = without("lamp.light")
    assert list(seen.categories) == ["desk", "room"]
    assert list(seen.operations) == ["desk__open", "desk__shut"]
    with pytest.raises(UnknownActionError, match="unknown category 'lamp'"):
        seen.resolve("lamp__light", {})


def test_entries_of_the_host_are_not_listed_if_their_target_is_excluded() -> None:
    rooms = [Resource("hall", "The hall.")]
    assert list(asyncio.run(view(rooms=rooms).entries())) == ["desk__open", "desk__shut", "lamp__light", "room__hall"]
    seen = view((ident for ident in IDENTS if ident != "room.play"), rooms=rooms)
    assert list(asyncio.run(seen.entries())) == ["desk__open", "desk__shut", "lamp__light"]
    assert asyncio.run(seen.names()) == ["desk__open", "desk__shut", "lamp__light"]
    with pytest.raises(UnknownActionError, match="unknown category 'room'"):
        asyncio.run(seen.find("room__hall"))


def test_uac_40_the_rule_of_an_entry_precedes_the_rule_of_its_category_in_a_view() -> None:
    tables = ACTIONS.tables
    special = {**tables.operations, "room__hall": ActionRule("room.rest", passed_on)}
    seen = view(actions=replace(ACTIONS, tables=replace(tables, operations=special)))
    assert seen.resolve("room__hall", {}).target_tool_name == "room.rest"
    assert seen.resolve("room__cellar", {}).target_tool_name == "room.play"


def test_uac_25_an_entry_without_a_description_is_described_by_its_category() -> None:
    seen = view(rooms=[Resource("hall", "The hall."), Resource("attic", " \n")])
    described = {name: entry.description for name, entry in asyncio.run(seen.resources()).items()}
    assert described == {
        "room__attic": "The rooms.\nPlays in that room.",
        "room__hall": "The hall.\nPlays in that room.",
    }
    assert asyncio.run(seen.find("room__cellar")).description == "The rooms.\nPlays in that room."
    assert asyncio.run(seen.find("room__hall")).description == "The hall.\nPlays in that room."


def test_of_entries_with_equal_names_the_first_is_listed() -> None:
    resources = Resources(ACTIONS, {"room": lambda: [("hall", "First."), Resource("hall", "Second."), ("attic", "A.")]})
    assert asyncio.run(resources.of("room")) == (Resource("attic", "A."), Resource("hall", "First."))
