"""Names of servers in the headers Host and Origin: read whole, in any case, and foreign where it cannot be decided."""

from __future__ import annotations

import pytest

from toolgen.runtime.base.http_names import header_values, is_host_of, is_origin_of

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
OWN = ["127.0.0.1:18765", "localhost", "LOCALHOST", "LocalHost:80", "[::1]:5", "[::1]", "127.0.0.1"]
FOREIGN = [
    *("", "localhost:evil.com", "localhost:80@evil.com", "localhost:1@evil.com", "localhost.evil.com", "localhost."),
    *("::1", "127.0.0.1.nip.io", "127.1", "0.0.0.1", "localhost/", "localhost:", "localhost: 80", "localhost\t:80"),
    *("evil.com, localhost", "localhost, evil.com", "localhost:\xff", "localhost:*", "[::1]x", "127.0.0.1:80/evil"),
    *(
        "localhost:1 evil",
        "localhost:99999",
        "localhost#evil.com",
        "localhost?evil",
        "localhost\\evil",
        "user@localhost",
    ),
    *("localhost:80:80", "xlocalhost", "localhost\n", "localhost:\u0661", "[::1]evil.com", "[localhost]"),
]


@pytest.mark.parametrize("value", OWN)
def test_a_name_of_the_server_is_taken_in_any_case_with_any_port(value: str) -> None:
    assert is_host_of(value, LOOPBACK)
    for scheme in ("http", "https", "HTTP"):
        assert is_origin_of(f"{scheme}://{value}", LOOPBACK, ())


@pytest.mark.parametrize("value", FOREIGN)
def test_what_only_begins_like_a_name_of_the_server_is_foreign(value: str) -> None:
    assert not is_host_of(value, LOOPBACK)
    assert not is_origin_of(f"http://{value}", LOOPBACK, ("https://app.example.com",))


@pytest.mark.parametrize(
    "origin",
    [
        *("", "null", "localhost", "file://", "file://localhost", "http://", "http:localhost", "http:///localhost"),
        *("http://localhost:80 http://evil.com", "http://evil.com http://localhost", "https://app.example.com:1"),
        *("https://app.example.com.evil.com", "https://app.example.com/", "https://app.example.com@evil.com"),
    ],
)
def test_an_origin_is_one_page(origin: str) -> None:
    assert not is_origin_of(origin, LOOPBACK, ("https://app.example.com",))


def test_a_name_with_a_port_has_that_port_alone() -> None:
    assert is_host_of("Tools.Example.com:8000", ["tools.example.com:8000"])
    assert is_host_of("tools.example.com", ["TOOLS.example.com"])
    for other in ("tools.example.com", "tools.example.com:80001", "tools.example.com:8001"):
        assert not is_host_of(other, ["tools.example.com:8000"])
    assert is_origin_of("https://APP.example.com", (), ["https://app.Example.com"])
    assert is_origin_of("chrome-extension://abc", (), ["chrome-extension://abc"])


def test_each_header_with_a_name_counts() -> None:
    headers = [(b"Origin", b"http://localhost"), (b"origin", b" http://evil.com "), (b"x", b"y")]
    assert header_values(headers, b"origin") == ["http://localhost", "http://evil.com"]
