"""Requirements of the universal action catalog: what is sent to a model before its first request."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from generated.catalogs import universal
from tests.case import write
from tests.project.examples.entries import EVERY_ENTRY
from tests.requirements.uac.universal import SEATBELT, Universal
from tests.unit.compiler.specs import resolved, toolset
from tests.unit.runtime.tools import idle_executors
from toolgen.compiler.compile import compile_specs, generate
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import Target
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.llm import ToolUse, ToolUseConfig, read_tool_use, system_prompt
from toolgen.llm.actions.listing import list_actions
from toolgen.providers.protocol import ModelReply, UnsupportedCapability
from toolgen.providers.table import PROVIDERS, provider_payload
from toolgen.providers.table import provider as provider_of
from toolgen.runtime import Runtime, allow_all, load
from toolgen.spec.tool_use import LAYERS, PRESENTATIONS
from toolgen.spec.wire_names import fits

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.llm.presentations.protocol import ToolListing
    from toolgen.providers.protocol import OfferProblem

LIGHT = ToolUseConfig(settings=SEATBELT, tier="light")
MANDATES = (
    "Your first tool call MUST be list_actions, before reading, writing, or editing anything.",
    "Partial edits MUST use file__edit, NOT file__write.",
)


SWITCH = "universal_wrappers_enabled"

BUILT_IN = 26
"""Tools of toolgen, without those that only list others."""


@pytest.fixture
def world(tmp_path: Path) -> Universal:
    return Universal(tmp_path)


def prompt(world: Universal) -> str:
    return system_prompt("You route.", "Be brief.", world.tool_listing.prompt)


def sent(world: Universal) -> str:
    """Return everything that is sent to a model before its first request."""
    tools = provider_payload("openai", world.tool_listing.tools).fields
    return prompt(world) + json.dumps(tools)


def of_many_actions(number: int) -> ToolUse:
    """Return the actions of a generated catalog: of this many registered tools, and of the built-in ones."""
    catalog = load("toolgen.toolsets.generated")
    for index in range(number):
        catalog.tool(f"big.tool_{index:05}", description=f"Do {index}.", input_schema={"type": "object"})(
            lambda _: None
        )
    return ToolUse(catalog, ToolUseConfig(embedding_class="lexical"))


SHOP = """
toolgen: 1
catalog: all
from: shop
categories:
"""


def built(folder: Path, name: str, tools: dict[str, Any], catalog: str, **config: Any) -> tuple[Any, ToolListing]:
    """Compile a catalog to a package of that name, import it, and return its module and what a model gets."""
    specs = folder / f"specs_of_{name}/specs"
    specs.mkdir(parents=True)
    (specs / "shop.yaml").write_text(toolset(tools), encoding="utf-8")
    (specs / "all.yaml").write_text(SHOP + catalog, encoding="utf-8")
    sink = Diagnostics()
    compiled = compile_specs(specs.parent, Target(out=name, builtin=("actions",)), sink)
    assert not sink.has_errors, [str(found.message) for found in sink]
    write(folder / name, generate(compiled.catalog))
    tool_use = ToolUse(load(name), ToolUseConfig(**config))
    runtime = Runtime(tool_use.catalog, executors=idle_executors(tool_use.catalog), permission=allow_all)
    listing = tool_use.presentation("step", runtime.start_run()).build_presentation()
    return import_module(f"{name}.catalogs.all"), listing


def test_uac_01_a_new_category_needs_an_entry_and_a_rule_but_no_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adding a fourteenth category: built, imported, and shown to a model."""
    monkeypatch.syspath_prepend(tmp_path)
    tools = {f"do_{number}": {"args": {"n": "integer"}} for number in range(14)}
    found: list[Any] = []
    for count in (13, 14):
        categories = "".join(
            f"  part{number}: {{description: Part {number}., actions: {{do: do_{number}}}}}\n"
            for number in range(count)
        )
        module, listing = built(tmp_path, f"categories_{count}", tools, categories)
        found.append((module, [tool.name for tool in listing.tools], listing.prompt))
    (before, few, one), (after, many, other) = found
    assert (*before.CATEGORIES, "part13") == after.CATEGORIES
    assert len(after.CATEGORIES) == len(before.CATEGORIES) + 1 == 14
    rules = [{**module.OPERATION_RULES, **module.RESOURCE_RULES} for module in (before, after)]
    assert rules[1].keys() - rules[0].keys() == {"part13__do"}
    assert few == many == ["list_actions", "describe_action", "invoke_action"]
    assert other.replace("\n- `part13`: Part 13.", "") == one


