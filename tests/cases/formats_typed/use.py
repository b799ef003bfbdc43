from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import assert_type
from uuid import UUID

from cases.formats_typed.tools import people
from toolgen.runtime import Runtime, ToolCallMeta, ToolRequest, allow_all, load

PERSON = UUID("123e4567-e89b-12d3-a456-426614174000")

# A decoded value is one of Python's, and is written as it came.
sent = (
    b'{"by_name":{"ada":"123E4567-E89B-12D3-A456-426614174000"},"days":["0001-01-01"],'
    b'"id":"123e4567-e89b-12d3-a456-42661417400F","left":"2026-01-01t00:00:00.1234567890-00:00",'
    b'"visits":[{"at":"2026-01-01T00:00:00.000Z"}],"wakes":"07:00:00z","when":"2026-01-01T02:00:00.10+02:00"}'
)
args = people.codecs.args(people.ADD).decode(sent)
assert_type(args.left, datetime | None)
assert args.left == datetime(2026, 1, 1, microsecond=123456, tzinfo=UTC)
assert args.days == [date(1, 1, 1)]
assert args.wakes == time(7, tzinfo=UTC)
assert args.by_name == {"ada": PERSON}
assert isinstance(args.when, datetime)
assert people.codecs.args(people.ADD).encode(args) == sent
assert people.codecs.args(people.ADD).encode(args.model_copy(deep=True)) == sent

# A value that a program makes is written as RFC 3339 asks.
at = datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
made = people.AddArgs(id=PERSON, left=at, visits=[people.Visit(at=at.astimezone(UTC))])
assert people.codecs.args(people.ADD).encode(made) == (
    b'{"id":"123e4567-e89b-12d3-a456-426614174000","left":"2026-01-01T01:00:00+01:00",'
    b'"visits":[{"at":"2026-01-01T00:00:00Z"}]}'
)
request = people.new_add_call(id=PERSON, left=None, born=date(2000, 2, 29), when="never")
assert request.payload == (
    b'{"born":"2000-02-29","id":"123e4567-e89b-12d3-a456-426614174000","left":null,"when":"never"}'
)

# Defaults are typed as well, and are not sent.
assert (made.since, made.every) == (date(2026, 1, 31), [time(9, 30, tzinfo=UTC)])


# So do handlers have them; what they give back is written as it came.
class People:
    def add(self, args: people.AddArgs, meta: ToolCallMeta, /) -> people.AddResult:
        assert args.seen is None or args.seen.tzinfo is not None
        return args.id

    def list(self, args: people.ListArgs, meta: ToolCallMeta, /) -> people.ListResult:
        return [date(2026, 1, 1)]


async def main(runtime: Runtime) -> None:
    payload = '{"id": "123E4567-E89B-12D3-A456-426614174000", "left": null, "seen": "%s"}'
    added = await runtime.invoke(ToolRequest(name="people__add", payload=payload % "2026-01-01T00:00:00z"))
    assert (added.value, added.payload) == (PERSON, b'"123E4567-E89B-12D3-A456-426614174000"')

    listed = await runtime.call(people.LIST, people.ListArgs())
    assert (listed.value, listed.payload) == ([date(2026, 1, 1)], b'["2026-01-01"]')

    # A text that has its format, and no value in Python.
    refused = await runtime.invoke(ToolRequest(name="people__add", payload=payload % "2016-12-31T23:59:60Z"))
    assert refused.error is not None
    (issue,) = refused.error.issues
    assert (refused.error.kind, issue.pointer, issue.keyword) == ("invalid_call", "/seen", "format")
    assert issue.hint == "use a date-time without a leap second, of the year 0001 or later"


asyncio.run(main(Runtime(load("cases.formats_typed"), executors=[people.executor(People())], permission=allow_all)))
