"""Names are one-to-one in a whole package, however similar those of the specs are; clashes are refused."""

from __future__ import annotations

import ast
import json
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties.package import imported
from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.compile import generate
from toolgen.contract.ident import Ident
from toolgen.providers.table import PROVIDERS, provider
from toolgen.spec.wire_names import fits, wire_name

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = st.text(alphabet="aA1_-", min_size=1, max_size=4).filter(lambda key: key[0].isalpha()) | st.sampled_from(
    ["list", "List", "idents", "all", "ALL", "from", "args", "a_args", "aArgs", "types", "shared", "a" * 60, "call_a"]
)
"""Keys of tools that easily clash with each other or with generated code."""
WORDS = st.text(alphabet="aAb", min_size=1, max_size=2) | st.sampled_from(
    ["a-b", "a_b", "aB", "tools", "types", "agents", "class", "a__b"]
)
FIELDS = st.text(alphabet="aA_1 .é", max_size=3) | st.sampled_from(
    [
        "self",
        "class",
        "A",
        "AArgs",
        "Args",
        "Item",
        "model_config",
        "json",
        "codecs",
        "ABSENT",
        "args",
        "name",
        "é",
        "e",
        *("metadata", "schema", "schema_", "fields", "type", "model", "root", "definitions", "cls", "data", "return"),
        *("a-b", "a_b", "_a", "a_", "from", "from_", "$id", "id", "id_"),
    ]
)
TYPES = st.text(alphabet="aA1_", max_size=2).map(lambda text: f"A{text}") | st.sampled_from(
    ["AArgs", "AResult", "ListArgs", "AArgsA", "Ident", "Field", "Literal", "OpenModel", "AArgsItem"]
)
REFUSED = {"TG301", "TG302", "TG303", "TG305", "TG605"}
"""Codes for clashing names; TG105 is for invalid names."""

SCALAR = {"type": "string"}
NESTED = {"type": "array", "items": {"type": "object", "properties": {"a": SCALAR, "A": SCALAR}}}


@st.composite
def files(draw: st.DrawFn) -> dict[str, str]:
    """Draw toolset files whose toolsets, types, tools and fields have similar names."""
    made: dict[str, str] = {}
    names = st.lists(WORDS, min_size=1, max_size=3).map(".".join)
    for name in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        types = draw(st.lists(TYPES, max_size=3, unique=True))
        shapes = st.sampled_from([SCALAR, NESTED, *({"$ref": f"#/types/{each}"} for each in types)])
        objects = st.dictionaries(FIELDS, shapes, max_size=3).map(
            lambda properties: {"type": "object", "properties": properties}
        )
        tools: dict[str, Any] = {
            key: {"args": draw(objects), "result": draw(objects)}
            for key in draw(st.lists(KEYS, min_size=1, max_size=3, unique=True))
        }
        if draw(st.integers(0, 4)) == 4:
            tools[draw(st.sampled_from(sorted(tools)))]["wire_name"] = draw(st.sampled_from(["a__a", "a", "a__A"]))
        made[f"{len(made)}.json"] = toolset(tools, name=name, types={each: draw(objects) for each in types})
    return made


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(files())
def test_every_name_of_a_package_is_unique_or_refused(specs: dict[str, str]) -> None:
    found = resolved(**specs)
    if found.has_errors:
        assert REFUSED.issuperset(found.codes), found.messages
        return
    package = generate(found.catalog)
    assert len({path.casefold() for path in package}) == len(package)
    for path, content in package.items():
        if path.endswith(".py"):
            for scope, names in scopes(ast.parse(content)):
                repeated = [name for name, times in Counter(names).items() if times > 1]
                assert not repeated, f"{path}: {scope} has {repeated} more than once"
    with imported(found.catalog) as catalog:
        for ident in catalog:
            assert catalog.codec(ident, "args").encode_fields({}) == catalog.codec(ident, "result").encode_fields({})
        for toolset_name in {catalog.toolset_of(ident) for ident in catalog}:
            exported = import_module(catalog.package_of(toolset_name))
            objects = [getattr(exported, name) for name in exported.__all__]
            own = [ident for ident in catalog if catalog.toolset_of(ident) == toolset_name]
            assert sorted(each for each in objects if isinstance(each, Ident)) == sorted(own)
    document = json.loads(package["catalog.json"])
    idents = [f"{json.loads(text)['toolset']}.{key}" for text in specs.values() for key in json.loads(text)["tools"]]
    assert document["tools"].keys() == set(idents)
    wires = [tool.get("wire_name", wire_name(ident)) for ident, tool in document["tools"].items()]
    assert len(set(wires)) == len(idents)
    for each in PROVIDERS:
        grammar = provider(each).grammar
        spelled = {wire_name(ident, grammar) for ident in idents}
        assert len(spelled) == len(idents), each
        assert all(fits(name, grammar) for name in spelled)


def scopes(module: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Yield each scope of a module with the names bound in it, the keys of its tables, and the fields of a model.

    Type checkers and Python may each have their own branch of an `if`: each is a scope.
    """
    blocks: list[tuple[str, list[ast.stmt]]] = [("the module", module.body)]
    while blocks:
        scope, block = blocks.pop()
        yield scope, [name for statement in block for name in bound(statement)]
        for statement in block:
            match statement:
                case ast.ClassDef(name=name, body=body):
                    blocks.append((name, body))
                case ast.If(body=body, orelse=orelse):
                    blocks += [("if", body), ("else", orelse)]
                case _:
                    pass
    for node in ast.walk(module):
        match node:
            case ast.Dict(keys=keys):
                yield "a table", [ast.dump(key) for key in keys if key]
            case ast.arguments(posonlyargs=first, args=named, kwonlyargs=keyed):
                yield "a function", [each.arg for each in (*first, *named, *keyed)]
            case _:
                pass


def bound(statement: ast.stmt) -> list[str]:
    """Return the names that a statement binds in its scope."""
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name for alias in names]
        case ast.Assign(targets=targets):
            return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        case _:
            return []
