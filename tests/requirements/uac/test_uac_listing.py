"""Requirements of the universal action catalog: what is listed, described and suggested."""

from __future__ import annotations

import asyncio
import difflib
import json
from typing import TYPE_CHECKING, Any

import pytest

from generated.catalogs import universal
from tests.requirements.uac.universal import SEATBELT, Clock, Universal
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.llm import ToolUseConfig
from toolgen.llm.actions.catalog import action_catalog
from toolgen.llm.actions.hot_list import HotList, owner_of
from toolgen.llm.actions.view import Resources
from toolgen.llm.tool_use import RunOps
from toolgen.runtime import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MCP_ACTIONS = [
    "mcp__call_tool",
    "mcp__drop_server",
    "mcp__install_local",
    "mcp__install_package",
    "mcp__install_registry",
    "mcp__list_servers",
    "mcp__list_tools",
    "mcp__search_registry",
]

HINT = "Use list_actions(category=[...]) to discover the correct name."


@pytest.fixture
def world(tmp_path: Path) -> Universal:
    return Universal(tmp_path)


def skills(*names: str) -> Callable[[], list[tuple[str, str]]]:
    return lambda: [(name, f"The workflow {name}.") for name in names]


def test_uac_05_the_example_has_the_categories_of_the_taxonomy_in_order() -> None:
    assert universal.CATEGORIES == (
        "skill", "agent.peer", "mcp", "file", "web", "memory_entry", "memory_operation", "reyn_source", "rag_corpus",
        "rag_operation", "exec",
    )  # fmt: skip


def test_uac_06_the_mcp_category_lists_its_operations(world: Universal) -> None:
    assert world.names(category=["mcp"]) == MCP_ACTIONS


@pytest.mark.parametrize(
    "name", ["mcp.tool__x", "mcp.server__time", "mcp.tool__time__get_current_time", "mcp__time", "mcp__time__x"]
)
def test_uac_07_servers_and_their_tools_are_not_entries(world: Universal, name: str) -> None:
    answer = world.invoke(name)
    answer_data = json.loads(answer.text)
    assert answer.is_error
    assert answer_data == {
        "error": f"Unknown action '{name}'",
        "reason": answer_data["reason"],
        "suggestions": difflib.get_close_matches(name, world.names()),
        "hint": HINT,
    }
    category, _, entry = name.partition("__")
    unknown = f"unknown category '{category}'" if "." in category else f"the category 'mcp' has no entry '{entry}'"
    assert unknown in answer_data["reason"]
    assert answer_data == world.describe(name)
    listed = world.listing(limit=200)["items"] + world.listing(category=["mcp"])["items"]
    assert not [item for item in listed if "time" in item["qualified_name"] or "mcp." in item["qualified_name"]]


@pytest.mark.parametrize(
    ("category", "entries"),
    [
        ("file", ["delete", "edit", "list", "read", "write"]),
        ("web", ["fetch", "search"]),
        ("memory_operation", ["forget", "remember_agent", "remember_shared"]),
        ("reyn_source", ["list", "read"]),
        ("rag_operation", ["drop_source", "recall"]),
    ],
)
def test_uac_08_operations_are_entries_of_their_categories(world: Universal, category: str, entries: list[str]) -> None:
    assert world.names(category=[category]) == [f"{category}__{entry}" for entry in entries]
    described = [world.describe(f"{category}__{entry}") for entry in entries]
    assert all(each["metadata"]["category"] == category for each in described)
    if category == "reyn_source":
        assert {each["metadata"]["purity"] for each in described} == {"read_only"}


def test_uac_16_actions_are_sorted_by_name(world: Universal) -> None:
    names = world.names()
    assert names == sorted(names)
    assert len(names) > 30


def test_uac_17_no_category_means_all_categories(world: Universal) -> None:
    each = [world.names(category=[category]) for category in universal.CATEGORIES]
    together = sorted(name for names in each for name in names)
    assert world.names() == world.names(category=[]) == together


