"""Addresses to listen at, as commands take them."""

from __future__ import annotations

import click


def place_of(address: str) -> tuple[str, int]:
    """Return the host and the port of `[HOST:]PORT`. Raises click.UsageError."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.UsageError(f"--http {address}: this is not [HOST:]PORT, such as 8000 or 127.0.0.1:8000")
    return host.strip("[]") or "127.0.0.1", int(port)