def test_uac_14_uac_55_the_wrappers_and_the_prompt_do_not_grow_with_the_actions() -> None:
    data_seen: set[str] = set()
    for number in (20, 200, 2_000):
        tool_use = of_many_actions(number)
        run = Runtime(tool_use.catalog, executors=idle_executors(tool_use.catalog), permission=allow_all).start_run()
        listing = tool_use.presentation("step", run).build_presentation()
        tools = json.dumps(provider_payload("openai", listing.tools).fields, separators=(",", ":"))
        assert len(tools) <= 4_000
        data_seen.add(tools + system_prompt("You route.", "Be brief.", listing.prompt))
        page = asyncio.run(list_actions(tool_use.view(run), limit=10))
        assert page["total"] == number + BUILT_IN
        assert len(json.dumps(page)) < 1_500
    assert len(data_seen) == 1


def test_uac_15_wrapper_descriptions_do_not_mention_categories(tmp_path: Path) -> None:
    """Categories are only in the list of choices, not in descriptions of wrappers and their parameters."""
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, embedding_class="lexical"))
    tools = provider_payload("openai", world.tool_listing.tools).fields["tools"]
    assert len(tools) == 4
    for tool in tools:
        tool_text = json.dumps(tool)
        if tool["function"]["name"] == "list_actions":
            tool_text = tool_text.replace(json.dumps(list(universal.CATEGORIES)), "")
        for category in universal.CATEGORIES:
            assert not re.search(rf"\b{re.escape(category)}\b", tool_text), (tool["function"]["name"], category)


def test_uac_15_wrappers_of_all_catalogs_have_one_text_and_none_of_their_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    world = Universal(tmp_path / "world", ToolUseConfig(settings=SEATBELT, embedding_class="lexical"))
    categories = "  part: {description: Part of it., actions: {do: }}\n"
    _, other = built(tmp_path, "one_action", {"do": {"args": {}}}, categories, embedding_class="lexical")
    payloads = [provider_payload("openai", each.tools).fields["tools"] for each in (world.tool_listing, other)]
    texts = [json.dumps(each) for each in payloads]
    assert texts[0].replace(json.dumps(list(universal.CATEGORIES)), '["part"]') == texts[1]
    for name in world.names():
        described = world.describe(name)
        for text in (name, described["metadata"]["target_tool_name"], described["description"]):
            assert json.dumps(text)[1:-1] not in texts[0]