def test_uac_17_several_categories_are_listed_together(world: Universal) -> None:
    both = world.names(category=["web", "file"])
    assert both == world.names(category=["file"]) + world.names(category=["web"])


def test_uac_18_the_filter_searches_names_and_short_descriptions_case_insensitively(world: Universal) -> None:
    assert "file__read" in world.names(filter="READ")
    (item,) = (world.listing(filter="DOCKER"))["items"]
    assert "docker" not in item["qualified_name"]
    assert "Docker" in item["short_description"]
    assert world.listing(filter="zzz") == {"items": [], "total": 0}


def test_uac_18_the_filter_ignores_case_in_names_and_searches_only_the_first_line(tmp_path: Path) -> None:
    listed = [("Tide_Table", "Plots the coast.\nNeeds a harbour."), ("plain", "Writes a TIDE report.")]
    world = Universal(tmp_path, resources={"skill": lambda: listed})
    for sought in ("tide_t", "TIDE_T"):
        assert world.names(filter=sought) == ["skill__Tide_Table"]
    assert world.names(filter="tide", category=["skill"]) == ["skill__Tide_Table", "skill__plain"]
    assert world.names(filter="needs a harbour") == []
    assert world.names(filter="input artifact") == [], "the short description excludes what invoking one does"


def test_uac_19_total_counts_the_filtered_items_before_paging(tmp_path: Path) -> None:
    many = Universal(tmp_path, resources={"skill": skills(*(f"paged_{number:02}" for number in range(25)))})
    page = many.listing(filter="paged", offset=20, limit=10)
    assert (len(page["items"]), page["total"]) == (5, 25)
    assert [item["qualified_name"] for item in page["items"]] == [f"skill__paged_{n}" for n in range(20, 25)]
    assert many.listing(filter="paged", offset=99) == {"items": [], "total": 25}


def test_uac_20_items_of_the_complete_list_are_short(world: Universal) -> None:
    items = (world.listing())["items"]
    assert {frozenset(item) for item in items} == {frozenset({"qualified_name", "short_description"})}
    assert all("\n" not in item["short_description"] and item["short_description"] for item in items)


def test_uac_21_items_of_a_category_contain_their_complete_description(world: Universal) -> None:
    for category in universal.CATEGORIES:
        for item in (world.listing(category=[category], limit=200))["items"]:
            described = world.describe(item["qualified_name"])
            assert item == {key: described[key] for key in ("qualified_name", "description", "input_schema")}


@pytest.mark.parametrize("category", universal.CATEGORIES)
def test_uac_22_schemas_are_included_for_a_requested_category(world: Universal, category: str) -> None:
    everything = {name: world.describe(name)["input_schema"] for name in world.names()}
    items = world.listing(category=[category], limit=200)["items"]
    assert items
    assert all(item["qualified_name"].startswith(f"{category}__") for item in items)
    own = [schema for name, schema in everything.items() if name.startswith(f"{category}__")]
    assert [item["input_schema"] for item in items] == own
    text = json.dumps(items)
    for name, schema in everything.items():
        if schema not in own:
            assert json.dumps(schema) not in text, name
        for key in set(schema.get("properties", {})) - set().union(*(each.get("properties", {}) for each in own)):
            assert f'"{key}": {{' not in text, (name, key)


def test_uac_23_a_description_has_four_parts_and_three_facts(world: Universal) -> None:
    for name in world.names():
        described = world.describe(name)
        assert described.keys() == {"qualified_name", "description", "input_schema", "metadata"}
        assert described["metadata"].keys() == {"target_tool_name", "category", "purity"}
        assert described["qualified_name"] == name
        assert name.startswith(f"{described['metadata']['category']}__")
        assert described["metadata"]["purity"] in ("read_only", "side_effect")
    assert world.describe("web__search")["metadata"] == {
        "target_tool_name": "router.web_search",
        "category": "web",
        "purity": "read_only",
    }
    assert world.describe("file__write")["metadata"]["purity"] == "side_effect"


