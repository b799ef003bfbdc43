"""Keys of Python that are one key in JSON: such a value is refused, whatever encodes it, and the keys are named."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_core import to_json

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.codec_source import CodecSource


class Colour(Enum):
    RED = "red"


class Text(str):
    """A text that equals no other one."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class Host(BaseModel):
    """A class of the host."""

    anything: Any = None


@dataclass
class Wrapped:
    anything: Any = None


COLLISIONS = [
    ({1: "a", "1": "b"}, "/1", "1 and '1'"),
    ({"1": "a", 1: "b"}, "/1", "'1' and 1"),
    ({True: 1, "true": 2}, "/true", "True and 'true'"),
    ({None: 1, "None": 2}, "/None", "None and 'None'"),
    ({1.5: 1, "1.5": 2}, "/1.5", "1.5 and '1.5'"),
    ({Colour.RED: 1, "red": 2}, "/red", "<Colour.RED: 'red'> and 'red'"),
    ({Text("a"): 1, "a": 2}, "/a", "'a' and 'a'"),
    ({"x": [{"y": {2: ":", "2": ":"}}]}, "/x/0/y/2", "2 and '2'"),
    ([{1: "a", "1": "b"}], "/0/1", "1 and '1'"),
]


@pytest.mark.parametrize(("value", "pointer", "keys"), COLLISIONS)
def test_a_value_with_keys_that_collide_is_refused_and_they_are_named(value: Any, pointer: str, keys: str) -> None:
    for schema in (True, {"type": ["object", "array"]}):
        with pytest.raises(InvalidPayload) as caught:
            Codec.of(schema).normalize(value)
        (issue,) = caught.value.issues
        assert (issue.pointer, issue.hint) == (pointer, f"use other keys: {keys} are the same key in JSON")


@pytest.mark.parametrize(("value", "pointer", "keys"), COLLISIONS)
def test_so_is_one_that_an_encoder_makes_a_dict_of_first(value: Any, pointer: str, keys: str) -> None:
    codec: Codec[Any] = Codec(lambda: CodecSource(name="x", schema=True, type=Host, foreign=True))
    typed: Codec[Any] = Codec.of(True, dict[str, Any])
    own: Codec[Any] = Codec.of(True, Host)  # as text, with the key twice
    for encode, given_value, at in (
        (codec, Host(anything=value), "/anything"),
        (own, Host(anything=value), "/anything"),
        (codec, Host(anything=Wrapped(value)), "/anything/anything"),
        (typed, {"a": value}, "/a"),
    ):
        with pytest.raises(InvalidPayload) as caught:
            encode.normalize(given_value)
        assert caught.value.issues[0].pointer == at + pointer
        assert keys in caught.value.issues[0].hint


KEYS = st.sampled_from([1, "1", True, "true", None, "None", 1.5, "1.5", Colour.RED, "red", "a:b", 'a":', "\\u003a"])


@given(
    st.recursive(st.sampled_from([1, ":"]), lambda below: st.dictionaries(KEYS, below, max_size=4) | st.lists(below))
)
def test_exactly_values_that_lose_a_member_are_refused(value: Any) -> None:
    """What is accepted is one value as text, as JSON and to whoever reads it again."""
    text = to_json(value)
    repeats: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeats.extend(key for key, _ in pairs if [name for name, _ in pairs].count(key) > 1)
        return dict(pairs)

    read = json.loads(text, object_pairs_hook=members)
    if repeats:
        with pytest.raises(InvalidPayload, match="are the same key in JSON"):
            Codec.of(True).normalize(value)
    else:
        assert json.loads(Codec.of(True).normalize(value)[1]) == read
