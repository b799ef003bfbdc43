"""One logical call leaves the same trace for all presentations and providers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.llm.presentations.model import SteppedModel, Task
from tests.unit.llm.presentations.shop import ACTIONS, Visit
from tests.unit.runtime.responses import RESPONSES
from toolgen.runtime.policy.permission import Decision
from toolgen.spec.tool_use import PRESENTATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgen.runtime import Catalog
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.spec.tool_use import PresentationName

    LoadShop = Callable[[], Catalog]

NUMBERS = st.integers(min_value=-2, max_value=5)
CALLS: Mapping[str, st.SearchStrategy[dict[str, Any]]] = {
    "shop.find_goods": st.fixed_dictionaries({"query": st.sampled_from(["kettle", "tea", "", "ß'\"\\ \n"])}),
    "shop.get_price": st.fixed_dictionaries({"id": NUMBERS}),
    "shop.buy_good": st.fixed_dictionaries({"id": NUMBERS}, optional={"count": NUMBERS}),
    "shop.refund_order": st.fixed_dictionaries({"order": NUMBERS}),
    "shop.greet_customer": st.fixed_dictionaries({"name": st.sampled_from(["Ann", "Zoë"])}),
    "shop.open_safe": st.just({}),
    "notes.keep_note": st.fixed_dictionaries(
        {"kind": st.sampled_from(["fact", "wish"]), "text": st.sampled_from(["tea is out", "a b c"])}
    ),
}
LOGICAL = st.lists(
    st.sampled_from(sorted(CALLS)).flatmap(lambda ident: st.tuples(st.just(ident), CALLS[ident])), max_size=4
)


def answering(denied: frozenset[str]) -> PermissionCallback:
    return lambda request: Decision.DENY if request.tool_name in denied else Decision.ALLOW_ONCE


async def trace_of(
    catalog: Catalog,
    presentation: PresentationName | None,
    provider: str,
    calls: Sequence[tuple[str, Mapping[str, Any]]],
    permission: PermissionCallback,
    is_closed: bool,
) -> tuple[list[Any], list[str], Any]:
    """Return the events of the pipeline, the handlers that ran, and their effects."""
    visit = Visit(catalog, presentation or "enumerate-all", permission, is_closed=is_closed)
    tagged = visit.tool_use.tagged(visit.runtime, visit.run, provider)
    conversation = tagged if presentation is None else visit.conversation(provider)
    model = SteppedModel(conversation, provider)
    for ident, args in calls:
        name = visit.spelled(ident, provider)
        function = visit.spelled(ident)
        await model.do([Task(ident, (name, function, ACTIONS[ident], "NOTE"), ACTIONS[ident].partition("__")[0], args)])
    return await visit.trace(), visit.shop.calls, (visit.shop.orders, visit.shop.notes)


@pytest.fixture(scope="module")
def catalog(shop_catalog: LoadShop) -> Catalog:
    return shop_catalog()


@given(
    calls=LOGICAL,
    denied=st.frozensets(st.sampled_from(sorted(CALLS)), max_size=3),
    is_closed=st.booleans(),
    presentation=st.sampled_from(PRESENTATIONS),
    provider=st.sampled_from(sorted(RESPONSES)),
)
def test_the_trace_is_the_same_for_every_presentation_and_provider(
    catalog: Catalog,
    calls: list[tuple[str, dict[str, Any]]],
    denied: frozenset[str],
    is_closed: bool,
    presentation: PresentationName,
    provider: str,
) -> None:
    seen = [call for call in calls if not is_closed or call[0] not in ("shop.open_safe", "shop.greet_customer")]
    arguments = (seen, answering(denied), is_closed)
    usual = asyncio.run(trace_of(catalog, "enumerate-all", "openai", *arguments))
    assert len(usual[0]) >= len(seen)
    assert asyncio.run(trace_of(catalog, presentation, provider, *arguments)) == usual


@pytest.mark.parametrize("provider", sorted(RESPONSES))
def test_a_tag_and_a_call_have_the_same_trace(catalog: Catalog, provider: str) -> None:
    calls = [("notes.keep_note", {"kind": "fact", "text": "tea is out"})]
    arguments = (calls, answering(frozenset()), False)
    usual = asyncio.run(trace_of(catalog, "enumerate-all", provider, *arguments))
    assert asyncio.run(trace_of(catalog, None, provider, *arguments)) == usual
    assert usual[1] == ["keep_note"]
