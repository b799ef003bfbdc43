"""Recordings: what answers a call, what is recorded in each mode, and which calls are stale."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.testing.world import EACH_KIND, ORDERS, built, catalog, invoke, invoke_in, orders_of
from toolgen.record import SqliteStore
from toolgen.record.replay import replay
from toolgen.runtime import CallFailed, FailureKind, Runtime, ToolResult, ToolsetRegistration, allow_all
from toolgen.testing import RecordingError, StubError, Stubs, recorded, stub_executors, when
from toolgen.testing.recordings import Take

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from toolgen.runtime import Catalog, ToolCallMeta, ToolRequest

__all__ = ["catalog"]

REFUND = "shop.orders.refund"
ORDER = {"order_id": "o-1"}


class Real:
    """An executor of a toolset that counts its calls."""

    def __init__(self, result: Any) -> None:
        self.result = result
        self.calls = 0

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        self.calls += 1
        await asyncio.sleep(0)
        if isinstance(self.result, Exception):
            raise self.result
        return ToolResult(payload=json.dumps(self.result).encode())

    def of(self, toolset: str) -> ToolsetRegistration:
        return ToolsetRegistration(toolset=toolset, executor=self)


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def written(file: Path, *lines: Any) -> Path:
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def call_of(args: Any, result: Any, tool: str = REFUND, **more: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": args, "result": result, **more}


def value_of(result: ToolResult[Any]) -> Any:
    assert result.error is None, result.error
    return json.loads(result.payload)


def failure_of(result: ToolResult[Any]) -> str:
    assert result.error is not None
    assert result.error.code == "no_stub_answer"
    return result.error.message


def made(catalog: Catalog, file: Path, real: Real, mode: Any, args: Any = None) -> tuple[Stubs, ToolResult[Any]]:
    stubs = stub_executors(catalog, recording=recorded(file, mode, executors=[real.of("shop.orders")]))
    return stubs, invoke(catalog, stubs, REFUND, args or ORDER)


@pytest.mark.parametrize(("tool", "given"), EACH_KIND.items(), ids=EACH_KIND)
def test_a_recorded_call_of_each_kind_answers(catalog: Catalog, tmp_path: Path, tool: str, given: Any) -> None:
    file, (args, result) = tmp_path / "calls.jsonl", given
    real = Real(result)
    for mode in ("once", "none"):
        executors = [real.of(catalog.toolset_of(tool))] if mode == "once" else []
        stubs = stub_executors(catalog, recording=recorded(file, mode, executors=executors))
        assert value_of(invoke(catalog, stubs, tool, args)) == result
        assert stubs.calls[0].answered_by == ("executor" if mode == "once" else "recording")
    assert real.calls == 1
    assert [line.get("arguments") for line in lines_of(file)] == [None, args]


def test_typed_handlers_are_recorded(catalog: Catalog, tmp_path: Path) -> None:
    orders, file = orders_of(catalog), tmp_path / "calls.jsonl"

    class Orders:
        async def refund(self, args: Any, meta: Any, /) -> Any:
            assert isinstance(args, orders.RefundArgs)
            return orders.RefundResult(refunded=args.amount)

        def find(self, args: Any, meta: Any, /) -> Any:
            return [args.customer]

        def wait(self, args: Any, meta: Any, /) -> Any: ...

        def purge(self, args: Any, meta: Any, /) -> Any: ...

        def mail(self, args: Any, meta: Any, /) -> Any:
            assert meta.injected == {"token": "t-secret"}
            return orders.MailResult(sent=True)

        def odd(self, args: Any, meta: Any, /) -> Any: ...

    stubs = stub_executors(catalog, recording=recorded(file, "new", executors=[orders.executor(Orders())]))
    assert value_of(invoke(catalog, stubs, REFUND, {"order_id": "o-1", "amount": 3})) == {"refunded": 3}
    assert value_of(invoke(catalog, stubs, "shop.orders.find", {"customer": "eve"})) == ["eve"]
    inject = {"token": lambda _meta: "t-secret"}
    assert value_of(invoke(catalog, stubs, "shop.orders.mail", {"to": "bob"}, inject=inject)) == {"sent": True}
    assert [line["arguments"] for line in lines_of(file) if "arguments" in line] == [
        {"amount": 3, "order_id": "o-1"},
        {"customer": "eve"},
        {"to": "bob"},
    ]
    replayed = stub_executors(catalog, recording=recorded(file))
    assert value_of(invoke(catalog, replayed, REFUND, {"amount": 3.0, "order_id": "o-1"})) == {"refunded": 3}
    assert "t-secret" not in file.read_text()


def test_the_mode_decides_what_is_recorded(catalog: Catalog, tmp_path: Path) -> None:
    file, real = tmp_path / "calls.jsonl", Real({"refunded": 1})
    with pytest.raises(RecordingError, match=r"calls\.jsonl is missing: record it with the mode `once`"):
        recorded(file)
    assert value_of(made(catalog, file, real, "once")[1]) == {"refunded": 1}
    real.result = {"refunded": 2}
    other = {"order_id": "o-2"}

    assert value_of(made(catalog, file, real, "once")[1]) == {"refunded": 1}
    _, refused = made(catalog, file, real, "once", other)
    assert 'calls.jsonl has calls of it, and none with the args {"order_id":"o-2"}' in failure_of(refused)
    assert real.calls == 1

    assert value_of(made(catalog, file, real, "new")[1]) == {"refunded": 1}
    assert value_of(made(catalog, file, real, "new", other)[1]) == {"refunded": 2}
    assert value_of(made(catalog, file, real, "none", other)[1]) == {"refunded": 2}
    assert [line["arguments"] for line in lines_of(file) if "arguments" in line] == [ORDER, other]
    assert real.calls == 2

    real.result = {"refunded": 3}
    stubs, result = made(catalog, file, real, "all")
    assert value_of(result) == value_of(invoke(catalog, stubs, REFUND, ORDER)) == {"refunded": 3}
    assert real.calls == 4
    assert [line["result"] for line in lines_of(file) if "result" in line] == [{"refunded": 3}] * 2


def test_failures_are_recorded_and_happen_again(catalog: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    real = Real(CallFailed(FailureKind.DOMAIN_REJECTION, "gone", "there is no such order", "ask for another"))
    results = [made(catalog, file, real, mode)[1] for mode in ("once", "none")]
    errors = [result.error for result in results]
    assert errors[0] == errors[1]
    assert errors[0] is not None
    assert (errors[0].kind, errors[0].code, errors[0].hint) == (
        FailureKind.DOMAIN_REJECTION,
        "gone",
        "ask for another",
    )


def test_several_results_of_equal_args_come_in_their_order(catalog: Catalog, tmp_path: Path) -> None:
    file = written(tmp_path / "calls.jsonl", *(call_of(ORDER, {"refunded": number}) for number in (1, 2)))
    stubs = stub_executors(catalog, recording=recorded(file))
    assert [value_of(invoke(catalog, stubs, REFUND, ORDER))["refunded"] for _ in range(3)] == [1, 2, 2]


def test_the_test_answers_before_the_recording_and_examples_after(catalog: Catalog, tmp_path: Path) -> None:
    file = written(tmp_path / "calls.jsonl", call_of(ORDER, {"refunded": 1}))
    orders = orders_of(catalog)
    stubs = stub_executors(
        catalog, when(orders.REFUND, order_id="o-2").returns({"refunded": 2}), recording=recorded(file)
    )
    assert value_of(invoke(catalog, stubs, REFUND, {"order_id": "o-2"})) == {"refunded": 2}
    assert value_of(invoke(catalog, stubs, REFUND, ORDER)) == {"refunded": 1}
    assert value_of(invoke(catalog, stubs, "shop.orders.find", {"customer": "ann"})) == ["o-1", "o-2"]
    assert [call.answered_by for call in stubs.calls] == ["test", "recording", "example"]


def test_secrets_are_not_recorded_and_match_anything(catalog: Catalog, tmp_path: Path) -> None:
    file, real = tmp_path / "calls.jsonl", Real({"refunded": 1, "note": "for hunter2!"})
    made(catalog, file, real, "once", {"order_id": "o-1", "password": "hunter2!"})
    assert "hunter2" not in file.read_text()
    stubs, result = made(catalog, file, real, "none", {"order_id": "o-1", "password": "another"})
    assert value_of(result) == {"refunded": 1, "note": "for [redacted]"}
    assert stubs.calls[0].redacted == ("/password",)
    assert "whatever is redacted at /password" in str(stubs.calls[0])
    assert "none with the args" in failure_of(
        invoke(catalog, stubs, REFUND, {"order_id": "o-2", "password": "another"})
    )
    assert "none with the args" in failure_of(invoke(catalog, stubs, REFUND, ORDER))


def test_reg_66_no_message_of_a_stub_has_a_secret_arg(catalog: Catalog, tmp_path: Path) -> None:
    file = written(tmp_path / "calls.jsonl", call_of(ORDER, {"refunded": 1}))
    secret = "another-long-secret-9"
    refund = orders_of(catalog).REFUND
    set_ = [when(refund, order_id="o-8", password=secret).returns({"refunded": 2}, {"refunded": 3}),
            when(refund, order_id="o-9", password=secret).returns({"refunded": 2})]  # fmt: skip
    stubs = stub_executors(catalog, *set_, recording=recorded(file))
    for order in ("o-2", "o-8", "o-8", "o-8"):
        invoke(catalog, stubs, REFUND, {"order_id": order, "password": secret})
    problems = [failure_of_check(stubs.check)]
    problems.append(failure_of_check(lambda: stubs.assert_called(set_[1].when)))
    with pytest.raises(StubError) as refused:
        stubs.set(when(refund, password=secret, order_id="x").returns({"refunded": 1}))
    for text in (*problems, str(refused.value), *map(str, stubs.calls)):
        assert "[redacted]" in text
        assert secret not in text


def failure_of_check(check: Callable[[], None]) -> str:
    with pytest.raises(AssertionError) as failed:
        check()
    return str(failed.value)


def test_a_store_of_a_runtime_is_a_recording(catalog: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "calls.db"
    orders = orders_of(catalog)

    async def record() -> None:
        store = SqliteStore(file)
        answers = [
            when(orders.REFUND, order_id="o-1").returns({"refunded": 7}),
            when(orders.FIND).raises(ValueError("x")),
        ]
        runtime = Runtime(catalog, executors=stub_executors(catalog, *answers), permission=allow_all, store=store)
        await invoke_in(runtime, REFUND, {"order_id": "o-1", "password": "hunter2!"})
        await invoke_in(runtime, "shop.orders.find", {"customer": "ann"})
        await invoke_in(runtime, "shop.orders.purge", {})
        await store.close()

    asyncio.run(record())
    recording = recorded(file)
    stubs = stub_executors(catalog, recording=recording)
    assert value_of(invoke(catalog, stubs, REFUND, {"order_id": "o-1", "password": "x"})) == {"refunded": 7}
    found = invoke(catalog, stubs, "shop.orders.find", {"customer": "ann"}).error
    assert found is not None
    assert found.message == "x"
    assert len(recording.takes) == 2
    [denied] = recording.left_out
    assert re.search(r"calls\.db run .* call .*: shop\.orders\.purge: it was not made \(.*\)", denied)
    with pytest.raises(RecordingError, match=r"calls\.db is a store, which the runtime writes"):
        recorded(file, "new")


def test_unused_calls_are_reported(catalog: Catalog, tmp_path: Path) -> None:
    file = written(
        tmp_path / "calls.jsonl", call_of(ORDER, {"refunded": 1}), call_of({"order_id": "o-2"}, {"refunded": 2})
    )
    recording = recorded(file)
    stubs = stub_executors(catalog, recording=recording)
    invoke(catalog, stubs, REFUND, ORDER)
    assert recording.unused == ['calls.jsonl line 2: shop.orders.refund {"order_id":"o-2"}']
    stubs.check()


@contextmanager
def changed(tmp_path: Path, before: str, after: str) -> Iterator[Catalog]:
    """Build the package with another contract."""
    assert before in ORDERS
    yield from built(tmp_path / "changed", ORDERS.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("amount?: {type: number, ", "amount?: {type: number, maximum: 5, ", "WIRE203 arg-narrowed: the arg `amount`"),
        ("amount?: {", "reason: string\n      amount?: {", "WIRE201 arg-required: the arg `reason` is required now"),
        ("amount?: {type: number, exclusiveMinimum: 0}", "x?: string", "WIRE202 arg-removed: the arg `amount` is gone"),
        ("{refunded: number,", "{refunded: string,", "WIRE304 result-field-widened"),
        ("{refunded: number,", "{refunded: {type: number, minimum: 2},", "WIRE502 recorded-result-rejected: /refunded"),
        ("  refund:", "  refunds:", "WIRE101 tool-removed"),
    ],
)
def test_a_call_of_another_contract_is_stale_by_the_rule_that_broke_it(
    catalog: Catalog, tmp_path: Path, before: str, after: str, reason: str
) -> None:
    file, args = tmp_path / "calls.jsonl", {"order_id": "o-1", "amount": 9}
    made(catalog, file, Real({"refunded": 1}), "once", args)
    with changed(tmp_path, before, after) as now:
        recording = recorded(file)
        stubs = stub_executors(now, recording=recording)
        (stale,) = recording.stale
        assert reason in stale
        if REFUND in now and "result" in reason:
            failure = failure_of(invoke(now, stubs, REFUND, args))
            assert "stale by" in failure
            with pytest.raises(AssertionError, match="stale by"):
                stubs.check()


def test_a_call_of_another_contract_that_is_still_valid_answers(catalog: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    made(catalog, file, Real({"refunded": 1}), "once", {"order_id": "o-1", "amount": 3})
    with changed(tmp_path, "amount?: {type: number, ", "amount?: {type: number, maximum: 5, ") as now:
        recording = recorded(file)
        assert value_of(
            invoke(now, stub_executors(now, recording=recording), REFUND, {"order_id": "o-1", "amount": 3})
        ) == {"refunded": 1}
        assert recording.stale == []


def test_a_stale_call_is_made_anew_where_calls_are_recorded(catalog: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    made(catalog, file, Real({"refunded": 1}), "once")
    with changed(tmp_path, "{refunded: number,", "{refunded: string,") as now:
        _, result = made(now, file, Real({"refunded": "all"}), "new")
        assert value_of(result) == {"refunded": "all"}
        assert value_of(made(now, file, Real(None), "none")[1]) == {"refunded": "all"}
        assert [line["result"] for line in lines_of(file) if "result" in line] == [{"refunded": "all"}]


def test_without_the_schemas_of_then_the_rule_is_that_of_recorded_calls(catalog: Catalog, tmp_path: Path) -> None:
    file = written(
        tmp_path / "calls.jsonl", call_of({"order_id": "1"}, {"refunded": 1}), call_of(ORDER, {"refunded": "1"})
    )
    recording = recorded(file)
    recording.check(catalog)
    assert [line.partition("stale by ")[2].partition(":")[0] for line in recording.stale] == [
        "WIRE501 recorded-call-rejected",
        "WIRE502 recorded-result-rejected",
    ]


def test_a_stale_call_does_not_hide_a_valid_one(catalog: Catalog, tmp_path: Path) -> None:
    file = written(tmp_path / "calls.jsonl", call_of(ORDER, {"refunded": "1"}), call_of(ORDER, {"refunded": 1}))
    stubs = stub_executors(catalog, recording=recorded(file))
    assert value_of(invoke(catalog, stubs, REFUND, ORDER)) == {"refunded": 1}


def test_an_arg_that_has_no_effect_any_more_makes_a_call_stale(tmp_path: Path) -> None:
    spec = """
