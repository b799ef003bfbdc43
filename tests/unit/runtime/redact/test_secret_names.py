"""Names of secrets: both tables, secret names and similar ones, and misspelt names of declared fields."""

from __future__ import annotations

import pytest

from toolgen.runtime.redact.redact import REDACTED, redact, redact_text
from toolgen.runtime.redact.secret_names import DeclaredNames, is_secret_key

SECRET = [
    *("DB_PASS", "smtpPass", "mysql-pass", "MYSQL_ROOT_PASS", "ADMIN_PASS", "user_pass", "keystore.pass"),
    *("Ocp-Apim-Subscription-Key", "Speech-Subscription-Key", "x-functions-key", "DD-APPLICATION-KEY", "Fastly-Key"),
    *("x-auth", "X-Auth", "X-Auth-Key", "X-Vault-Token", "Private-Token", "session_id", "sessionId", "SESSION-ID"),
    *("sessid", "JSESSIONID", "jsessionid", "PHPSESSID", "ASP.NET_SessionId", "connect.sid", "CFTOKEN", "session_key"),
    *("license_key", "licence-key", "LICENSE_KEY", "activationKey", "serial_key", "auth_code", "authorization_code"),
    *("mnemonic", "wallet_mnemonic", "mnemonic_phrase", "seed_phrase", "seedWords", "recovery_phrase", "totp_seed"),
    *("recovery_codes", "backup-code", "mfa_code", "verification_code", "device_code", "code_verifier", "totp"),
    *("client_assertion", "SAMLResponse", "cvv2", "service_key", "database_key", "decryption_key"),
]
PLAIN = [
    *("token_count", "max_tokens", "total_tokens", "output_tokens", "max_output_tokens", "token_type", "token_limit"),
    *("author", "authors", "authority", "co_author", "author_code", "keyboard", "monkey", "pass_rate", "passes"),
    *("passed", "compass", "bypass", "first_pass", "boarding_pass", "tests_pass", "renderPass", "multi-pass"),
    *("session_identifier_type", "session_type", "session", "sessions", "possession_id", "assess_id", "assessment_id"),
    *("password_policy", "password_length", "password_required", "api_key_count", "secret_type", "access_key_rotation"),
    *("license", "license_type", "product_key", "serial", "code", "exit_code", "country_code", "zip_code", "security"),
    *("authorization_endpoint", "auth_method", "credential_type", "passage", "max_auth", "seed", "phrase"),
    *("mnemonic_length", "cookie_policy", "sid", "account_sid", "function", "application", "verification", "passport"),
]  # fmt: skip


@pytest.mark.parametrize("key", SECRET)
def test_reg_66_values_of_keys_named_like_secrets_are_redacted(key: str) -> None:
    assert is_secret_key(key)
    assert redact({key: "hunter2"}) == {key: REDACTED}
    assert is_secret_key(f"the_{key}") or key.lower() in ("x-auth", "totp", "cvv2")


@pytest.mark.parametrize("key", PLAIN)
def test_names_that_only_look_like_secrets_are_kept(key: str) -> None:
    assert not is_secret_key(key)
    value = {key: "hunter2"}
    assert redact(value) is value
    text = f"{key}=hunter2 and {key}: hunter2"
    assert redact_text(text) is text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("DB_PASS=hunter2 ./run", f"DB_PASS={REDACTED} ./run"),
        ("Cookie_JSESSIONID=abc; x", f"Cookie_JSESSIONID={REDACTED}; x"),
        ("x-functions-key: hunter2", f"x-functions-key: {REDACTED}"),
        ("session_id=hunter2&x=1", f"session_id={REDACTED}&x=1"),
        ('{"seed_phrase": "one two three"}', f'{{"seed_phrase": "{REDACTED}"}}'),
        ("curl -u bob:hunter2 https://x", f"curl -u {REDACTED} https://x"),
        ("curl -u 'bob:hunter2' x", f"curl -u '{REDACTED}' x"),
        ("curl --user=bob:hunter2 x", f"curl --user={REDACTED} x"),
        ("curl --proxy-user bob:hunter2", f"curl --proxy-user {REDACTED}"),
    ],
)
def test_reg_66_text_after_such_a_name_is_redacted(text: str, shown: str) -> None:
    assert redact_text(text) == shown
    assert redact_text(shown) == shown


@pytest.mark.parametrize(
    "text",
    ["docker run -u 1000:1000 x", "git push -u origin", "date -u", "id -u bob", "the pass: 3 of 4", "exit code: 1"],
)
def test_other_text_is_kept(text: str) -> None:
    assert redact_text(text) is text


def test_a_login_in_an_argument_list_is_redacted() -> None:
    assert redact(["curl", "-u", "bob:hunter2", "x"]) == ["curl", "-u", REDACTED, "x"]
    value = ["docker", "run", "-u", "1000:1000"]
    assert redact(value) is value


@pytest.mark.parametrize(
    "key", ["api_key", "apikey", "api-key", "API_KEY", "ApiKey", "api_kye", "api_ky", "aapi_key", "api_kez"]
)
def test_a_declared_name_is_recognized_in_any_spelling(key: str) -> None:
    assert DeclaredNames(["api_key"], ["id"]).matches(key)


@pytest.mark.parametrize("key", ["word2", "wordy", "sword", "other", "", "ward1x"])
def test_other_fields_and_words_are_not_affected(key: str) -> None:
    names = DeclaredNames(["word", "word1"], ["word2", "wordy", "sword"])
    assert not names.matches(key)
