"""CodeAct over compiled tools: what a package holds is what a model reads, and what the checker holds it to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.compiler.specs import resolved, toolset
from tests.runtime.presentations.codeact.house import House, candidates_of
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.emit.stubs import emit_stubs
from toolgen.providers.compact import compact
from toolgen.runtime import Catalog, ToolDefinition
from toolgen.runtime.errors import CatalogError
from toolgen.runtime.presentations.codeact import CodeAct, CompiledStubs, read_stubs

if TYPE_CHECKING:
    from pathlib import Path

VERBS = ("search", "list", "get", "create", "update", "close", "merge", "label")
NOUNS = ("issues", "pulls", "repos", "users", "teams")
MAYBE = {"type": ["string", "null"], "default": None}
FILTERS = {
    "type": "object",
    "description": "Extra filters.",
    "properties": {
        "author": MAYBE, "assignee": MAYBE, "created_after": MAYBE, "min_comments": {"type": "integer", "default": 0},
    },
}  # fmt: skip
ARGS = {
    "type": "object",
    "required": ["query"],
    "properties": {
        "query": {"type": "string", "description": "Words to look for."},
        "limit": {"type": "integer", "default": 10, "description": "Most rows to return."},
        "labels": {
            "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
            "default": None,
            "description": "Labels an issue must carry.",
        },
        "state": {"enum": ["open", "closed", "all"], "default": "open", "description": "Which issues."},
        "filters": {"anyOf": [FILTERS, {"type": "null"}], "default": None, "description": "Extra filters."},
    },
}
ITEM = {
    "type": "object",
    "required": ["id", "title"],
    "properties": {"id": {"type": "integer"}, "title": {"type": "string"}},
}
RESULT = {
    "type": "object",
    "required": ["total", "items"],
    "properties": {"total": {"type": "integer"}, "items": {"type": "array", "items": ITEM}},
}
FOUND = {"total": 1, "items": [{"id": 7, "title": "a bug"}]}


def names(count: int) -> list[str]:
    return [f"{VERBS[i % 8]}_{NOUNS[(i // 8) % 5]}_{i}" for i in range(count)]


def fixture(count: int) -> tuple[Catalog, CompiledStubs]:
    """Many tools that resemble each other, as they come out of the compiler, run by a function."""
    spec = {"description": "Search the issues of a repository.", "args": ARGS, "result": RESULT}
    catalog = resolved(toolset(dict.fromkeys(names(count), spec))).catalog
    tools = json.loads(emit_catalog_json(catalog))["tools"]
    registered = Catalog()
    for ident, tool in tools.items():
        definition = ToolDefinition(
            name=ident, description=tool["description"], input_schema=tool["args"], result_schema=tool["result"]
        )
        registered.register(definition, lambda _args: FOUND, profile="full")
    return registered, CompiledStubs(emit_stubs(catalog).encode())


def test_the_surface_of_67_tools_is_at_most_half_of_the_flat_payload() -> None:
    catalog, stubs = fixture(67)
    candidates = candidates_of(catalog)
    prompt = CodeAct(candidates, stubs=stubs).build_presentation().prompt
    flat = [
        {"name": tool.name, "description": tool.description, "parameters": compact(tool.args)}
        for tool in candidates.offered(candidates)
    ]
    flat = [{"type": "function", "function": function} for function in flat]
    assert len(prompt.encode()) <= 0.5 * len(json.dumps(flat, separators=(",", ":")).encode())
    assert prompt.count("class Filters(TypedDict, total=False):") == 1
    assert all(f"def shop__{name}(query: str" in prompt for name in names(67))


def test_code_is_held_to_the_types_of_results_too() -> None:
    catalog, stubs = fixture(3)
    world = House(catalog)
    codeact = CodeAct(candidates_of(catalog), stubs=stubs)
    reports = world.reports(
        "page = shop__search_issues_0('bug', filters={'author': 'ann'})\n"
        "result = [row['title'] for row in page['items']]",
        "result = page['totl']",
        "shop__list_issues_1('bug', filters={'autor': 'ann'})",
        "f: Filters = {'author': None}\nresult = shop__list_issues_1('x', filters=f)['total']",
        codeact=codeact,
    )
    assert reports[0] == 'result: ["a bug"]'
    assert 'Unknown key "totl" for TypedDict `Result`' in reports[1]
    assert 'Unknown key "autor" for TypedDict `Filters` - did you mean "author"?' in reports[2]
    assert reports[3] == "result: 1"
    assert json.loads(str(world.requests[0].payload)) == {"query": "bug", "filters": {"author": "ann"}}
    assert len(world.requests) == 2


def test_stubs_of_a_package_are_read_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "stubbed_package"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CatalogError, match=r"^'stubbed_package' has no stubs.json: run `toolgen build`$"):
        read_stubs("stubbed_package")
    (package / "stubs.json").write_text("{")
    with pytest.raises(
        CatalogError, match=r"^the stubs.json of 'stubbed_package' is damaged: .*; run `toolgen build`$"
    ):
        read_stubs("stubbed_package")
    (package / "stubs.json").write_text(
        '{"tools": {"a.b": {"function": "a__b", "source": "def a__b() -> Any: ...\\n"}}}'
    )
    stub = read_stubs("stubbed_package").get("a.b")
    assert stub is not None
    assert stub.function == "a__b"
    with pytest.raises(CatalogError, match=r"^'no_such_package' has no stubs.json"):
        read_stubs("no_such_package")
