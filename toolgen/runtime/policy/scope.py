"""Scope: what a call touches, as the `access` of its spec says by naming args. A grant for the session covers it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from toolgen.runtime.policy.paths.resolution import PathProblem
from toolgen.schema.json_values import canonical, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from toolgen.runtime.policy.paths.policy import PathAnswer, PathPolicy

Scope: TypeAlias = tuple[tuple[str, str], ...]
"""What a call touches: pairs of what it is and its value, sorted."""

PATH_KEYS: Final = ("read", "write", "cwd")
"""The keys of `access` that name args with paths."""

_LABEL: Final = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"


@cache  # few hosts have tools that name URLs, and it takes milliseconds to compile
def _plain_url() -> re.Pattern[str]:
    """A URL in which all clients find the same host, an IPv6 address or another name. A file is read from this one."""
    return re.compile(
        rf"(?!file:)[a-z][a-z0-9+.-]*+://(?:\[([0-9a-f:.]++)\]|({_LABEL}(?:\.{_LABEL})*+)\.?)(?::[0-9]{{1,5}})?"
        r"(?:[/?#][!-\[\]-~]*+)?",
        re.ASCII | re.IGNORECASE,
    )


_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", re.ASCII)
"""A name that clients read as an IPv4 address."""


@dataclass(frozen=True, slots=True)
class AccessedResources:
    """What one call touches. Hosts are in lower case; `scope` is None for a call that names nothing.

    `cwd` is the resolved folder that it runs in, where an arg says so; one that `is_cwd_outside` of the roots can be
    allowed by nobody. `concerns` say what stands against its paths, and `concerning` are those, resolved. `problem`
    says why one of them cannot be judged. With an unknown host, which stands among the hosts as `*`, there is no scope.
    """

    hosts: tuple[str, ...] = ()
    scope: Scope | None = None
    cwd: str = ""
    concerns: tuple[str, ...] = ()
    concerning: tuple[str, ...] = ()
    problem: str = ""
    has_unknown_host: bool = False
    is_cwd_outside: bool = False


class _Value(NamedTuple):
    """What a call gives under a key of `access`, as text. `arg` is `.name`, where the key names several args."""

    key: str
    arg: str
    text: str
    is_text: bool = True


def accessed_resources(access: Mapping[str, Any], args: Any, paths: Callable[[], PathPolicy]) -> AccessedResources:
    """Read off the args of a call, as JSON, what it touches. `access` is that of a compiled tool.

    A path with a concern stands in the scope by itself, and any other by its folder. Raises what `paths` raises, for a
    call with paths.
    """
    values = [value for key, names in access.items() if key != "hosts" for value in _values(args, key, names)]
    urls = [(value, _host(value.text)) for value in values if value.key == "url"]
    judged = [_Judged.of(value, paths().judge(value.text)) for value in values if value.key in PATH_KEYS]
    no_text = any(value.key in PATH_KEYS and not value.is_text for value in values)
    problems = (
        [PathProblem.NOT_A_STRING] if no_text else [each.answer.problem for each in judged if each.answer.problem]
    )
    scope = [("host", host) for host in access.get("hosts", ())]
    scope += [(f"host{value.arg}", host) for value, host in urls if host]
    scope += [(f"{value.key}{value.arg}", value.text) for value in values if value.key in ("exec", "scope")]
    scope += [each.in_scope for each in judged]
    has_unknown_host = any(host is None for _, host in urls)
    concerning = [each for each in judged if each.concern]
    return AccessedResources(
        hosts=(*access.get("hosts", ()), *(host or "*" for _, host in urls)),
        scope=None if has_unknown_host else tuple(sorted(dict.fromkeys(scope), key=itemgetter(0))) or None,
        cwd=next((each.answer.resolved for each in judged if each.value.key == "cwd"), ""),
        concerns=tuple(f"paths: {each.answer.given} is {each.concern}" for each in concerning),
        concerning=tuple(each.answer.resolved for each in concerning),
        problem=problems[0].value if problems else "",
        has_unknown_host=has_unknown_host,
        is_cwd_outside=any(each.value.key == "cwd" and each.answer.root is None for each in judged),
    )


class _Judged(NamedTuple):
    """A path of a call, what the policy says of it, and what stands against what is done with it, in words."""

    value: _Value
    answer: PathAnswer
    concern: str

    @classmethod
    def of(cls, value: _Value, answer: PathAnswer) -> _Judged:
        concern = answer.read_concern if value.key == "read" else answer.write_concern
        return cls(value, answer, concern.value.replace("_", " ") if concern else "")

    @property
    def in_scope(self) -> tuple[str, str]:
        what = f"{self.value.key}{self.value.arg}"
        if self.concern:
            return f"{self.concern} {what}", self.answer.resolved
        return what, _folder(self.answer)


def _values(args: Any, key: str, names: str | list[str]) -> Iterable[_Value]:
    """What a call gives for the args that a key names: each path or URL of a list, a program, or the value as JSON.

    A path or a URL that is no text stands as its JSON, which leads nowhere.
    """
    several = [names] if isinstance(names, str) else names
    for name in several:
        value = args.get(name) if is_object(args) else None
        arg = f".{name}" if len(several) > 1 else ""
        if value is None:
            continue
        if key == "exec":
            yield _Value(key, arg, _program(value))
        elif key == "scope":
            yield _Value(key, arg, spelled_value(value))
        else:
            for item in value if is_array(value) else [value]:
                yield _Value(key, arg, item if isinstance(item, str) else _json(item), is_text=isinstance(item, str))


def _program(value: Any) -> str:
    """The program of an argv. Anything else stands as its JSON, so that it is not a program of an argv."""
    if is_array(value) and value and isinstance(value[0], str):
        return spelled_value(value[0])
    return _json(value)


def spelled_value(value: Any) -> str:
    """Spell a JSON value, so that two of one spelling are the same value: `1` and `1.0` are, `1` and `"1"` are not.

    It is the canonical JSON; a text that no JSON value is spelled as stands without quotes.
    """
    if not isinstance(value, str):
        return _json(value)
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return value
    return _json(value)


def _json(value: Any) -> str:
    return canonical(_integral(value)).decode("utf-8", "surrogatepass")


def _integral(value: Any) -> Any:
    """A JSON value in which numbers without a fraction are integers: JSON Schema makes no difference of them."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_array(value):
        return [_integral(each) for each in value]
    if is_object(value):
        return {name: _integral(each) for name, each in value.items()}
    return value


def _folder(answer: PathAnswer) -> str:
    """The resolved folder that a path lies in, or is."""
    return answer.resolved if answer.kind == "folder" else str(PurePath(answer.resolved).parent)


def _host(url: str) -> str | None:
    """The host of a plain URL, an address as it is written shortest. None where clients may find another."""
    found = _plain_url().fullmatch(url)
    if found is None:
        return None
    address, name = found.groups()
    if name is not None and not _NUMBER.fullmatch(name.lower()):
        return name.lower()
    from ipaddress import IPv4Address, IPv6Address  # slow to import, and hosts mostly have names

    try:
        return str(IPv4Address(name) if address is None else IPv6Address(address).ipv4_mapped or IPv6Address(address))
    except ValueError:
        return None
