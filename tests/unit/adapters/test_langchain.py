"""LangChain and LangGraph: a graph with a fake chat model uses the tools of a run, with interrupts for approvals."""

from __future__ import annotations

import asyncio
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, RetryPolicy, Send

from tests.unit.adapters.shop import Host, Store
from tests.unit.engine.app import add_policy
from toolgen.adapters import langchain
from toolgen.adapters.langchain import tools, typed_result
from toolgen.runtime import Catalog, ToolCallMeta, allow_all
from toolgen.runtime.policy.approval import ask_before_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import RunnableConfig

    LoadStore = Callable[[], Catalog]

CONFIG: RunnableConfig = {"configurable": {"thread_id": "1", "user": "ann"}}


def calls(*asked: ToolCall) -> AIMessage:
    return AIMessage("", tool_calls=list(asked))


def call(name: str, call_id: str, /, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, id=call_id, type="tool_call")


def user_of(config: RunnableConfig) -> ToolCallMeta:
    return ToolCallMeta(user=config.get("configurable", {})["user"])


def graph_of(host: Host, *answers: AIMessage, apart: bool = True, checkpointer: Any = None, made: Any = None) -> Any:
    """Return a graph that alternates between a model and its tools.

    `apart`: each call is a separate task, as in prebuilt agents.
    """
    model = GenericFakeChatModel(messages=iter(answers))

    def ask(state: MessagesState) -> dict[str, list[AnyMessage]]:
        return {"messages": [model.invoke(state["messages"])]}

    def route(state: MessagesState) -> list[Send] | str:
        asked: Any = state["messages"][-1]
        if not asked.tool_calls:
            return END
        return [Send("tools", [each]) for each in asked.tool_calls] if apart else "tools"

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode(made or tools(host.runtime, host.run, meta=user_of)))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", route, ["tools", END])
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=checkpointer or InMemorySaver())


def messages(state: Any) -> dict[str, ToolMessage]:
    return {each.tool_call_id: each for each in state["messages"] if isinstance(each, ToolMessage)}


