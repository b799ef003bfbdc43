"""Requirements of tool-use presentations: permissions and effects are the same in every presentation."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import pkgutil
import re
from itertools import product
from typing import TYPE_CHECKING, Any, Final, get_type_hints

import pytest

from tests.unit.llm.presentations.model import SteppedModel, Task
from tests.unit.llm.presentations.shop import ACTIONS, Shop, Visit
from tests.unit.runtime.responses import RESPONSES
from tests.unit.runtime.tools import idle_executors
from toolgen.contract.records import FailureKind, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.llm import ToolUse, ToolUseConfig, Turn, system_prompt
from toolgen.llm.codeact import CodeAct
from toolgen.llm.presentations import protocol
from toolgen.llm.presentations.enumerate_all import EnumerateAll
from toolgen.llm.presentations.protocol import ToolListing
from toolgen.llm.presentations.retrieval import Retrieval
from toolgen.llm.presentations.universal_category import UniversalCategory
from toolgen.llm.tool_use import RunOps
from toolgen.providers.protocol import ModelReply
from toolgen.runtime import Catalog, Runtime, allow_all
from toolgen.runtime.base.errors import CallFailed, CatalogError
from toolgen.runtime.calls.call import Denial
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.spec.tool_use import LAYERS, PRESENTATIONS, ToolUseError, read_tool_use
from toolgen.toolsets.actions import ActionTools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.contract.records import ToolResult
    from toolgen.llm import Conversation
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.spec.tool_use import Layer, PresentationName

    LoadShop = Callable[[], Catalog]

MODULES = (
    "presentations.enumerate_all",
    "presentations.universal_category",
    "presentations.retrieval",
    "codeact",
    "tags.reply",
)

KINDS: Mapping[str, tuple[type, int]] = {
    "enumerate-all": (EnumerateAll, 1),
    "universal-category": (UniversalCategory, 2),
    "retrieval": (Retrieval, 2),
    "codeact": (CodeAct, 1),
}
"""Each presentation: its class, and the requests that a model needs for one call, before its final answer."""


def task(visit: Visit, ident: str, words: str = "", **args: Any) -> Task:
    """Return a task for a model that accepts any name of the tool."""
    action = ACTIONS[ident]
    function = visit.spelled(ident)
    names = (function, action, "NOTE") if ident == "notes.keep_note" else (function, action)
    return Task(words or ident, names, action.partition("__")[0], args)


def visit(load_shop: LoadShop, presentation: PresentationName, **options: Any) -> Visit:
    return Visit(load_shop(), presentation, options.pop("permission", allow_all), **options)


async def perform(shop: Visit, *tasks: Task, provider: str = "openai") -> SteppedModel:
    model = SteppedModel(shop.conversation(provider), provider)
    await model.do(tasks)
    return model


def test_tus_01_an_unknown_presentation_is_an_error_that_lists_the_four_presentations() -> None:
    assert (*KINDS,) == PRESENTATIONS
    for layer in LAYERS:
        with pytest.raises(ToolUseError) as caught:
            read_tool_use({"tool_use": {layer: "tags"}})
        (problem,) = caught.value.problems
        assert problem.setting == f"tool_use.{layer}"
        assert problem.message == "there is no presentation 'tags'"
        assert problem.fix == f"there are {', '.join(KINDS)}"
    with pytest.raises(ToolUseError, match=f"there are {', '.join(KINDS)}"):
        ToolUseConfig(presentations=dict.fromkeys(LAYERS, "tags"))  # type: ignore[arg-type]  # under test


@pytest.mark.parametrize("presentation", PRESENTATIONS)
def test_tus_01_each_presentation_is_selected_by_its_name(
    shop_catalog: LoadShop, presentation: PresentationName
) -> None:
    catalog = shop_catalog()
    for layer in LAYERS:
        configuration = {"tool_use": {layer: presentation}, "action_retrieval": {"embedding_class": "lexical"}}
        tool_use = ToolUse(catalog, read_tool_use(configuration))
        run = Runtime(catalog, executors=idle_executors(catalog), permission=allow_all).start_run()
        assert type(tool_use.presentation(layer, run)) is KINDS[presentation][0]


def test_tus_02_every_layer_has_a_default() -> None:
    defaults = {"chat": "enumerate-all", "step": "universal-category", "phase": "universal-category"}
    without: tuple[dict[str, Any], ...] = ({}, {"tool_use": {}}, {"action_retrieval": {"embedding_class": "lexical"}})
    for empty in without:
        assert read_tool_use(empty).presentations == defaults
    assert ToolUseConfig().presentations == defaults
    for layer in LAYERS:
        assert read_tool_use({"tool_use": {layer: "codeact"}}).presentations == {**defaults, layer: "codeact"}


def test_tus_02_a_default_is_a_list_of_all_tools_in_a_catalog_without_the_wrappers() -> None:
    catalog = Catalog()
    catalog.tool("a.b", description="B.", permission="readonly", input_schema={"type": "object"})(len)
    runtime = Runtime(catalog, permission=allow_all)
    shown = [ToolUse(catalog).conversation(layer, runtime, runtime.start_run()).request() for layer in LAYERS]
    assert shown[0]["tools"]
    assert shown == [shown[0]] * len(LAYERS)
    chosen = read_tool_use({"tool_use": {"step": "universal-category"}})
    with pytest.raises(CatalogError, match="'universal-category' needs the built-in toolset `actions`"):
        ToolUse(catalog, chosen).conversation("step", runtime, runtime.start_run())


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_tus_03_changing_one_layer_leaves_the_bytes_of_the_others_unchanged(
    shop_catalog: LoadShop, provider: str
) -> None:
    catalog = shop_catalog()
    sent: dict[tuple[str, str], set[str]] = {}
    for chosen in product(PRESENTATIONS, repeat=len(LAYERS)):
        config = ToolUseConfig(presentations=dict(zip(LAYERS, chosen, strict=True)), embedding_class="lexical")
        tool_use = ToolUse(catalog, config)
        runtime = Runtime(catalog, executors=idle_executors(catalog), permission=allow_all)
        for layer, presentation in zip(LAYERS, chosen, strict=True):
            conversation = tool_use.conversation(layer, runtime, runtime.start_run(), provider)
            request = json.dumps(dict(conversation.request())) + system_prompt("Do.", "Be brief.", conversation.prompt)
            sent.setdefault((layer, presentation), set()).add(request)
    assert len(sent) == len(LAYERS) * len(PRESENTATIONS)
    assert all(len(requests) == 1 for requests in sent.values())
    for layer in LAYERS:
        assert len({next(iter(sent[layer, presentation])) for presentation in PRESENTATIONS}) == len(PRESENTATIONS)


def test_tus_04_the_trace_of_a_call_is_the_same_in_every_presentation(shop_catalog: LoadShop) -> None:
    traces = []
    for presentation in PRESENTATIONS:
        shop = visit(shop_catalog, presentation)
        asyncio.run(perform(shop, task(shop, "shop.buy_good", "buy a good", id=3, count=2)))
        traces.append(asyncio.run(shop.trace()))
        assert shop.shop.orders == {1: 800}
    assert traces[0]
    assert traces == [traces[0]] * len(PRESENTATIONS)


def test_tus_04_the_order_of_exclusion_permission_and_dispatch_is_the_same_in_every_presentation(
    shop_catalog: LoadShop,
) -> None:
    """A tool outside the set reaches no permission, a denied one no handler, whichever way it is called."""
    outcomes = [asyncio.run(denied_and_excluded(shop_catalog, presentation)) for presentation in PRESENTATIONS]
    asked, denied, excluded = outcomes[0]
    assert asked == ["shop.buy_good"]
    assert [entry[0] for entry in denied][-1] == "tool_denied"
    assert "tool_started" not in excluded
    assert outcomes == [outcomes[0]] * len(PRESENTATIONS)


async def denied_and_excluded(
    shop_catalog: LoadShop, presentation: PresentationName
) -> tuple[list[str], list[Any], list[str]]:
    """Return who was asked about, the trace of a denied call, and the kinds of events of a call outside the set."""
    asked: list[str] = []

    async def ask(request: PermissionRequest) -> PermissionDecision:
        asked.append(request.tool_name)
        return PermissionDecision(decision=Decision.DENY)

    shop = visit(shop_catalog, presentation, permission=ask)
    model = SteppedModel(shop.conversation(), "openai")
    await model.do([task(shop, "shop.buy_good", "buy a good", id=3, count=2)])
    text, calls = routes(presentation, "shop__burn_down", "goods__burn")[0]
    await model.say(text, *calls)
    assert shop.shop.orders == {}
    trace = await shop.trace()
    bought = [entry for entry in trace if entry[1] == "shop.buy_good"]
    return asked, bought, [entry[0] for entry in trace if entry not in bought]


EVERY_WAY = (*PRESENTATIONS, "tags")
"""The presentations, and tags."""


def conversation_of(shop: Visit, way: str, provider: str = "openai") -> Conversation:
    return shop.tool_use.tagged(shop.runtime, shop.run, provider) if way == "tags" else shop.conversation(provider)


def visit_by(load_shop: LoadShop, way: str, **options: Any) -> Visit:
    return visit(load_shop, "enumerate-all" if way == "tags" else way, **options)  # type: ignore[arg-type]  # of text


def routes(way: str, name: str, action: str) -> list[tuple[str, tuple[tuple[str, dict[str, Any]], ...]]]:
    """Return every way to call a tool in a presentation: answers, each a text and native calls."""
    dotted = name.replace("__", ".")
    native: list[tuple[str, tuple[tuple[str, dict[str, Any]], ...]]] = [
        ("", ((spelling, {}),)) for spelling in (name, dotted, action)
    ]
    wrapped = [("", (("invoke_action", {"action_name": each, "args": {}}),)) for each in (action, name, dotted)]
    in_code = [
        (f"```python\nresult = {code}\n```", ())
        for code in (f"{name}()", f"{dotted}()", f"eval('{name}()')", f"exec('{name}' + '()')")
    ]
    return [*native, *(wrapped if way == "universal-category" else []), *(in_code if way == "codeact" else [])]


@pytest.mark.parametrize("way", EVERY_WAY)
@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_tus_05_tools_that_are_not_candidates_are_refused_with_the_same_kind_in_every_presentation(
    shop_catalog: LoadShop, way: str, provider: str
) -> None:
    shop = visit_by(shop_catalog, way)
    model = SteppedModel(conversation_of(shop, way, provider), provider)

    async def ask_for_more() -> None:
        for text, calls in routes(way, "shop__burn_down", "goods__burn"):
            turn = await model.say(text, *calls)
            assert not turn.is_final, (text, calls)
            assert [(each.success, each.error and each.error.kind) for each in turn.results] == [
                (False, FailureKind.TOOL_NOT_AVAILABLE)
            ], (text, calls)
        turn = await model.say("done")
        assert turn.is_final

    asyncio.run(ask_for_more())
    assert shop.shop.calls == []
    trace = asyncio.run(shop.trace())
    assert {kind for kind, _, _ in trace} == {"tool_denied"}
    assert len(trace) == len(routes(way, "shop__burn_down", "goods__burn"))


WRONG: Final[Mapping[str, dict[str, Any]]] = {
    "shop.buy_good": {"id": 3, "count": 0},
    "shop.get_price": {"id": 99},
    "shop.greet_customer": {"name": "wrong result"},
}
"""Args that violate the schema, args that the shop refuses, and args with an invalid result."""


def failure_of(result: ToolResult[Any]) -> tuple[Any, ...]:
    assert result.error is not None
    error = result.error
    # The args of a model are shown as sent; presentations that serialize args again write no blanks.
    shown = [re.sub(r"(?<=[:,]) (?=[\[{\"\d])", "", str(block.data)) for block in result.content]
    return error.kind, error.code, error.message, error.hint, error.issues, result.payload, shown


@pytest.mark.parametrize("ident", WRONG)
def test_tus_06_invalid_args_and_results_give_the_same_payload_in_every_presentation(
    shop_catalog: LoadShop, ident: str
) -> None:
    found: dict[str, tuple[Any, ...]] = {}
    answers: dict[str, str] = {}
    for presentation in PRESENTATIONS:
        shop = visit(shop_catalog, presentation)
        shop.shop.greet_customer = lambda *_: 7  # type: ignore[method-assign, assignment]  # no text
        shop.restart()
        model = SteppedModel(shop.conversation())
        turns: list[Turn] = []

        async def do(model: SteppedModel = model, shop: Visit = shop, turns: list[Turn] = turns) -> None:
            say = model.say

            async def noted(text: str = "", *calls: tuple[str, Mapping[str, Any]]) -> Turn:
                turns.append(await say(text, *calls))
                return turns[-1]

            model.say = noted  # type: ignore[method-assign]  # recorded by the test
            await model.do([task(shop, ident, ident.partition(".")[2].replace("_", " "), **WRONG[ident])])

        asyncio.run(do())
        (failed,) = [result for turn in turns for result in turn.results if not result.success]
        assert failed.tool_name == ident
        found[presentation], answers[presentation] = failure_of(failed), model.answers[-2]
    assert found == dict.fromkeys(PRESENTATIONS, found["enumerate-all"])
    kind, _, message, *_ = found["enumerate-all"]
    expected = {"shop.buy_good": "invalid_call", "shop.get_price": "domain_rejection"}
    assert kind == expected.get(ident, "malformed_result")
    assert message
    for text in answers.values():
        assert json.dumps(message)[1:-1][:40] in text


MALFORMED: dict[str, tuple[Any, str, str]] = {
    "args as text": ({"args": '{"good": "hat"}'}, "shop.buy_good", "send an object, not a string that holds one"),
    "args as a list": ({"args": ["hat"]}, "shop.buy_good", "use an object"),
    "no args": ({"args": None}, "shop.buy_good", "use an object"),
    "fields beside args": ({"good": "hat"}, "shop.buy_good", "`good`: put the args of the action into `args`"),
    "no name": ({"action_name": 7}, "invoke_action", "it must be the name of an action"),
}
"""Calls of the wrapper that cannot be read: what the model sends beside the name, the tool, and what it is told."""


@pytest.mark.parametrize("how", [*MALFORMED, "no JSON"])
def test_tus_06_a_malformed_call_of_the_wrapper_is_an_invalid_call_on_record(shop_catalog: LoadShop, how: str) -> None:
    shop = visit(shop_catalog, "universal-category")
    name = ACTIONS["shop.buy_good"]
    fields, tool, said = MALFORMED.get(how, ({}, "invoke_action", "they are not JSON"))
    payload = "{" if how == "no JSON" else json.dumps({"action_name": name, **fields})

    async def check() -> None:
        presentation = shop.tool_use.presentation("step", shop.run)
        asked = ToolRequest(name="invoke_action", payload=payload, tool_call_id="c1")
        turn = presentation.interpret(ModelReply(calls=(asked,)))
        done = await presentation.execute(turn, RunOps(shop.runtime, shop.run))
        (result,) = done.results
        assert (result.tool_name, result.tool_call_id) == (tool, "c1")
        assert result.error is not None
        assert (result.error.kind, len(result.error.issues)) == (FailureKind.INVALID_CALL, 1)
        (answer,) = (await presentation.format_feedback(done)).answers
        assert said in json.loads(answer.text)["reason"]
        assert ("the correct name" in answer.text) == (how == "no name")
        assert [(kind, of) for kind, of, _ in await shop.trace()] == [("tool_failed", tool)]

    asyncio.run(check())
    assert shop.shop.calls == []


def test_tus_07_a_presentation_has_four_operations_and_knows_no_policy_and_no_registry() -> None:
    operations = [name for name in vars(protocol.Presentation) if not name.startswith("_")]
    assert operations == ["build_presentation", "interpret", "execute", "format_feedback"]
    assert [name for name in vars(protocol.PresentationOps) if not name.startswith("_")] == ["call"]
    forbidden = re.compile(r"toolgen\.(execute|record|runtime\.(policy|catalog|runs|calls\.(runtime|stages|plan)))\b")
    for name in MODULES:
        module = importlib.import_module(f"toolgen.llm.{name}")
        modules = [module]
        if hasattr(module, "__path__"):
            parts = [part.name for part in pkgutil.iter_modules(module.__path__)]
            assert {"presentation", "session"} <= set(parts)
            modules += [importlib.import_module(f"{module.__name__}.{part}") for part in parts]
        for each in modules:
            assert not forbidden.search(inspect.getsource(each)), each.__name__


@pytest.mark.parametrize("is_closed", [False, True])
def test_tus_08_enumerate_all_shows_every_tool_once_in_order(shop_catalog: LoadShop, is_closed: bool) -> None:
    shop = visit(shop_catalog, "enumerate-all", is_closed=is_closed)
    names = [tool["function"]["name"] for tool in shop.conversation().request()["tools"]]
    closed = {"shop.open_safe", "shop.greet_customer"} if is_closed else set[str]()
    assert names == [shop.spelled(ident) for ident in sorted(ACTIONS.keys() - closed)]
    assert set(names) == {shop.spelled(ident) for ident in ACTIONS if ident in shop.run and ident not in closed}
    again = visit(shop_catalog, "enumerate-all", is_closed=is_closed)
    assert json.dumps(dict(again.conversation().request())) == json.dumps(dict(shop.conversation().request()))


def test_tus_09_enumerate_all_grows_with_the_catalog() -> None:
    sizes = {number: flat_bytes(number) for number in (0, 100, 200)}
    first, second = sizes[100] - sizes[0], sizes[200] - sizes[100]
    assert abs(second - first) <= first / 100


def flat_bytes(number: int) -> int:
    catalog = Catalog()
    for index in range(number):
        catalog.tool(f"big.tool_{index:03}", description="Do it.", input_schema={"type": "object"})(lambda _: None)
    run = Runtime(catalog, permission=allow_all).start_run()
    conversation = ToolUse(catalog).conversation("chat", Runtime(catalog, permission=allow_all), run)
    return len(json.dumps(dict(conversation.request()).get("tools", [])))


def test_tus_10_every_action_can_be_called_through_the_wrappers(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "universal-category")
    calls: dict[str, dict[str, Any]] = {
        "shop.find_goods": {"query": "kettle"},
        "shop.get_price": {"id": 1},
        "shop.buy_good": {"id": 1},
        "shop.refund_order": {"order": 1},
        "shop.greet_customer": {"name": "Ann"},
        "shop.open_safe": {},
        "notes.keep_note": {"kind": "fact", "text": "tea is out"},
    }
    assert calls.keys() == ACTIONS.keys()
    asyncio.run(perform(shop, *(task(shop, ident, **args) for ident, args in calls.items())))
    assert [f"shop.{name}" if name != "keep_note" else "notes.keep_note" for name in shop.shop.calls] == list(calls)


def test_tus_11_retrieval_starts_with_only_the_search_tool(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "retrieval")
    model = SteppedModel(shop.conversation())
    assert model.offered == {"search_tools"}
    text = json.dumps(dict(shop.conversation().request())) + shop.conversation().prompt
    assert not [name for ident in ACTIONS for name in (ident, shop.spelled(ident)) if name in text]


def test_tus_11_the_host_can_offer_some_tools_from_the_start(shop_catalog: LoadShop) -> None:
    catalog = shop_catalog()
    base = ("shop.get_price", "shop.open_safe")
    presentations: dict[Layer, PresentationName] = dict.fromkeys(LAYERS, "retrieval")
    config = ToolUseConfig(presentations=presentations, embedding_class="lexical", base=base)
    runtime = Runtime(catalog, executors=idle_executors(catalog), permission=allow_all)
    conversation = ToolUse(catalog, config).conversation("chat", runtime, runtime.start_run())
    assert SteppedModel(conversation).offered == {"search_tools", "shop__get_price"}, "a policy excludes the other"
    assert "shop.open_safe" not in conversation._presentation.build_presentation().dispatchable


def test_tus_12_only_found_tools_can_be_called(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "retrieval")
    model = SteppedModel(shop.conversation())

    async def talk() -> None:
        await model.say("", ("search_tools", {"query": "what one good costs", "limit": 1}))
        assert model.offered == {"search_tools", "shop__get_price"}
        turn = await model.say("", ("shop__get_price", {"id": 3}), ("shop__open_safe", {}))
        assert [result.success for result in turn.results] == [True, False]
        assert turn.results[1].error is not None
        assert turn.results[1].error.kind == "tool_not_available"

    asyncio.run(talk())
    assert shop.shop.calls == ["get_price"]


def test_tus_12_initial_tools_stay_beside_found_tools(shop_catalog: LoadShop) -> None:
    catalog = shop_catalog()
    presentations = dict.fromkeys(LAYERS, "retrieval")
    config = ToolUseConfig(presentations=presentations, embedding_class="lexical", base=("notes.keep_note",))  # type: ignore[arg-type]  # of text
    tool_use = ToolUse(catalog, config)
    executors = [*Shop().registrations(), ActionTools(tool_use).registration()]
    runtime = Runtime(catalog, executors=executors, permission=allow_all)
    model = SteppedModel(tool_use.conversation("chat", runtime, runtime.start_run()))

    async def talk() -> None:
        await model.say("", ("search_tools", {"query": "what one good costs", "limit": 1}))
        assert model.offered == {"search_tools", "notes__keep_note", "shop__get_price"}
        turn = await model.say("", ("notes__keep_note", {"kind": "fact", "text": "x"}), ("shop__get_price", {"id": 3}))
        assert [result.success for result in turn.results] == [True, True]

    asyncio.run(talk())


def test_tus_13_a_search_that_finds_only_initial_tools_has_found_nothing(shop_catalog: LoadShop) -> None:
    catalog = shop_catalog()
    presentations: dict[Layer, PresentationName] = dict.fromkeys(LAYERS, "retrieval")
    config = ToolUseConfig(presentations=presentations, embedding_class="lexical", base=("shop.get_price",))
    tool_use = ToolUse(catalog, config)
    executors = [*Shop().registrations(), ActionTools(tool_use).registration()]
    runtime = Runtime(catalog, executors=executors, permission=allow_all)
    run = runtime.start_run()
    model = SteppedModel(tool_use.conversation("chat", runtime, run))

    async def talk() -> None:
        for _ in range(5):
            assert model.offered == {"search_tools", "shop__get_price"}
            await model.say("", ("search_tools", {"query": "what one good costs", "limit": 1}))
        assert model.offered == {tool.name for tool in tool_use.candidates(run).flat.tools}

    asyncio.run(talk())


class FindsEverything:
    """A search of the host, which ignores the effective set."""

    def execute(self, _request: ToolRequest, _meta: object, /) -> Any:
        names = [*ACTIONS, "no.such_tool"]
        return {"tools": [{"name": name, "description": "x"} for name in names]}


def test_tus_12_only_candidates_among_search_results_are_shown(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "retrieval", is_closed=True)
    actions = ToolsetRegistration(toolset="actions", executor=FindsEverything())
    executors = [*shop.shop.registrations(), actions]
    shop.runtime = Runtime(shop.tool_use.catalog, executors=executors, permission=allow_all)
    shop.run = shop.runtime.start_run()
    model = SteppedModel(shop.conversation())

    async def talk() -> None:
        turn = await model.say("", ("search_tools", {"query": "anything"}))
        assert [result.success for result in turn.results] == [True], turn.results
        allowed = {shop.spelled(ident) for ident in ACTIONS if ident not in ("shop.open_safe", "shop.greet_customer")}
        assert model.offered == {"search_tools"} | allowed
        assert "safe" not in model.answers[-1]
        assert "no.such_tool" not in model.answers[-1]

    asyncio.run(talk())


def test_tus_13_retrieval_without_an_embedding_class_is_refused_at_load() -> None:
    presentations = dict.fromkeys(LAYERS, "retrieval")
    without: tuple[dict[str, Any], ...] = ({}, {"action_retrieval": {}}, {"action_retrieval": {"embedding_class": ""}})
    for layer in LAYERS:
        for unset in without:
            with pytest.raises(ToolUseError, match="embedding_class`, which is not set") as caught:
                read_tool_use({"tool_use": {layer: "retrieval"}, **unset})
            assert [problem.setting for problem in caught.value.problems] == [f"tool_use.{layer}"]
    with pytest.raises(ToolUseError, match="embedding_class`, which is not set") as caught:
        ToolUseConfig(presentations=presentations)  # type: ignore[arg-type]  # of text
    assert (len(caught.value.problems), str(caught.value).count("is not set")) == (len(LAYERS), 1)
    config = read_tool_use({"tool_use": {"step": "retrieval"}, "action_retrieval": {"embedding_class": "lexical"}})
    assert config.presentations["step"] == "retrieval"


class Unavailable:
    """A search that fails."""

    def __init__(self, kind: FailureKind) -> None:
        self._kind = kind

    def execute(self, _request: ToolRequest, _meta: object, /) -> ToolResult[Any]:
        raise CallFailed(self._kind, "no_index", "there is no index")


@pytest.mark.parametrize("kind", ["unavailable", "tool_not_available", "internal", "malformed_result"])
def test_tus_13_all_tools_are_shown_if_the_search_fails(shop_catalog: LoadShop, kind: str) -> None:
    shop = visit(shop_catalog, "retrieval")
    actions = ToolsetRegistration(toolset="actions", executor=Unavailable(FailureKind(kind)))
    executors = [*shop.shop.registrations(), actions]
    shop.runtime = Runtime(
        shop.tool_use.catalog, executors=executors, permission=allow_all, disabled_policies=["closed"]
    )
    shop.run = shop.runtime.start_run()
    model = SteppedModel(shop.conversation())

    async def talk() -> None:
        turn = await model.say("", ("search_tools", {"query": "price"}))
        assert turn.results[0].error is not None
        assert turn.results[0].error.kind == kind
        assert "search_tools" not in model.offered
        assert {shop.spelled(ident) for ident in ACTIONS} == model.offered
        await model.say("", ("shop__get_price", {"id": 3}))

    asyncio.run(talk())
    assert shop.shop.calls == ["get_price"]


def test_tus_15_a_search_without_new_results_is_the_last(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "retrieval")
    model = SteppedModel(shop.conversation())

    async def talk() -> None:
        await model.say("", ("search_tools", {"query": "price"}))
        assert "search_tools" in model.offered
        await model.say("", ("search_tools", {"query": "price"}))
        assert "search_tools" not in model.offered
        assert "shop__get_price" in model.offered

    asyncio.run(talk())


def test_tus_15_the_number_of_searches_is_limited(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "retrieval")
    model = SteppedModel(shop.conversation())
    words = ["price", "refund", "greet", "buy", "note", "safe", "find"]

    async def talk() -> int:
        rounds = 0
        while "search_tools" in model.offered:
            await model.say("", ("search_tools", {"query": words[rounds], "limit": 1}))
            rounds += 1
        return rounds

    assert asyncio.run(talk()) == 5


@pytest.mark.parametrize("query", ["qqqq zzzz", "", "呼び出し"])
def test_tus_13_after_searches_without_results_all_tools_are_shown(shop_catalog: LoadShop, query: str) -> None:
    shop = visit(shop_catalog, "retrieval")
    model = SteppedModel(shop.conversation())

    async def talk() -> None:
        for _ in range(5):
            assert model.offered == {"search_tools"}
            await model.say("", ("search_tools", {"query": query}))
        assert model.offered == {shop.spelled(ident) for ident in ACTIONS}

    asyncio.run(talk())


def test_tus_13_after_a_denied_search_all_tools_are_shown(shop_catalog: LoadShop) -> None:
    class Denies:
        def pre_tool_use(self, _call: object, /) -> Denial:
            return Denial(reason="not now")

        def post_tool_use(self, _call: object, _result: object, /) -> None:
            return None

    shop = visit(shop_catalog, "retrieval")
    executors = [*shop.shop.registrations(), ActionTools(shop.tool_use).registration()]
    shop.runtime = Runtime(
        shop.tool_use.catalog, executors=executors, permission=allow_all, disabled_policies=["closed"], hooks=[Denies()]
    )
    shop.run = shop.runtime.start_run()
    model = SteppedModel(shop.conversation())
    asyncio.run(model.say("", ("search_tools", {"query": "price"})))
    assert model.offered == {shop.spelled(ident) for ident in ACTIONS}


def test_tus_15_a_search_that_is_no_longer_offered_is_refused(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "retrieval")
    model = SteppedModel(shop.conversation())

    async def talk() -> None:
        for _ in range(2):
            await model.say("", ("search_tools", {"query": "price"}))
        turn = await model.say("", ("search_tools", {"query": "refund"}))
        assert turn.results[0].error is not None
        assert turn.results[0].error.kind == "tool_not_available"

    asyncio.run(talk())


def test_the_tool_limit_of_a_provider_limits_found_tools(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "retrieval")
    search = shop.tool_use._discovery(shop.run.effective)["search_tools"]
    retrieval = Retrieval(shop.tool_use.candidates(shop.run), search, fits=lambda tools: len(tools) <= 3)

    async def talk(query: str) -> list[str]:
        arguments = json.dumps({"query": query, "limit": 2})
        reply = ModelReply(calls=(ToolRequest(name="search_tools", payload=arguments, tool_call_id="1"),))
        await retrieval.execute(retrieval.interpret(reply), RunOps(shop.runtime, shop.run))
        return [tool.name for tool in retrieval.build_presentation().tools]

    first = asyncio.run(talk("price of a good"))
    second = asyncio.run(talk("refund an order"))
    assert (len(first), len(second)) == (3, 3)
    assert first != second
    assert "shop__refund_order" in second


def test_retrieval_without_the_toolset_that_searches_is_refused(shop_catalog: LoadShop) -> None:
    catalog = Catalog()
    catalog.tool("a.b", description="A tool.", input_schema={"type": "object"})(lambda _: None)
    config = ToolUseConfig(presentations=dict.fromkeys(LAYERS, "retrieval"), embedding_class="lexical")
    runtime = Runtime(catalog, permission=allow_all)
    with pytest.raises(CatalogError, match="'retrieval' needs the built-in toolset `actions`"):
        ToolUse(catalog, config).conversation("chat", runtime, runtime.start_run())


def test_wrappers_without_an_executor_are_refused(shop_catalog: LoadShop) -> None:
    catalog = shop_catalog()
    runtime = Runtime(catalog, executors=Shop().registrations(), missing=["actions"], permission=allow_all)
    config = ToolUseConfig(presentations=dict.fromkeys(LAYERS, "universal-category"))
    with pytest.raises(CatalogError, match="needs an executor for the toolset `actions`"):
        ToolUse(catalog, config).conversation("step", runtime, runtime.start_run())


def test_a_misspelt_name_gets_a_suggestion_among_offered_names(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "enumerate-all")
    model = SteppedModel(shop.conversation())
    asyncio.run(model.say("", ("shop.get_prise", {"id": 1})))
    assert "unknown tool; did you mean shop__get_price" in model.answers[-1]


def test_tus_22_names_are_in_the_surface_if_tools_are_called_by_name(shop_catalog: LoadShop) -> None:
    for presentation, is_visible in (
        ("enumerate-all", True), ("codeact", True), ("universal-category", False), ("retrieval", False),
    ):  # fmt: skip
        shop = visit(shop_catalog, presentation)  # type: ignore[arg-type]  # of text
        conversation = shop.conversation()
        text = json.dumps(dict(conversation.request())) + conversation.prompt
        assert [shop.spelled(ident) in text for ident in ACTIONS] == [is_visible] * len(ACTIONS), presentation


@pytest.mark.parametrize("presentation", [*PRESENTATIONS, None])
def test_tus_23_an_answer_without_calls_is_final(shop_catalog: LoadShop, presentation: PresentationName | None) -> None:
    shop = visit(shop_catalog, presentation or "enumerate-all")
    conversation = conversation_of(shop, presentation or "tags")
    assert conversation._presentation.interpret(ModelReply(text="hi")) == Turn(text="hi", calls=(), code=None)
    turn = asyncio.run(SteppedModel(conversation).say("hi"))
    assert (turn.is_final, turn.text, turn.results) == (True, "hi", ())


@pytest.mark.parametrize("way", EVERY_WAY)
@pytest.mark.parametrize("provider", sorted(RESPONSES))
def test_tus_25_an_excluded_tool_is_neither_shown_nor_callable_in_any_way(
    shop_catalog: LoadShop, way: str, provider: str
) -> None:
    shop = visit_by(shop_catalog, way, is_closed=True)
    conversation = conversation_of(shop, way, provider)
    model = SteppedModel(conversation, provider)
    asked = routes(way, "shop__open_safe", "orders__safe")

    async def try_all() -> None:
        for text, calls in asked:
            turn = await model.say(text, *calls)
            assert [each.error and each.error.kind for each in turn.results] == [FailureKind.TOOL_NOT_AVAILABLE]
        if way == "universal-category":
            await model.say("", ("list_actions", {"category": ["orders"]}))
            await model.say("", ("list_actions", {}))
        if way == "retrieval":
            await model.say("", ("search_tools", {"query": "open the safe"}))

    asyncio.run(try_all())
    assert shop.shop.calls == []
    everything = "".join(model.sent) + json.dumps(dict(conversation.request())) + conversation.prompt
    assert "open_safe" not in everything
    assert "Open the safe" not in everything
    if way in ("universal-category", "retrieval"):
        assert "Open the safe" not in model.answers[-1]
    reasons = [
        (kind, json.loads(data).get("reason")) for kind, tool, data in asyncio.run(shop.trace()) if "safe" in tool
    ]
    by_its_name = [each for each in asked if "orders__safe" not in f"{each}" or way == "universal-category"]
    excluded = [each for each in reasons if each == ("tool_denied", "tool_excluded")]
    assert len(reasons) == len(asked)
    # `orders__safe` is a name only with actions: otherwise it means no tool, and neither does a native call.
    native_actions = 1 if way == "universal-category" else 0
    assert len(excluded) == len(by_its_name) - native_actions


def test_tus_25_uac_29_an_excluded_action_is_answered_as_an_unknown_one(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "universal-category", is_closed=True)
    model = SteppedModel(shop.conversation())

    async def answers(name: str) -> list[Any]:
        found: list[Any] = []
        for wrapper in ("describe_action", "invoke_action"):
            turn = await model.say("", (wrapper, {"action_name": name}))
            found.append(json.loads(turn.answers[0].text.replace(name.partition("__")[2], "…")))
        return found

    excluded, unknown = asyncio.run(answers("orders__safe")), asyncio.run(answers("orders__sole"))
    assert [answer["error"] for answer in excluded] == ["Unknown action 'orders__…'"] * 2
    assert excluded == unknown
    assert shop.shop.calls == []


def test_tus_25_a_direct_call_of_an_excluded_tool_is_refused(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "enumerate-all", is_closed=True)
    direct = asyncio.run(shop.runtime.invoke(ToolRequest(name="shop.open_safe"), run=shop.run))
    assert direct.error is not None
    assert direct.error.kind is FailureKind.TOOL_NOT_AVAILABLE
    ((kind, tool, data),) = asyncio.run(shop.trace())
    assert (kind, tool, json.loads(data)["reason"]) == ("tool_denied", "shop.open_safe", "tool_excluded")


def test_tus_26_advertised_and_callable_tools_are_separate_sets(shop_catalog: LoadShop) -> None:
    hints = get_type_hints(ToolListing, {"OfferedTool": object, "Container": frozenset}, {})
    assert {"tools", "dispatchable"} <= hints.keys()
    listing = visit(shop_catalog, "codeact").conversation()._presentation.build_presentation()
    assert listing.tools == ()
    assert all(ident in listing.dispatchable for ident in ACTIONS)
    with pytest.raises(TypeError, match="dispatchable"):
        ToolListing(tools=())  # type: ignore[call-arg]  # under test


@pytest.mark.parametrize("way", EVERY_WAY)
def test_tus_05_25_26_only_candidates_are_dispatchable(shop_catalog: LoadShop, way: str) -> None:
    shop = visit_by(shop_catalog, way, is_closed=True)
    conversation = conversation_of(shop, way)
    listing = conversation._presentation.build_presentation()
    callable_idents = {
        "retrieval": {"actions.search_tools"},
        "tags": {"notes.keep_note"},
        "universal-category": {
            *(ACTIONS.keys() - {"shop.open_safe", "shop.greet_customer"}),
            *(f"actions.{name}" for name in ("list_actions", "describe_action", "search_actions")),
        },
    }.get(way, ACTIONS.keys() - {"shop.open_safe", "shop.greet_customer"})
    everything = {*shop.tool_use.catalog, *ACTIONS.values(), "no.such_tool"}
    assert {ident for ident in everything if ident in listing.dispatchable} == callable_idents
    assert {tool.ident for tool in listing.tools if tool.ident} <= callable_idents
    assert bool(listing.tools) is (way not in ("codeact", "tags"))


def test_the_number_of_turns_for_one_action(shop_catalog: LoadShop) -> None:
    for presentation in PRESENTATIONS:
        shop = visit(shop_catalog, presentation)
        model = asyncio.run(perform(shop, task(shop, "shop.get_price", "what one good costs", id=3)))
        assert shop.shop.calls == ["get_price"]
        assert model.requests - 1 == KINDS[presentation][1], presentation


def test_a_chain_of_dependent_calls_takes_one_turn_in_codeact(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "codeact")
    model = SteppedModel(shop.conversation())
    code = """```python
found = shop__find_goods(query="kettle")
order = shop__buy_good(id=found[1]["id"], count=2)
note = notes__keep_note(kind="fact", text=f"order {order['order']} costs {order['cost']}")
result = [note, order]
```"""
    turn = asyncio.run(model.say(code))
    assert not turn.is_final
    assert shop.shop.notes == ["fact: order 1 costs 5400"]
    assert model.requests == 1
    assert "5400" in model.answers[0]


@pytest.mark.parametrize("presentation", PRESENTATIONS)
def test_a_model_completes_a_task_of_many_turns(shop_catalog: LoadShop, presentation: PresentationName) -> None:
    shop = visit(shop_catalog, presentation)
    model = asyncio.run(
        perform(
            shop,
            task(shop, "shop.find_goods", "find goods", query="kettle"),
            task(shop, "shop.get_price", "what it costs", id=2),
            task(shop, "shop.buy_good", "buy a good", id=2, count=3),
            task(shop, "notes.keep_note", "keep a note", kind="wish", text="a third kettle"),
            task(shop, "shop.refund_order", "money back", order=1),
        )
    )
    assert shop.shop.calls == ["find_goods", "get_price", "buy_good", "keep_note", "refund_order"]
    assert shop.shop.orders == {}
    assert "8100" in "".join(model.answers)


def test_a_model_completes_a_task_with_tags(shop_catalog: LoadShop) -> None:
    shop = visit(shop_catalog, "enumerate-all")
    model = SteppedModel(shop.tool_use.tagged(shop.runtime, shop.run))

    async def talk() -> None:
        turn = await model.say("I keep that.\nNOTE: fact tea is out\nNOTE: rumour none\nBye.")
        assert turn.text == "I keep that.\nNOTE: rumour none\nBye."
        assert "NOTE: kept" in model.answers[-1]
        assert (await model.say("That is all.")).is_final

    asyncio.run(talk())
    assert shop.shop.notes == ["fact: tea is out"]


@pytest.mark.parametrize("provider", sorted(RESPONSES))
def test_native_calls_in_a_tagged_conversation_are_refused_and_tags_keep_their_results(
    shop_catalog: LoadShop, provider: str
) -> None:
    shop = visit(shop_catalog, "enumerate-all")
    model = SteppedModel(shop.tool_use.tagged(shop.runtime, shop.run, provider), provider)

    async def talk() -> None:
        turn = await model.say("NOTE: fact tea is out", ("notes__keep_note", {"kind": "fact", "text": "x"}), ("f", {}))
        assert [result.success for result in turn.results] == [True, False, False]
        assert not turn.is_final
        assert "NOTE: kept" in model.answers[-1]
        assert model.answers[-1].count("nothing was called: write a tag, on a line of its own") == 2
        turn = await model.say("", ("f", {}))
        assert (turn.is_final, [result.success for result in turn.results]) == (False, [False])
        assert (await model.say("That is all.")).is_final

    asyncio.run(talk())
    assert shop.shop.notes == ["fact: tea is out"]
    trace = asyncio.run(shop.trace())
    assert [tool for kind, tool, _ in trace if kind == "tool_denied"] == [
        "notes.keep_note", "f (not offered)", "f (not offered)"
    ]  # fmt: skip
