"""References: credentials of a server entry, each replaced by `$env.NAME`, so that none gets into a spec.

The name of a variable is the server's and the place's, in upper case: the header `Authorization` of `github` becomes
`$env.GITHUB_AUTHORIZATION`. A variable that the entry refers to keeps its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit, urlunsplit

from toolgen.runtime.redact.redact import is_secret_field, redact_text
from toolgen.spec.templates import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    _aliases: dict[str, str] = field(default_factory=dict[str, str])

    def environment(self, present: Mapping[str, str]) -> dict[str, str]:
        """Return an environment with the values of the entry added; a variable that is set keeps its value."""
        found = {**self.values, **present}
        for name, text in self._aliases.items():
            if name not in found and all(other in found for other in VARIABLE.findall(text)):
                found[name] = VARIABLE.sub(lambda reference: found[reference[1]], text)
        return found

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
        return self._reference(name, value, f"the header {name}")

    def url(self, url: str) -> str:
        """Return a URL without credentials in its user, path, query or fragment."""
        try:
            parts = urlsplit(self._translated(url, "the URL"))
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

    def argv(self, argv: Sequence[str]) -> list[str]:
        """Return a command line without credentials: behind flags that name them, in URLs, and by their looks."""
        found: list[str] = []
        for index, argument in enumerate(argv):
            translated = self._translated(argument, "an argument")
            flag = argv[index - 1] if index else ""
            if flag.startswith("-") and "=" not in flag and not argument.startswith("-") and _names_secret(flag):
                value = (
                    translated if _is_reference(translated) else self._reference(flag, argument, f"the value of {flag}")
                )
                found.append(value)
            elif "://" in translated:
                start = _scheme_start(translated)
                found.append(translated[:start] + self.url(translated[start:]))
            elif "=" in translated and _names_secret(translated.partition("=")[0]):
                found.append(self._pair(translated, "an argument"))
            elif _looks_secret(translated):
                found.append(self._reference(f"arg_{index}", argument, "an argument"))
            else:
                found.append(translated)
        return found

    def _pair(self, text: str, origin: str) -> str:
        """Return `name=value` with a reference for a value that is secret by its name or its looks."""
        name, equals, value = text.partition("=")
        if not equals:
            return self._reference("query", unquote(text), origin) if _looks_secret(text) else text
        if not value or _is_reference(value) or not (_names_secret(name) or _looks_secret(value)):
            return text
        return f"{name}={self._reference(name, unquote(value), origin)}"

    def _reference(self, place: str, value: str, origin: str) -> str:
        name = _upper(f"{self.server}_{place}")
        number = 2
        while self.values.get(name, value) != value:
            name = _upper(f"{self.server}_{place}_{number}")
            number += 1
        self.values[name] = value
        self.origins.setdefault(name, origin)
        return f"$env.{name}"

    def _translated(self, text: str, origin: str) -> str:
        for editor, ours in _EDITOR.items():
            text = text.replace(editor, ours)

        def reference(found: re.Match[str]) -> str:
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


def _looks_secret(text: str) -> bool:
    literal = VARIABLE.sub("", text)
    return bool(_TOKEN.fullmatch(unquote(literal))) or redact_text(literal) != literal
