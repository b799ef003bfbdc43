"""Typed formats: jsonschema-rs decides which texts match a format, and a decoded value is written unchanged."""

from __future__ import annotations

import copy
import json
import pickle
import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema_rs import validator_for

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.formats import (
    FormattedDate,
    FormattedDateTime,
    FormattedTime,
    FormattedUUID,
    formatted_text,
    with_text,
)
from toolgen.schema.formats import TYPES, parse_format, typed_formats

if TYPE_CHECKING:
    from uuid import UUID

KINDS: Final[dict[str, Any]] = {
    "date": FormattedDate,
    "date-time": FormattedDateTime,
    "time": FormattedTime,
    "uuid": FormattedUUID,
}
IS_VALID: Final = {name: validator_for({"format": name}, validate_formats=True).is_valid for name in KINDS}
WITHOUT_VALUE: Final = re.compile(r"(?:.*[Tt])?[0-9]{2}:[0-9]{2}:60.*|0000-.*")
"""Leap seconds and the year 0000."""

DIGITS: Final = re.compile(
    r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?[Tt]?(?:[0-9]{2}:[0-9]{2}:[0-9]{2}[^+-]*(?:[+-][0-9]{2}:[0-9]{2})?)?|[0-9a-fA-F-]{36}"
)
"""Texts with digits where a date and a time have digits: jsonschema-rs takes signs for digits."""

digits = st.text("0123456789", min_size=1, max_size=12)


def number(least: int, most: int, width: int = 2) -> st.SearchStrategy[str]:
    """Draw numbers of a few digits, including both ends of the allowed range."""
    return st.integers(least, most).map(lambda value: f"{value:0{width}}") | st.sampled_from(
        [f"{least:0{width}}", f"{most:0{width}}", f"{most + 1:0{width}}"]
    )


