"""CodeAct with compiled tools: the stubs of the package are shown to the model and used by the type checker."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved, stubs_of, toolset
from tests.unit.llm.codeact.code_host import CodeHost, candidates_of
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.llm.codeact import CodeAct, CompiledStubs, SandboxPool, read_stubs
from toolgen.runtime import Catalog, ToolDefinition
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.located import clear_package_caches
from toolgen.schema.compact import compact

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
    """Return many similar compiled tools, run by a function."""
    spec = {"description": "Search the issues of a repository.", "args": ARGS, "result": RESULT}
    catalog = resolved(toolset(dict.fromkeys(names(count), spec))).catalog
    tools = json.loads(emit_catalog_json(catalog))["tools"]
    registered = Catalog()
    for ident, tool in tools.items():
        definition = ToolDefinition(
            name=ident, description=tool["description"], input_schema=tool["args"], result_schema=tool["result"]
        )
        registered.register(definition, lambda _args: FOUND, profile="full")
    return registered, CompiledStubs(stubs_of(catalog).encode())


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


def test_code_is_also_checked_against_the_types_of_results() -> None:
    catalog, stubs = fixture(3)
    world = CodeHost(catalog)
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


TYPE_NAMES = (
    "str",
    "int",
    "list",
    "dict",
    "float",
    "bool",
    "Any",
    "Literal",
    "NotRequired",
    "TypedDict",
    "AArgsNested",
)


@given(
    names=st.lists(st.sampled_from([*TYPE_NAMES, "plain", "a-b", "class", "__x"]), unique=True, min_size=1, max_size=5),
    types=st.lists(
        st.sampled_from(
            [
                {"type": "string"},
                {"type": "integer"},
                {"type": "array", "items": {"type": "string"}},
                {"enum": ["a  # b", "c"]},
                {"type": "object", "additionalProperties": {"type": "number"}},
                {"enum": [f"value {number}" for number in range(2000)]},
                {"type": "object", "properties": {"str": {"type": "integer"}}, "additionalProperties": False},
            ]
        ),
        min_size=5,
        max_size=5,
    ),
    is_required=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_fields_named_like_types_are_checked_correctly(names: list[str], types: list[Any], is_required: bool) -> None:
    values = {"string": "x", "integer": 7, "array": ["x"], "object": {}}
    good = {
        name: schema["enum"][1] if "enum" in schema else values[schema["type"]]
        for name, schema in zip(names, types, strict=False)
    }
    nested = {
        "type": "object",
        "properties": dict(zip(names, types, strict=False)),
        "required": names if is_required else [],
        "additionalProperties": False,
    }
    args = {"type": "object", "required": ["nested"], "properties": {"nested": nested}}
    catalog = resolved(toolset({"a": {"description": "A.", "args": args}})).catalog
    entry = json.loads(emit_catalog_json(catalog))["tools"]["shop.a"]
    registered = Catalog()
    registered.register(
        ToolDefinition(name="shop.a", description="A.", input_schema=entry["args"], result_schema={}),
        lambda got: got["nested"],
        profile="full",
    )
    stubs = CompiledStubs(stubs_of(catalog).encode())
    assert all(len(line) < 3_000 for line in "\n".join(stubs.types.values()).split("\n"))
    world, pool = CodeHost(registered), POOL
    codeact = CodeAct(candidates_of(registered), stubs=stubs, pool=pool)
    wrong = {**good, names[0]: 1.5 if good[names[0]] != {} else 3}
    reports = world.reports(f"result = shop__a({good!r})", f"result = shop__a({wrong!r})", codeact=codeact)
    assert json.loads(reports[0].removeprefix("result: ")) == good
    assert reports[1].startswith("nothing was run, because the type checker found:")


POOL = SandboxPool()


def test_open_objects_accept_other_keys_and_computed_text_unless_evidently_wrong() -> None:
    state = {"enum": ["open", "closed"]}
    spec = {"description": "A.", "args": {"type": "object", "properties": {
        "filters": {"type": "object", "properties": {"author": {"type": "string"}, "state": state}},
        "strict": {"type": "object", "properties": {"author": {"type": "string"}}, "additionalProperties": False},
    }}, "result": {"type": "object", "properties": {"total": {"type": "integer"}}}}  # fmt: skip
    catalog = resolved(toolset({"a": spec})).catalog
    entry = json.loads(emit_catalog_json(catalog))["tools"]["shop.a"]
    registered = Catalog()
    registered.register(
        ToolDefinition(name="shop.a", description="A.", input_schema=entry["args"], result_schema=entry["result"]),
        lambda got: {"total": len(got["filters"]), "more": got["filters"]},
        profile="full",
    )
    codeact = CodeAct(candidates_of(registered), stubs=CompiledStubs(stubs_of(catalog).encode()), pool=POOL)
    reports = CodeHost(registered).reports(
        "page = shop__a(filters={'author': 'ann', 'label': 'x', 'state': 'OPEN'.lower()})\nresult = page['more']",
        "result = shop__a(filters={'autor': 'ann'})",
        "result = shop__a(filters={'state': 'opne'})",
        "result = shop__a(filters={'label': 'x', 'author': 7})",
        "result = shop__a(filters={}, strict={'label': 'x'})",
        "f: AArgsFilters = {'state': 'OPEN'.lower(), 'label': 1}\nresult = shop__a(f)['total']",
        "result = page['totl']",
        codeact=codeact,
    )
    assert reports[0] == 'result: {"author": "ann", "label": "x", "state": "open"}'
    assert 'Unknown key "autor"' in reports[1]
    assert 'value of type `Literal["opne"]`' in reports[2]
    assert 'Invalid argument to key "author"' in reports[3]
    assert 'Unknown key "label"' in reports[4]
    assert reports[5] == "result: 2"
    assert 'Unknown key "totl"' in reports[6]


def test_stubs_of_a_package_are_regenerated_if_missing_stale_or_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "stubbed_package"
    package.mkdir()
    (package / "__init__.py").touch()
    catalog = resolved(toolset({"a": {"description": "A.", "args": {"type": "object"}}})).catalog
    (package / "catalog.json").write_text(emit_catalog_json(catalog), encoding="utf-8")
    kept = package / "_derived" / "stubs.json"
    monkeypatch.syspath_prepend(tmp_path)

    def function() -> str:
        clear_package_caches()
        stub = read_stubs("stubbed_package").get("shop.a")
        return stub.source if stub else ""

    assert '"""A."""' in function()
    made = kept.read_text(encoding="utf-8")
    assert (package / "_derived" / ".gitignore").read_text().endswith("\n*\n")

    kept.write_text(made.replace("A.", "Kept."), encoding="utf-8")
    assert '"""Kept."""' in function()

    kept.write_text(made.splitlines()[1], encoding="utf-8")
    assert '"""A."""' in function()
    assert kept.read_text(encoding="utf-8") == made

    changed = emit_catalog_json(catalog).replace('"A."', '"B."')
    (package / "catalog.json").write_text(changed, encoding="utf-8")
    assert '"""B."""' in function()


def test_stubs_are_generated_even_if_they_cannot_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, elsewhere = tmp_path / "linked_package", tmp_path / "elsewhere"
    package.mkdir()
    elsewhere.mkdir()
    (package / "__init__.py").touch()
    catalog = resolved(toolset({"a": {"description": "A.", "args": {"type": "object"}}})).catalog
    (package / "catalog.json").write_text(emit_catalog_json(catalog), encoding="utf-8")
    (package / "_derived").symlink_to(elsewhere)
    monkeypatch.syspath_prepend(tmp_path)

    assert read_stubs("linked_package").get("shop.a") is not None
    assert not list(elsewhere.iterdir())
    with pytest.raises(CatalogError, match=r"the package 'no_such_package' cannot be imported"):
        read_stubs("no_such_package")


def test_equal_objects_share_the_end_of_their_names() -> None:
    fields = {"type": "object", "properties": {"author": {"type": "string"}, "label": {"type": "string"}}}
    specs = {
        tool: {
            "description": "List.",
            "args": {
                "type": "object",
                "properties": {"by": {"$ref": f"#/$defs/{name}"}},
                "$defs": {name: fields},
            },
        }
        for tool, name in (("a", "Filters"), ("b", "IssueFilters"), ("c", "OldIssueFilters"))
    }
    catalog = resolved(toolset(specs)).catalog
    prompt = stubs_of(catalog)
    assert prompt.count("class Filters(") == 1
    assert "IssueFilters" not in prompt


def test_a_single_object_keeps_its_whole_name() -> None:
    fields = {"type": "object", "properties": {"author": {"type": "string"}, "label": {"type": "string"}}}
    args = {"type": "object", "properties": {"by": {"$ref": "#/$defs/ResultPage"}}, "$defs": {"ResultPage": fields}}
    catalog = resolved(toolset({"a": {"description": "List.", "args": args}})).catalog
    assert "class ResultPage(" in stubs_of(catalog)
