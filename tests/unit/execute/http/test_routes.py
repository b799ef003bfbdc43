"""Routes: whatever an arg of the path is, the request reaches its own operation or is not sent."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import asyncio
import json
import posixpath
import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from unicodedata import normalize
from urllib.parse import quote, unquote_to_bytes

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.unit.cli.command_line import toolgen
from tests.unit.execute.http.api import TOOLSET, Recorder, error_of, invoke, invoke_all, package_of
from tests.unit.execute.http.conftest import serving
from toolgen.contract.records import ToolRequest
from toolgen.execute.http import HttpHost, http_executor
from toolgen.runtime import Runtime
from toolgen.runtime.policy.permission import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.requests import Request

    from tests.unit.execute.http.conftest import Server
    from toolgen.runtime import Catalog

SPEC = """
toolgen: 1
toolset: shop.api
kind: http
api: {base_url: "https://api.shop.example/v1"}
tools:
  order: {description: x, args: {id: true}, http: {method: POST, path: "/orders/{id}", params: {id: path}}}
  label: {description: x, args: {id: true}, http: {method: POST, path: "/labels/{id}", params: {id: {in: path, style: label}}}}
  labels: {description: x, args: {id: true}, http: {method: POST, path: "/labels/{id}",
    params: {id: {in: path, style: label, explode: true}}}}
  matrix: {description: x, args: {id: true}, http: {method: POST, path: "/matrices/{id}", params: {id: {in: path, style: matrix}}}}
  matrices: {description: x, args: {id: true}, http: {method: POST, path: "/matrices/{id}",
    params: {id: {in: path, style: matrix, explode: true}}}}
  exploded: {description: x, args: {id: true}, http: {method: POST, path: "/exploded/{id}", params: {id: {in: path, explode: true}}}}
  reserved: {description: x, args: {id: true}, http: {method: POST, path: "/reserved/{id}",
    params: {id: {in: path, allow_reserved: true}}}}
  content: {description: x, args: {id: true}, http: {method: POST, path: "/content/{id}",
    params: {id: {in: path, content: application/json}}}}
  beside: {description: x, args: {a: string, b: string}, http: {method: POST, path: "/beside/{a}{b}", params: {a: path, b: path}}}
  suffix: {description: x, args: {id: string}, http: {method: POST, path: "/suffix/.{id}", params: {id: path}}}
  refund: {description: x, args: {id: string}, http: {method: POST, path: "/orders/{id}/refund", params: {id: path}}}
  search: {description: x, args: {}, http: {method: POST, path: /orders/search}}
  remove: {description: x, args: {id: string}, http: {method: DELETE, path: "/orders/{id}", params: {id: path}}}
  file: {description: x, args: {path: string}, http: {method: GET, path: "/files/{path}",
    params: {path: {in: path, separators: keep_slash}}}}
  history: {description: x, args: {id: string}, http: {method: GET, path: "/files/{id}/history", params: {id: path}}}
  project: {description: x, args: {id: string}, http: {method: GET, path: "/projects/{id}",
    params: {id: {in: path, separators: encode}}}}
  issues: {description: x, args: {id: string}, http: {method: GET, path: "/projects/{id}/issues", params: {id: path}}}
