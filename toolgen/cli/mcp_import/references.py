"""References: credentials of a server entry, each replaced by `$env.NAME`, so that none gets into a spec.

The name of a variable is the server's and the place's, in upper case: the header `Authorization` of `github` becomes
`$env.GITHUB_AUTHORIZATION`. A variable that the entry refers to keeps its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit, urlunsplit

import click

from toolgen.runtime.redact.redact import is_secret_field, redact_text
from toolgen.spec.templates import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_FOREIGN: Final = re.compile(
    r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}"
    r"|\$\{input:(?P<input>[^}]+)\}|\$env:(?P<shell>[A-Za-z_][A-Za-z0-9_]*)|^\$(?P<plain>[A-Za-z_][A-Za-z0-9_]*)$"
)
"""`${NAME}`, `${NAME:-default}` (Claude Code), `${env:NAME}`, `${input:id}` (VS Code, Cursor), `$NAME` (Gemini CLI)."""

_EDITOR: Final = {
    "${workspaceFolder}": ".",
    "${workspaceFolderBasename}": ".",
    "${userHome}": "$env.HOME",
    "${pathSeparator}": "/",
    "${/}": "/",
}
"""Variables of VS Code and Cursor that are no secrets."""

_FLAGS: Final = frozenset({"key", "pat"})
"""Flags that name a credential, beside the names of secrets in general."""

_LETTER: Final = re.compile(r"[A-Za-z0-9_]")
_NAME: Final = re.compile(r"-{0,2}[\w.-]+")
_SCHEME: Final = re.compile(r"\s*(?:Bearer|Basic|Token|ApiKey)?\s*", re.IGNORECASE)
_TOKEN: Final = re.compile(
    r"(?=(?:[^\d]*\d){3})(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_+=]{16,}"
    r"|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
)
"""What looks like a random value: 16 characters and more with three digits, or a UUID."""


@dataclass(slots=True)
class References:
    """The references of one entry: `values` are what it has as literals, `origins` where each variable came from."""

    server: str
    values: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    origins: dict[str, str] = field(default_factory=dict[str, str])
    _aliases: dict[str, str] = field(default_factory=dict[str, str], repr=False)

    def environment(self, present: Mapping[str, str]) -> dict[str, str]:
        """Return an environment with the values of the entry added; a variable that is set keeps its value."""
        found = {**self.values, **present}
        for name, text in self._aliases.items():
            if name not in found and all(other in found for other in VARIABLE.findall(text)):
                found[name] = VARIABLE.sub(lambda reference: found[reference[1]], text)
        return found

    @property
    def made_of(self) -> dict[str, list[str]]:
        """The variables whose values the entry makes of those of others, where they are not set themselves."""
        return {name: list(dict.fromkeys(VARIABLE.findall(text))) for name, text in self._aliases.items()}

    def variable(self, name: str, value: str) -> str:
        """Take an environment variable that the program gets by its name."""
        translated = self._translated(value, f"the variable {name}")
        self.origins.setdefault(name, f"the variable {name}")
        if not VARIABLE.search(translated):
            self.values.setdefault(name, value)
        elif translated != f"$env.{name}":
            self._aliases[name] = translated
        return name

    def header(self, name: str, value: str) -> str:
        """Return the value of a header: a scheme and references stay, and all else is one reference."""
        translated = self._translated(value, f"the header {name}")
        if _is_reference(translated):
            return translated
        return self._reference(name, translated, f"the header {name}")

    def url(self, url: str) -> str:
        """Return a URL without credentials in its user, path, query or fragment."""
        return self._without_credentials(self._translated(url, "the URL"), "url", "the URL", self._url)

    def argv(self, argv: Sequence[str]) -> list[str]:
        """Return a command line without credentials: behind flags that name them, in URLs, and by their looks."""
        flags = ["", *argv]
        return [self._argument(index, flags[index], argument) for index, argument in enumerate(argv)]

    def _argument(self, index: int, flag: str, argument: str) -> str:
        translated = self._translated(argument, "an argument")
        is_value = flag.startswith("-") and "=" not in flag and not argument.startswith("-")
        if is_value and _names_secret_flag(flag):
            if _is_reference(translated):
                return translated
            return self._reference(flag, translated, f"the value of {flag}")
        if is_value and _looks_secret(f"{flag} {translated}"):
            return self._reference(flag, translated, f"the value of {flag}")
        return self._without_credentials(translated, f"arg_{index}", "an argument", self._parts_of_argument)

    def _parts_of_argument(self, text: str) -> str:
        if "://" in text:
            start = _scheme_start(text)
            return text[:start] + self._url(text[start:])
        name = text.partition("=")[0]
        return self._pair(text, "an argument") if _NAME.fullmatch(name) and _names_secret(name) else text

    def _without_credentials(self, text: str, place: str, origin: str, parts: Callable[[str], str]) -> str:
        """Return a text with references for its secret parts; with one for all of it, if there would be more."""
        values, aliases, origins = dict(self.values), dict(self._aliases), dict(self.origins)
        found = parts(text)
        if not _looks_secret(found):
            return found
        self.values, self._aliases, self.origins = values, aliases, origins
        return self._reference(place, text, origin)

    def _url(self, url: str) -> str:
        try:
            parts = urlsplit(url)
        except ValueError:  # no URL, so no part of it is known to be harmless
            return self._reference("url", url, "the URL")
        user, at, host = parts.netloc.rpartition("@")
        if user and not VARIABLE.fullmatch(user):
            user = self._reference("user", user, "the user of the URL")
        segments = [
            self._reference("path", unquote(each), "the path of the URL") if _looks_secret(each) else each
            for each in parts.path.split("/")
        ]
        query = "&".join(self._pair(each, "the query of the URL") for each in parts.query.split("&"))
        fragment = self._pair(parts.fragment, "the fragment of the URL")
        return urlunsplit((parts.scheme, f"{user}{at}{host}", "/".join(segments), query, fragment))

    def _pair(self, text: str, origin: str) -> str:
        """Return `name=value` with a reference for a value that is secret by its name or its looks."""
        name, equals, value = text.partition("=")
        if not equals:
            return self._reference("query", unquote(text), origin) if _looks_secret(text) else text
        is_secret = _names_secret(name) or _looks_secret(value) or _looks_secret(f"?{text}")
        if not value or _is_reference(value) or not is_secret:
            return text
        return f"{name}={self._reference(name, unquote(value), origin)}"

    def _reference(self, place: str, value: str, origin: str) -> str:
        """Return a reference to a variable with a value, which may have references itself."""
        known = self._aliases if VARIABLE.search(value) else self.values
        taken = {**self.values, **self._aliases}
        name = _upper(f"{self.server}_{place}")
        number = 2
        while taken.get(name, value) != value:
            name = _upper(f"{self.server}_{place}_{number}")
            number += 1
        known[name] = value
        self.origins.setdefault(name, origin)
        return f"$env.{name}"

    def _translated(self, text: str, origin: str) -> str:
        for editor, ours in _EDITOR.items():
            text = text.replace(editor, ours)

        def reference(found: re.Match[str]) -> str:
            if _LETTER.match(text, found.end()):
                raise click.UsageError(
                    f"{origin} of `{self.server}` has letters right behind `{found[0]}`, which no spec can have: "
                    "put all of it into one variable."
                )
            asked = found["input"]
            name = _upper(f"{self.server}_{asked}") if asked else found["name"] or found["shell"] or found["plain"]
            if found["default"]:
                self.values.setdefault(name, found["default"])
            self.origins.setdefault(name, origin)
            return f"$env.{name}"

        return _FOREIGN.sub(reference, text)


def _is_reference(text: str) -> bool:
    """Return whether a text is a reference, or one behind a scheme such as `Bearer`."""
    return VARIABLE.search(text) is not None and _SCHEME.fullmatch(VARIABLE.sub("", text)) is not None


def _scheme_start(text: str) -> int:
    """Return where the scheme of the URL in an argument starts, as in `--url=https://host`."""
    end = text.index("://")
    start = re.search(r"[A-Za-z][A-Za-z0-9+.-]*$", text[:end])
    return start.start() if start else 0


def _upper(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()


def _names_secret(name: str) -> bool:
    return is_secret_field("/" + name.strip("-").replace("/", "_"))


def _names_secret_flag(flag: str) -> bool:
    return flag.lstrip("-").lower() in _FLAGS or _names_secret(flag)


def _looks_secret(text: str) -> bool:
    """Return whether a text has a credential beside its references."""
    if _TOKEN.fullmatch(unquote(VARIABLE.sub("", text))):
        return True
    # Without its value, a name may seem to be that of the next word; `null` is no value, but may be a part of a URL.
    return all(redact_text(literal) != literal for literal in (VARIABLE.sub(each, text) for each in ("", "null")))
