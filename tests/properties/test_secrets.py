"""Secrets of a call reach no store, prompt or log, wherever a handler, a hook or a gate puts them."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from toolgen.cli.commands.calls.log import command as log_command
from toolgen.contract.records import ContentBlock, FailureKind, Issue, ToolCallMeta, ToolError, ToolRequest, ToolResult
from toolgen.record.artifacts import Artifacts
from toolgen.record.memory import MemoryStore
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime import Catalog, Runtime, ToolDefinition
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.calls.call import Denial, GateDecision
from toolgen.runtime.policy.permission import Decision, PermissionRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

unhurried = settings(
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    deadline=None,
)


def nested(text: str, deep: int) -> str:
    """Return a text as JSON in JSON, and so on."""
    for _ in range(deep):
        text = json.dumps(text)
    return text


FORMS: dict[str, Callable[[str], Any]] = {
    "whole": lambda secret: secret,
    "in a text": lambda secret: f"no login with {secret}: denied",
    "without space": lambda secret: f"x{secret}y",
    "as JSON": lambda secret: json.dumps({"with": secret}),
    "as JSON in JSON": lambda secret: json.dumps(json.dumps([secret], ensure_ascii=False)),
    "as JSON in JSON and so on": lambda secret: nested(f"<{secret}>", 11),
    "as a representation": lambda secret: f"got {secret!r} and {secret.encode()!r}",
    "as a key": lambda secret: {secret: {"deep": [secret]}},
    "in a query": lambda secret: f"https://x.example/?q={quote(secret, safe='')}",
    "in base64": lambda secret: base64.b64encode(f"bob:{secret}".encode()).decode(),
    "cut": lambda secret: f"{secret[:7]}…",
    "behind much": lambda secret: "x" * 293 + secret,
}
"""How a secret gets into the output of a handler. Where only text is possible, values are written as JSON."""

CHANNELS = (
    *("raise", "call_failed", "timeout", "tool_error", "malformed", "message", "side_effects", "audit", "telemetry"),
    *("metadata", "server_data", "blocks", "report", "value", "hook_denies", "hook_fails", "hook_fails_after"),
    *("gate_refuses", "gate_fails", "permission_fails"),
)


BEFORE_INJECTION = {"hook_denies", "hook_fails", "gate_refuses", "gate_fails", "permission_fails"}
"""Places where an injected secret is not part of the call yet."""


@dataclass(frozen=True, slots=True)
class Made:
    """One call: its schema and args, the secret texts in them, and where the handler outputs them."""

    schema: dict[str, Any]
    args: dict[str, Any]
    secrets: list[str]
    says: list[tuple[str, str]]
    injected: str


words = st.text(alphabet="abz019", min_size=5, max_size=12).map(lambda text: f"zq7{text}")
texts = st.text(alphabet="ab01zé\"'\\/%+&=<> ~$", min_size=5, max_size=24).map(lambda text: f"zq7{text}7qz")


@st.composite
def calls(draw: st.DrawFn, secret_texts: st.SearchStrategy[str] = texts) -> Made:
    """Draw secrets at random depth in random args."""
    secrets: list[str] = []
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    args: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 3))):
        leaf, value = _leaf(draw, secret_texts, secrets)
        for depth in range(draw(st.integers(0, 3))):
            kind = draw(st.sampled_from(["object", "array", "map"]))
            if kind == "array":
                leaf, value = {"type": "array", "items": leaf}, [value]
            elif kind == "map":
                leaf, value = {"type": "object", "additionalProperties": leaf}, {f"any{depth}": value}
            else:
                leaf, value = {"type": "object", "properties": {f"in{depth}": leaf}}, {f"in{depth}": value}
        schema["properties"][f"field{number}"] = leaf
        args[f"field{number}"] = value
    if draw(st.booleans()):
        args["note"] = FORMS[draw(st.sampled_from(["whole", "in a text", "as JSON", "in base64"]))](secrets[0])
    says = draw(st.lists(st.tuples(st.sampled_from(CHANNELS), st.sampled_from(sorted(FORMS))), min_size=1, max_size=6))
    injected = draw(secret_texts)
    return Made(schema, args, [*secrets, injected], says, injected)


def _leaf(draw: st.DrawFn, secret_texts: st.SearchStrategy[str], secrets: list[str]) -> tuple[dict[str, Any], Any]:
    mark: dict[str, Any] = draw(st.sampled_from([{"format": "password"}, {"writeOnly": True}]))
    kind = draw(st.sampled_from(["text", "text", "number", "list", "object"]))
    if kind == "number":
        number = draw(st.integers(100_000_000, 999_999_999))
        secrets.append(str(number))
        return {"type": "integer", **mark}, number
    found = draw(secret_texts)
    secrets.append(found)
    if kind == "text":
        return {"type": "string", **mark}, found
    return ({"type": "array", **mark}, [found]) if kind == "list" else ({"type": "object", **mark}, {"deep": [found]})


def traces(secret: str) -> list[str]:
    """Return the traces of a secret in a text."""
    data = secret.encode()
    once = json.dumps(secret)[1:-1]
    found = [secret, once, json.dumps(once)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(data)[2:-1]]
    return [*found, quote(secret, safe=""), base64.b64encode(b"bob:" + data).decode()[8:-4], secret[:7]]


class Host:
    """A host whose code puts the secrets of a call everywhere possible, and that keeps everything it was shown."""

    def __init__(self, made: Made) -> None:
        self.outputs = {channel: "; ".join(self._all(made, channel)) for channel, _ in made.says}
        self.asked: list[PermissionRequest] = []
        self.summaries: list[str] = []
        self._made = made

    def _all(self, made: Made, channel: str) -> list[str]:
        known = made.secrets if channel not in BEFORE_INJECTION else made.secrets[:-1]
        outputs = [FORMS[form](secret) for each, form in made.says if each == channel for secret in known]
        return [each if isinstance(each, str) else json.dumps(each) for each in outputs]

    def data(self, channel: str) -> dict[str, Any]:
        return {
            f"{place}": [FORMS[form](secret) for secret in self._made.secrets]
            for place, (each, form) in enumerate(self._made.says)
            if each == channel
        }

    def handle(self, _args: Any, meta: ToolCallMeta) -> Any:
        if "report" in self.outputs:
            meta.report(self.data("report"))
        if "raise" in self.outputs:
            raise ValueError(self.outputs["raise"])
        if "call_failed" in self.outputs:
            text = self.outputs["call_failed"]
            raise CallFailed(FailureKind.DOMAIN_REJECTION, "rejected", text.replace("\n", " "), text)
        if "timeout" in self.outputs:
            raise TimeoutError(self.outputs["timeout"])
        beside: dict[str, Any] = {each: self.data(each) for each in ("audit", "telemetry", "metadata")}
        if "server_data" in self.outputs:
            beside["server_data"] = {"evidence": self.data("server_data")}
        beside["message"] = self.outputs.get("message")
        if "side_effects" in self.outputs:
            beside["side_effects"] = (self.outputs["side_effects"],)
        if "blocks" in self.outputs:
            data = self.data("blocks")
            beside["blocks"] = (
                ContentBlock(type="text", data=self.outputs["blocks"]),
                ContentBlock(type="json", data=data),
            )
        if "tool_error" in self.outputs:
            text = self.outputs["tool_error"]
            issue = Issue(pointer=f"/{text}", keyword="x", expected=text, found=text, hint=text)
            return ToolResult[Any](error=ToolError(message=text, hint=text, issues=(issue,)), **beside)
        return ToolResult(
            value=self.outputs.get("value", 5) if "malformed" not in self.outputs else {"n": self.outputs}, **beside
        )

    def pre_tool_use(self, call: Any, /) -> Denial | None:
        self.summaries.append(call.summary)
        if "hook_fails" in self.outputs:
            raise ValueError(self.outputs["hook_fails"])
        return Denial(self.outputs["hook_denies"]) if "hook_denies" in self.outputs else None

    def post_tool_use(self, _call: Any, _result: Any, /) -> None:
        if "hook_fails_after" in self.outputs:
            raise ValueError(self.outputs["hook_fails_after"])

    def gate(self, call: Any) -> GateDecision:
        self.summaries.append(call.summary)
        if "gate_fails" in self.outputs:
            raise ValueError(self.outputs["gate_fails"])
        return GateDecision(approved="gate_refuses" not in self.outputs, reason=self.outputs.get("gate_refuses", ""))

    def permission(self, request: PermissionRequest) -> Decision:
        self.asked.append(request)
        if "permission_fails" in self.outputs:
            raise ValueError(self.outputs["permission_fails"])
        return Decision.ALLOW_ONCE


@contextmanager
def logged() -> Generator[list[str]]:
    """Collect all log output, formatted as by a handler of a host."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))
            lines.append(repr(vars(record)))

    handler = Keep()
    logging.getLogger("toolgen").addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger("toolgen").removeHandler(handler)


