"""Credentials in what a spec gets: URLs, headers and command lines, judged alike at every door that writes one.

An import of a configuration file puts a variable in the place of each; the command line and descriptions of APIs are
refused, and lint reports a spec that has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from toolgen.runtime.redact.redact import is_secret_field, redact_text
from toolgen.spec.templates import VARIABLE

_FLAGS: Final = frozenset({"key", "pat"})
"""Flags that name a credential, beside the names of secrets in general."""

_NAME: Final = re.compile(r"-{0,2}[\w.-]+")
_SCHEME: Final = re.compile(r"\s*+(?:Bearer|Basic|Token|ApiKey)?\s*", re.IGNORECASE)
_SCHEME_AND_MORE: Final = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+\S", re.IGNORECASE)
_TOKEN: Final = re.compile(
    r"(?=(?:[^\d]*\d){3})(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_+=]{16,}"
    r"|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
)
"""What looks like a random value: 16 characters and more with three digits, or a UUID."""


@dataclass(slots=True)
class SpecCredentials:
    """The credentials of one server, each replaced by `$env.NAME`; `origins` is where each variable came from.

    The name of a variable is the server's and the place's, in upper case: the header `Authorization` of `github`
    becomes `$env.GITHUB_AUTHORIZATION`. `values` are what the server has as literals.
    """

    server: str = "server"
    values: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    origins: dict[str, str] = field(default_factory=dict[str, str])
    reserved: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    """Names of variables that are taken, by other servers or references, with what each stands for."""
    _aliases: dict[str, str] = field(default_factory=dict[str, str], repr=False)

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
        name = self._free(place, value)
        known[name] = value
        self.origins.setdefault(name, origin)
        return f"$env.{name}"

    def _free(self, place: str, value: str) -> str:
        """Return the name of a variable that no other value has."""
        taken = {**self.reserved, **self.values, **self._aliases}
        name = upper_name(f"{self.server}_{place}")
        number = 2
        while taken.get(name, value) != value:
            name = upper_name(f"{self.server}_{place}_{number}")
            number += 1
        return name

    def _translated(self, text: str, _origin: str) -> str:
        """Return a text with the references that it has, as a spec writes them."""
        return text


def credential_in_url(url: str) -> str:
    """Return where a URL has a credential, such as `the path of the URL`; empty if it has none."""
    found = SpecCredentials()
    found.url(url)
    return _first(found)


def credential_in_argv(argv: Sequence[str]) -> str:
    """Return where a command line has a credential, such as `the value of --token`; empty if it has none."""
    found = SpecCredentials()
    found.argv(argv)
    return _first(found)


def credential_in_header(name: str, value: str) -> str:
    """Return the header if its value has a credential beside a scheme and references; empty if it has none."""
    literal = VARIABLE.sub("", value).strip()
    if not literal or _SCHEME.fullmatch(literal):
        return ""
    is_secret = is_secret_field(f"/{name}") or _SCHEME_AND_MORE.match(literal) or _looks_secret(value)
    return f"the header {name}" if is_secret else ""


def _first(found: SpecCredentials) -> str:
    return next(iter(found.origins.values()), "")


def _is_reference(text: str) -> bool:
    """Return whether a text is a reference, or one behind a scheme such as `Bearer`."""
    return VARIABLE.search(text) is not None and _SCHEME.fullmatch(VARIABLE.sub("", text)) is not None


def _scheme_start(text: str) -> int:
    """Return where the scheme of the URL in an argument starts, as in `--url=https://host`."""
    end = text.index("://")
    start = re.search(r"[A-Za-z][A-Za-z0-9+.-]*$", text[:end])
    return start.start() if start else 0


def upper_name(name: str) -> str:
    """Return a foreign name as part of the name of a variable; several names may give the same."""
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