dates = st.builds("{}-{}-{}".format, number(0, 9999, 4), number(1, 12), number(1, 31))
offsets = st.sampled_from(["Z", "z", "-00:00", "+00:00", "+23:59", "-23:59", "", "+24:00", "+01", "+0100", "+01:60"])
times = st.builds(
    "{}:{}:{}{}{}".format,
    *(number(0, 23), number(0, 59), number(0, 60)),
    st.just("") | digits.map(".{}".format) | st.sampled_from([".", ",5"]),
    offsets | st.builds("{}{}:{}".format, st.sampled_from("+-"), number(0, 23), number(0, 59)),
)
texts: Final = {
    "date": dates,
    "date-time": st.builds("{}{}{}".format, dates, st.sampled_from("TTTTt "), times),
    "time": times,
    "uuid": st.uuids().map(str) | st.uuids().map(lambda value: str(value).upper()) | st.uuids().map(lambda v: v.hex),
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a format and a text that matches it, or nearly: with one character added, removed or replaced."""
    name = draw(st.sampled_from(sorted(KINDS)))
    text = draw(texts[name])
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(text)))
        other = draw(st.sampled_from(["", *"0:-.+TZ \n", "٣", "g"]))
        text = text[:at] + other + text[at + draw(st.integers(0, 1)) :]
    return name, text


def through_pickle(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@given(cases())
@example(("date-time", "2016-12-31T23:59:60Z"))
@example(("date-time", "2016-12-31T22:59:60Z"))
@example(("date-time", "0000-01-01T00:00:00Z"))
@example(("date-time", "2026-01-01t00:00:00.123456789z"))
@example(("date-time", "0001-01-01T00:00:00+23:59"))
@example(("time", "15:59:60-08:00"))
@example(("date", "2026-W01-1"))
@example(("date", "2026-01-0-"))
@example(("date-time", "2026-01-01T1-:00:00Z"))
@example(("date-time", "-026-01-01T10:00:00+0-:00"))
@example(("time", "+1:00:00Z"))
@example(("uuid", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}"))
@settings(max_examples=400)
def test_a_text_is_decoded_exactly_if_it_matches_its_format(case: tuple[str, str]) -> None:
    name, text = case
    is_valid = IS_VALID[name](text)
    has_digits = DIGITS.fullmatch(text) is not None
    expected = is_valid and has_digits and not WITHOUT_VALUE.fullmatch(text)
    assert (parse_format(name, text) is not None) == expected

    codec = Codec.of({"type": "string", "format": name}, KINDS[name], assert_formats=True)
    payload = json.dumps(text)
    if not expected:
        with pytest.raises(InvalidPayload) as refused:
            codec.decode(payload)
        (issue,) = refused.value.issues
        assert (issue.pointer, issue.keyword) == ("", "format")
        assert ("leap second" in issue.hint) == (is_valid and has_digits)
        return
    value = codec.decode(payload)
    assert isinstance(value, TYPES[name])
    assert json.loads(codec.encode(value)) == text
    for copied in (copy.deepcopy(value), through_pickle(value)):
        assert (copied, formatted_text(copied)) == (value, text)


offset_values = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
values = st.one_of(
    st.tuples(st.just("date"), st.dates()),
    st.tuples(st.just("date-time"), st.datetimes(timezones=offset_values)),
    st.tuples(st.just("time"), st.times(timezones=offset_values)),
    st.tuples(st.just("uuid"), st.uuids()),
)


@given(values)
def test_a_value_created_by_a_program_is_written_in_its_format(case: tuple[str, date | time | UUID]) -> None:
    name, value = case
    codec = Codec.of({"type": "string", "format": name}, KINDS[name], assert_formats=True)
    text = codec.encode(value)
    assert IS_VALID[name](json.loads(text))
    assert codec.decode(text) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("date-time", datetime(2026, 1, 1)),  # noqa: DTZ001  # naive values are the subject
        ("date-time", datetime(2026, 1, 1, tzinfo=timezone(timedelta(seconds=3661)))),
        ("date-time", date(2026, 1, 1)),
        ("date", datetime(2026, 1, 1, tzinfo=UTC)),
        ("time", time(9)),
        ("time", time(9, tzinfo=timezone(timedelta(seconds=3661)))),
        ("uuid", 5),
    ],
)
def test_a_value_that_its_format_cannot_write_is_refused(name: str, value: object) -> None:
    text = {"type": "string", "format": name}
    kind: Any = list.__class_getitem__(KINDS[name])
    listed = Codec.of({"type": "array", "items": text}, kind, assert_formats=True)
    with pytest.raises(InvalidPayload):
        listed.encode([value])
    with pytest.raises(InvalidPayload):
        Codec.of({"type": "object", "properties": {"x": text}}, assert_formats=True).encode_fields({"x": value})


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_decoded_value_is_written_unchanged_in_any_place(name: str) -> None:
    sent = {"date": "2026-01-01", "date-time": "2026-01-01t00:00:00.000z", "time": "09:00:00.0z"}
    text = sent.get(name, "2EB8AA08-AA98-11EA-B4AA-73B441D16380")
    value = with_text(name, text)
    untyped = Codec.of({"type": "object"}, assert_formats=True)
    assert json.loads(untyped.encode({"x": [value], "y": {"z": value}})) == {"x": [text], "y": {"z": text}}


def test_a_computed_value_gets_a_new_text() -> None:
    value = with_text("date-time", "2026-01-01T00:00:00.000-00:00")
    assert isinstance(value, datetime)
    assert formatted_text(value + timedelta(days=1)) == "2026-01-02T00:00:00Z"
    assert formatted_text(value.replace(year=2000)) == "2000-01-01T00:00:00Z"
    assert formatted_text(through_pickle(value.replace(year=2000))) == "2000-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("dialect", "url"),
    [
        ("2020-12", "https://json-schema.org/draft/2020-12/schema"),
        ("2019-09", "https://json-schema.org/draft/2019-09/schema"),
        ("draft-07", "http://json-schema.org/draft-07/schema#"),
        ("draft-06", "http://json-schema.org/draft-06/schema#"),
        ("draft-04", "http://json-schema.org/draft-04/schema#"),
    ],
)
def test_formats_have_a_type_in_the_drafts_that_assert_them(dialect: str, url: str) -> None:
    asserted = {
        name
        for name in KINDS
        if not validator_for({"$schema": url, "format": name}, validate_formats=True).is_valid("none of them")
    }
    assert typed_formats(dialect) == asserted
