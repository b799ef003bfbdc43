"""Defaults: a changed default is told for each field that calls may leave out, wherever it is written."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.changes.defaults import compare_defaults


def with_default(*default: Any, **more: Any) -> Any:
    return {"properties": {"n": {"type": "integer", **dict(zip(["default"], default, strict=False))}}, **more}


def told(before: Any, after: Any) -> list[str]:
    return [change.message for change in compare_defaults("a.b", before, after, path=("tools", "a.b"))]


def test_a_default_that_is_changed_added_or_removed_is_told() -> None:
    assert told(with_default(1), with_default(2)) == ["`n` has the default 2 now, and it was 1"]
    assert told(with_default(), with_default(2)) == ["`n` has the default 2 now, and it had none"]
    assert told(with_default(1), with_default()) == ["`n` has no default now, and it was 1"]
    assert told(with_default(1), with_default(True)) == ["`n` has the default true now, and it was 1"]
    assert told(with_default(1), with_default(1.0)) == []


def test_a_default_of_a_field_that_a_version_requires_is_of_no_call() -> None:
    assert told(with_default(1, required=["n"]), with_default(2)) == []
    assert told(with_default(1), with_default(2, required=["n"])) == []


@pytest.mark.parametrize(
    ("around", "name"),
    [
        (lambda part: {"allOf": [part]}, "n"),
        (lambda part: {"$ref": "#/$defs/P", "$defs": {"P": part}}, "n"),
        (lambda part: {"properties": {"o": part}}, "o.n"),
        (lambda part: {"properties": {"o": {"items": part}}}, "o.n"),
        (lambda part: {"properties": {"o": {"prefixItems": [{}, part]}}}, "o.n"),
        (lambda part: {"additionalProperties": part}, ".n"),
        (lambda part: {"patternProperties": {"^a": part}}, ".n"),
        (lambda part: {"properties": {"o": {"oneOf": [{"type": "null"}, part]}}}, "o.n"),
        (lambda part: {"properties": {"": part}}, ".n"),
    ],
)
def test_it_is_found_in_each_place(around: Any, name: str) -> None:
    assert told(around(with_default(1)), around(with_default(2))) == [f"`{name}` has the default 2 now, and it was 1"]
    assert told(around(with_default(1)), around(with_default(1))) == []


def test_it_is_the_same_in_another_place_and_beside_more_alternatives() -> None:
    part = with_default(1)
    assert told(part, {"allOf": [part]}) == []
    assert told({"anyOf": [part]}, {"anyOf": [part, with_default(2)]}) == []
    assert told({"properties": {"o": part}}, {"properties": {"o": {"anyOf": [{"type": "null"}, part]}}}) == []


def test_definitions_that_refer_to_each_other_are_read_once() -> None:
    def many(default: int) -> Any:
        chain = {str(at): {"properties": {key: {"$ref": f"#/$defs/{at + 1}"} for key in "ab"}} for at in range(40)}
        last = {"properties": {"n": {"default": default}, "back": {"$ref": "#/$defs/0"}}}
        return {"$ref": "#/$defs/0", "$defs": {**chain, "40": last}}

    assert len(told(many(1), many(2))) == 2  # of the two fields that refer to the last one


@pytest.mark.parametrize("periods", [(2, 3, 5, 7, 11, 13), (2, 3, 5, 7, 11, 13, 17, 19, 23)])
def test_rings_of_definitions_of_any_lengths_take_bounded_work(periods: tuple[int, ...]) -> None:
    """Together they describe as many values as the product of their lengths."""

    def rings(default: int) -> Any:
        names = {(length, at): f"{length}_{at}" for length in periods for at in range(length)}
        defined = {
            name: {"properties": {"next": {"$ref": f"#/$defs/{names[length, (at + 1) % length]}"}}}
            for (length, at), name in names.items()
        }
        return with_default(default, **{"$defs": defined, "allOf": [{"$ref": f"#/$defs/{n}_0"} for n in periods]})

    assert told(rings(1), rings(2)) == [
        "`n` has the default 2 now, and it was 1",
        "not all defaults are compared: too many definitions refer to each other",
    ]
    assert told(rings(1), rings(1)) == []


def test_what_describes_a_value_twice_is_read_once() -> None:
    def same_fields() -> Any:
        return {"properties": {f"p{number}": {"$ref": "#/$defs/x"} for number in range(30)}}

    def wide(default: int) -> Any:
        parts = [same_fields() for _ in range(20)]
        return with_default(default, **{"$defs": {"x": same_fields()}, "allOf": parts})

    assert told(wide(1), wide(2)) == ["`n` has the default 2 now, and it was 1"]


def test_alternatives_that_are_met_again_and_again_take_bounded_work() -> None:
    def many(default: int) -> Any:
        options: list[Any] = [{"properties": {f"o{number}": {}}} for number in range(2_000)]
        shared: Any = {"x": {"anyOf": options}}
        fields = {f"p{number}": {"allOf": [{"$ref": "#/$defs/x"}, {"title": str(number)}]} for number in range(2_000)}
        return {"properties": {**fields, "n": {"default": default}}, "$defs": shared}

    assert told(many(1), many(2)) == [
        "`n` has the default 2 now, and it was 1",
        "not all defaults are compared: too many definitions refer to each other",
    ]
