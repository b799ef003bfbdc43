"""The query of a path says which operation a request is: no arg sends one of its fields again."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved
from tests.unit.execute.http.api import TOOLSET, error_of, invoke, package_of
from toolgen.contract.records import ToolRequest
from toolgen.execute.http import HttpHost, http_executor
from toolgen.runtime import Runtime
from toolgen.runtime.policy.permission import Decision
from toolgen.spec.http import is_same_field

if TYPE_CHECKING:
    from tests.unit.execute.http.conftest import Server
    from toolgen.runtime import Catalog

OBJECT = "{type: object, additionalProperties: true}"
FORM = "application/x-www-form-urlencoded"
SPEC = f"""
toolgen: 1
toolset: shop.api
kind: http
api: {{base_url: "https://api.shop.example"}}
tools:
  list: {{description: x, permission: readonly, args: {{f: {OBJECT}}}, http: {{method: GET, path: /rpc?action=list, params: {{f: query}}}}}}
  delete: {{description: x, args: {{}}, http: {{method: GET, path: /rpc?action=delete}}}}
  plain: {{description: x, permission: readonly, args: {{f: {OBJECT}}}, http: {{method: GET, path: /rpc, params: {{f: query}}}}}}
  named: {{description: x, permission: readonly, args: {{action: string}}, http: {{method: GET, path: /rpc, params: {{action: query}}}}}}
  deep: {{description: x, permission: readonly, args: {{f: {OBJECT}}},
    http: {{method: GET, path: "/rpc?f[kind]=new", params: {{f: {{in: query, style: deepObject}}}}}}}}
  open: {{description: x, permission: readonly, args: {{f: string}},
    http: {{method: GET, path: /rpc?action=list, params: {{f: {{in: query, allow_reserved: true}}}}}}}}
  whole: {{description: x, permission: readonly, args: {{f: true}},
    http: {{method: GET, path: /rpc?action=list, params: {{f: {{in: querystring, content: {FORM}}}}}}}}}
  text: {{description: x, permission: readonly, args: {{f: string}},
    http: {{method: GET, path: /rpc?action, params: {{f: {{in: querystring, content: text/plain}}}}}}}}
  form: {{description: x, args: {{type: object, properties: {{f: {OBJECT}}}, additionalProperties: true}},
    http: {{method: POST, path: /rpc?action=list, body: {{media_type: {FORM}, encoding: {{f: {{style: form, explode: true}}}}}}}}}}
  parts: {{description: x, args: {{type: object, properties: {{f: {OBJECT}}}, additionalProperties: true}},
    http: {{method: POST, path: /rpc?action=list, body: {{media_type: multipart/form-data, encoding: {{f: {{style: form, explode: true}}}}}}}}}}
  body: {{description: x, args: {{f: {{anyOf: [{{type: object, properties: {{kind: true}}}}, {OBJECT}]}}, "type?": string}},
    http: {{method: POST, path: "/rpc?action=list&kind=new", body: {{media_type: {FORM}, arg: f, type_arg: type}}}}}}
  raw: {{description: x, args: {{f: string}}, http: {{method: POST, path: /rpc?action=list, body: {{media_type: {FORM}, arg: f}}}}}}
  json: {{description: x, args: {{f: {OBJECT}}}, http: {{method: POST, path: /rpc?action=list, body: {{media_type: application/json, arg: f}}}}}}
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("queries"), "compiled_fixed_queries", SPEC)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("list", {"f": {"action": "delete"}}),
        ("list", {"f": {"a": 1, "ACTION": "delete"}}),
        ("list", {"f": {" action": "delete"}}),
        ("list", {"f": {"action[]": "delete"}}),
        ("list", {"f": {"action[x]": "delete"}}),
        ("list", {"f": {"[action]": "delete"}}),
        ("list", {"f": {"action\0x": "delete"}}),
        ("deep", {"f": {"kind": "old"}}),
        ("deep", {"f": {"kind": ["old"]}}),
        ("deep", {"f": {"": "old"}}),
        ("open", {"f": "1;action=delete"}),
        ("whole", {"f": {"action": "delete"}}),
        ("whole", {"f": "a=1&action=delete"}),
        ("whole", {"f": "a=1;%61ction=delete"}),
        ("text", {"f": "action"}),
        ("form", {"f": {}, "action": "delete"}),
        ("form", {"f": {"action": "delete"}}),
        ("parts", {"f": {}, "action": "delete"}),
        ("parts", {"f": {"action": "delete"}}),
        ("body", {"f": {"action": "delete"}}),
        ("body", {"f": {"action": "delete"}, "type": "multipart/form-data"}),
        ("raw", {"f": "a=1&action=delete"}),
    ],
)
def test_an_arg_that_repeats_a_field_of_the_path_is_refused(
    catalog: Catalog, server: Server, tool: str, args: Any
) -> None:
    error = error_of(invoke(catalog, tool, args, base_url=server.url))
    assert (error.kind, error.code, server.requests) == ("invalid_call", "fixed_query_in_args", [])
    assert "the path of the request has that field already" in error.message


