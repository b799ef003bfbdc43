"""Credentials in text: well-known formats, and values after the name of a secret. Takes linear time.

No pattern can match the same run of characters in two ways: runs are matched whole (`++`), and start only where no
other run continues. Where a value that may stay ends is found once for all names before it, see `_Ends`. The names of
secrets are in `secret_names`.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable
from functools import cached_property, partial
from typing import Final

from toolgen.runtime.redact.secret_names import WORDS_IN_TEXT, is_secret_key, is_secret_name, letters

REDACTED: Final = "[redacted]"

_ACTIVE: Final = re.compile(r"[\s;|&<>(){}`'\"\\]|\$\w")
"""Characters that a shell or code could act on: text with one is more than a credential."""

_PATHS: Final = ("/", "./", "../", "~")


def redact_text(text: str, is_key: Callable[[str], bool] | None = None) -> str:
    """Return a text with each secret in it replaced by `REDACTED`; the same object if there is none.

    `is_key` tells further names of secrets, in a text that stands for an object.
    """
    return _redacted(text, is_key, is_cautious=False)


def redact_shown(text: str) -> str:
    """The same for text that a person bases a decision on: anything that could be more than a credential stays.

    A model wrote the text, and must not be able to hide an action by making it look like a secret:
    `TOKEN="$(curl … | sh)"` is shown. So is a plain word after a name, which could be a program or a file.
    """
    return _redacted(text, None, is_cautious=True)


def is_mere_credential(value: str) -> bool:
    """Whether a value after the name of a secret, as on a command line, can only be a credential."""
    header = _HEADER.fullmatch(value)
    word = header[1] if header else value
    return _is_token(word) and not word.startswith(_PATHS) and not _ACTIVE.search(word)


def _redacted(text: str, is_key: Callable[[str], bool] | None, *, is_cautious: bool) -> str:
    length = len(text)
    if length < 6 or (length < 16 and text.isidentifier()):  # too short for any format or name
        return text
    if length > _SHORT or _RUN.search(text):
        for needles, pattern, replace in _FORMATS:
            for needle in needles:
                if needle in text:
                    text = pattern.sub(partial(_if_inactive, replace) if is_cautious else replace, text)
                    break
    if ":" in text or "=" in text or "--" in text or ">" in text or "earer" in text or "asic" in text:
        lowered = text.lower()
        if "bearer" in lowered or "basic" in lowered:
            shown = _SCHEME.sub(_without_credentials, text)
            text = text if shown == text else shown
        if is_key is not None or any(word in lowered for word in WORDS_IN_TEXT):
            return _without_named(text, is_key, is_cautious=is_cautious)
    return text


def _if_inactive(replace: str, found: re.Match[str]) -> str:
    """Return the replacement of a credential found by its format: itself if it may be more than a credential."""
    secret = found[found.lastindex or 0]
    is_block = secret.startswith("-----BEGIN")
    may_act = _KEY_BLOCK.fullmatch(secret) is None if is_block else _ACTIVE.search(secret) is not None
    return found[0] if may_act else found.expand(replace)


_SHORT: Final = 200
_RUN: Final = re.compile(r"[^\s]{16}|://|PRIVATE KEY|[?&]|-[uU][\s=]|-user")
"""A short text with a credential contains at least one of these."""

_B64: Final = "[A-Za-z0-9_-]"
_ESCAPED: Final = r"(?<=\\[abfnrtv])|(?<=\\x[0-9a-fA-F]{2})|(?<=\\u[0-9a-fA-F]{4})"
"""Escapes in nested text that look like letters and are not part of a credential."""

_START: Final = f"(?:(?<![A-Za-z0-9])|{_ESCAPED})"

_PREFIXED: Final = (
    ("sk-", "sk-{B}{16,}+"),  # OpenAI, Anthropic, and those that follow them
    ("sk_", "sk_{B}{16,}+"),  # Stripe, ElevenLabs
    ("rk_", "rk_(?:live|test)_{B}{10,}+"),
    ("whsec_", "whsec_{B}{16,}+"),
    ("gh", "gh[pousr]_[A-Za-z0-9]{16,}+"),  # GitHub
    ("github_pat_", "github_pat_{B}{16,}+"),
    ("gl", "gl(?:pat|dt|rt|cbt|ptt|soat)-{B}{16,}+"),  # GitLab
    ("xox", "xox[a-z]-[A-Za-z0-9-]{10,}+"),  # Slack
    ("xapp-", "xapp-[A-Za-z0-9-]{10,}+"),
    ("hooks.slack.com/services/", "hooks\\.slack\\.com/services/[A-Za-z0-9/]{20,}+"),
    ("AKIA", "AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),  # AWS
    ("ASIA", "ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("ABSK", "ABSK[A-Za-z0-9+/=]{40,}+"),
    ("AIza", "AIza{B}{35}"),  # Google
    ("ya29.", "ya29\\.{B}{16,}+"),
    ("GOCSPX-", "GOCSPX-{B}{16,}+"),
    ("hf_", "hf_[A-Za-z0-9]{16,}+"),  # Hugging Face
    ("gsk_", "gsk_[A-Za-z0-9]{16,}+"),  # Groq
    ("xai-", "xai-{B}{16,}+"),
    ("pplx-", "pplx-[A-Za-z0-9]{16,}+"),
    ("r8_", "r8_[A-Za-z0-9]{16,}+"),  # Replicate
    ("tvly-", "tvly-{B}{16,}+"),  # Tavily
    ("npm_", "npm_[A-Za-z0-9]{20,}+"),
    ("pypi-", "pypi-{B}{16,}+"),
    ("dop_v1_", "dop_v1_[a-f0-9]{32,}+"),  # DigitalOcean
    ("dapi", "dapi[a-f0-9]{32}(?![A-Za-z0-9])"),  # Databricks
    ("SG.", "SG\\.{B}{16,}+\\.{B}{16,}+"),  # SendGrid
    ("SK", "SK[a-f0-9]{32}(?![A-Za-z0-9])"),  # Twilio
    ("shp", "shp(?:at|ca|pa|ss|tk)_[a-fA-F0-9]{16,}+"),  # Shopify
    ("lin_api_", "lin_api_[A-Za-z0-9]{16,}+"),  # Linear
    ("ntn_", "ntn_[A-Za-z0-9]{16,}+"),  # Notion
    ("secret_", "secret_[A-Za-z0-9]{32,}+"),
    ("ATATT3", "ATATT3{B}{16,}+"),  # Atlassian
    ("hvs.", "hvs\\.{B}{16,}+"),  # Vault
    ("dp.pt.", "dp\\.pt\\.[A-Za-z0-9]{16,}+"),  # Doppler
    ("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[A-Z0-9]{16,}+"),
    (":AA", "[0-9]{6,12}:AA{B}{30,}+"),  # Telegram
)
"""The prefix of a credential, for a cheap check, and its whole pattern."""

_FORMATS: Final[tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...]] = (
    (
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r".*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
        REDACTED,
    ),
    (("://",), re.compile(r"(?<=://)[^\s/?#\"'<>\\]+@"), f"{REDACTED}@"),
    (
        ("eyJ",),
        re.compile(rf"(?:(?<!{_B64})|{_ESCAPED})eyJ{_B64}{{8,}}+\.{_B64}{{8,}}+(?:\.{_B64}*+){{0,3}}"),
        REDACTED,
    ),
    (
        tuple(begin for begin, _ in _PREFIXED),
        re.compile(f"{_START}(?:{'|'.join(whole.replace('{B}', _B64) for _, whole in _PREFIXED)})"),
        REDACTED,
    ),
    (
        ("ig=", "nature=", "key="),
        re.compile(r"(?<=[?&])((?:[\w-]{0,20}-)?(?:sig|signature|key)=)([^\s&#\"'<>]++)", re.IGNORECASE),
        rf"\g<1>{REDACTED}",
    ),
    (
        ("-u", "-U", "--user", "--proxy-user"),
        re.compile(
            r"(?<![\w-])((?:-u|-U|--user|--proxy-user)(?:[ \t=]{1,4}[\"']?|[\"']))(?!\d{1,9}:\d{1,9}(?![^\s\"']))"
            r"([^\s:\"'`/\\]{1,256}:[^\s\"'`\\]++)"
        ),
        rf"\g<1>{REDACTED}",
    ),
)
"""A substring to check for, the pattern, and the replacement. The last group, or else the whole match, is the secret.
"""

_SCHEME: Final = re.compile(rf"{_START}(bearer|basic)([ \t]{{1,8}})([A-Za-z0-9._~+/=-]{{8,}}+)", re.IGNORECASE)


def _without_credentials(found: re.Match[str]) -> str:
    scheme, space, word = found.groups()
    secret = _is_name_and_password(word) if scheme.lower() == "basic" else _is_token(word)
    return f"{scheme}{space}{REDACTED}" if secret else found[0]


def _is_name_and_password(word: str) -> bool:
    word = word.rstrip("._~-=")
    try:
        return b":" in b64decode(word + "=" * (-len(word) % 4), validate=True)
    except NotBase64:
        return False


def _is_token(word: str) -> bool:
    """Whether it is not one of the plain words that follow `bearer` in prose."""
    return len(word) >= 20 or not word.isalpha()


_NAME: Final = re.compile(
    r"(?<![\w.-])(?:([\w.-]++)(\\{0,4}[\"'`]?[ \t]{0,4}(?::=|=>|==?|:|(?<=\w)>)[ \t]{0,4})"
    r"|(--[\w-]++)[ \t]{1,4}(?!-))"
)
_WORD_END: Final = re.compile(r"[\s\"'`;&<>]|,(?![^\s\"'])")
_QUOTE: Final = re.compile(r"\\{0,4}[\"'`]")
_TEXT: Final[dict[str, re.Pattern[str]]] = {
    quote: re.compile(rf"[^{quote}\\]*+(?:\\.[^{quote}\\]*+)*", re.DOTALL) for quote in ('"', "'", "`")
}
_LINE_END: Final = re.compile(r"[\r\n]")
_BRACKET: Final = re.compile(r"[\[\]{}]")
_LONGEST_END: Final = 80
_NOTHING: Final = frozenset({"null", "none", "nil", "true", "false", "undefined"})


_KEY_BLOCK: Final = re.compile(r"-----BEGIN [A-Z0-9 ]+-----(?:[A-Za-z0-9+/=\r\n]|\\[nr])*(?:-----END [A-Z0-9 ]+-----)?")
_HEADER: Final = re.compile(r"(?:basic|bearer|token|negotiate|apikey|api-key) (\S++)", re.IGNORECASE)


def _without_named(text: str, is_key: Callable[[str], bool] | None, *, is_cautious: bool) -> str:
    """Redact what follows the name of a secret: `token=…`, `"password": "…"`, `Cookie: …`, `--api-key …`."""
    ends = _Ends(text)
    parts: list[str] = []
    done = at = 0
    while found := _NAME.search(text, at):
        at = found.end()
        written = found[1] or found[3]
        name = letters(written[-_LONGEST_END:])
        is_named = is_secret_key if _QUOTE.match(found[2] or "") else is_secret_name  # in quotes it is no other word
        if not is_named(written) and (is_key is None or not is_key(written)):
            continue
        begin, end = ends.of_value(name, found)
        if is_cautious and ends.has_more(begin, end):
            continue
        value = text[begin:end]
        if not value or value == REDACTED or value.lower() in _NOTHING:
            continue
        if name.endswith("tokens") and value.isdecimal():
            continue
        if is_cautious and not is_mere_credential(value):
            continue
        parts += (text[done:begin], REDACTED)
        done = at = end
    return "".join((*parts, text[done:])) if parts else text


class _Ends:
    """Where the values in a text end, each asked for after the one before. Takes linear time for all together.

    In a cautious search a value may stay, and what it has is searched too: nothing is looked for twice.
    """

    def __init__(self, text: str) -> None:
        self._text: Final = text
        self._word: Final = _Next(_WORD_END, text)
        self._line: Final = _Next(_LINE_END, text)
        self._active: Final = _Next(_ACTIVE, text)

    def of_value(self, name: str, found: re.Match[str]) -> tuple[int, int]:
        """Return the start, without quotes, and the end of the value after a name."""
        text, at = self._text, found.end()
        quote = _QUOTE.match(text, at)
        if quote is not None:
            return quote.end(), _end_of_quoted(text, quote)
        if text[at : at + 1] in ("[", "{"):
            return at, self._containers.get(at, len(text))
        if name.endswith(("authorization", "cookie")) and ":" in (found[2] or ""):
            return at, self._end_of_header(at, text[found.start() - 1 : found.start()])
        return at, self._word.after(at)

    def has_more(self, begin: int, end: int) -> bool:
        """Whether a value certainly is more than a credential, see `is_mere_credential`."""
        header = _HEADER.match(self._text, begin, end)
        word = header.start(1) if header else begin
        return self._text.startswith(_PATHS, word) or self._active.after(word) < end

    @cached_property
    def _containers(self) -> dict[int, int]:
        """The end of each object and array that ends, by its start."""
        ends: dict[int, int] = {}
        opened: list[int] = []
        for bracket in _BRACKET.finditer(self._text):
            if bracket[0] in "[{":
                opened.append(bracket.start())
            elif opened:
                ends[opened.pop()] = bracket.end()
        return ends

    def _end_of_header(self, at: int, before: str) -> int:
        """Return the end of a header: its closing quote if it is quoted, as on a command line, or that of the line."""
        end = self._line.after(at)
        closing = self._text.find(before, at, end) if before in ('"', "'", "`") and before else -1
        return end if closing < 0 else closing


class _Next:
    """The next match of a pattern in a text after places that only increase: what was found is not searched again."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern: Final = pattern
        self._text: Final = text
        self._searched = self._found = -1

    def after(self, at: int) -> int:
        """Return where the next match begins, at a place or behind it; the end of the text if there is none."""
        if not self._searched <= at <= self._found:
            found = self._pattern.search(self._text, at)
            self._searched, self._found = at, found.start() if found else len(self._text)
        return self._found


def _end_of_quoted(text: str, quote: re.Match[str]) -> int:
    """Return the end of a quoted text: the next unescaped quote, or, if the quote is escaped, the next one like it."""
    begin = quote.end()
    if len(quote[0]) == 1:
        inside = _TEXT[quote[0]].match(text, begin)
        return inside.end() if inside else begin
    end = text.find(quote[0], begin)
    return len(text) if end < 0 else end