"""
OWN = {
    "order": "/orders/{id}",
    "label": "/labels/{id}",
    "labels": "/labels/{id}",
    "matrix": "/matrices/{id}",
    "matrices": "/matrices/{id}",
    "exploded": "/exploded/{id}",
    "reserved": "/reserved/{id}",
    "content": "/content/{id}",
}
"""Tools with one placeholder, one for each style, and their routes."""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("routes"), "compiled_routes", SPEC)


SEPARATORS = [
    "5/refund", "5\\refund", "5;admin=1", "5?x=1", "5#x", "5%2Frefund", "5%2frefund", "5%5Crefund", "5%252Frefund",
    "5%25252Frefund", "5%%32%66refund", "5%3Bx", "5%3Fx", "5%23x", "5%u002frefund", "5%c0%afrefund", "5%c1%9crefund",
    "5%e0%80%afrefund", "5%f0%80%80%afrefund", "5%afrefund", "5\uff0frefund", "5\u2215refund", "5\u2044refund",
    "5\uff3crefund", "5\u2216refund", "5\uff1bx", "5\u037ex", "5\uff1fx", "5\uff03x", "5\uff05\uff12\uff26refund",
    "5%ef%bc%8frefund", "\u00bd", "\u2105", "5" + "%25" * 30 + "2frefund", "5" + "%" + "25" * 4000 + "2f",
]  # fmt: skip
DOTS = ["", ".", "..", "...", "%2e", "%2E%2e", "%252e%252e", ".%2e", ". .", "..;x", "\uff0e\uff0e", "\u2025", "\u2024", ".\u200b.",
        ".\u00ad.", " ", "%20", "\u3000", "..%00", "a\x00b", "a%00b", "a\nb", "a%0ab", "a%0d", "\x7f", "\x85"]  # fmt: skip


@pytest.mark.parametrize("tool", OWN)
@pytest.mark.parametrize("value", SEPARATORS)
@pytest.mark.variants(90)
def test_no_style_sends_a_separator_in_a_value(catalog: Catalog, tool: str, value: str) -> None:
    recorder = Recorder()
    values = (value, [value], ["a", value], {"k": value}, {value: "v"}, {"k": {"n": value}})
    results = invoke_all(catalog, [(tool, {"id": sent}) for sent in values], app=recorder)
    for sent, error in zip(values, map(error_of, results), strict=True):
        assert (error.kind, error.code) == ("invalid_call", "invalid_path_value"), sent
    assert recorder.requests == []


@pytest.mark.parametrize("value", DOTS)
def test_no_value_is_a_dot_segment_or_leaves_a_segment_empty(catalog: Catalog, value: str) -> None:
    for tool in ("order", "remove", "reserved"):
        recorder = Recorder()
        error = error_of(invoke(catalog, tool, {"id": value}, app=recorder))
        assert (error.code, recorder.requests) == ("invalid_path_value", [])
        assert "id is part of the path" in error.message


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("label", {"id": "."}),
        ("label", {"id": ""}),
        ("labels", {"id": ["", ""]}),
        ("labels", {"id": [".", ""]}),
        ("order", {"id": []}),
        ("order", {"id": None}),
        ("beside", {"a": ".", "b": "."}),
        ("beside", {"a": "%2", "b": "f"}),
        ("beside", {"a": "%", "b": "2frefund"}),
        ("beside", {"a": "..", "b": ";x"}),
        ("suffix", {"id": "."}),
        ("suffix", {"id": ""}),
        ("suffix", {"id": "./admin"}),
    ],
)
def test_values_cannot_join_with_what_is_beside_them(catalog: Catalog, tool: str, args: Any) -> None:
    recorder = Recorder()
    error = error_of(invoke(catalog, tool, args, app=recorder))
    assert (error.code, recorder.requests) == ("invalid_path_value", [])


def test_an_error_names_the_arg_that_has_the_separator(catalog: Catalog) -> None:
    error = error_of(invoke(catalog, "beside", {"a": "x", "b": "y/z"}, app=Recorder()))
    assert error.message.startswith("b is part of the path of the request, and cannot have this value: it has `/`")
    both = error_of(invoke(catalog, "beside", {"a": "%2", "b": "f"}, app=Recorder()))
    assert both.message.startswith("a and b are part of the path")


@pytest.mark.parametrize(
    ("tool", "args", "path"),
    [
        ("order", {"id": "5"}, "/orders/5"),
        ("order", {"id": "a.b..c"}, "/orders/a.b..c"),
        ("order", {"id": "..a"}, "/orders/..a"),
        ("order", {"id": "Ünïcode 日本 100%"}, "/orders/%C3%9Cn%C3%AFcode%20%E6%97%A5%E6%9C%AC%20100%25"),
        ("order", {"id": "a@b:c,d=e&f+g"}, "/orders/a%40b%3Ac%2Cd%3De%26f%2Bg"),
        ("order", {"id": "%41"}, "/orders/%2541"),
        ("order", {"id": ["a", "b"]}, "/orders/a,b"),
        ("order", {"id": 5.0}, "/orders/5"),
        ("label", {"id": "a.b"}, "/labels/.a.b"),
        ("matrix", {"id": "a"}, "/matrices/;id=a"),
        ("matrix", {"id": ""}, "/matrices/;id"),
        ("matrices", {"id": ["a", "b"]}, "/matrices/;id=a;id=b"),
        ("reserved", {"id": "a@b:c%41"}, "/reserved/a@b:c%41"),
        ("content", {"id": {"a": 1}}, "/content/%7B%22a%22%3A1%7D"),
        ("suffix", {"id": "profile"}, "/suffix/.profile"),
        ("beside", {"a": ".", "b": "x"}, "/beside/.x"),
        ("remove", {"id": "search"}, "/orders/search"),
        ("file", {"path": "docs/a b.md"}, "/files/docs/a%20b.md"),
        ("file", {"path": "x"}, "/files/x"),
        ("project", {"id": "group/sub/project"}, "/projects/group%2Fsub%2Fproject"),
        ("project", {"id": "https://a.example/?x=1#y;z"}, "/projects/https%3A%2F%2Fa.example%2F%3Fx%3D1%23y%3Bz"),
        ("project", {"id": "5/issues"}, "/projects/5%2Fissues"),
    ],
)  # fmt: skip
def test_values_that_stay_in_their_place_are_sent(catalog: Catalog, tool: str, args: Any, path: str) -> None:
    recorder = Recorder()
    assert invoke(catalog, tool, args, app=recorder).error is None
    assert recorder.last.path == path


@pytest.mark.parametrize(
    "path",
    ["../x", "a/../b", "a/./b", "/a", "a/", "a//b", "a;b/c", "a?b", "a#b", "a\\b", "a%2Fb", "a/%2e%2e/b", "5/history", "A/HISTORY"],
)  # fmt: skip
def test_a_value_of_several_segments_has_no_other_separators(catalog: Catalog, path: str) -> None:
    recorder = Recorder()
    error = error_of(invoke(catalog, "file", {"path": path}, app=recorder))
    assert (error.code, recorder.requests) == ("invalid_path_value", [])


@pytest.mark.parametrize("value", ["..", ".", "../x", "a/%2e%2e/b", "a\x00", ""])
def test_dot_segments_are_refused_even_where_separators_are_encoded(catalog: Catalog, value: str) -> None:
    recorder = Recorder()
    error = error_of(invoke(catalog, "project", {"id": value}, app=recorder))
    assert (error.code, recorder.requests) == ("invalid_path_value", [])


@pytest.mark.parametrize("value", ["search", "SEARCH", "se%61rch", "\uff53earch", "search ", "search\u200b"])
def test_no_value_is_the_path_of_another_operation(catalog: Catalog, value: str) -> None:
    recorder = Recorder()
    result = invoke(catalog, "order", {"id": value}, app=recorder)
    if value == "search ":  # no server drops a blank within a segment
        assert result.error is None
        return
    error = error_of(result)
    assert (error.code, recorder.requests) == ("invalid_path_value", [])
    assert "search" not in error.message, "a run may not see the other tool"


CLOSED = """
toolgen: 1
toolset: shop.api
kind: http
api: {base_url: "https://api.shop.example/v1"}
tools:
  order: {description: x, args: {id: string}, http: {method: POST, path: "/orders/{id}", params: {id: path}}}
  item: {description: x, args: {id: string}, http: {method: POST, path: "/orders/{id}/items", params: {id: path}}}
  again: {description: x, args: {id: string}, http: {method: POST, path: "/orders/{id}/again", params: {id: path}}}
  free: {description: x, args: {f: {type: object, additionalProperties: true}}, http: {method: GET, path: /rpc, params: {f: query}}}
  purge: {disabled: true, description: x, args: {}, http: {method: post, path: /orders/purge}}
  elsewhere: {disabled: true, description: x, args: {}, http: {method: POST, path: /orders/far, base_url: "https://far.shop.example"}}
  below: {disabled: true, description: x, args: {}, http: {method: POST, path: /all/items, base_url: "https://api.shop.example/v1/orders"}}
  left_out: {disabled: true, description: The import left it out., http: {method: POST, path: /orders/broken}}
  get_only: {disabled: true, description: x, args: {}, http: {method: GET, path: /orders/seen}}
  same: {disabled: true, description: x, args: {x: string}, http: {method: POST, path: "/orders/{x}/again", params: {x: path}}}
  fixed: {disabled: true, description: x, args: {}, http: {method: GET, path: /rpc?action=delete}}
  invalid: {disabled: true, description: x, args: {}, http: {method: POST, path: /orders/odd, params: {gone: {in: path, style: form}}}}