def test_uac_24_the_schema_of_an_entry_is_that_of_its_target(world: Universal) -> None:
    tools = world.tool_use.candidates(world.run)
    different = {
        name
        for name, rule in universal.OPERATION_RULES.items()
        if world.describe(name)["input_schema"] != tools[rule.target].args
    }
    assert different == {"mcp__call_tool"}, "only its args have other names"


@pytest.mark.parametrize(("name", "preset"), [("rag_corpus__meetings", "sources"), ("memory_entry__any", "slug")])
def test_uac_24_the_schema_of_a_resource_lacks_only_the_preset_arg(world: Universal, name: str, preset: str) -> None:
    described = world.describe(name)
    target = world.tool_use.candidates(world.run)[described["metadata"]["target_tool_name"]].args
    assert preset in target["properties"]
    assert preset in target["required"]
    properties = {key: schema for key, schema in target["properties"].items() if key != preset}
    required = [key for key in target["required"] if key != preset]
    schema = described["input_schema"]
    assert {**schema, "required": schema.get("required", [])} == {
        **target, "properties": properties, "required": required
    }  # fmt: skip


def test_uac_24_the_schema_is_that_of_the_target_without_preset_args(world: Universal) -> None:
    recall = world.describe("rag_operation__recall")
    corpus = world.describe("rag_corpus__meetings")
    assert "sources" in recall["input_schema"]["properties"]
    assert "sources" in recall["input_schema"]["required"]
    assert corpus["input_schema"]["properties"].keys() == recall["input_schema"]["properties"].keys() - {"sources"}
    assert corpus["input_schema"]["required"] == ["query"]


def test_uac_24_changing_a_listed_schema_does_not_change_the_catalog(world: Universal) -> None:
    view = world.tool_use.view(world.run)
    for name in world.names():
        entry = asyncio.run(view.find(name))
        target = world.tool_use.catalog.definition(entry.as_described()["metadata"]["target_tool_name"])
        before = json.dumps([entry.as_described(), entry.as_found(), target.input_schema])
        for given in (entry.as_described(), entry.as_found()):
            for schema in given["input_schema"]["properties"].values():
                schema.clear()
            given["input_schema"]["properties"].clear()
            given["input_schema"].clear()
        assert json.dumps([entry.as_described(), entry.as_found(), target.input_schema]) == before, name


def test_uac_24_mapped_args_are_shown_by_their_names_for_the_caller(world: Universal) -> None:
    peer = (world.describe("agent.peer__harbour"))["input_schema"]
    tool = (world.describe("mcp__call_tool"))["input_schema"]
    assert list(peer["properties"]) == ["message"]
    assert peer["required"] == ["message"]
    assert set(tool["properties"]) == {"tool", "tool_args"}


@pytest.mark.parametrize(
    ("name", "description_end"),
    [
        ("skill__word_count", "Runs the workflow with your arguments as its input artifact."),
        ("agent.peer__harbour", "Delegates a message to the peer."),
        ("memory_entry__any", "Reads the body of the record."),
        ("rag_corpus__meetings", "Searches this one corpus by meaning."),
    ],
)
def test_uac_25_a_resource_describes_what_invoking_it_does(world: Universal, name: str, description_end: str) -> None:
    assert (world.describe(name))["description"].endswith(description_end)


def test_uac_26_an_unlisted_name_can_be_described(world: Universal) -> None:
    page = world.listing(limit=1)
    (first,) = page["items"]
    assert first["qualified_name"] != "web__fetch"
    assert (world.describe("web__fetch"))["qualified_name"] == "web__fetch"