def test_uac_12_every_provider_gets_names_of_its_profile_without_dots(tmp_path: Path) -> None:
    """Listing, dispatch, counting and requests, for each provider and presentation.

    Names of actions are values, not names of tools: they are the same for all and contain dots.
    """
    for provider in sorted(PROVIDERS):
        grammar = provider_of(provider).grammar
        refused: list[OfferProblem] = []
        for shown in PRESENTATIONS:
            config = ToolUseConfig(
                presentations=dict.fromkeys(LAYERS, shown),
                settings=SEATBELT,
                embedding_class="lexical",
                hot_list_size=3,
            )
            world = Universal(tmp_path / f"{provider}-{shown}", config)
            try:
                presentation = world.tool_use.presentation("step", world.run, provider)
            except UnsupportedCapability as error:
                refused += error.problems  # it cannot represent the args of some tools of the example
                continue
            names = [tool.name for tool in presentation.build_presentation().tools]
            assert all(fits(name, grammar) for name in names), (provider, shown)
            assert provider in DOTTED or not [name for name in names if "." in name], (provider, shown)
            candidates = world.tool_use.candidates(world.run, provider)
            idents = set(candidates)
            assert {candidates[ident].name for ident in idents} == set(candidates.by_name)
            assert set(candidates.by_name.values()) == idents
            if shown == "enumerate-all":
                assert set(names) == set(candidates.by_name)
                for name in names:  # dispatch: each name maps back to the ident for which it was listed
                    asked = ToolRequest(name=name, payload="{}", tool_call_id="m")
                    action = presentation.interpret(ModelReply(calls=(asked,)))
                    (call,) = action.calls
                    assert call.request is not None
                    assert candidates[call.request.name].name == name
            if shown == "universal-category":
                world.presentation = presentation
                world.invoke_well("web__search", {"query": "tides"})
                assert world.names()[0] == "web__search"
        assert all(fits(problem.tool, grammar) for problem in refused)
        assert not [problem for problem in refused if not problem.pointer and "its name is not" in problem.reason]


DOTTED = ("litellm", "mcp")
"""Profiles whose tools may have dots in their names."""


def test_uac_32_search_is_shown_if_there_is_an_embedding_class(tmp_path: Path) -> None:
    without = Universal(tmp_path / "a", ToolUseConfig(settings=SEATBELT))
    with_class = Universal(tmp_path / "b", ToolUseConfig(settings=SEATBELT, embedding_class="lexical"))
    assert "search_actions" not in [tool.name for tool in without.tool_listing.tools]
    assert "search_actions" in [tool.name for tool in with_class.tool_listing.tools]
    assert "actions.search_actions" not in without.tool_listing.dispatchable
    assert "actions.search_actions" in with_class.tool_listing.dispatchable
    assert without.ask("search_actions", {"query": "tides"}).text.startswith("unknown tool")
    assert [event.kind for event in without.record()] == ["tool_denied"]
    assert with_class.search("search the web")["items"][0]["qualified_name"] == "web__search"


@pytest.mark.parametrize("configured", ["", "lexical"])
@pytest.mark.parametrize("backend", ["", "noop", "seatbelt"])
def test_uac_48_predicates_receive_the_configured_values(tmp_path: Path, configured: str, backend: str) -> None:
    configuration = {"action_retrieval": {"embedding_class": configured}, "settings": {"sandbox_backend": backend}}
    world = Universal(tmp_path, read_tool_use(configuration))
    assert ("search_actions" in [tool.name for tool in world.tool_listing.tools]) is bool(configured)
    assert ("exec__run" in world.names()) is (backend == "seatbelt")


@pytest.mark.parametrize(("embedding_class", "seen"), [(None, False), ("", False), ("standard", True)])
def test_uac_44_search_is_available_if_an_embedding_class_is_set(embedding_class: str | None, seen: bool) -> None:
    assert universal.is_search_available(embedding_class) is seen


@pytest.mark.parametrize(("sandbox_backend", "seen"), [(None, False), ("noop", False), ("", False), ("seatbelt", True)])
def test_uac_45_exec_is_available_if_a_sandbox_is_set(sandbox_backend: str | None, seen: bool) -> None:
    assert universal.is_exec_available(sandbox_backend) is seen


def test_uac_46_all_categories_except_exec_are_always_visible(tmp_path: Path) -> None:
    world = Universal(tmp_path, ToolUseConfig())
    assert list(world.tool_use.view(world.run).categories) == [
        category for category in universal.CATEGORIES if category != "exec"
    ]


