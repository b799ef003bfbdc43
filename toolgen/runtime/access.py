"""Access: what a call touches, as its spec says by naming args. It is the scope that a grant for the session covers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from toolgen.runtime.json_text import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
_PATHS: Final = ("read", "write", "cwd")


@dataclass(frozen=True, slots=True)
class Touched:
    """What one call touches. Paths are as the model wrote them; hosts are lower case.

    `scope` is None for a call that names nothing: then a grant can never be kept.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    scope: tuple[tuple[str, str], ...] | None = None


def touched(access: Mapping[str, Any], args: Any, project: Path) -> Touched:
    """Read off the args of a call, as JSON, what it touches. `access` is that of a compiled tool."""
    values = {key: tuple(_texts(args, names, first=key == "exec")) for key, names in access.items() if key != "hosts"}
    hosts = (*access.get("hosts", ()), *map(_host, values.get("url", ())))
    scope = {(key, _folder(project, path, is_cwd=key == "cwd")) for key in _PATHS for path in values.get(key, ())}
    scope |= {(key, value) for key in ("exec", "scope") for value in values.get(key, ())}
    scope |= {("host", host) for host in hosts}
    return Touched(
        reads=values.get("read", ()),
        writes=values.get("write", ()),
        hosts=hosts,
        scope=tuple(sorted(scope)) or None,
    )


def _texts(args: Any, names: str | list[str], *, first: bool) -> Iterable[str]:
    """The values of some args as texts, each of a list; of an argv the program alone."""
    for name in [names] if isinstance(names, str) else names:
        value = args.get(name) if is_object(args) else None
        items = value if is_array(value) else [] if value is None else [value]
        yield from map(str, items[:1] if first else items)


def _folder(project: Path, path: str, *, is_cwd: bool) -> str:
    """The resolved folder that a path lies in, or is."""
    resolved = Path(os.path.realpath(project / Path(path).expanduser()))
    return str(resolved if is_cwd or resolved.is_dir() else resolved.parent)


def _host(url: str) -> str:
    """The host of a URL; of what is none, any host."""
    try:
        return urlsplit(url).hostname or "*"
    except ValueError:
        return "*"