def runtime_of(made: Made, host: Host, store: Any, folder: Path, permission: Any) -> Runtime:
    """Return a runtime with the tool `own.tool`, which the host runs."""
    catalog = Catalog()
    metadata = {
        "gate": True,
        "inject": ["door"],
        "args_secrets": ["/door"],
        "server_data": {"evidence": True},
        "limits": {"result_bytes": 60},
        "confirm": "Use {{args.field0}} with {{args.note}}?",
        "hints": {"call": "as {{args.field0}} {{args.note}}"},
    }
    definition = ToolDefinition(
        name="own.tool",
        description="x",
        input_schema=made.schema,
        result_schema={"type": ["string", "integer"]},
        metadata=metadata,
    )
    catalog.register(definition, host.handle, profile="full")
    return Runtime(
        catalog,
        permission=permission,
        hooks=[host],
        gate=host.gate,
        store=store,
        inject={"door": lambda _meta: made.injected},
        artifacts=Artifacts(folder / "artifacts"),
    )


async def _make(made: Made, host: Host, store: Any, folder: Path) -> ToolResult[Any]:
    runtime = runtime_of(made, host, store, folder, host.permission)
    run = runtime.start_run(meta=ToolCallMeta(user="ann", run_id="r1"))
    (result,) = await runtime.turn(
        [ToolRequest(name="own.tool", payload=json.dumps(made.args), tool_call_id="c1")], run
    )
    await runtime.end_run(run)
    return result


