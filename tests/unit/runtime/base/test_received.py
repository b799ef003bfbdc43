"""What an answer may cost: bytes, layers, charsets, values and depth, in any chunks."""

from __future__ import annotations

import codecs
import encodings
import gzip
import json
import pkgutil
import time
import tracemalloc
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolgen.runtime.base.json_text import NotJson
from toolgen.runtime.base.received import (
    LONGEST_LIFETIME,
    REQUEST_VALUES,
    Body,
    TooMuch,
    Unreadable,
    check_json,
    check_request,
    error_of,
    json_of,
    lifetime_of,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def members(data: bytes) -> bytes:
    middle = len(data) // 2
    return gzip.compress(data[:middle]) + gzip.compress(b"") + gzip.compress(data[middle:])


CODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "none": ("", bytes),
    "identity": ("identity", bytes),
    "gzip": ("gzip", gzip.compress),
    "members": ("GZIP", members),
    "zlib": ("deflate", zlib.compress),
    "raw": ("deflate", raw_deflate),
}


def chunks_of(data: bytes, sizes: list[int]) -> list[bytes]:
    found: list[bytes] = []
    at = 0
    for size in sizes:
        found.append(data[at : at + size])
        at += size
    return [*found, data[at:]]


def received(encoding: str, chunks: list[bytes], bound: int) -> Body:
    body = Body(encoding, bound)
    for chunk in chunks:
        for _ in body.take(chunk):
            assert len(body.data) <= bound
        if not body.is_complete:
            break
    return body


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(
    data=st.binary(max_size=2000),
    coding=st.sampled_from(sorted(CODINGS)),
    sizes=st.lists(st.integers(0, 300), max_size=20),
    bound=st.integers(0, 4000),
)
def test_content_is_read_in_any_chunks_up_to_its_bound(data: bytes, coding: str, sizes: list[int], bound: int) -> None:
    encoding, encode = CODINGS[coding]
    sent = encode(data)
    body = received(encoding, chunks_of(sent, sizes), bound)
    if max(len(data), len(sent)) <= bound:
        assert body.close() == data
    else:
        with pytest.raises(TooMuch, match="bytes"):
            body.close()
    assert len(body.data) <= bound


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(data=st.binary(max_size=500), coding=st.sampled_from(["gzip", "deflate"]), sizes=st.lists(st.integers(0, 50)))
def test_any_bytes_are_content_or_unreadable(data: bytes, coding: str, sizes: list[int]) -> None:
    with suppress(Unreadable):
        received(coding, chunks_of(data, sizes), 10_000).close()


@pytest.mark.parametrize("encoding", ["gzip, gzip", "deflate,gzip", "gzip, identity, deflate", "br", "zstd", "bogus"])
def test_layers_and_other_codings_are_refused_before_a_byte_is_read(encoding: str) -> None:
    with pytest.raises(Unreadable, match="content coding"):
        Body(encoding)


@pytest.mark.slow
def test_a_small_answer_that_stands_for_a_large_one_takes_its_bound_in_memory() -> None:
    sent = gzip.compress(bytes(50_000_000))
    tracemalloc.start()
    try:
        body = received("gzip", [sent], 1_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not body.is_complete
    assert peak < 8_000_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='a,[{"\\]}', max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet='a,[{"\\', max_size=3), inner),
    max_leaves=20,
)


def nodes(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(nodes, inner))


