"""What stands in a record in place of a secret is never sent, and fits any schema."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.contract.records import Issue
from toolgen.runtime.redact.redacted import issues_of_rest, redacted_places, without_redacted

WHOLE = "[redacted]"
PART = "Bearer [redacted]"


@pytest.mark.parametrize(
    ("value", "kept", "places"),
    [
        ({"a": 1}, {"a": 1}, ()),
        ({"a": 1, "secret": WHOLE}, {"a": 1}, ("/secret",)),
        ({"a": {"b": 2, "secret": WHOLE}}, {"a": {"b": 2}}, ("/a/secret",)),
        ({"a": [{"user": "ann", "secret": WHOLE}, PART, "x"]}, {"a": [{"user": "ann"}, "x"]}, ("/a/0/secret", "/a/1")),
        ({"header": PART, "json": f'{{"pin":"{WHOLE}"}}'}, {}, ("/header", "/json")),
        ({WHOLE: 1, f"{WHOLE}+2": 2, "a/b": WHOLE}, {}, ("/[redacted]", "/[redacted]+2", "/a~1b")),
        (WHOLE, None, ("",)),
    ],
)
def test_what_is_redacted_is_left_out_wherever_it_stands(value: Any, kept: Any, places: tuple[str, ...]) -> None:
    assert (without_redacted(value), redacted_places(value)) == (kept, places)
    assert redacted_places(kept) == ()


def test_issues_of_other_values_are_left_and_those_of_alternatives_with_something_redacted_are_not() -> None:
    made = [
        Issue(pointer=pointer, keyword=keyword, expected="", found="", hint="")
        for pointer, keyword in (("/secret", "pattern"), ("/pay", "oneOf"), ("/pay", "required"), ("/a", "type"))
    ]
    rest = issues_of_rest(made, {"secret": WHOLE, "pay": {"number": WHOLE}, "a": 1})
    assert [(each.pointer, each.keyword) for each in rest] == [("/pay", "required"), ("/a", "type")]
