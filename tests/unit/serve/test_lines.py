"""Lines of a client over stdio that are no messages: each is answered for its id, and the server serves on."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, JSONRPCError

from toolgen.runtime.base.received import REQUEST_VALUES
from toolgen.serve.stdio import LINE_BYTES, message_of

if TYPE_CHECKING:
    from tests.unit.serve.conftest import Project

START = b"""\
{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},\
"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"""
DEEP = b"[" * 1000 + b"]" * 1000
LONG = b'"' + b"x" * LINE_BYTES + b'"'


def request(params: bytes, *, request_id: bytes = b"1", method: bytes = b'"tools/call"') -> bytes:
    return b'{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}' % (request_id, method, params)


def call(args: bytes) -> bytes:
    return request(b'{"name":"team__jobs__wait","arguments":%s}' % args)


MEMBERS = b'{"jsonrpc":"2.0","id":1,"method":"ping",%s}' % b",".join(b'"%d":1' % at for at in range(REQUEST_VALUES))
REFUSED = {
    "an argument that is too deep": (call(b'{"name":%s}' % DEEP), 1, INVALID_REQUEST),
    "an argument of too many values": (call(b'{"name":[%s1]}' % (b"1," * REQUEST_VALUES)), 1, INVALID_REQUEST),
    "too many members": (MEMBERS, 1, INVALID_REQUEST),
    "an argument with half a character": (call(b'{"name":"\\ud800"}'), 1, PARSE_ERROR),
    "an argument that is not UTF-8": (call(b'{"name":"\xff"}'), 1, PARSE_ERROR),
    "a line that is too long": (call(b'{"name":%s}' % LONG), 1, INVALID_REQUEST),
    "a line that ends early": (call(b'{"name":"x"')[:-2], 1, PARSE_ERROR),
    "an id after what cannot be read": (b'{"method":"ping","params":%s,"id":"a\\"b"}' % DEEP, 'a"b', INVALID_REQUEST),
    "an id inside of params": (b'{"method":"ping","params":{"id":7,"x":%s}}' % DEEP, None, INVALID_REQUEST),
    "params that are a list": (request(b"[1]"), 1, INVALID_REQUEST),
    "a method that is no text": (request(b"{}", method=b"3"), 1, INVALID_REQUEST),
    "another version of JSON-RPC": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 1, INVALID_REQUEST),
    "the id null": (request(b"{}", request_id=b"null"), None, INVALID_REQUEST),
    "a broken number as id": (request(b"{}", request_id=b"1.5"), None, INVALID_REQUEST),
    "an object as id": (request(b"{}", request_id=b'{"id":1}'), None, INVALID_REQUEST),
    "an id with half a character": (request(b"{}", request_id=b'"\\ud800"'), None, PARSE_ERROR),
    "a batch": (b"[%s]" % call(b"{}"), None, INVALID_REQUEST),
    "an empty batch": (b"[]", None, INVALID_REQUEST),
    "a text": (b'"ping"', None, INVALID_REQUEST),
    "no JSON": (b"ping", None, PARSE_ERROR),
    "an answer that cannot be read": (b'{"jsonrpc":"2.0","id":1,"result":{"x":"\\ud800"}}', None, PARSE_ERROR),
}