@settings(max_examples=3 * settings().max_examples, deadline=None)
@given(value=VALUES, limit=st.integers(1, 60), ascii_only=st.booleans())
def test_values_are_counted_and_what_is_in_strings_is_not(value: Any, limit: int, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    count = nodes(value)
    if count <= limit:  # the separators are at most one less than the values, and one more for each empty container
        empty = text.count("[]") + text.count("{}")
        if count + empty <= limit:
            assert json_of(text, limit) == value
    elif count > 2 * limit:
        with pytest.raises(TooMuch, match="JSON values"):
            json_of(text, limit)


@pytest.mark.parametrize("length", [10, 1_100_000, 2_500_000])
def test_long_strings_count_as_one_value(length: int) -> None:
    text = "a,[{" * (length // 4)
    assert json_of(json.dumps([text, [1, text]]), 100) == [text, [1, text]]
    with pytest.raises(TooMuch):
        json_of(json.dumps([text, *range(100)]), 100)
    check_json(b'"' + b"," * length, 100)  # a string without an end is no value either: the parser refuses it


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_bounded(opening: str, closing: str) -> None:
    assert json_of(opening * 200 + "1" + closing * 200)
    for depth in (201, 900, 100_000):
        with pytest.raises(TooMuch, match="200 levels"):
            json_of(opening * depth + "1" + closing * depth)


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


@given(
    st.recursive(
        st.text(alphabet='[]{},"\\\\a', max_size=5) | st.integers(0, 9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='[{"\\\\', max_size=3), inner),
    ),
    st.integers(0, 150),
)
def test_a_request_is_as_deep_as_its_brackets_outside_of_strings(value: Any, around: int) -> None:
    text = (b"[{},[]," * around) + json.dumps(value).encode() + b"]" * around
    check_request(text)
    for left in (199 - around - _depth(value), 300):
        deeper = b'{"a":[' * max(left, 1) + text + b"]}" * max(left, 1)
        if around + _depth(value) + 2 * max(left, 1) > 200:
            with pytest.raises(TooMuch, match="the request is nested more than 200 levels deep"):
                check_request(deeper)


@pytest.mark.parametrize(
    "text", [b"[" * 200, b"{" * 100 + b"]" * 100, b'"' + b"[" * 10**6, b"[[{}}]" * 50, b""], ids=len
)
def test_brackets_without_a_match_are_for_the_parser(text: bytes) -> None:
    with pytest.raises(NotJson):
        check_request(text)


@pytest.mark.parametrize(
    "text", [b"[" * 201, b"[}" * 4_000_000, b"[[" * 10**6 + b"]]" * 10**6, b"[]{}" * 10**6], ids=len
)
def test_a_request_costs_no_time_before_it_is_refused(text: bytes) -> None:
    started = time.process_time()
    with pytest.raises(TooMuch):
        check_request(text)
    assert time.process_time() - started < 1


PARTS = [*'{}[]:,"\\', r"\ud800", r"\u0041", '"a"', '"\u2200"', "1", "1e400", "NaN", "9" * 4_301]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


@given(
    st.lists(st.sampled_from(PARTS)),
    st.sampled_from(ENCODINGS),
)
@example(list('{"a":"a","a":"b"}'), "utf-16-le")
@example(['{"\u2200":[', *["[],"] * REQUEST_VALUES, "1]}"], "utf-16-le")
@example(['{"a":1,"a":2,"b":"', r"\ud800", '"}'], "utf-8")
@example(list('{"a":1,"a":2}'), "utf-8-sig")
def test_no_other_parser_reads_a_request_otherwise_than_it_was_checked(parts: list[str], encoding: str) -> None:
    data = "".join(parts).encode(encoding)
    try:
        value = check_request(data)
    except (NotJson, TooMuch):
        return
    assert repr(json.loads(data)) == repr(value)


def test_values_of_a_request_are_bounded() -> None:
    check_request(b"[%s]" % b",".join([b"1"] * (REQUEST_VALUES - 1)))
    for item in (b"1", b"{}", b'"a"', b"[1]"):
        with pytest.raises(TooMuch, match="the request has more than 100,000 JSON values"):
            check_request(b"[%s]" % b",".join([item] * (REQUEST_VALUES + 1)))


def test_text_is_decoded_by_its_charset() -> None:
    assert text_of("ä".encode("latin-1"), 'text/plain; Charset="ISO-8859-1"') == "ä"
    assert text_of("ä".encode("utf-16"), "text/plain;charset=utf-16") == "ä"
    assert text_of(b"\xef\xbb\xbf\xc3\xa4") == "ä"
    assert text_of(b"\xc3\xa4", "text/plain; charset=no-such") == "ä"


SLOW = {"punycode", "idna", "utf-7", "unicode-escape", "raw-unicode-escape"}


def test_codecs_that_are_not_linear_or_not_of_text_are_unknown() -> None:
    found = [each.name for each in pkgutil.iter_modules(encodings.__path__) if _is_codec(each.name)]
    assert {name.replace("_", "-") for name in found} >= SLOW
    content = b"xn--a-0ga\\u0041+AEE-" * 3
    for name in found:
        if name.replace("_", "-") in SLOW or not codecs.lookup(name)._is_text_encoding:
            assert text_of(content, f"text/plain; charset={name}") == content.decode(), name


def _is_codec(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True


ANY_TEXT = st.text(st.characters(codec=None), max_size=5)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | ANY_TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
        max_leaves=8,
    )
)
def test_the_json_of_an_error_can_be_sent(value: Any) -> None:
    found = error_of(json.dumps(value))
    shown = json.dumps(found, ensure_ascii=False)
    assert shown.encode().decode() == shown
    if not any(0xD800 <= ord(character) < 0xE000 for character in json.dumps(value, ensure_ascii=False)):
        assert found == value


@given(st.none() | st.booleans() | st.floats() | st.text() | st.integers(-(10**400), 10**400))
def test_the_lifetime_of_a_token_is_a_number_of_seconds_or_nothing(seconds: Any) -> None:
    found = lifetime_of(seconds)
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    assert (found is not None) is is_number
    assert found is None or 0 <= found <= LONGEST_LIFETIME
    if is_number and 0 <= seconds <= LONGEST_LIFETIME:
        assert found == seconds