"""


def test_no_value_leads_to_the_operation_of_a_disabled_tool(tmp_path: Path, server: Server) -> None:
    catalog = package_of(tmp_path, "compiled_closed", CLOSED)
    refused = [
        ("order", "purge"),
        ("order", "PURGE"),
        ("order", "p%75rge"),
        ("order", "broken"),
        ("order", "odd"),
        ("item", "all"),
    ]
    sent = [("order", "far"), ("order", "seen"), ("order", "5"), ("item", "5"), ("again", "5")]

    results = invoke_all(catalog, [(tool, {"id": value}) for tool, value in refused + sent], base_url=server.url)

    assert [error_of(each).code for each in results[: len(refused)]] == ["invalid_path_value"] * len(refused)
    assert [each.error for each in results[len(refused) :]] == [None] * len(sent)
    assert [each.path for each in server.requests] == [
        "/orders/far",
        "/orders/seen",
        "/orders/5",
        "/orders/5/items",
        "/orders/5/again",
    ]
    fixed = invoke(catalog, "free", {"f": {"action": "delete"}}, base_url=server.url)
    assert error_of(fixed).code == "fixed_query_in_args"


def test_the_operations_of_disabled_tools_are_those_of_all_pieces_of_a_file(tmp_path: Path) -> None:
    many = "".join(f"  m{n}: {{description: x, args: {{}}, http: {{method: GET, path: /m/{n}}}}}\n" for n in range(150))
    text = CLOSED.replace("  purge:", f"{many}  purge:")
    (tmp_path / "specs").mkdir()
    for changed in (text, text.replace("/m/7}", "/m/seven}")):  # the second build takes the other pieces from the cache
        (tmp_path / "specs" / "api.yaml").write_text(changed)
        assert toolgen(tmp_path, "build").code == 0
        compiled = json.loads((tmp_path / "generated" / "catalog.json").read_text())["toolsets"]["shop.api"]["closed"]
        paths = [
            "/orders/purge",
            "/orders/far",
            "/all/items",
            "/orders/broken",
            "/orders/seen",
            "/orders/{x}/again",
            "/rpc?action=delete",
        ]
        assert [each["path"] for each in compiled] == [*paths, "/orders/odd"]


@pytest.mark.parametrize("value", ["é" * 9000, "a\u0315\u0300" * 200_000, "%25" * 300_000, "." * 9000])
def test_a_path_is_judged_in_bounded_time(catalog: Catalog, value: str) -> None:
    recorder = Recorder()
    assert error_of(invoke(catalog, "order", {"id": value}, app=recorder)).code == "invalid_path_value"
    assert recorder.requests == []


def test_a_path_is_compared_in_a_moment_with_one_of_many_placeholders(tmp_path: Path) -> None:
    names = "abcdefgh"
    args, path = ", ".join(f"{name}: string" for name in names), "".join(f"{{{name}}}" for name in names)
    params = ", ".join(f"{name}: path" for name in names)
    many = f'  many: {{description: x, args: {{{args}}}, http: {{method: POST, path: "/orders/{path}z", params: {{{params}}}}}}}'
    recorder = Recorder()
    catalog = package_of(tmp_path, "routes_of_many", f"{SPEC}{many}\n")
    assert invoke(catalog, "order", {"id": "q" * 5000}, app=recorder).error is None
    assert error_of(invoke(catalog, "order", {"id": f"{'q' * 5000}z"}, app=recorder)).code == "invalid_path_value"
    assert error_of(invoke(catalog, "order", {"id": "%ud800qqqqqqqqz"}, app=recorder)).code == "invalid_path_value"


async def _answer(request: Request) -> JSONResponse:
    return JSONResponse({"route": request.scope["route"].path})


ROUTES = [
    *dict.fromkeys(OWN.values()), "/orders/{id}/refund", "/orders", "/orders/", "/admin", "/refund", "/labels", "/labels/{id}/refund", "/",
    "/{anything}", "/{anything:path}",
]  # fmt: skip


def starlette() -> Starlette:
    """An application that decodes once before it routes, as ASGI servers do."""
    first = [Route("/orders/search", _answer, methods=["POST"])]
    return Starlette(routes=first + [Route(path, _answer, methods=["POST"]) for path in ROUTES])


class Lenient:
    """A server that decodes as often as it can, with any decoder, and normalizes before it routes."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["raw_path"].decode("latin-1")
        for _ in range(10):
            path = re.sub("%u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), path)
            path = normalize("NFKC", _overlong(unquote_to_bytes(path))).replace("\\", "/")
        path = posixpath.normpath("/".join(re.split("[;?#]", part, maxsplit=1)[0].strip() for part in path.split("/")))
        patterns = ((route, re.sub(r"{.*?}", "[^/]+", route)) for route in ["/orders/search", *ROUTES[:-1]])
        own = next((route for route, pattern in patterns if re.fullmatch(pattern, path)), "/{anything:path}")
        await JSONResponse({"route": own})(scope, receive, send)


def _overlong(data: bytes) -> str:
    """Decode UTF-8 as decoders do that do not check for the shortest form."""
    spelled = re.sub(rb"[\xc0\xc1](.)", lambda found: bytes([found[1][0] & 0x7F]), data, flags=re.DOTALL)
    spelled = re.sub(rb"\xe0\x80(.)", lambda found: bytes([found[1][0] & 0x7F]), spelled, flags=re.DOTALL)
    return spelled.decode("utf-8", "replace")


@pytest.fixture(scope="module")
def servers() -> Iterator[list[str]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serving(app)) for app in (starlette(), Lenient())]


