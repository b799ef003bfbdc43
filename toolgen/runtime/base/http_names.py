"""HTTP names: under which name a client reaches a server, and from which page, by the headers Host and Origin.

A page in a browser can lead its own name to this machine (DNS rebinding). So the headers are read whole, and what
cannot be decided is foreign.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

_AUTHORITY: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^\s/@:\[\]?#\\,*\"<>|^`{}%]+)(?::([0-9]{1,5}))?")
_ORIGIN: Final = re.compile(r"https?://(.+)")


def header_values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    """Return all values of a header of an ASGI request; `name` is in lower case."""
    return [value.decode("latin-1").strip(" \t") for key, value in headers if key.lower() == name]


def is_host_of(value: str, hosts: Collection[str]) -> bool:
    """Whether the value of a header Host is one of some names, in any case; a name without a port has any."""
    found = _AUTHORITY.fullmatch(value.lower())
    if found is None or int(found[2] or 0) > 65_535:
        return False
    return not {found[1], found[0]}.isdisjoint(host.lower() for host in hosts)


def is_origin_of(value: str, hosts: Collection[str], origins: Collection[str]) -> bool:
    """Whether the value of a header Origin is a page of a server with such names, or one of other origins."""
    found = _ORIGIN.fullmatch(value.lower())
    return value.lower() in (each.lower() for each in origins) or (found is not None and is_host_of(found[1], hosts))