@pytest.mark.parametrize(
    "name",
    ["nothing__at_all", "file__", "__read", "__", "noSep", "file__read ", "FILE__READ", "a\x00b", "x" * 9000],
)
def test_uac_28_unknown_names_get_an_answer_and_call_nothing(world: Universal, name: str) -> None:
    described = world.describe(name)
    invoked = json.loads((world.invoke(name)).text)
    assert described == invoked
    assert described.keys() == {"error", "reason", "suggestions", "hint"}
    assert [event.kind for event in world.record() if not event.tool.startswith("actions.")] == ["tool_denied"]
    (called,) = (called for called in world.calls() if not called.startswith("actions."))
    assert called.endswith(" (not offered)")


def test_uac_29_the_answer_about_an_unknown_action_has_four_parts(tmp_path: Path) -> None:
    world = Universal(tmp_path, resources={"skill": skills("foo", "form")})
    for answer_data in (json.loads((world.invoke("skil__foo")).text), world.describe("skil__foo")):
        reason = answer_data.pop("reason")
        assert isinstance(reason, str)
        assert "unknown category 'skil'" in reason
        assert answer_data == {
            "error": "Unknown action 'skil__foo'",
            "suggestions": ["skill__foo", "skill__form"],
            "hint": HINT,
        }


@pytest.mark.parametrize("name", ["skil__foo", "file__reed", "mcp_call_tool", "exec__runn", "web", "", "rag__recall"])
def test_uac_30_suggestions_are_difflib_matches_among_visible_names(tmp_path: Path, name: str) -> None:
    settings = {"sandbox_backend": "noop"}
    world = Universal(
        tmp_path, ToolUseConfig(settings=settings, hot_list_size=0), resources={"skill": skills("foo", "form")}
    )
    answer_data = world.describe(name)
    assert answer_data["suggestions"] == difflib.get_close_matches(name, world.names())
    assert not [name for name in answer_data["suggestions"] if name.startswith("exec")]


@pytest.mark.parametrize(
    ("wrapper", "args"),
    [
        ("invoke_action", {}),
        ("invoke_action", {"action_name": ""}),
        ("invoke_action", {"action_name": 7}),
        ("invoke_action", {"action_name": "web__serch"}),
        ("invoke_action", {"action_name": "web__search", "args": [1]}),
        ("invoke_action", {"action_name": "web__search", "query": "tides"}),
        ("invoke_action", []),
        ("invoke_action", {"action_name": "mcp__call_tool", "args": {"tool": "nosep"}}),
        ("describe_action", {}),
        ("describe_action", {"action_name": ""}),
        ("describe_action", {"action_name": None}),
        ("describe_action", {"action_name": "\ud800__x"}),
        ("describe_action", {"action_name": "web__search", "a/b": 1}),
        ("describe_action", []),
        ("describe_action", {"action_name": "web__serch"}),
        ("list_actions", {"category": ["webs"]}),
        ("list_actions", {"category": "web"}),
        ("list_actions", {"limit": 0}),
        ("search_actions", {}),
        ("search_actions", {"query": " "}),
    ],
)
def test_uac_31_every_hint_refers_to_the_list(tmp_path: Path, wrapper: str, args: Any) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, embedding_class="lexical"))
    answer_data = json.loads((world.ask(wrapper, args)).text)
    assert "error" in answer_data
    assert "list_actions" in answer_data["hint"]


def test_uac_33_the_answer_about_a_missing_name_or_an_empty_query_has_four_parts(tmp_path: Path) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, embedding_class="lexical"))
    twice = ToolRequest(name="invoke_action", payload='{"action_name": "x:y", "args": {"a": 1, "a": 2}}')
    (answer,) = world.answers((twice,))
    assert "`a` is there twice (at /args/a): send it once" in answer.text
    for wrapper, args in (
        ("invoke_action", {"args": {}}),
        ("invoke_action", {"action_name": "", "args": {}}),
        ("describe_action", {}),
        ("describe_action", {"action_name": ""}),
        ("search_actions", {}),
        ("search_actions", {"query": ""}),
        ("search_actions", {"query": " \n"}),
    ):
        answer = world.ask(wrapper, args)
        answer_data = json.loads(answer.text)
        field = "query" if wrapper == "search_actions" else "action_name"
        assert answer_data == {
            "error": f"Missing or invalid `{field}`",
            "reason": answer_data["reason"],
            "suggestions": [],
            "hint": HINT,
        }, (wrapper, args)
        assert answer_data["reason"]
    assert not [name for name in world.calls() if not name.startswith("actions.") and "invoke" not in name]


