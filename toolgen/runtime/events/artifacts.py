"""Artifacts: results that are too large to be shown, stored elsewhere under a ref."""

from __future__ import annotations

from typing import Protocol


class ArtifactStore(Protocol):
    """Stores bytes. Its methods block, and are called in a thread."""

    def put(self, data: bytes, media_type: str, /) -> str:
        """Store bytes and return their ref; equal bytes have the same ref. Raises `ArtifactError`."""
        ...
