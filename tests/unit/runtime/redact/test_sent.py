"""Credentials that were sent to a peer: found in what it answers, in any encoding, and nothing else is changed."""

from __future__ import annotations

import base64
import html
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen.contract.records import ContentBlock, FailureKind, ToolError, ToolResult
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.redact.sent import SentCredentials

if TYPE_CHECKING:
    from collections.abc import Callable

ODD = "s3cr3t/+Key=äß&\"q'7"
PLAIN = "ghp_0123456789abcdef"


def mixed(text: str) -> str:
    """Return a text with each third character escaped for JSON, and each third one for URLs."""
    return "".join((c, f"\\u{ord(c):04X}", f"%{ord(c):02x}")[i % 3] for i, c in enumerate(text))


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of more": lambda text: base64.b64encode(f"user:{text} and more".encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(f"x{text}".encode()).decode().rstrip("="),
    "percent": lambda text: quote(text, safe=""),
    "form": quote_plus,
    "json": lambda text: json.dumps(text)[1:-1],
    "json in json": lambda text: json.dumps(json.dumps({"k": text})),
    "python": repr,
    "html": html.escape,
    "hex": lambda text: text.encode().hex(),
    "escapes": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "escaped escapes": lambda text: "".join(f"\\\\u{ord(c):04X}" for c in text),
    "all percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "references": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "hex references": lambda text: "".join(f"&#x{ord(c):X};" for c in text),
    "mixed": mixed,
}
ONLY_ASCII = {"mixed"}


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("secret", [ODD, PLAIN])
def test_a_credential_is_found_in_every_encoding(name: str, secret: str) -> None:
    text = "s3cr3t/+Key=&7" if secret == ODD and name in ONLY_ASCII else secret
    coded = ENCODINGS[name](text)
    hidden = SentCredentials([text]).hide(f"before {coded} after")
    assert "[redacted]" in hidden
    assert hidden.startswith("before ")
    assert hidden.endswith(" after")
    assert len(hidden) <= len("before  after") + 45, hidden  # base64 of more keeps what is around


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(
    data=st.data(),
    secret=st.text(alphabet="abcXYZ0123456789_-", min_size=12, max_size=40).filter(lambda t: not t.isdigit()),
)
def test_any_credential_is_found_anywhere_in_any_json(data: st.DataObject, secret: str) -> None:
    encode = ENCODINGS[data.draw(st.sampled_from(sorted(ENCODINGS)))]
    around = st.text(alphabet=" .:,{}[]", max_size=10)
    leaf = data.draw(around) + encode(secret) + data.draw(around)
    value = data.draw(
        st.recursive(
            st.just(leaf),
            lambda inner: (
                st.lists(inner, min_size=1, max_size=3)
                | st.dictionaries(st.sampled_from(["a", leaf]), inner, min_size=1)
            ),
            max_leaves=4,
        )
    )
    result = ToolResult[Any](
        payload=json.dumps(value).encode(),
        blocks=(ContentBlock(type="json", data=value),),
        metadata={"mcp": {"content": value}},
    )
    hidden = SentCredentials([secret]).hide_result(result)
    for text in (hidden.payload.decode(), json.dumps(hidden.blocks[0].data), json.dumps(dict(hidden.metadata))):
        assert encode(secret) not in text
        assert secret not in text
        json.loads(text)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 30, 100, 1_000, 10_000])
def test_every_known_credential_is_hidden_however_many_there_are(count: int) -> None:
    known = [f"{number:05}-{f'{number * number:09x}' * 3}" for number in range(count)]
    sent = SentCredentials(known)
    for number in (0, 11_111):
        sent.add(f"sent-{number}")
    for secret in (known[0], known[count // 2], known[-1], "sent-11111"):
        for text in (
            secret,
            quote(base64.b64encode(f"a:{secret}".encode())),
            f"{secret[:10]}...",
            secret.encode().hex(),
        ):
            assert text not in sent.hide(f"as {text} said")
    assert sent.hide("nothing of them") == ("nothing of them" if count < 2_000 else "[redacted]")


@given(
    secret=st.integers(10**5, 10**30),
    around=st.recursive(
        st.just(None), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("a"), inner)
    ),
    written=st.sampled_from(["{}", "-{}", "{}.5", "{}e1", "7{}", '"{}"', "[1,{}]"]),
)
def test_a_credential_of_digits_is_found_in_numbers(secret: int, around: Any, written: str) -> None:
    text = written.format(secret)
    payload = json.dumps({"around": around, "echo": None, "n": 12}).replace('"echo": null', f'"echo": {text}')
    data = json.loads(payload)
    result = ToolResult[Any](
        payload=payload.encode(), blocks=(ContentBlock(type="json", data=data),), metadata={"mcp": {"content": data}}
    )
    hidden = SentCredentials([str(secret)]).hide_result(result)
    for shown in (hidden.payload.decode(), json.dumps(hidden.blocks[0].data), json.dumps(dict(hidden.metadata))):
        assert str(secret)[:15] not in shown
        assert f"{secret:e}" not in shown
        assert '"n":12' in shown.replace(" ", "")


def test_members_whose_keys_are_credentials_are_all_kept() -> None:
    sent = SentCredentials([PLAIN, PLAIN[::-1]])
    assert sent.hide_data({PLAIN: 1, PLAIN[::-1]: 2, "a": 3}) == {"[redacted]": 1, "[redacted]+2": 2, "a": 3}


def test_what_has_no_credential_is_returned_as_it_is() -> None:
    sent = SentCredentials([PLAIN])
    result = ToolResult[Any](payload=b'{"token":"another","password":1,"n":[1.0,1e3,"\\u00e4%20&#39;"]}')
    assert sent.hide_result(result) is result
    error = CallFailed(FailureKind.UNAVAILABLE, "x", "no answer")
    assert sent.hide_failure(error) is error


def test_errors_lose_credentials_too() -> None:
    sent = SentCredentials()
    sent.add_headers([("Authorization", f"Bearer {PLAIN}"), ("Accept", "application/json")])
    error = ToolError(message=f"bad {PLAIN}", kind=FailureKind.UNAVAILABLE, code="x", hint=f"not {PLAIN}")
    hidden = sent.hide_result(ToolResult(error=error)).error
    assert hidden is not None
    assert (hidden.message, hidden.hint) == ("bad [redacted]", "not [redacted]")
    assert sent.hide("application/json") == "application/json"


def test_the_password_of_a_basic_login_is_a_credential() -> None:
    sent = SentCredentials()
    login = base64.b64encode(b"ann:correct-horse").decode()
    sent.add_headers([("authorization", f"Basic {login}")])
    assert sent.hide(f"{login} ann:correct-horse correct-horse ann") == "[redacted] [redacted] [redacted] ann"


def test_a_truncated_credential_is_found() -> None:
    sent = SentCredentials([ODD, PLAIN])
    for secret, text in (
        (ODD, f"'{ODD[:9]}...{ODD[-8:]}'"),
        (PLAIN, f"...{PLAIN[-8:]}"),
        (PLAIN, f"{PLAIN[:7]} [...]"),
    ):
        hidden = sent.hide(f"bad token {text} sent")
        assert hidden.startswith("bad token ")
        assert secret[:6] not in hidden
        assert secret[-6:] not in hidden


def test_the_last_tokens_are_looked_for() -> None:
    sent = SentCredentials()
    for number in range(100):
        sent.add(f"token-number-{number:03}")
    assert sent.hide("token-number-099 token-number-090") == "[redacted] [redacted]"