def test_uac_34_a_removed_category_refers_to_its_replacement(world: Universal) -> None:
    answer_data = world.listing(category=["mcp.server", "file", "fiel", "fiel", "mcp.server"])
    assert answer_data.keys() == {"error", "reason", "hint", "unknown", "valid"}
    assert answer_data["unknown"] == ["mcp.server", "fiel"]
    assert answer_data["valid"] == list(universal.CATEGORIES)
    assert "'mcp.server' → 'mcp'" in answer_data["reason"]
    assert "no category 'fiel'" in answer_data["reason"]


def test_uac_61_a_hot_list_of_size_zero_is_alphabetical(world: Universal) -> None:
    world.invoke_well("web__search", {"query": "tides"})
    names = world.names()
    assert names == sorted(names)


def test_uac_61_frequent_and_recent_actions_come_first_followed_by_seeds(tmp_path: Path) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, hot_list_size=4))
    for _ in range(2):
        world.invoke_well("reyn_source__list")
    world.clock.pass_days(9)
    world.invoke_well("web__search", {"query": "tides"})
    world.invoke("web__search", {"query": 7})
    world.invoke("no__such")
    world.hot_list.note("gone__action", owner_of(world.run.meta))
    world.hot_list.note("list_actions", owner_of(world.run.meta))
    # reyn_source__list weighs 2 * (1 + 1/10) = 2.2, web__search 1 * (1 + 1/1) = 2; failed calls do not count.
    names = world.names()
    assert names[:4] == ["reyn_source__list", "web__search", "file__read", "file__list"]
    assert names[4:] == sorted(names[4:])
    assert len(names) == len(set(names))
    world.clock.pass_days(30)
    world.invoke_well("web__search", {"query": "tides"})
    assert (world.names())[0] == "web__search"


@pytest.mark.parametrize(("days", "first"), [(0.7, "web__search"), (1, "web__fetch")])
def test_uac_61_the_weight_of_an_action_combines_its_uses_and_its_age_in_days(
    tmp_path: Path, days: float, first: str
) -> None:
    """Two uses some days ago weigh 2 (1 + 1/(1 + days)), three uses just over 30 days ago 3.1: equal at 0.8."""
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, hot_list_size=2))
    for _ in range(3):
        world.hot_list.note("web__fetch", owner_of(world.run.meta))
    world.clock.pass_days(30 - days)
    for _ in range(2):
        world.hot_list.note("web__search", owner_of(world.run.meta))
    world.clock.pass_days(days)
    assert world.names()[0] == first


def test_uac_61_seeds_fill_only_the_places_that_are_left_each_once() -> None:
    clock = Clock()
    hot_list = HotList(clock)
    for name, uses in (("b", 2), ("a", 1), ("ghost", 9)):
        for _ in range(uses):
            hot_list.note(name, "ann")
    known = {"a", "b", "c", "d"}
    assert hot_list.top(4, ("c", "a", "c", "gone", "d"), known, "ann") == ("b", "a", "c", "d")
    assert hot_list.top(3, ("c", "d"), known, "ann") == ("b", "a", "c")
    assert hot_list.top(1, ("c",), known, "ann") == ("b",)
    assert hot_list.top(0, ("c",), known, "ann") == ()
    assert hot_list.top(2, ("d", "c", "a"), known, "ben") == ("d", "c")