def test_uac_47_a_hidden_category_appears_nowhere(tmp_path: Path) -> None:
    config = ToolUseConfig(settings={"sandbox_backend": "noop"}, embedding_class="lexical", hot_list_size=0)
    world = Universal(tmp_path, config)
    (listing,) = (tool for tool in world.tool_listing.tools if tool.name == "list_actions")
    assert "exec" not in listing.args["properties"]["category"]["items"]["enum"]
    assert "`exec`" not in world.tool_listing.prompt
    assert not [name for name in world.names() if name.startswith("exec")]
    assert "error" in world.listing(category=["exec"])
    assert "exec__run" not in json.dumps(world.search("run a command in the sandbox", limit=20))
    for asked in ("exec__run", "exec__rum"):
        data_seen = json.loads(world.invoke(asked, {"argv": ["true"]}).text)
        assert data_seen["error"] == f"Unknown action '{asked}'"
        assert "exec__run" not in data_seen["suggestions"]
    assert [name for name in world.calls() if not name.startswith("actions.")] == [
        "router.sandboxed_exec",
        "exec__rum (not offered)",
    ]
    assert world.refused() == [("router.sandboxed_exec", "not_offered"), ("exec__rum (not offered)", "not_offered")]


def test_uac_47_hidden_and_unknown_actions_get_the_same_answer(tmp_path: Path) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings={"sandbox_backend": "noop"}, hot_list_size=0))

    def reason(name: str) -> str:
        asked, described = world.invoke(name), world.describe(name)
        data_seen = json.loads(asked.text)
        assert data_seen["reason"] == described["reason"]
        return str(data_seen["reason"]).replace(name.partition("__")[2], "…").replace(name.partition("__")[0], "…")

    assert reason("exec__run") == reason("exec__nope") == reason("zzzz__run")


def test_uac_54_tools_that_were_not_offered_are_not_suggested(world: Universal) -> None:
    for name in ("router.web_serch", "router__web_serch", "web_search", "router.web_search", "list_action"):
        text = world.ask(name, {}).text
        assert "router" not in text
        assert "web_search" not in text
    assert world.ask("list_action", {}).text.startswith("unknown tool; did you mean list_actions")


def test_uac_48_predicates_take_the_value_of_one_setting() -> None:
    for predicate in (universal.is_search_available, universal.is_exec_available):
        (parameter,) = inspect.signature(predicate).parameters.values()
        assert parameter.annotation == "str | None"
    assert {name: each.setting for name, each in universal.VISIBILITY.items()} == {"exec": "sandbox_backend"}
    assert universal.SEARCH.setting == "embedding_class"


def switched(folder: Path, *, on: bool) -> Universal:
    """Return the world of a configuration that sets the switch for the wrappers."""
    return Universal(folder, read_tool_use({"action_retrieval": {SWITCH: on}, "settings": SEATBELT}))


def test_uac_49_the_section_names_every_category_and_what_invoking_one_does(tmp_path: Path) -> None:
    world = switched(tmp_path, on=True)
    section = world.tool_listing.prompt
    assert section in prompt(world)
    assert section.startswith("## Action categories\n")
    for category in universal.CATEGORIES:
        assert f"- `{category}`: " in section
    for invoke in ("Runs the workflow", "Delegates a message", "Reads the body", "Searches this one corpus"):
        assert f"Invoking an entry: {invoke}" in section


def test_uac_49_without_the_wrappers_there_is_no_section(tmp_path: Path) -> None:
    world = switched(tmp_path, on=False)
    assert world.tool_listing.prompt == ""
    assert "## Action categories" not in prompt(world)


def test_uac_50_the_section_is_between_capabilities_and_behaviour(world: Universal) -> None:
    text = prompt(world)
    assert text.index("## Capabilities") < text.index("## Action categories") < text.index("## Behaviour")


def test_uac_50_the_prompt_does_not_change_during_a_run(world: Universal) -> None:
    before = prompt(world), json.dumps(provider_payload("openai", world.tool_listing.tools).fields)
    world.invoke_well("web__search", {"query": "tides"})
    world.invoke("no__such")
    world.listing(category=["file"])
    assert (prompt(world), json.dumps(provider_payload("openai", world.tool_listing.tools).fields)) == before


