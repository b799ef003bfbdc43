"""Server entries: the MCP servers in the configuration files of agents and editors, as servers of specs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

import click

from toolgen.execute.reach import variables_of
from toolgen.runtime.redact.spec_credentials import SpecCredentials
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.templates import VARIABLE
from toolgen.spec.toml_text import read_toml

# References: credentials of a server entry, each replaced by `$env.NAME`, so that none gets into a spec.
#
# A variable that the entry refers to keeps its name, and no other value gets that name.

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

_LETTER: Final = re.compile(r"[A-Za-z0-9_]")


@dataclass(slots=True)
class References(SpecCredentials):
    """The references of one entry: those that its file has, and those that stand for its credentials."""

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

    def _translated(self, text: str, origin: str) -> str:
        for editor, ours in _EDITOR.items():
            text = text.replace(editor, ours)

        def reference(found: re.Match[str]) -> str:
            if _LETTER.match(text, found.end()):
                raise click.UsageError(
                    f"{origin} of `{self.server}` has letters right behind `{found[0]}`, which no spec can have: "
                    "put all of it into one variable."
                )
            name = self._asked(found["input"]) or found["name"] or found["shell"] or found["plain"]
            if found["default"]:
                self.values.setdefault(name, found["default"])
            self.origins.setdefault(name, origin)
            return f"$env.{name}"

        return _FOREIGN.sub(reference, text)

    def _asked(self, name: str | None) -> str:
        """Return the variable of what an editor asks a person for; empty for nothing."""
        if name is None:
            return ""
        value = f"${{input:{name}}}"
        variable = self._free(name, value)
        self.reserved[variable] = value
        return variable

    @property
    def taken(self) -> dict[str, str]:
        """The names of all variables, with what each stands for."""
        return {**self.reserved, **self.values, **self._aliases}


def _fixed_names(entries: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of variables that entries have themselves, with their values where these are literals.

    A name whose value is not known, or that has several, stands for itself: no literal may be taken for it.
    """
    found: dict[str, set[str]] = {}
    pending: list[Any] = [entries]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            for reference in _FOREIGN.finditer(each):
                name = reference["name"] or reference["shell"] or reference["plain"]
                found.setdefault(name or "", set()).add(f"$env.{name}")
        elif is_object(each):
            pending += each.values()
            env = each.get("env")
            for name, value in env.items() if is_object(env) else ():
                found.setdefault(name, set()).add(str(value))
        elif is_array(each):
            pending += each
    return {name: values.pop() if len(values) == 1 else f"$env.{name}" for name, values in found.items()}


_PLACES: Final = (
    ("mcpServers",),  # Claude, Cursor, Windsurf, Gemini CLI, Cline
    ("servers",),  # mcp.json of VS Code
    ("mcp", "servers"),  # settings.json of VS Code, nested or not
    ("mcp.servers",),
    ("context_servers",),  # Zed
    ("mcp_servers",),  # Codex
)
_COMMENT: Final = re.compile(r'("(?:[^"\\]|\\.)*"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*"?)|,(?=\s*[}\]])')


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """One server. `references` has the values that the file has as literals: no spec gets them."""

    name: str
    server: dict[str, Any]
    references: References

    @property
    def variables(self) -> dict[str, str]:
        """What has to be set to run the tools: the variables that the spec refers to, and where each came from."""
        made_of, origins = self.references.made_of, self.references.origins
        needed = {name: origins.get(name, "the folder of the user") for name in variables_of(self.server)}
        return {
            name: f"{origin}, which the file makes of {', '.join(made_of[name])}" if name in made_of else origin
            for name, origin in needed.items()
        }

    @property
    def toolset(self) -> str:
        """The toolset that its tools go to."""
        name = re.sub(r"_{2,}", "_", re.sub(r"[^A-Za-z0-9_-]+", "_", self.name)).strip("_-").lower()
        return f"mcp.{name if name and not name[0].isdigit() else f'server_{name}'.rstrip('_')}"


def server_entries(path: str, text: str, only: str | None) -> list[ServerEntry]:
    """Return the servers of a file, or the one; without those that are switched off, unless one is named.

    Raises click.UsageError for a file without servers, an unknown server, and an entry that describes none.
    """
    entries = _entries(path, _parsed(path, text))
    if only is not None and only not in entries:
        raise click.UsageError(f"{path} has no server `{only}`. It has {', '.join(sorted(entries))}.")
    is_gemini = ".gemini" in PurePath(path).parts
    taken = _fixed_names(entries)
    found: list[ServerEntry] = []
    for name, entry in entries.items():  # all of them, so that names do not depend on which are imported
        is_asked = name == only or (only is None and not _is_off(entry))
        references = References(name, reserved=dict(taken))
        with nullcontext() if is_asked else suppress(click.UsageError):
            read = _entry(path, name, entry, references, url_is_sse=is_gemini)
            found += [read] if is_asked else []
        taken |= references.taken
    return found