def test_uac_61_the_action_with_the_least_weight_makes_room_for_a_new_one() -> None:
    clock = Clock()
    hot_list = HotList(clock)
    for number in range(200):
        for _ in range(1 if number == 100 else 3):
            hot_list.note(f"action {number:03}", "ann")
    hot_list.note("new", "ann")
    names = hot_list.top(300, (), Everything(), "ann")
    assert len(names) == 200
    assert "new" in names
    assert "action 100" not in names


def test_uac_61_uses_belong_to_the_user_or_else_to_the_session_or_else_to_the_run() -> None:
    metas = [
        ToolCallMeta(user=user, session_id=session, run_id=run)
        for user in ("x", None)
        for session in ("x", None)
        for run in ("x", "y")
    ]
    assert [owner_of(meta) for meta in metas] == [*["user x"] * 4, *["session x"] * 2, "run x", "run y"]


def test_uac_61_uses_are_counted_by_the_clock_of_the_machine_unless_there_is_another() -> None:
    hot_list = HotList()
    hot_list.note("a", "ann")
    assert hot_list.top(1, (), {"a"}, "ann") == ("a",)


def test_uac_61_hidden_actions_are_not_pinned(tmp_path: Path) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings={"sandbox_backend": "noop"}, hot_list_size=4))
    world.hot_list.note("exec__run", owner_of(world.run.meta))
    assert "exec__run" not in world.names()


def test_uac_62_an_unlisted_corpus_can_be_described_and_invoked(tmp_path: Path) -> None:
    world = Universal(tmp_path, resources={})
    assert "rag_corpus__meetings" not in world.names()
    assert (world.describe("rag_corpus__meetings"))["metadata"]["target_tool_name"] == "router.recall"
    answer = world.invoke("rag_corpus__meetings", {"query": "harbour budget"})
    assert not answer.is_error


def act_for(world: Universal, user: str | None, session: str | None) -> None:
    """Switch the model to another user, in a new run."""
    world.run = world.runtime.start_run(meta=ToolCallMeta(user=user, session_id=session))
    world.presentation = world.tool_use.presentation("step", world.run)
    world.ops = RunOps(world.runtime, world.run)


def test_uac_61_the_hot_list_of_one_user_is_not_shown_to_another(tmp_path: Path) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, hot_list_size=2))
    first = world.names()[0]

    def hottest(user: str | None, session: str | None) -> str:
        act_for(world, user, session)
        return world.names()[0]

    act_for(world, "ann", "s1")
    world.invoke_well("web__search", {"query": "tides"})
    assert hottest("ann", "s1") == hottest("ann", "s2") == "web__search"
    assert hottest("ben", "s1") == hottest(None, "s1") == hottest(None, "ann") == hottest(None, None) == first
    act_for(world, None, "s1")
    world.invoke_well("web__fetch", {"url": "http://harbour.example/ferry.html"})
    assert hottest(None, "s1") == "web__fetch"
    assert hottest("ann", "s1") == "web__search"
    assert hottest(None, "s2") == hottest("s1", None) == first


def test_the_hot_list_counts_only_listed_actions_and_is_bounded(tmp_path: Path) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, hot_list_size=50), resources={})
    owner = owner_of(world.run.meta)
    answer = world.invoke("rag_corpus__meetings", {"query": "harbour budget"})
    assert not answer.is_error  # it can be invoked, but is not listed
    world.invoke_well("web__search", {"query": "tides"})
    assert world.hot_list.top(50, (), Everything(), owner) == ("web__search",)
    for number in range(2000):
        world.hot_list.note(f"a__{number}", owner)
        world.hot_list.note("a__often", owner)
    top = world.hot_list.top(5000, (), Everything(), owner)
    assert len(top) == 200
    assert top[0] == "a__often"
    for number in range(3000):
        world.hot_list.note("web__search", f"user {number}")
    counted = [n for n in range(3000) if world.hot_list.top(1, (), Everything(), f"user {n}")]
    assert counted == list(range(2000, 3000))