def check(made: Made, *, asks: bool) -> None:
    """Make the call with both stores and look for its secrets in everything that remains."""
    left: dict[str, str] = {}
    with TemporaryDirectory() as name, logged() as lines:
        folder, host = Path(name), Host(made)

        async def main() -> tuple[ToolResult[Any], ToolResult[Any]]:
            stored, kept = SqliteStore(folder / "calls.db"), MemoryStore()
            results = await _make(made, host, stored, folder), await _make(made, host, kept, folder)
            await stored.close()
            left["memory"] = repr(await kept.read("r1"))
            return results

        result, again = asyncio.run(main())
        assert result.success is again.success
        files = [file for file in folder.rglob("*") if file.is_file()]
        left |= {file.name: file.read_bytes().decode("utf-8", "backslashreplace") for file in files}
        for options in (
            [],
            ["r1"],
            ["r1", "--format", "json"],
            ["r1", "--follow"],
            ["r1", "--follow", "--format", "json"],
        ):
            arguments = [*options, "--store", str(folder / "calls.db")]
            shown = CliRunner().invoke(log_command, arguments, help_option_names=["-h", "--help"])
            assert shown.exit_code == 0, shown.output
            left[f"log {options}"] = shown.output
        left["logged"] = "\n".join(lines)
    if result.success:
        assert result.value == host.outputs.get("value", 5)
        assert json.loads(result.payload) == result.value
        left["beside"] = repr((result.message, result.side_effects, result.audit, result.telemetry, result.server_data))
        left["metadata"] = repr(result.metadata)
    else:
        left["failure"] = repr(result)
    if asks:
        assert host.asked
        left["asked"] = repr(host.asked)
        left["summaries"] = repr(host.summaries)
    found = [
        (place, secret, trace)
        for place, text in left.items()
        for secret in made.secrets
        for trace in traces(secret)
        if trace in text
    ]
    assert not found


DEEP = Made(
    schema={"type": "object", "properties": {"field0": {"type": "string", "format": "password"}}},
    args={"field0": 'zq7abab"ab01ab01ab7qz'},
    secrets=['zq7abab"ab01ab01ab7qz', "zq7injected7qz"],
    says=[(channel, "as JSON in JSON and so on") for channel in ("message", "report", "value", "metadata")],
    injected="zq7injected7qz",
)


@unhurried
@given(calls())
@example(DEEP)
def test_reg_66_no_secret_is_stored_or_logged_wherever_the_host_puts_it(made: Made) -> None:
    check(made, asks=False)


@settings(unhurried, max_examples=15)
@given(calls(words))
def test_reg_66_no_credential_is_in_a_permission_request(made: Made) -> None:
    check(Made(made.schema, made.args, made.secrets, _without_early_ends(made.says), made.injected), asks=True)


def _without_early_ends(says: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [each for each in says if not each[0].startswith("hook_")] or [("raise", "whole")]


@pytest.mark.long
@settings(unhurried, max_examples=2000)
@given(calls())
def test_reg_66_no_secret_is_stored_or_logged_in_many_more_calls(made: Made) -> None:
    check(made, asks=False)
