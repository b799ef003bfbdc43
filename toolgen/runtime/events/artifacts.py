"""Artifacts: what of results is too large to be shown, kept elsewhere under a ref."""

from __future__ import annotations

from typing import Protocol


class ArtifactStore(Protocol):
    """Keeps bytes. It blocks, and is called in a thread."""

    def put(self, data: bytes, media_type: str, /) -> str:
        """Keep bytes and give their ref; the same bytes have the same ref. Raises `ArtifactError`."""
        ...
