"""Redaction of secrets by name, by format and by declaration; other text is kept, and no text makes it slow."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.runtime.base.json_text import MAX_DEPTH
from toolgen.runtime.redact.redact import REDACTED, Rules, is_secret_field, is_secret_key, redact, redact_text

# The credentials are concatenated, so that no scanner mistakes them for real ones.
LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF"
JWT = f"eyJ{LETTERS}.eyJ{LETTERS}.{LETTERS}"
CREDENTIALS = [
    f"sk-{LETTERS}",
    f"sk-ant-api03-{LETTERS}-{LETTERS}",
    f"sk-proj-{LETTERS}",
    f"sk_live_{LETTERS}",
    f"rk_test_{LETTERS}",
    f"whsec_{LETTERS}",
    f"ghp_{LETTERS}",
    f"gho_{LETTERS}",
    f"github_pat_{LETTERS}",
    f"glpat-{LETTERS}",
    f"xoxb-{LETTERS}",
    f"xapp-{LETTERS}",
    f"hooks.slack.com/services/T00000000/B00000000/{LETTERS}",
    "AKIA" + "ABCDEFGHIJ234567",
    "AIza" + LETTERS + "abc",
    f"ya29.{LETTERS}",
    f"GOCSPX-{LETTERS}",
    f"hf_{LETTERS}",
    f"gsk_{LETTERS}",
    f"xai-{LETTERS}",
    f"r8_{LETTERS}",
    f"npm_{LETTERS}",
    f"pypi-{LETTERS}",
    "dop_v1_" + "0123456789abcdef" * 4,
    "dapi" + "0123456789abcdef" * 2,
    f"SG.{LETTERS}.{LETTERS}",
    "SK" + "0123456789abcdef" * 2,
    "shpat_" + "0123456789abcdef" * 2,
    f"lin_api_{LETTERS}",
    f"ntn_{LETTERS}",
    f"secret_{LETTERS}",
    f"hvs.{LETTERS}",
    f"1234567890:AA{LETTERS}",
    JWT,
    f"Bearer {LETTERS}",
    "Basic " + "dXNlcjpwYXNz",
    f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS}\n-----END RSA PRIVATE KEY-----",
    f"-----BEGIN OPENSSH PRIVATE KEY-----\\n{LETTERS}\\n-----END OPENSSH PRIVATE KEY-----",
    f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{LETTERS}\n-----END PGP PRIVATE KEY BLOCK-----",
]

SECRET_KEYS = [
    *("password", "Password", "PASSWORD", "user_password", "userPassword", "passwd", "db-passwd", "passphrase", "pwd"),
    *("token", "access_token", "accessToken", "refresh-token", "id_token", "x-auth-token", "TOKEN", "tokens"),
    *("bot_token_2", "csrf_token", "api_key", "apikey", "apiKey", "API-KEY", "x-api-key", "OPENAI_API_KEY", "api.key"),
    *("secret", "client_secret", "clientSecret", "secrets", "aws_secret_access_key", "secret_value", "SECRET_KEY_BASE"),
    *("authorization", "Authorization", "proxy-authorization", "auth", "cookie", "Set-Cookie", "session_cookies"),
    *("credential", "credentials", "creds", "private_key", "ssh_key", "signing_key", "connection_string", "AccountKey"),
    *("jwt", "sig", "otp", "pin", "cvv", "pass", "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44"),
]
PLAIN_KEYS = [
    *("name", "path", "author", "authors", "secretary", "tokenizer", "passenger", "compass", "key", "keys", "keyboard"),
    *("next_page_token", "pageToken", "continuation_token", "nextToken", "cookie_policy", "token_type", "signature"),
    *("user_id", "status", "description", "pinned", "design", "monkey"),
]


@pytest.mark.parametrize("key", SECRET_KEYS)
def test_values_of_keys_named_like_secrets_are_redacted(key: str) -> None:
    assert is_secret_key(key)
    assert redact({key: "hunter2", "other": 1}) == {key: REDACTED, "other": 1}
    assert redact([{"a": {key: ["hunter2"]}}]) == [{"a": {key: REDACTED}}]


@pytest.mark.parametrize("key", PLAIN_KEYS)
def test_values_of_other_keys_are_kept(key: str) -> None:
    assert not is_secret_key(key)
    value = {key: "hunter2"}
    assert redact(value) is value


def test_token_counts_booleans_and_empty_values_are_kept() -> None:
    value = {
        "max_tokens": 4096,
        "tokens": {"prompt_tokens": 12, "completion_tokens": 34.5},
        "password": None,
        "secret": False,
    }
    assert redact(value) is value
    assert redact({"tokens": ["abc"], "password": 12345678}) == {"tokens": REDACTED, "password": REDACTED}


@pytest.mark.parametrize("credential", CREDENTIALS)
def test_a_credential_is_redacted_anywhere_in_text(credential: str) -> None:
    places = (
        "{}",
        "it was {}.",
        "({})",
        "a\n{}\nb",
        "https://shop/?q={}&x=1",
        "['{}']",
        "key {}, and again {}",
        "größe={}",
    )
    for place in places:
        text = place.format(credential, credential)
        shown = redact_text(text)
        assert LETTERS not in shown, place
        assert credential not in shown, place
        assert REDACTED in shown
        assert redact_text(shown) == shown
    assert redact({credential: 1, "list": [credential]}).keys() != {credential, "list"}
    assert credential not in json.dumps(redact({credential: {"a": [credential]}}))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://me:hunter2@shop.example/x", f"https://{REDACTED}@shop.example/x"),
        ("postgres://app:p@ss@db:5432/app?x=1", f"postgres://{REDACTED}@db:5432/app?x=1"),
        ("https://ghs-token@git.example/a.git", f"https://{REDACTED}@git.example/a.git"),
        ("password=hunter2", f"password={REDACTED}"),
        ("PASSWORD: hunter2 is wrong", f"PASSWORD: {REDACTED} is wrong"),
        ("DB_PASSWORD='hunter 2' run", f"DB_PASSWORD='{REDACTED}' run"),
        ('{"api_key": "hunter\\"2", "x": 1}', f'{{"api_key": "{REDACTED}", "x": 1}}'),
        ('"{\\"token\\": \\"hunter2\\", \\"x\\": 1}"', f'"{{\\"token\\": \\"{REDACTED}\\", \\"x\\": 1}}"'),
        ('{"secrets": ["hunter2", {"a": "hunter2"}], "x": 1}', f'{{"secrets": {REDACTED}, "x": 1}}'),
        ("{'client_secret': 'hunter2'}", f"{{'client_secret': '{REDACTED}'}}"),
        ("password => hunter2", f"password => {REDACTED}"),
        ("Server=db;Password=hunter2;Database=app", f"Server=db;Password={REDACTED};Database=app"),
        ("https://x/cb?access_token=hunter2&state=1", f"https://x/cb?access_token={REDACTED}&state=1"),
        ("https://x/blob?sv=1&sig=hunter2%3D", f"https://x/blob?sv=1&sig={REDACTED}"),
        ("https://x/o?X-Amz-Signature=hunter2&y=1", f"https://x/o?X-Amz-Signature={REDACTED}&y=1"),
        ("Authorization: Basic aHVudGVyMg==", f"Authorization: {REDACTED}"),
        ("authorization: token hunter2\nAccept: x", f"authorization: {REDACTED}\nAccept: x"),
        ('Cookie: a="hunter2"; b=hunter2\r\nHost: y', f"Cookie: {REDACTED}\r\nHost: y"),
        ("curl -H 'Authorization: token hunter2' https://x", f"curl -H 'Authorization: {REDACTED}' https://x"),
        ("mysql --password hunter2 -v", f"mysql --password {REDACTED} -v"),
        ("mysql --password=hunter2 -v", f"mysql --password={REDACTED} -v"),
        ("<password>hunter2</password>", f"<password>{REDACTED}</password>"),
        ("max_tokens=4096 token=hunter2", f"max_tokens=4096 token={REDACTED}"),
        ("password=hunter,2 user=x", f"password={REDACTED} user=x"),
        ("-----BEGIN PRIVATE KEY-----\nhunter2 and the rest was cut", REDACTED),
        ("bad {'cvv': 123, 'pin': 'hunter2'}", f"bad {{'cvv': {REDACTED}, 'pin': '{REDACTED}'}}"),
        ('{\\"auth\\": {\\"a\\": \\"hunter2\\"}}', f'{{\\"auth\\": {REDACTED}}}'),
    ],
)
def test_text_after_the_name_of_a_secret_is_redacted(text: str, shown: str) -> None:
    assert redact_text(text) == shown
    assert redact_text(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the file is there already: src/main.py",
        "bearer of bad news, basic understanding, basically",
        "Bearer authentication is used",
        "user@example.org wrote to https://example.org/a@b?c=d#e",
        "token_type: bearer",
        "next_page_token=abc",
        "password: null, secret=false, token = ''",
        "password is wrong",
        "in step 2 pin: 12, auth: none yet, pass=3",
        '{"pass": true, "pinned": "yes", "design": 1}',
        "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
        "eyJub3QgYSB0b2tlbg",
        "task-sk-12, disk-usage, risk_level, ASIAN, SKU 12",
        "3f786850e387550fdab836ed7e6dc881de23001b",
        "sha256:" + "0123456789abcdef" * 4,
        "2026-01-02T03:04:05Z INFO mcp.github.create_issue took 12 ms",
        "key: value",
        "x" * 10_000,
    ],
)
def test_other_text_is_kept(text: str) -> None:
    assert redact_text(text) is text


def test_command_lines_and_headers_as_lists() -> None:
    assert redact(["mysql", "--password", "hunter2", "-v"]) == ["mysql", "--password", REDACTED, "-v"]
    assert redact([["accept", "x"], ["Cookie", "a=b"]]) == [["accept", "x"], ["Cookie", REDACTED]]
    assert redact([{"name": "X-Api-Key", "value": "hunter2"}]) == [{"name": "X-Api-Key", "value": REDACTED}]
    assert redact({"name": "x", "value": "y"}) == {"name": "x", "value": "y"}


@pytest.mark.parametrize(
    ("declared", "value", "shown"),
    [
        (["/note"], {"note": "x", "b": 1}, {"note": REDACTED, "b": 1}),
        (["/note"], {"note": {"deep": [1]}}, {"note": REDACTED}),
        (["/a/n/*/key"], {"a": {"n": [{"key": 1, "x": 2}]}}, {"a": {"n": [{"key": REDACTED, "x": 2}]}}),
        (["/a/n/*/key"], {"a": {"n": {"b": {"key": 1}}}}, {"a": {"n": {"b": {"key": REDACTED}}}}),
        (["/*/a", "/b/c"], {"b": {"a": 1, "c": 2, "d": 3}}, {"b": {"a": REDACTED, "c": REDACTED, "d": 3}}),
        (["/a~1b/m~0n"], {"a/b": {"m~n": 1}}, {"a/b": {"m~n": REDACTED}}),
        (["/a/0"], {"a": [1, 2]}, {"a": [REDACTED, 2]}),
        (["/"], {"": 1}, {"": REDACTED}),
        ([""], {"a": 1}, REDACTED),
        ([""], None, REDACTED),
        (["/a/b/c"], {"a": "text"}, {"a": "text"}),
        (["/none"], {"a": 1}, {"a": 1}),
    ],
)
def test_reg_66_declared_fields_are_redacted_regardless_of_their_value(
    declared: list[str], value: Any, shown: Any
) -> None:
    assert redact(value, declared) == shown


@pytest.mark.parametrize(
    ("pointer", "declared", "secret"),
    [
        ("/card/number", ["/card/*"], True),
        ("/card/number/0", ["/card/*"], True),
        ("/card", ["/card/*"], False),
        ("/items/3/password", [], True),
        ("/password/0", [], True),
        ("", [], False),
        ("", [""], True),
        ("/x", [""], True),
    ],
)
def test_pointers_to_secrets(pointer: str, declared: list[str], secret: bool) -> None:
    assert is_secret_field(pointer, declared) is secret


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
AROUND = st.text(alphabet=" \n\t'\"=:,;()[]{}<>/?&@\\.üß", max_size=6)


@given(JSON, st.sampled_from(CREDENTIALS), AROUND, AROUND, st.lists(st.sampled_from(["list", "value", "key", "text"])))
def test_a_credential_is_redacted_at_any_depth(
    value: Any, credential: str, before: str, after: str, path: list[str]
) -> None:
    hidden: Any = f"{before}{credential}{after}"
    for step in path:
        match step:
            case "list":
                hidden = [value, hidden]
            case "value":
                hidden = {"a": value, "b": hidden}
            case "key":
                hidden = {json.dumps(hidden): value}
            case _:
                hidden = json.dumps(hidden)
    shown = json.dumps(redact(hidden))
    assert LETTERS not in shown
    assert credential not in shown


@given(JSON)
def test_redaction_is_idempotent_and_does_not_modify_its_input(value: Any) -> None:
    before = json.dumps(value)
    once = redact(value)
    assert redact(once) == once
    assert json.dumps(value) == before
    assert once is value or once != value


@given(st.text() | st.text(alphabet="passwordtken=:\"'[]{}\\ -.>a1/@?&", max_size=60))
def test_redaction_of_text_is_idempotent(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once


def test_keys_that_are_equal_after_redaction_are_both_kept() -> None:
    assert redact({f"sk-{LETTERS}": 1, f"ghp_{LETTERS}": 2}) == {REDACTED: 1, f"{REDACTED}+2": 2}
    value = {f"{REDACTED}+3": 0, **{f"sk-{LETTERS}{number}": number for number in range(1, 5)}, f"{REDACTED}+2": 5}
    assert list(redact(value).values()) == [0, 1, 2, 3, 4, 5]


def test_values_nested_too_deeply_are_redacted() -> None:
    deep: Any = "x"
    for _ in range(5 * MAX_DEPTH):
        deep = [deep]
    shown = redact(deep)
    for _ in range(MAX_DEPTH):
        (shown,) = shown
    assert shown == REDACTED


ATTACKS = [
    *("eyJ-", "-eyJ", "\\neyJ", "eyJaaaaaaaaa.", "eyJaaaaaaaaaa.bbbbbbbbbb-", "sk-", "\\nsk-", "sk_", "ghp_", "SG."),
    *("SG.aaaaaaaaaaaaaaaa", "1:AA", "://", "://a", "://a@", "://a:", "?sig", "?a-sig", "&key=", "bearer ", "basic a"),
    *("password", "password=", "password='", 'password="', 'password=\\"', "password: ", "password=[", "password=[]"),
    *(
        "password=a,",
        "password=,",
        "token={",
        "token:\t",
        "--password ",
        "tokenvalue",
        "cookie1",
        "token1=",
        "ACCOUNTKEY",
    ),
    *("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY", "-----", "PRIVATE KEY", "bearer a", "authorization: "),
    *("'authorization:", "a.", "a-", "=", ":", "\\", '"', "[", " ", "\t", "a", "1", "\\u00df"),
]


NAMES = ["password", "tokens", "cookie", "--token"]
SEPARATORS = ["=", ": ", " "]
BEGINNINGS = [
    *("", "[", "{", "(", "[]", "[(", "[$", "[{", "'", '"', '\\"', "\\\\'", "`", "/", "~", "$(x) ", "|", "\\", ","),
    *("a; ", "basic ", "basic /", "basic (", "token [", "[redacted]", "null", "12", "a,"),
]
VALUES_THAT_STAY = [
    f"{name}{separator}{begin}"
    for name, separator, begin in product(NAMES, SEPARATORS, BEGINNINGS)
    if (name == "--token") == (separator == " ")
]
"""Names before what begins a value, which a person may have to see: the text after each name is searched again."""

REDACT_ALL = """
import json, sys
from functools import partial
from tests.work import assert_linear
from toolgen.runtime.redact.credentials import redact_shown, redact_text
from toolgen.runtime.redact.redact import redact