class Everything:
    def __contains__(self, _name: object) -> bool:
        return True


def test_a_huge_description_is_truncated_and_a_listing_stays_valid_json(tmp_path: Path) -> None:
    huge = "x" * 5_000_000
    world = Universal(tmp_path, resources={"skill": lambda: [("big", huge), ("n" * 501, "Long."), ("small", "It is.")]})
    items = {item["qualified_name"]: item for item in world.listing(category=["skill"])["items"]}
    assert list(items) == ["skill__big", "skill__small"]
    assert items["skill__big"]["description"].startswith("x" * 1999 + "…\n")
    assert len(world.describe("skill__big")["description"]) < 2_200
    assert len(json.dumps(world.listing())) < 20_000


def test_a_page_ends_after_a_complete_item_and_has_the_next_offset(tmp_path: Path) -> None:
    listed = [(f"part{number:03}", f"{number} " + "x" * 1900) for number in range(120)]
    world = Universal(tmp_path, resources={"skill": lambda: listed})
    found: list[str] = []
    offset: int | None = 0
    pages = 0
    while offset is not None:
        text = world.ask("list_actions", {"category": ["skill"], "offset": offset, "limit": 200}).text
        assert len(text) < 60_000
        page = json.loads(text)
        assert page["total"] == 120
        found += [item["qualified_name"] for item in page["items"]]
        offset = page.get("next_offset")
        pages += 1
    assert found == [f"skill__part{number:03}" for number in range(120)]
    assert pages > 2


def test_if_listing_some_resources_fails_the_rest_is_listed(tmp_path: Path) -> None:
    def fails() -> list[tuple[str, str]]:
        raise OSError("the disk is gone")

    world = Universal(tmp_path, resources={"skill": fails, "agent.peer": lambda: [("ann", "")]})
    names = world.names()
    assert "agent.peer__ann" in names
    assert not [name for name in names if name.startswith("skill")]


@pytest.mark.parametrize(
    "odd", [(5, "five"), "ab", {"name": "x", "description": "y"}, ("\ud800", "x"), ("", "x"), ("a",), None]
)
def test_invalid_entries_are_left_out_and_the_rest_is_listed(tmp_path: Path, odd: Any) -> None:
    world = Universal(tmp_path, resources={"skill": lambda: [odd, ("fine", "It is.")]})
    assert world.names(category=["skill"]) == ["skill__fine"]
    assert json.loads(world.invoke("skil__fine").text)["suggestions"][0] == "skill__fine"


def test_a_provider_that_times_out_has_no_entries() -> None:
    async def late() -> list[tuple[str, str]]:
        await asyncio.sleep(60)
        return [("a", "b")]

    resources = Resources(action_catalog(load("generated")), {"skill": late}, patience=0.01)
    assert asyncio.run(resources.of("skill")) == ()
    assert asyncio.run(resources.of("agent.peer")) == ()


def test_suggestions_for_unknown_names_are_limited_per_turn(tmp_path: Path) -> None:
    asked = 0

    def counted() -> list[tuple[str, str]]:
        nonlocal asked
        asked += 1
        return [("foo", "Foo.")]

    world = Universal(tmp_path, resources={"skill": counted})
    answers = world.ask_all([("invoke_action", {"action_name": "skil__foo"})] * 9)
    suggested = [json.loads(answer.text)["suggestions"] for answer in answers]
    assert suggested == [["skill__foo"]] * 5 + [[]] * 4
    assert asked == 1


def test_a_list_of_many_unknown_categories_is_shortened(world: Universal) -> None:
    text = world.ask("list_actions", {"category": [f"c{number}" for number in range(10_000)]}).text
    assert len(text) < 2_000
    assert "and 9990 more" in text