@pytest.mark.parametrize(
    ("tool", "args", "query"),
    [
        ("list", {"f": {"actions": "a", "x[action]": "b"}}, "action=list&actions=a&x%5Baction%5D=b"),
        ("deep", {"f": {"name": "a"}}, "f[kind]=new&f%5Bname%5D=a"),
        ("open", {"f": "action"}, "action=list&f=action"),
        ("whole", {"f": {"a": "action=delete&b"}}, "action=list&a=action%3Ddelete%26b"),
        ("form", {"f": {"a": 1}}, "action=list"),
        ("body", {"f": {"kind": "old"}}, "action=list&kind=new"),
        ("json", {"f": {"action": "x"}}, "action=list"),
        ("plain", {"f": {"action": "list all"}}, "action=list%20all"),
        ("named", {"action": "delete"}, "action=delete"),
    ],
)
def test_other_fields_and_those_that_the_spec_names_are_sent(
    catalog: Catalog, server: Server, tool: str, args: Any, query: str
) -> None:
    assert invoke(catalog, tool, args, base_url=server.url).error is None
    assert server.last.query.replace("%5Bkind%5D", "[kind]") == query


def test_no_field_makes_a_request_that_of_another_operation_by_its_query(catalog: Catalog, server: Server) -> None:
    error = error_of(invoke(catalog, "plain", {"f": {"Action": "delete"}}, base_url=server.url))
    assert (error.kind, error.code, server.requests) == ("invalid_call", "fixed_query_in_args", [])
    assert "with the values of another operation" in error.message


def test_nobody_is_asked_about_a_request_that_is_refused_for_its_query(catalog: Catalog, server: Server) -> None:
    asked: list[str] = []

    def permission(request: Any) -> Decision:
        asked.append(request.request)
        return Decision.ALLOW_ONCE

    registration = http_executor(catalog, TOOLSET, HttpHost(base_url=server.url))
    runtime = Runtime(catalog, permission=permission, executors=[registration])
    payload = json.dumps({"f": {"action": "delete"}})
    result = asyncio.run(runtime.invoke(ToolRequest(name=f"{TOOLSET}.list", payload=payload)))
    assert (error_of(result).code, asked, server.requests) == ("fixed_query_in_args", [], [])


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)
@given(
    tool=st.sampled_from(["list", "whole", "form"]),
    fields=st.dictionaries(
        st.lists(st.sampled_from(["action", "ACTION", "a", "[", "]", "[]", " ", ".", "&", ";", "=", "%61", "\0"]), max_size=3).map("".join),
        st.text("adelt&=;[]", max_size=6), max_size=3,
    ),
)  # fmt: skip
def test_whatever_an_object_has_one_field_says_which_operation_it_is(
    catalog: Catalog, server: Server, tool: str, fields: dict[str, str]
) -> None:
    server.requests.clear()
    result = invoke(catalog, tool, {"f": fields}, base_url=server.url)
    if result.error is not None:
        assert (result.error.code, server.requests) == ("fixed_query_in_args", [])
        return
    sent = f"{server.last.query}&{server.last.body.decode() if tool == 'form' else ''}"
    names = [name for name, _ in parse_qsl(sent, keep_blank_values=True)]
    assert sum(_is_action(name) for name in names) == 1


def _is_action(name: str) -> bool:
    """Whether the servers that `is_same_field` names read a field as `action`, or as a part of it."""
    php = re.split(r"\[", name.partition("\0")[0].lstrip(" "), maxsplit=1)[0]
    rack = re.match(r"[\[\]]*([^\[\]]+)", name)
    return "action" in (php, rack and rack[1], name.lower())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a", "a", True), ("a", "A", True), ("a", "b", False), ("a", "a[]", True), ("a", "a[b]", True), ("a[b]", "a[c]", False),
        ("a[b]", "a[b][c]", True), ("a[]", "a[0]", True), ("a", "[a]", True), ("a", "[]a", True), ("a_b", "a.b", True), ("a_b", "a b", True),
        ("a", "ab", False), ("b", "a[b]", False), ("a", "", False), ("", "", True), ("a", "a\0b", True), ("a", "a[", True),
    ],
)  # fmt: skip
def test_names_that_servers_take_for_one_field(one: str, other: str, same: bool) -> None:
    assert is_same_field(one, other) is is_same_field(other, one) is same


def test_a_build_refuses_an_arg_with_the_name_of_a_field_of_the_path() -> None:
    head = SPEC.partition("tools:")[0]
    tool = "{description: x, permission: readonly, args: {action: string}, http: {method: GET, path: /?action=1, params: {action: query}}}"
    found = resolved(f"{head}tools: {{t: {tool}}}\n")
    assert any("the query of the path has `action` already" in each for each in found.messages)