def _parsed(path: str, text: str) -> Any:
    try:
        if path.endswith(".toml"):
            return read_toml(text)
        plain = _COMMENT.sub(lambda found: found[1] or " ", text)
        return json.loads(_COMMA.sub(lambda found: found[1] or "", plain))
    except (ValueError, RecursionError) as error:
        raise click.UsageError(
            f"{path} is not valid {'TOML' if path.endswith('.toml') else 'JSON'}: {error}."
        ) from error


def _entries(path: str, data: Any) -> Mapping[str, Any]:
    for place in _PLACES:
        found = data
        for key in place:
            found = found.get(key) if is_object(found) else None
        if is_object(found) and found:
            return found
    names = ", ".join(dict.fromkeys(f"`{'.'.join(place)}`" for place in _PLACES))
    raise click.UsageError(f"{path} has no MCP servers: they are under one of {names}.")


def _is_off(entry: Any) -> bool:
    return is_object(entry) and (entry.get("disabled") is True or entry.get("enabled") is False)


def _entry(path: str, name: str, entry: Any, references: References, *, url_is_sse: bool) -> ServerEntry:
    if not is_object(entry):
        raise _no_server(path, name, "it is not an object")
    reader = _Entry(path, name, entry)
    command = entry.get("command")
    if is_object(command):  # Zed, before 2025-10
        reader, command = _Entry(path, name, {**entry, **command}), command.get("path")
    if isinstance(command, str) and command:
        server: dict[str, Any] = {"stdio": references.argv([command, *reader.texts("args")])}
        passed = [references.variable(key, value) for key, value in reader.pairs("env").items()]
        passed += [references.variable(key, f"${{{key}}}") for key in reader.texts("env_vars")]  # Codex
        return ServerEntry(name, server | ({"env": passed} if passed else {}), references)
    url = next((url for key in ("httpUrl", "serverUrl", "url") if isinstance(url := entry.get(key), str)), None)
    if not url:
        raise _no_server(path, name, "it has neither a `command` nor a `url`")
    kind = str(entry.get("type") or entry.get("transport") or "").lower()
    is_sse = kind == "sse" or (not kind and _is_sse(url, by_default=url_is_sse and "httpUrl" not in entry))
    headers = reader.headers(references)
    server = {"sse" if is_sse else "http": references.url(url)}
    return ServerEntry(name, server | ({"headers": headers} if headers else {}), references)


@dataclass(frozen=True, slots=True)
class _Entry:
    """Reads the parts of an entry. Raises click.UsageError for one of another type."""

    path: str
    name: str
    entry: Mapping[str, Any]

    def texts(self, key: str) -> list[str]:
        found: Any = self.entry.get(key) or []
        if not is_array(found):
            raise _no_server(self.path, self.name, f"its `{key}` is not a list")
        return list(map(str, found))

    def pairs(self, key: str) -> dict[str, str]:
        found: Any = self.entry.get(key) or {}
        if not is_object(found):
            raise _no_server(self.path, self.name, f"its `{key}` is not an object")
        return {name: str(value) for name, value in found.items()}

    def headers(self, references: References) -> dict[str, str]:
        literal = self.pairs("headers") or self.pairs("http_headers")
        headers = {name: references.header(name, value) for name, value in literal.items()}
        for name, variable in self.pairs("env_http_headers").items():  # Codex
            headers[name] = references.header(name, f"${{{variable}}}")
        if token := self.entry.get("bearer_token_env_var"):  # Codex
            headers["Authorization"] = references.header("Authorization", f"Bearer ${{{token}}}")
        return headers


def _is_sse(url: str, *, by_default: bool) -> bool:
    """Return whether an entry that does not name its transport has that of server-sent events: by custom, `…/sse`."""
    return by_default or url.partition("?")[0].rstrip("/").endswith("/sse")


def _no_server(path: str, name: str, reason: str) -> click.UsageError:
    return click.UsageError(f"The server `{name}` of {path} cannot be read: {reason}.")
