"""Finding actions: entries that change during embedding, and very many entries."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.llm import tool_use
from toolgen.llm.search.index import ToolSearch
from toolgen.llm.tool_use import Finder
from toolgen.runtime.catalog.catalog import Catalog

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.llm.actions.view import ActionEntry


class View:
    """A view of a host that lists its skills again each time."""

    operations: Mapping[str, ActionEntry] = {}

    def __init__(self, *names: str) -> None:
        self.names = names

    async def resources(self) -> dict[str, Any]:
        return {name: entry(name) for name in self.names}


def entry(name: str) -> Any:
    said = f"Skill {name}"
    category, target = SimpleNamespace(description="Skills."), SimpleNamespace(title="", tags=())
    return SimpleNamespace(
        name=name, host_description=said, description=said, category=category, schema={}, target=target
    )


async def found(finder: Finder, view: Any, query: str = "skill") -> list[str]:
    return [each.name for each in await finder.actions(query, 3, view)]


class Waiting:
    """An embedder whose first answer waits until it is released."""

    model = "waiting"

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str], /) -> list[list[float]]:
        self.asked.set()
        assert self.go.wait(10)
        return [[1.0, float(len(text))] for text in texts]


@pytest.mark.parametrize("later", [["a"], ["b00000", "c"]])
def test_entries_that_change_during_embedding_do_not_fail_a_search(
    later: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")

    async def both() -> tuple[list[str], list[str]]:
        embedder, view = Waiting(), View(*(f"b{number:05}" for number in range(1_500)))
        finder = Finder(Catalog(), embedder)
        first = asyncio.create_task(found(finder, view))
        await asyncio.to_thread(embedder.asked.wait, 10)
        view.names = tuple(later)
        second = asyncio.create_task(found(finder, view))
        await asyncio.sleep(0.05)
        embedder.go.set()
        return await first, await second

    first, second = asyncio.run(both())
    assert first == ["b00000", "b00001", "b00002"]
    assert sorted(second) == sorted(later)
    assert caplog.text == ""


@pytest.mark.parametrize(("count", "is_aside"), [(500, False), (501, True)])
def test_many_entries_are_described_in_a_thread(count: int, is_aside: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[threading.Thread] = set()
    described = tool_use._document

    def noted(each: ActionEntry) -> Any:
        threads.add(threading.current_thread())
        return described(each)

    monkeypatch.setattr(tool_use, "_document", noted)
    view = View(*(f"b{number:05}" for number in range(count)))
    assert asyncio.run(found(Finder(Catalog()), view)) == ["b00000", "b00001", "b00002"]
    assert (threads != {threading.main_thread()}) is is_aside


def test_concurrent_searches_index_the_entries_once(monkeypatch: pytest.MonkeyPatch) -> None:
    view, read = View(*(f"b{number:05}" for number in range(600))), list[int]()
    extended = ToolSearch.extend

    def noted(self: Any, documents: Any, *args: Any) -> None:
        listed = list(documents)
        read.append(len(listed))
        extended(self, listed, *args)

    monkeypatch.setattr(ToolSearch, "extend", noted)

    async def three() -> list[list[str]]:
        finder = Finder(Catalog())
        return await asyncio.gather(*(found(finder, view) for _ in range(3)))

    assert asyncio.run(three()) == [["b00000", "b00001", "b00002"]] * 3
    assert read == [600]
