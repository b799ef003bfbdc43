"""Names of secrets: the keys of objects, and the names in text, whose values are secret.

A key is compared by its letters and digits in lower case, so that `api_key`, `apiKey`, `API-KEY` and `api.key` are one
name; only `pass` is compared by words, because many words end in it. Facts of the tables come from public sources:
the registries of IANA for HTTP fields and OAuth parameters, the keyword lists of secret scanners (detect-secrets
`KeywordDetector`, gitleaks `generic-api-key`), the OWASP Session Management Cheat Sheet, and the documentation of the
services that are named next to an entry.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from toolgen.spec.text import common_length

_STRONG: Final = (
    # detect-secrets KeywordDetector, gitleaks generic-api-key
    *("password", "passwd", "passphrase", "passcode", "apikey", "privatekey", "secretkey", "accesskey", "signingkey"),
    *("encryptionkey", "accountkey", "sharedkey", "masterkey", "hmackey", "authkey", "clientsecret"),
    *("connectionstring", "decryptionkey", "symmetrickey", "sessionkey", "servicekey", "databasekey", "sshprivkey"),
    # IANA HTTP Field Name Registry: Authorization, Proxy-Authorization
    "authorization",
    # Azure: API Management `Ocp-Apim-Subscription-Key`, Functions `x-functions-key`; Datadog `DD-APPLICATION-KEY`
    *("subscriptionkey", "functionskey", "functionkey", "applicationkey"),
    # gitleaks and software vendors: licence keys
    *("licensekey", "licencekey", "activationkey", "serialkey"),
    # BIP-39, and the names that wallets use
    *("seedphrase", "recoveryphrase", "mnemonicphrase", "seedwords", "secretphrase"),
    # OWASP Session Management Cheat Sheet: JSESSIONID, PHPSESSID, ASP.NET_SessionId, CFTOKEN (a token below)
    *("jsessionid", "phpsessid"),
)
"""Secret anywhere in a name."""

_HAS_STRONG: Final = re.compile("|".join(_STRONG))

_WEAK: Final = re.compile(
    r"(?:tokens?|secrets?|cookies?|credentials?|creds|pwd|privkey|sshkey|jwt"
    r"|(?<!as)(?<!pos)sess(?:ion)?ids?|connectsid|mnemonics?"  # OWASP Session Management Cheat Sheet, Express, BIP-39
    r"|^xauth|auth(?:orization)?codes?|codeverifier|devicecode|clientassertion|samlresponse"  # IANA OAuth parameters
    r"|(?:recovery|backup|verification|mfa|otp|totp|twofactor|onetime)codes?|onetimepass|totpseed"  # RFC 4226, RFC 6238
    r"|fastlykey)"  # header field of Fastly
    r"(?:value|header|string|data|raw|base|hash|old|new|prod|dev|live|test|\d)*$"
)
"""Secret at the end of a name."""

WHOLE_KEYS: Final = frozenset({"auth", "pass", "pin", "otp", "totp", "cvv", "cvc", "cvv2", "cvc2", "sig", "bearer"})
"""Secret as whole keys of an object; in text they are ordinary words, unless quoted. Card codes: PCI DSS glossary."""

_PLAIN: Final = re.compile(
    r"(?:page|next|prev|previous|continuation|pagination|cursor|resume|sync)tokens?$"  # pagination
    r"|(?:max|min|num|total|prompt|completion|input|output|cached|reasoning|used|remaining|budget)(?:new|output)?tokens?$"
    r"|(?:count|length|size|type|policy|rate|limit|limits|enabled|required|strength|algorithm|expiry|expires|expiresat"
    r"|expiresin|ttl|endpoint|method|methods|rotation|rotationdays)$"
)
"""Names with these endings describe a secret, or tokens that are not credentials."""

_PASS_OF: Final = frozenset(
    [
        "a",
        "all",
        "any",
        "backward",
        "bandpass",
        "boarding",
        "bus",
        "by",
        "bypass",
        "did",
        "does",
        "dry",
        "each",
        "every",
        "fail",
        "fast",
        "final",
        "first",
        "forward",
        "free",
        "full",
        "guest",
        "has",
        "high",
        "is",
        "last",
        "low",
        "mid",
        "multi",
        "must",
        "next",
        "night",
        "no",
        "one",
        "optional",
        "or",
        "out",
        "over",
        "per",
        "post",
        "pre",
        "previous",
        "render",
        "second",
        "season",
        "shadow",
        "should",
        "single",
        "ski",
        "some",
        "test",
        "tests",
        "third",
        "to",
        "trial",
        "two",
        "ultra",
        "under",
        "will",
        "would",
    ]
)
"""Words before `pass` that give it another meaning: `first_pass`, `boarding_pass`, `tests_pass`."""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_LONGEST: Final = 80
"""Characters of a name that are examined at each end."""

WORDS_IN_TEXT: Final = (
    *("pass", "key", "secret", "token", "cookie", "cred", "pwd", "auth", "connection", "jwt", "sess", "mnemonic"),
    *("phrase", "seed", "code", "assertion", "samlresponse", "connect.sid"),
    *("pin", "otp", "cvv", "cvc", "sig", "bearer"),
)
"""Every name that is secret in text contains one of these, in lower case."""


def is_secret_key(key: str) -> bool:
    """Whether the value of a key is secret, by the name of the key: in any case, with or without `_`, `-` and `.`."""
    return _is_secret_key(key if len(key) <= _LONGEST else key[:_LONGEST] + key[-_LONGEST:])


def is_secret_name(name: str) -> bool:
    """Whether a name in text precedes a secret: as `is_secret_key`, without the names that are also words."""
    return _is_secret_name(name if len(name) <= _LONGEST else name[:_LONGEST] + name[-_LONGEST:])


def keeps_numbers(key: str) -> bool:
    """Whether numbers under a key are counts: `tokens: 12` is not secret, but text under `tokens` is."""
    return letters(key[-_LONGEST:]).endswith("tokens")


@lru_cache(maxsize=4096)
def letters(key: str) -> str:
    """Return the letters and digits of a key, in lower case; full-width letters (NFKC) are letters."""
    plain = key if key.isascii() else unicodedata.normalize("NFKC", key)
    return "".join(filter(str.isalnum, plain)).lower()


@lru_cache(maxsize=4096)
def _is_secret_key(key: str) -> bool:
    return letters(key) in WHOLE_KEYS or _is_secret_name(key)


@lru_cache(maxsize=4096)
def _is_secret_name(key: str) -> bool:
    name = letters(key)
    if _PLAIN.search(name):
        return False
    return _HAS_STRONG.search(name) is not None or _WEAK.search(name) is not None or _is_password(key, name)


def _is_password(key: str, name: str) -> bool:
    """Whether a key ends in the word `pass` in the sense of password, as `DB_PASS` and `smtpPass` do."""
    if not name.endswith("pass") or name == "pass":
        return False
    words = [word.lower() for word in _WORD.findall(key)]
    return len(words) > 1 and words[-1] == "pass" and words[-2] not in _PASS_OF


class DeclaredNames:
    """The names of the fields that a tool declares secret, which a model may misspell.

    `secret` are the names, `others` those of all other fields.
    """

    def __init__(self, secret: Iterable[str], others: Iterable[str]) -> None:
        self._others = frozenset(others)
        self.letters = frozenset(map(letters, secret)) - {""}
        self._long = [name for name in self.letters if len(name) >= _LEAST_MISSPELT]

    def matches(self, key: str) -> bool:
        """Whether a key is one of the names, in another case, with other punctuation, or with one typing error."""
        if key in self._others:
            return False
        name = letters(key[: 2 * _LONGEST])
        return name in self.letters or any(_is_one_typo_apart(name, other) for other in self._long)


_LEAST_MISSPELT: Final = 5
"""Minimum length of names in which one typing error is allowed: shorter names are too often other words."""


def _is_one_typo_apart(one: str, other: str) -> bool:
    """Whether one character was omitted, added or replaced, or two adjacent ones were swapped."""
    if abs(len(one) - len(other)) > 1:
        return False
    begin = common_length(one, other)
    left, right = one[begin:], other[begin:]
    exchanged = left[1:2] + left[:1] + left[2:]
    return left[1:] == right[1:] or left[1:] == right or left == right[1:] or exchanged == right