def test_uac_50_the_prompt_is_the_same_for_other_users_and_other_resources(tmp_path: Path) -> None:
    first = Universal(tmp_path / "a")
    others = Universal(tmp_path / "b", resources={"skill": lambda: [("harbour_report", "Reports.")]})
    runs = [
        (world, world.runtime.start_run(meta=ToolCallMeta(user=user, session_id=user)))
        for world in (first, others)
        for user in (None, "ann", "ben")
    ]
    texts = set[str]()
    for world, run in runs:
        conversation = world.tool_use.conversation("step", world.runtime, run)
        texts.add(system_prompt("You route.", "Be brief.", conversation.prompt) + json.dumps(conversation.request()))
        world.invoke_well("skill__word_count", {"text": f"I am {run.meta.user}."})
    assert len(texts) == 1
    assert texts.pop().startswith(prompt(first))


def test_uac_51_every_category_has_a_bullet(world: Universal) -> None:
    assert tuple(re.findall(r"^- `([^`]+)`: ", world.tool_listing.prompt, re.MULTILINE)) == universal.CATEGORIES


@pytest.mark.parametrize("text", ["", "description: '', ", "description: ' ', ", "description: , "])
def test_uac_51_a_category_without_a_bullet_does_not_compile(text: str) -> None:
    catalog = f"toolgen: 1\ncatalog: all\nfrom: shop\ncategories:\n  first: {{{text}actions: {{add: }}}}\n"
    found = resolved(toolset({"add": {}}), catalog)
    assert found.has_errors
    (message,) = found.messages
    assert " 2.yaml:5:" in message
    assert "description" in message


def test_uac_52_wrappers_are_the_default_of_their_layers_and_can_be_disabled(tmp_path: Path) -> None:
    """By default chat is as without the wrappers, and the other layers as with them, byte for byte."""
    switches: tuple[dict[str, Any], ...] = (
        {},
        {"action_retrieval": {SWITCH: True}},
        {"action_retrieval": {SWITCH: False}},
    )
    found = [digests_of(tmp_path / str(number), switch) for number, switch in enumerate(switches)]
    by_default, on, off = found
    assert by_default == on
    assert len({*off.values()}) == 1
    assert by_default["chat"] == off["chat"]
    assert by_default["step"] == by_default["phase"] != off["step"]
    assert system_prompt("You route.", "Be brief.") == "## Capabilities\n\nYou route.\n\n## Behaviour\n\nBe brief.\n"


def digests_of(folder: Path, configuration: dict[str, Any]) -> dict[str, str]:
    """Return a digest of the prompt and the tools that a model gets in each layer."""
    world = Universal(folder, read_tool_use({**configuration, "settings": SEATBELT}))
    digests = dict[str, str]()
    for layer in LAYERS:
        conversation = world.tool_use.conversation(layer, world.runtime, world.run)
        text = system_prompt("You route.", "Be brief.", conversation.prompt) + json.dumps(dict(conversation.request()))
        digests[layer] = hashlib.sha256(text.encode()).hexdigest()
    return digests


@pytest.mark.parametrize("spelling", ["switch", "tool_use"])
def test_uac_53_an_opt_out_removes_wrappers_and_section(tmp_path: Path, spelling: str) -> None:
    flat = read_tool_use({"tool_use": dict.fromkeys(LAYERS, "enumerate-all"), "settings": SEATBELT})
    world = switched(tmp_path, on=False) if spelling == "switch" else Universal(tmp_path, flat)
    assert "## Action categories" not in prompt(world)
    names = {tool.name for tool in world.tool_listing.tools}
    assert "router__web_search" in names
    assert not names & {"list_actions", "describe_action", "invoke_action", "search_actions"}


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_uac_54_no_action_is_mentioned_before_it_is_listed(tmp_path: Path, provider: str) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, embedding_class="lexical", hot_list_size=5))
    world.presentation = world.tool_use.presentation("step", world.run, provider)
    text = prompt(world) + json.dumps(provider_payload(provider, world.tool_listing.tools).fields)
    names = world.names()
    assert len(names) > 30
    assert [name for name in names if name in text] == []