def texts(hide, attack, size):
    times = size // len(attack)
    around = (("", ""), ("password=", "!"), ("eyJ sk- ", "\\0"), ("", "(\\n"), ("'", "';]"))
    made = [before + attack * times + after for before, after in around]
    return lambda: [hide(text) for text in made]

def keys(credential, size):
    value = {f"{credential}{number}": number for number in range(size // 50)}
    return lambda: redact(value)

attacks, values, credentials = json.load(sys.stdin)
for attack in attacks:
    assert_linear(partial(texts, redact_text, attack), 30_000)
    print("done")
for attack in attacks + values:
    assert_linear(partial(texts, redact_shown, attack), 30_000)
    print("done")
for credential in credentials:
    assert_linear(partial(keys, credential), 100_000)
    print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])
def test_no_text_takes_more_than_linear_time(every: int) -> None:
    """In a process of its own, which ends: a text may also take exponential time."""
    values = VALUES_THAT_STAY[::every]
    done = subprocess.run(
        [sys.executable, "-c", REDACT_ALL],
        input=json.dumps([ATTACKS, values, CREDENTIALS[:4]]),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["done"] * (2 * len(ATTACKS) + len(values) + 4)


VALUES = st.recursive(
    st.sampled_from(
        [1, 1.5, True, None, "plain text", f"Bearer {LETTERS}", '{"password": "hunter2hunter2", "a": [1]}']
    ),
    lambda inner: (
        st.lists(inner, max_size=8)
        | st.dictionaries(st.sampled_from(["name", "value", "password", "a", "key", "-u", "token", "é\n"]), inner)
        | st.fixed_dictionaries({"value": inner, "x": inner, "name": st.just("Authorization")})
        | st.tuples(st.just("authorization"), inner).map(list)
        | st.tuples(st.just("--password"), inner, inner).map(list)
    ),
    max_leaves=40,
)


@given(VALUES, st.integers(0, 300))
def test_what_begins_a_redacted_value_is_the_same_whatever_follows(value: Any, limit: int) -> None:
    whole = json.dumps(redact(value, ["/a/*/x"]), separators=(",", ":"))
    beginning = json.dumps(redact(value, ["/a/*/x"], limit=limit), separators=(",", ":"))
    assert beginning[:limit] == whole[:limit]


@pytest.mark.parametrize("value", [["text"] * 10**6, {str(at): [] for at in range(10**5)}, [[[]]] * 10**5], ids=type)
def test_what_begins_a_value_costs_what_is_shown_of_it(value: Any) -> None:
    seen: list[str] = []

    def text_of(text: str) -> str:
        seen.append(text)
        return text

    rules = Rules(text=text_of)
    assert len(json.dumps(redact(value, (), rules, 500))) < 5_000
    assert len(seen) <= 500