PIECES = st.sampled_from([
    *("/", "\\", ";", "?", "#", ".", "..", "%", "25", "2f", "2F", "5c", "2e", "u002f", "%2f", "%252f", "%c0%af", "%c1%9c", "%00"),
    *("refund", "search", "admin", "5", "a", " ", "\n", "+", "\uff0f", "\u2215", "\uff0e", "\u2024", "\uff1b", "\u00ad", ",", "=", "&"),
])  # fmt: skip
TEXTS = st.one_of(
    st.lists(PIECES, max_size=6).map("".join),
    st.text(max_size=8),
    st.lists(PIECES, max_size=4).map(lambda parts: quote("".join(parts), safe="")),
    st.lists(PIECES, max_size=4).map(lambda parts: "".join(f"%{byte:02x}" for byte in "".join(parts).encode())),
)
VALUES = st.one_of(
    TEXTS,
    st.lists(TEXTS, max_size=3),
    st.dictionaries(TEXTS, TEXTS, max_size=2),
    st.integers(),
    st.booleans(),
    st.none(),
)


@settings(max_examples=6)
@given(calls=st.lists(st.tuples(st.sampled_from([*OWN]), VALUES), min_size=10, max_size=10))
@example(calls=[("order", "5/refund"), ("order", "search"), ("labels", ["", "", ""])])
def test_whatever_a_value_is_no_other_route_is_reached(
    catalog: Catalog, servers: list[str], calls: list[tuple[str, Any]]
) -> None:
    for url in servers:
        results = invoke_all(catalog, [(tool, {"id": value}) for tool, value in calls], base_url=url)
        for (tool, value), result in zip(calls, results, strict=True):
            if result.error is None:
                # A server that drops `;` with what follows it has no matrices: each value reaches what any other does.
                own = "/{anything}" if tool in ("matrix", "matrices") and url == servers[1] else OWN[tool]
                assert result.value == {"route": own}, value
            else:
                assert result.error.code == "invalid_path_value", value