def test_a_whole_task_with_an_approval_a_denial_a_limit_and_a_wrong_call(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    graph = graph_of(
        host,
        calls(call("store__find", "c1", word="k")),
        calls(call("store__find", "c2", word="kettle")),
        calls(call("store__gift", "c3")),
        calls(call("store__gift", "c4")),
        calls(call("store__buy", "c5", id=1), call("store__buy", "c6", id=2, count=9)),
        AIMessage("done"),
    )

    async def task() -> Any:
        state = await graph.ainvoke({"messages": [HumanMessage("Buy a kettle.")]}, CONFIG)
        asked = {each.value["questions"][0]["arguments"]: each for each in state["__interrupt__"]}
        assert asked.keys() == {'{"count":1,"id":1}', '{"count":9,"id":2}'} or asked.keys() == {
            '{"id":1}', '{"count":9,"id":2}',
        }  # fmt: skip
        answers = {
            each.id: {
                each.value["questions"][0]["id"]: {"decision": "deny", "reason": "too many"}
                if '"count":9' in arguments
                else True
            }
            for arguments, each in asked.items()
        }
        return await graph.ainvoke(Command(resume=answers), CONFIG)

    state = asyncio.run(task())
    replies = messages(state)
    assert {call_id: message.status for call_id, message in replies.items()} == {
        "c1": "error", "c2": "success", "c3": "success", "c4": "error", "c5": "success", "c6": "error",
    }  # fmt: skip
    assert "word" in str(replies["c1"].content)
    assert replies["c2"].content == '[{"id":1,"name":"red kettle"},{"id":2,"name":"blue kettle"}]'
    assert replies["c3"].content == "a ribbon"
    assert "rate limit" in str(replies["c4"].content)
    assert typed_result(host.runtime, replies["c5"].artifact).cost == 2500
    assert "too many" in str(replies["c6"].content)
    assert state["messages"][-1].content == "done"
    assert host.store.names == ["find", "gift", "buy"]
    assert {meta.user for _, meta in host.store.calls} == {"ann"}
    outcomes = asyncio.run(host.outcomes())
    assert outcomes[:4] == [
        ("store.find", "invalid_call"), ("store.find", "ok"), ("store.gift", "ok"), ("store.gift", "rate_limited"),
    ]  # fmt: skip
    assert sorted(outcomes[4:]) == [("store.buy", "ok"), ("store.buy", "permission_denied")]


def test_what_a_model_sends_reaches_the_tool_whatever_it_is_called(load_store: LoadStore) -> None:
    """The state of the graph comes in an arg too, of a name that no model can write."""
    names = ("toolgen_state", "config", "runtime", "state", "tool_call_id")
    asked = [call("store__find", name, **{"word": "kettle", name: "mine"}) for name in names]
    graph = graph_of(Host(load_store(), ask_before_call), calls(*asked), AIMessage("done"))
    replies = messages(asyncio.run(graph.ainvoke({"messages": [HumanMessage("Find a kettle.")]}, CONFIG)))
    assert replies.keys() == set(names)
    for name, message in replies.items():
        assert message.status == "error"
        assert f"`{name}`" in str(message.content)


def test_a_successful_call_is_not_repeated_with_its_node(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    asked = calls(call("store__gift", "c1"), call("store__buy", "c2", id=3))
    graph = graph_of(host, asked, AIMessage("done"), apart=False)

    async def task() -> Any:
        state = await graph.ainvoke({"messages": [HumanMessage("Buy tea, with a gift.")]}, CONFIG)
        (asked,) = state["__interrupt__"]
        (question,) = asked.value["questions"]
        assert host.store.names == []
        return await graph.ainvoke(Command(resume={question["id"]: "allow_once"}), CONFIG)

    replies = messages(asyncio.run(task()))
    assert {call_id: message.status for call_id, message in replies.items()} == {"c1": "success", "c2": "success"}
    assert sorted(host.store.names) == ["buy", "gift"]


def test_what_an_answer_cannot_allow_interrupts_nothing(load_store: LoadStore) -> None:
    catalog = load_store()
    add_policy(catalog, {"approvers": {"store.buy": {"people": 2}}})
    host = Host(catalog, ask_before_call)
    graph = graph_of(host, calls(call("store__buy", "c1", id=1)), AIMessage("done"))
    state = asyncio.run(graph.ainvoke({"messages": [HumanMessage("Buy a kettle.")]}, CONFIG))
    assert "__interrupt__" not in state
    said = str(messages(state)["c1"].content)
    assert "it needs the answer of 2 people, and nobody knows who answers here" in said
    assert host.store.orders == []


def test_calls_of_other_tasks_with_the_same_id_are_made(load_store: LoadStore) -> None:
    """Some APIs number the calls of each answer from 0, so ids repeat: in later turns, and for other users."""
    host = Host(load_store(), allow_all)
    first, second, third = (calls(call("store__price", "call_0", id=3)) for _ in range(3))
    graph = graph_of(host, first, second, AIMessage("done"), third, AIMessage("done"), apart=False)
    other: RunnableConfig = {"configurable": {"thread_id": "2", "user": "bob"}}

    async def task() -> None:
        for config in (CONFIG, other):
            await graph.ainvoke({"messages": [HumanMessage("What is it?")]}, config)

    asyncio.run(task())
    assert [(name, meta.user) for name, meta in host.store.calls] == [
        ("price", "ann"), ("price", "ann"), ("price", "bob"),
    ]  # fmt: skip


class _Dear(Store):
    def buy(self, args: Any, meta: ToolCallMeta) -> Any:
        return {"order": 1, "cost": 2**80}


def test_a_checkpoint_keeps_the_value_of_a_result(load_store: LoadStore) -> None:
    """MessagePack, which checkpoints are written in, has no integer this large, and no class of a package."""
    host = Host(load_store(), allow_all, store=_Dear())
    graph = graph_of(host, calls(call("store__buy", "c1", id=3)), AIMessage("done"))

    async def task() -> list[Any]:
        state = await graph.ainvoke({"messages": [HumanMessage("Buy tea.")]}, CONFIG)
        return [state, (await graph.aget_state(CONFIG)).values]

    for state in asyncio.run(task()):
        value = typed_result(host.runtime, messages(state)["c1"].artifact)
        assert (type(value).__name__, value.cost) == ("BuyResult", 2**80)


def test_calls_outside_of_a_graph_are_all_made(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    by_name = {tool.name: tool for tool in tools(host.runtime, host.run)}

    async def twice() -> None:
        for _ in range(2):
            await by_name["store__price"].ainvoke(call("store__price", "call_0", id=3))

    asyncio.run(twice())
    assert host.store.names == ["price", "price"]


class _Node:
    """A node of one's own: it makes calls one after the other, and fails with the first that fails."""

    def __init__(
        self, host: Host, *asked: ToolCall, checkpointer: Any = None, retry: RetryPolicy | None = None
    ) -> None:
        self.tools = {tool.name: tool for tool in tools(host.runtime, host.run, meta=user_of)}
        self.replies: list[ToolMessage] = []
        self._asked = asked
        graph = StateGraph(MessagesState)
        graph.add_node("node", self.run, retry_policy=retry)
        graph.add_edge(START, "node")
        graph.add_edge("node", END)
        self.graph: Any = graph.compile(checkpointer=checkpointer)

    async def run(self, state: MessagesState) -> dict[str, list[AnyMessage]]:
        made: list[AnyMessage] = []
        for each in self._asked:
            reply = await self.tools[each["name"]].ainvoke(each)
            self.replies.append(reply)
            if reply.status == "error":
                raise ConnectionError(reply.content)
            made.append(reply)
        return {"messages": made}

    @property
    def kept(self) -> list[str]:
        """Return the texts of the answers that are kept."""
        tool: Any = next(iter(self.tools.values()))
        return [each.result().text for task in tool._calls.kept.tasks.values() for each in task.answers.values()]


RETRY = RetryPolicy(max_attempts=3, initial_interval=0.001, jitter=False)


class _Unsteady(Store):
    """Fails the first price and the first purchase, the latter after it took effect."""

    def price(self, args: Any, meta: ToolCallMeta) -> int:
        price = Store.price(self, args, meta)
        if self.names.count("price") == 1:
            raise ConnectionError("restarting")
        return price

    def buy(self, args: Any, meta: ToolCallMeta) -> Any:
        bought = Store.buy(self, args, meta)
        if len(self.orders) == 1:
            raise ConnectionError("restarting")
        return bought


def test_a_node_that_is_retried_repeats_a_call_that_did_nothing(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all, store=_Unsteady())
    node = _Node(host, call("store__gift", "c1"), call("store__price", "c2", id=3), retry=RETRY)
    asyncio.run(node.graph.ainvoke({"messages": []}, CONFIG))
    assert [reply.status for reply in node.replies] == ["success", "error", "success", "success"]
    assert host.store.names == ["gift", "price", "price"], "and none that was successful"


def test_a_node_that_is_retried_does_not_repeat_a_call_that_may_have_taken_effect(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all, store=_Unsteady())
    node = _Node(host, call("store__buy", "c1", id=3), retry=RETRY)
    with pytest.raises(ConnectionError, match="restarting"):
        asyncio.run(node.graph.ainvoke({"messages": []}, CONFIG))
    assert [reply.status for reply in node.replies] == ["error"] * 3
    assert host.store.orders == [3]


def questions_of(state: Any) -> dict[str, bool]:
    return {question["id"]: True for question in state["__interrupt__"][0].value["questions"]}


def test_what_is_kept_is_for_the_user_who_made_the_call(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    asked = call("store__price", "c1", id=3), call("store__buy", "c2", id=3)
    node = _Node(host, *asked, checkpointer=InMemorySaver())
    other: RunnableConfig = {"configurable": {"thread_id": "1", "user": "bob"}}

    async def task() -> None:
        await node.graph.ainvoke({"messages": []}, CONFIG)
        state = await node.graph.ainvoke(Command(resume={"q_unknown": True}), other)
        await node.graph.ainvoke(Command(resume=questions_of(state)), other)

    asyncio.run(task())
    assert [(name, meta.user) for name, meta in host.store.calls] == [
        ("price", "ann"), ("price", "bob"), ("buy", "bob"),
    ]  # fmt: skip


def test_a_run_that_was_aborted_gets_nothing_that_is_kept(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    asked = call("store__price", "c1", id=3), call("store__buy", "c2", id=3)
    node = _Node(host, *asked, checkpointer=InMemorySaver())

    async def task() -> None:
        state = await node.graph.ainvoke({"messages": []}, CONFIG)
        host.run.abort("enough")
        with pytest.raises(ConnectionError):
            await node.graph.ainvoke(Command(resume=questions_of(state)), CONFIG)

    asyncio.run(task())
    assert [reply.status for reply in node.replies] == ["success", "error"]


def test_a_graph_that_goes_back_makes_the_calls_again(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    node = _Node(host, call("store__price", "c1", id=3), checkpointer=InMemorySaver())

    async def task() -> None:
        await node.graph.ainvoke({"messages": []}, CONFIG)
        (before,) = [each async for each in node.graph.aget_state_history(CONFIG) if each.next == ("node",)]
        again = {"configurable": {**before.config["configurable"], "user": "ann"}}
        await node.graph.ainvoke(None, again)

    asyncio.run(task())
    assert host.store.names == ["price", "price"]


@pytest.mark.parametrize("checkpointer", [None, InMemorySaver()], ids=["without", "with"])
def test_nothing_is_kept_of_a_node_that_nothing_repeats(load_store: LoadStore, checkpointer: Any) -> None:
    host = Host(load_store(), allow_all)
    node = _Node(host, call("store__price", "c1", id=3), checkpointer=checkpointer)
    failing = _Node(host, call("store__price", "c1", id=3), call("store__price", "c2", id=9), checkpointer=checkpointer)
    failing.tools = node.tools

    async def task() -> None:
        for _ in range(3):
            await node.graph.ainvoke({"messages": []}, CONFIG)
            assert node.kept == ["400"], "until the next call"
        for count in range(3):
            with pytest.raises(ConnectionError):
                await failing.graph.ainvoke({"messages": []}, CONFIG)
            assert len(node.kept) == (1 if checkpointer is None else count + 1)

    asyncio.run(task())


def test_who_gives_up_waiting_for_a_call_does_not_end_it() -> None:
    execution = langchain._Execution("scope", langchain._Progress(None, is_resumable=True))
    kept = langchain._KeptAnswers()
    answer = langchain._Answer("made", is_error=False, artifact=None)

    async def task() -> None:
        goes_on = asyncio.Event()

        async def make() -> tuple[langchain._Answer, bool]:
            await goes_on.wait()
            return answer, True

        first, second = (asyncio.create_task(kept.once(execution, "call", make)) for _ in range(2))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        goes_on.set()
        assert await first == await kept.once(execution, "call", make) == answer

    asyncio.run(task())


def test_results_are_kept_up_to_a_bound(load_store: LoadStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(langchain, "KEPT_BYTES", 50_000)
    host = Host(load_store(), ask_before_call)
    asked = call("store__manual", "c1", characters=20_000), call("store__buy", "c2", id=3)
    node = _Node(host, *asked, checkpointer=InMemorySaver())

    async def task() -> None:
        for thread in range(9):
            config: RunnableConfig = {"configurable": {"thread_id": str(thread), "user": "ann"}}
            await node.graph.ainvoke({"messages": []}, config)
            assert sum(map(len, node.kept)) <= 50_000

    asyncio.run(task())
    assert len(node.kept) == 1, "its text and its artifact have 20,000 characters each"
    assert len(langchain._executions) < 3


def test_outside_of_a_graph_a_call_that_needs_permission_is_denied(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    by_name = {tool.name: tool for tool in tools(host.runtime, host.run)}
    message = asyncio.run(by_name["store__buy"].ainvoke(call("store__buy", "c1", id=3)))
    assert message.status == "error"
    assert "only a LangGraph graph can ask for one" in message.content
    assert host.store.orders == []


def test_sync_calls_and_calls_without_an_id(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    by_name = {tool.name: tool for tool in tools(host.runtime, host.run)}
    assert by_name["store__price"].invoke({"id": 3}) == "400"
    assert by_name["store__price"].invoke({"id": 3}) == "400"
    assert host.store.names == ["price", "price"]


class _Waiting(Store):
    """Its prices take a moment, and it remembers the loops of its calls."""

    loops: set[asyncio.AbstractEventLoop]

    def price(self, args: Any, meta: ToolCallMeta) -> Any:
        return self.price_later(args, meta)

    async def price_later(self, args: Any, meta: ToolCallMeta) -> int:
        self.loops = {*getattr(self, "loops", ()), asyncio.get_running_loop()}
        await asyncio.sleep(0.01)
        return Store.price(self, args, meta)


def test_sync_calls_share_one_loop_also_beside_a_running_one(load_store: LoadStore) -> None:
    store = _Waiting()
    host = Host(load_store(), allow_all, store=store)
    price = {tool.name: tool for tool in tools(host.runtime, host.run)}["store__price"]

    async def in_a_loop() -> str:
        return str(price.invoke({"id": 3}))

    assert [price.invoke({"id": 3}), asyncio.run(in_a_loop()), price.invoke({"id": 3})] == ["400"] * 3
    assert len(store.loops) == 1
    assert not store.loops.pop().is_closed()


def test_models_receive_the_schemas_of_the_tools(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    by_name = {tool.name: convert_to_openai_tool(tool)["function"] for tool in tools(host.runtime, host.run)}
    assert by_name["store__find"]["description"] == "Find goods by a word of their names."
    assert by_name["store__find"]["parameters"]["properties"]["word"] == {"type": "string", "minLength": 2}
    assert by_name["store__find"]["parameters"]["required"] == ["word"]
    assert by_name["store__gift"]["parameters"]["properties"] == {}
    assert "store__close" not in by_name


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
@pytest.mark.parametrize("at_once", [True, False])
def test_answers_in_any_order_are_for_the_questions_that_they_name(
    load_store: LoadStore, order: tuple[int, ...], at_once: bool
) -> None:
    host = Host(load_store(), ask_before_call)
    bought = calls(*(call("store__buy", f"c{number}", id=number) for number in (1, 2, 3)))
    graph = graph_of(host, bought, AIMessage("done"), apart=False)

    async def task() -> None:
        state = await graph.ainvoke({"messages": [HumanMessage("Buy.")]}, CONFIG)
        questions = state["__interrupt__"][0].value["questions"]
        answers = [{questions[at]["id"]: at != 1} for at in order]
        for answer in [{key: value for each in answers for key, value in each.items()}] if at_once else answers:
            assert host.store.orders == []
            await graph.ainvoke(Command(resume=answer), CONFIG)

    asyncio.run(task())
    assert sorted(host.store.orders) == [1, 3]