toolgen: 1
toolset: shop.orders
tools:
  refund:
    description: Refund an order.
    args: {$comment: JSON Schema, type: object, properties: {order_id: {type: string}, dry_run: {type: boolean}}}
    result: {refunded: number}
"""
    file = tmp_path / "calls.jsonl"
    with contextmanager(built)(tmp_path / "before", spec) as before:
        stubs = stub_executors(
            before, recording=recorded(file, "once", executors=[Real({"refunded": 1}).of("shop.orders")])
        )
        invoke(before, stubs, REFUND, {"order_id": "o-1", "dry_run": True})
        invoke(before, stubs, REFUND, {"order_id": "o-1"})
    with contextmanager(built)(tmp_path / "after", spec.replace(", dry_run: {type: boolean}", "")) as after:
        recording = recorded(file)
        recording.check(after)
        (stale,) = recording.stale
        assert "dry_run" in stale
        assert "stale by WIRE210 arg-ignored" in stale


def test_a_redacted_result_that_does_not_fit_says_so(catalog: Catalog, tmp_path: Path) -> None:
    file = written(tmp_path / "calls.jsonl", call_of(ORDER, {"refunded": "[redacted]"}))
    stubs = stub_executors(catalog, recording=recorded(file))
    assert "its result is redacted at /refunded" in failure_of(invoke(catalog, stubs, REFUND, ORDER))


@pytest.mark.parametrize(
    ("kept", "given", "fits"),
    [
        ("a[redacted]c", "abc", True),
        ("a[redacted]c", "ac", True),
        ("a[redacted]a", "a", False),
        ("[redacted]b[redacted]c[redacted]", "xbxc", True),
        ("[redacted]b[redacted]c[redacted]", "xcxb", False),
        ("a[redacted]" * 60 + "b", "a" * 5_000, False),  # by a pattern, more steps than there are
    ],
)
def test_what_is_redacted_in_a_text_matches_anything(
    catalog: Catalog, tmp_path: Path, kept: str, given: str, fits: bool
) -> None:
    file = written(
        tmp_path / "calls.jsonl", {"tool": "shop.orders.find", "arguments": {"customer": kept}, "result": []}
    )
    recording = recorded(file)
    recording.check(catalog)
    assert (recording.find("shop.orders.find", {"customer": given}) is not None) is fits


def test_a_recording_is_read_by_replay_too(catalog: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    made(catalog, file, Real({"refunded": 1}), "once")
    report = replay(file.read_bytes().splitlines(), [catalog])
    assert (report.total, report.accepted, report.agree, report.broken) == (1, 1, 1, {})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"5\n", "calls.jsonl line 1, column 1: it is not JSON"),
        (b'{"tool": "a"}\n', "calls.jsonl line 1, column 1: it needs `arguments` or a `result`"),
        (b'\n{"tool": "a", "arguments": {"a": %s}, "result": 1}' % (b"[" * 300 + b"]" * 300), "line 2: the answer is"),
        (b'{"tool": "a", "arguments": [%s1], "result": 1}' % (b"1," * 300_000), "line 1: the answer has more than"),
    ],
)
def test_a_file_that_is_no_recording_is_an_error_with_its_place(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_bytes(content)
    with pytest.raises(RecordingError) as caught:
        recorded(file)
    assert message in str(caught.value)


@pytest.mark.parametrize("fails", range(3))
@pytest.mark.parametrize("mode", ["new", "all"])
def test_a_call_that_cannot_be_recorded_fails_the_test_and_changes_no_other(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Any, fails: int
) -> None:
    file = tmp_path / "calls.jsonl"
    recording = recorded(file, mode, executors=[Real({"refunded": 1}).of("shop.orders")])
    stubs = stub_executors(catalog, recording=recording)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    for number in range(3):
        with monkeypatch.context() as patched:
            if number == fails:
                patched.setattr("toolgen.testing.recordings.replace_inside", full)
                patched.setattr("toolgen.testing.recordings.append_lines_inside", full)
            result = invoke(catalog, stubs, REFUND, {"order_id": f"o-{number}"})
        assert (result.error is None) == (number != fails)
    ids = [f"o-{number}" for number in range(3) if number != fails]
    assert [each.arguments["order_id"] for each in recording.takes] == ids
    again = recorded(file)
    assert [each.arguments["order_id"] for each in again.takes] == ids
    assert all(each.schemas for each in again.takes)
    assert failure_of_check(stubs.check) == (
        f"{REFUND} was called, and the call is not recorded: calls.jsonl cannot be written: No space left on device"
    )


@pytest.mark.parametrize("length", [1, 9, 30, 60])
@pytest.mark.parametrize("mode", ["none", "once", "new", "all"])
def test_the_part_of_a_line_that_a_stopped_test_leaves_is_left_out_and_told(
    catalog: Catalog, tmp_path: Path, mode: Any, length: int
) -> None:
    file = tmp_path / "calls.jsonl"
    made(catalog, file, Real({"refunded": 1}), "once")
    whole = file.read_bytes()
    file.write_bytes(whole + whole.splitlines()[-1][:length])
    recording = recorded(file, mode, executors=[Real({"refunded": 2}).of("shop.orders")])
    if mode != "all":
        assert len(recording.takes) == 1
        assert [*recording.left_out] == ["calls.jsonl line 3: it has no end, as what wrote it was stopped"]
    if recording.records:
        _, result = made(catalog, file, Real({"refunded": 2}), mode, {"order_id": "o-2"})
        assert value_of(result) == {"refunded": 2}
        assert len(recorded(file).takes) == (1 if mode == "all" else 2)
        assert not recorded(file).left_out


def test_a_recording_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "calls.jsonl", *[call_of(ORDER, {"refunded": 1})] * 3)
    monkeypatch.setattr("toolgen.testing.recordings._MOST_CALLS", 2)
    with pytest.raises(RecordingError, match="more than 2 calls"):
        recorded(file)
    monkeypatch.setattr("toolgen.testing.recordings._MOST_BYTES", 20)
    with pytest.raises(RecordingError, match="over 20 bytes"):
        recorded(file)
    with pytest.raises(RecordingError, match="cannot be read"):
        recorded(tmp_path)


def test_a_mode_must_be_known_and_have_what_it_records(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="none, once, new, all, not 'twice'"):
        recorded(tmp_path / "calls.jsonl", "twice")  # type: ignore[arg-type]  # what type checkers refuse
    with pytest.raises(RecordingError, match="needs what runs the tools"):
        recorded(tmp_path / "calls.jsonl", "new")


@pytest.mark.parametrize("mode", ["once", "new", "all"])
def test_a_file_that_was_written_meanwhile_stays(catalog: Catalog, tmp_path: Path, mode: Any) -> None:
    file = tmp_path / "calls.jsonl"
    if mode != "once":
        written(file, call_of(ORDER, {"refunded": 1}))
    recording = recorded(file, mode, executors=[Real({"refunded": 1}).of("shop.orders")])
    recording.check(catalog)
    file.write_text("mine")
    take = Take(tool=REFUND, place="", arguments={"order_id": "o-2"}, result={"refunded": 2})
    with pytest.raises(RecordingError, match=r"calls\.jsonl has changed meanwhile: record again"):
        recording.add(take)
    assert file.read_text() == "mine"


def test_what_was_added_is_not_written_over_what_others_wrote_then(catalog: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    recording = recorded(file, "once", executors=[Real({"refunded": 1}).of("shop.orders")])
    recording.check(catalog)
    for number in range(3):
        recording.add(Take(tool=REFUND, place="", arguments={"order_id": f"o-{number}"}, result={"refunded": 2}))
    assert [line["arguments"]["order_id"] for line in lines_of(file) if "arguments" in line] == ["o-0", "o-1", "o-2"]
    file.write_text("mine")
    with pytest.raises(RecordingError, match="has changed meanwhile"):
        recording.add(Take(tool=REFUND, place="", arguments={"order_id": "o-3"}, result={"refunded": 2}))
    assert file.read_text() == "mine"
