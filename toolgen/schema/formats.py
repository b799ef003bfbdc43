"""Formats that Python has a type for: which texts have them, and the values that these stand for.

A text has one of these formats where jsonschema-rs says so, which follows RFC 3339 and RFC 9562, unless it takes a sign
for a digit; tests/properties/codecs/test_formats.py compares the two. `duration` is not among them: the years and
months of RFC 3339 have no length, and `timedelta` has nothing else.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Final, TypeAlias
from uuid import UUID

FormattedValue: TypeAlias = date | time | UUID
"""What a text of one of these formats stands for; a `datetime` is a `date`."""

TYPES: Final[dict[str, type[FormattedValue]]] = {"date": date, "date-time": datetime, "time": time, "uuid": UUID}
"""The type of each format."""

_DATE: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_HEX: Final = "[0-9A-Fa-f]"
_PATTERNS: Final = {
    "date": re.compile(_DATE),
    "date-time": re.compile(f"{_DATE}[Tt]{_TIME}"),
    "time": re.compile(_TIME),
    "uuid": re.compile(f"{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}"),
}
_OLDER_DRAFTS: Final = frozenset({"date", "date-time", "time"})
_DRAFTS: Final = {"2020-12": frozenset(TYPES), "2019-09": frozenset(TYPES)}


def typed_formats(dialect: str) -> frozenset[str]:
    """Return the formats that have a type, of those that a draft knows: `uuid` came with 2019-09."""
    return _DRAFTS.get(dialect, _OLDER_DRAFTS)


def is_written(name: str, text: str) -> bool:
    """Whether a text has the characters of a format, be there such a day, and a value in Python, or not."""
    return _PATTERNS[name].fullmatch(text) is not None


def parse_format(name: str, text: str, kind: type[FormattedValue] | None = None) -> FormattedValue | None:
    """Return the value of a text that has a format; of a class `kind`, if one is given that extends that of the format.

    Digits of a second beyond the sixth are cut off. None for any other text, and for those that have the format and no
    value in Python: leap seconds, and the year 0000.
    """
    if not is_written(name, text):
        return None
    kind = kind or TYPES[name]
    try:
        return kind(text) if issubclass(kind, UUID) else kind.fromisoformat(text.upper())
    except ValueError:
        return None


def is_writable(name: str, value: object) -> bool:
    """Whether a value is of the type of a format and can be written in it: times have an offset, of whole minutes."""
    if not isinstance(value, TYPES[name]) or (name == "date" and isinstance(value, datetime)):
        return False
    if not isinstance(value, datetime | time):
        return True
    offset = value.utcoffset()
    return offset is not None and not offset % timedelta(minutes=1)


def write_format(value: FormattedValue) -> str:
    """Write a value that `is_writable`: as RFC 3339 asks, with `Z` for UTC, and as RFC 9562 asks."""
    if isinstance(value, UUID):
        return str(value)
    text = value.isoformat()
    return f"{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else text