def test_the_other_routes_are_within_reach_of_a_client_that_only_encodes(servers: list[str]) -> None:
    """The property above would fail without the check."""
    import httpx2

    for url in servers:
        for value in ("5/refund", "search"):
            answer = httpx2.post(f"{url}/orders/{quote(value, safe='')}")
            assert answer.json()["route"] != OWN["order"]
    assert httpx2.post(f"{servers[1]}/orders/5%25c0%25afrefund").json()["route"] == "/orders/{id}/refund"


@settings(max_examples=40)
@given(value=VALUES, tool=st.sampled_from([*OWN, "file", "project"]))
@example(value="a b/ü", tool="file")
def test_the_url_that_a_person_is_shown_is_the_one_that_is_sent(catalog: Catalog, tool: str, value: Any) -> None:
    asked: list[str] = []

    def permission(request: Any) -> Decision:
        asked.append(request.request)
        return Decision.ALLOW_ONCE

    recorder = Recorder()
    host = HttpHost(environment={}, app=recorder)
    runtime = Runtime(catalog, permission=permission, executors=[http_executor(catalog, TOOLSET, host)])
    name = "path" if tool == "file" else "id"
    payload = json.dumps({name: value if tool in OWN or isinstance(value, str) else str(value)})
    result = asyncio.run(runtime.invoke(ToolRequest(name=f"{TOOLSET}.{tool}", payload=payload)))
    if result.error is None:
        sent = recorder.last
        assert asked == [f"{sent.method} http://app{sent.target}"]
    else:
        assert (result.error.code, asked, recorder.requests) == ("invalid_path_value", [], [])