def answers_of(project: Project, lines: list[bytes]) -> list[list[dict[str, Any]]]:
    """Return what a server answers to each line before it answers a ping that follows."""
    with subprocess.Popen(
        project.command(),
        env=project.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(START)
        found: list[list[dict[str, Any]]] = []
        for number, line in enumerate(lines):
            process.stdin.write(
                line + b"\n" + request(b"{}", request_id=b'"ping %d"' % number, method=b'"ping"') + b"\n"
            )
            process.stdin.flush()
            answers: list[dict[str, Any]] = []
            while (answer := json.loads(process.stdout.readline())).get("id") != f"ping {number}":
                if answer.get("id") != "start":
                    answers.append(answer)
            assert answer["result"] == {}
            found.append(answers)
        process.stdin.close()
        assert process.wait(30) == 0
    return found


def test_what_is_no_message_is_answered_with_an_error_and_the_server_serves_on(project: Project) -> None:
    found = answers_of(project, [line for line, _, _ in REFUSED.values()])
    for (name, (_, id_, code)), answers in zip(REFUSED.items(), found, strict=True):
        assert [(each["id"], each["error"]["code"]) for each in answers] == [(id_, code)], name
        assert len(json.dumps(answers)) < 400, name


@pytest.mark.parametrize("line", [b"", b"  ", b'{"jsonrpc":"2.0","method":"notifications/initialized"}'])
def test_what_asks_for_no_answer_has_none(project: Project, line: bytes) -> None:
    assert answers_of(project, [line]) == [[]]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "method", "x"]), inner),
    max_leaves=6,
)
IDS = st.integers(-(10**17), 10**17) | st.text(st.characters(codec="utf-8"), max_size=8)
BROKEN = st.sampled_from([b'"\\ud800"', b'{"a":1', b"[1,", b"tru", b'"\\x"', DEEP, b'{"id":5,"x":"\\udc00"}', b"\xff"])
FIELDS = st.permutations(["jsonrpc", "id", "method", "before", "broken"])


@given(id_=IDS, extra=JSON, broken=BROKEN, order=FIELDS)
def test_the_id_of_a_request_is_read_wherever_the_rest_is_broken(
    id_: int | str, extra: Any, broken: bytes, order: list[str]
) -> None:
    values = {"jsonrpc": b'"2.0"', "id": json.dumps(id_).encode(), "method": b'"ping"', "broken": broken}
    values["before"] = json.dumps(extra).encode()
    order.remove("broken")
    line = b"{%s}" % b", ".join(b'"%s": %s' % (name.encode(), values[name]) for name in [*order, "broken"])
    answer = message_of(line)
    assert isinstance(answer, JSONRPCError)
    assert answer.id == id_


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_no_line_stops_the_server(line: bytes) -> None:
    answer = message_of(line)
    if isinstance(answer, JSONRPCError):
        assert answer.model_dump_json()


def test_a_request_with_a_key_twice_is_refused_and_the_key_is_named() -> None:
    answer = message_of(request(b'{"name":"pay","arguments":{"cents":5,"memo":":","cents":500}}'))
    assert isinstance(answer, JSONRPCError)
    assert (answer.id, answer.error.code) == (1, INVALID_PARAMS)
    assert answer.error.message == "`cents` is there twice (at /params/arguments/cents): send it once"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (b'"{\\"cents\\": 5}"', "a string that holds one"),
        (b"[5]", "a value of type array"),
        (b"5", "a value of type number"),
    ],
)
def test_arguments_that_are_no_object_are_refused_with_the_way_to_send_them(arguments: bytes, found: str) -> None:
    answer = message_of(request(b'{"name":"pay","arguments":%s}' % arguments))
    assert isinstance(answer, JSONRPCError)
    assert (answer.id, answer.error.code) == (1, INVALID_PARAMS)
    assert answer.error.message == f"`arguments` of a call must be an object: send an object, not {found}"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (b'{"memo":"\\ud800"}', "a lone surrogate (at /params/arguments/memo): write each character whole"),
        (b'{"cents":5,}', "trailing comma at line 1 column 93: remove the comma before the closing bracket"),
    ],
)
def test_a_line_that_is_no_json_is_told_where_and_how_to_mend_it(arguments: bytes, problem: str) -> None:
    answer = message_of(request(b'{"name":"pay","arguments":%s}' % arguments))
    assert isinstance(answer, JSONRPCError)
    assert answer.error.code == PARSE_ERROR
    assert answer.error.message == f"the line is not JSON that can be read: {problem}"