def test_uac_54_a_mandate_names_only_required_actions(tmp_path: Path) -> None:
    world = Universal(tmp_path, ToolUseConfig(settings=SEATBELT, tier="light", hot_list_size=0))
    text = sent(world)
    assert [name for name in world.names() if name in text] == ["file__edit", "file__write"]


@pytest.mark.parametrize(("model", "times"), [("light", 3), ("strong", 0), ("huge", 0), ("", 0)])
def test_uac_57_uac_60_light_models_get_mandates_in_three_places(tmp_path: Path, model: str, times: int) -> None:
    world = Universal(tmp_path, read_tool_use({"router_model": model, "settings": SEATBELT}))
    assert [prompt(world).count(mandate) for mandate in MANDATES] == [times, times]


def test_uac_57_a_strong_model_gets_the_same_text_as_without_mandates(tmp_path: Path) -> None:
    strong = Universal(tmp_path / "a", ToolUseConfig(settings=SEATBELT, tier="strong"))
    light = Universal(tmp_path / "b", LIGHT)
    bare = prompt(light)
    for mandate in MANDATES:
        bare = bare.replace(f"{mandate}\n\n", "").replace(f"\n\n{mandate}", "")
    assert prompt(strong) == bare
    for tier in ("huge", "Light", ""):
        other = Universal(tmp_path / f"tier {tier}", read_tool_use({"router_model": tier, "settings": SEATBELT}))
        assert sent(other) == sent(strong)


def test_uac_60_a_catalog_says_how_often_its_mandates_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    mandates = (
        "mandates:\n  - {text: Look first.}\n  - {text: Look once., repeat: 1}\n"
        "  - {text: Look often., repeat: 5, tiers: [strong, light]}\n"
    )
    categories = "  part: {description: Part of it., actions: {do: }}\n"
    counts = {}
    for tier in ("light", "strong", ""):
        name = f"mandates_{tier or 'unknown'}"
        _, listing = built(tmp_path, name, {"do": {"args": {}}}, categories + mandates, tier=tier)
        counts[tier] = [listing.prompt.count(text) for text in ("Look first.", "Look once.", "Look often.")]
    assert counts == {"light": [3, 1, 5], "strong": [0, 0, 5], "": [0, 0, 0]}


def test_uac_58_the_first_mandate_requires_a_listing_before_file_access(tmp_path: Path) -> None:
    text = prompt(Universal(tmp_path, LIGHT))
    first = next(line for line in text.splitlines() if "MUST" in line)
    assert "list_actions" in first
    assert "before reading, writing, or editing" in first
    assert "before any other tool" not in text


def test_uac_59_the_second_mandate_names_the_tool_for_edits(tmp_path: Path) -> None:
    assert "Partial edits MUST use file__edit, NOT file__write." in prompt(Universal(tmp_path, LIGHT))


def test_uac_54_no_answer_names_an_action_that_the_model_did_not_request(world: Universal) -> None:
    """Every entry is invoked with valid and invalid args; the answers are searched for names of other actions."""
    names = set(world.names())
    leaked: list[tuple[str, str]] = []
    for name, args in EVERY_ENTRY.items():
        for given in (args, {"no_such_arg": 1}):
            text = world.invoke(name, given).text
            leaked += [(name, other) for other in names - {name} if other in text]
    for category in universal.CATEGORIES:
        text = world.ask("invoke_action", {"action_name": f"{category}__", "args": {}}).text
        leaked += [(category, other) for other in names if other in json.loads(text)["reason"]]
    assert leaked == []


def test_uac_43_every_entry_can_be_called_through_the_wrapper(world: Universal) -> None:
    assert set(EVERY_ENTRY) >= set(universal.OPERATION_RULES)
    for name, args in EVERY_ENTRY.items():
        answer = world.invoke(name, args)
        assert not answer.is_error, (name, answer.text)
    targets = [universal.TABLES.resolve(name, args).target_tool_name for name, args in EVERY_ENTRY.items()]
    assert world.calls() == targets
