"""Hosts: which one a URL leads to, as every door of both halves reads it."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

UNNAMED: Final = "*"
"""Stands for the hosts of a tool that names none."""

UNCLEAR: Final = "?"
"""Stands for the host of a URL in which clients may find another one."""

_LABEL: Final = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"

_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", re.ASCII)
"""A name that clients parse as an IPv4 address."""


@cache  # few hosts have tools that name URLs, and it takes milliseconds to compile
def _plain_url() -> re.Pattern[str]:
    """Return a pattern of URLs in which all clients find the same host, an IPv6 address or a name; `file:` has none."""
    return re.compile(
        rf"(?!file:)[a-z][a-z0-9+.-]*+://(?:\[([0-9a-f:.]++)\]|({_LABEL}(?:\.{_LABEL})*)\.?)(?::[0-9]{{1,5}})?"
        r"(?:[/?#][!-\[\]-~]*+)?",
        re.ASCII | re.IGNORECASE,
    )


def host_of(url: str) -> str:
    """Return the host of a plain URL, addresses in their shortest form; `UNCLEAR` if clients may find another one.

    An IPv6 address that stands for one of IPv4 is that one.
    """
    found = _plain_url().fullmatch(url)
    if found is None:
        return UNCLEAR
    address, name = found.groups()
    if name is not None and not _NUMBER.fullmatch(name.lower()):
        return name.lower()
    return _address(name or address)


def host_named(name: str) -> str:
    """Return a host that is named alone as `host_of` has it, an IPv6 address with or without brackets.

    A name that no plain URL has, such as one with `_`, stays as it is; a number that clients parse as an address is
    `UNCLEAR`.
    """
    is_address = name.count(":") > 1 and not name.startswith("[")
    found = host_of(f"http://[{name}]" if is_address else f"http://{name}")
    is_kept = found == UNCLEAR and ":" not in name and not _NUMBER.fullmatch(name.lower())
    return name.lower().rstrip(".") if is_kept else found


def is_internal(host: str) -> bool:
    """Whether a host, as `host_of` has it, is this machine or one of its network, by its name or address.

    What a name resolves to is not looked up. `UNCLEAR` may be such a host, so it is one.
    """
    from ipaddress import ip_address  # slow to import

    if "." not in host and ":" not in host:  # also `UNCLEAR`: names of the internet have a dot
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host.endswith(_INTERNAL_NAMES)


_INTERNAL_NAMES: Final = (".localhost", ".local", ".internal")
"""Domains that are never of the internet (RFC 6761, RFC 6762, and ICANN resolution 2024.07.29.06)."""


def _address(text: str) -> str:
    from ipaddress import IPv4Address, IPv6Address, ip_address  # slow to import, and hosts mostly have names

    try:
        found = ip_address(text)
    except ValueError:
        return UNCLEAR
    if isinstance(found, IPv6Address):
        number = int(found)
        if found.ipv4_mapped or number >> 32 == _NAT64 >> 32:
            found = IPv4Address(number & 0xFFFFFFFF)
        elif number >> 80 == _LOCAL_NAT64 >> 80:
            return UNCLEAR
    return UNCLEAR if found.is_unspecified else str(found)


_NAT64: Final = 0x64_FF9B << 96
"""`64:ff9b::/96`, whose addresses end in one of IPv4 that a translator sends to (RFC 6052)."""

_LOCAL_NAT64: Final = _NAT64 | 1 << 80
"""`64:ff9b:1::/48`, whose addresses have one of IPv4 where a network decides (RFC 8215)."""
