"""Scope: what a call touches, as the `access` of its spec says by naming args. A grant for the session covers it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from toolgen.contract.json_types import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from toolgen.runtime.paths.policy import PathAnswer, PathPolicy
    from toolgen.runtime.run import Scope

PATH_KEYS: Final = ("read", "write", "cwd")
"""The keys of `access` that name args with paths."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What one call touches. Hosts are in lower case; `scope` is None for a call that names nothing.

    `cwd` is the resolved folder that it runs in, where an arg says so. `concerns` say what stands against its paths,
    and `concerning` are those, resolved.
    """

    hosts: tuple[str, ...] = ()
    scope: Scope | None = None
    cwd: str = ""
    concerns: tuple[str, ...] = ()
    concerning: tuple[str, ...] = ()


def touched(access: Mapping[str, Any], args: Any, paths: Callable[[], PathPolicy]) -> Touched:
    """Read off the args of a call, as JSON, what it touches. `access` is that of a compiled tool.

    Raises what `paths` raises, for a call with paths.
    """
    values = {key: tuple(_texts(args, names, first=key == "exec")) for key, names in access.items() if key != "hosts"}
    hosts = (*access.get("hosts", ()), *map(_host, values.get("url", ())))
    judged = [(key, paths().judge(path)) for key in PATH_KEYS for path in values.get(key, ())]
    scope = {(key, _folder(answer)) for key, answer in judged if answer.problem is None}
    scope |= {(key, value) for key in ("exec", "scope") for value in values.get(key, ())}
    scope |= {("host", host) for host in hosts}
    concerning = [
        (answer, concern)
        for key, answer in judged
        if (concern := answer.read_concern if key == "read" else answer.write_concern) is not None
    ]
    return Touched(
        hosts=hosts,
        scope=tuple(sorted(scope)) or None,
        cwd=next((answer.resolved for key, answer in judged if key == "cwd"), ""),
        concerns=tuple(f"paths: {answer.given} is {concern.value.replace('_', ' ')}" for answer, concern in concerning),
        concerning=tuple(answer.resolved for answer, _ in concerning),
    )


def _texts(args: Any, names: str | list[str], *, first: bool) -> Iterable[str]:
    """The values of some args as texts, each of a list; of an argv the program alone."""
    for name in [names] if isinstance(names, str) else names:
        value = args.get(name) if is_object(args) else None
        items = value if is_array(value) else [] if value is None else [value]
        yield from map(str, items[:1] if first else items)


def _folder(answer: PathAnswer) -> str:
    """The resolved folder that a path lies in, or is."""
    return answer.resolved if answer.kind == "folder" else str(PurePath(answer.resolved).parent)


def _host(url: str) -> str:
    """The host of a URL; of what is none, any host."""
    try:
        return urlsplit(url).hostname or "*"
    except ValueError:
        return "*"
