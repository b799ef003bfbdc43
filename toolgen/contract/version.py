"""The version of the contract between a generated package and the runtime that loads it."""

from __future__ import annotations

from typing import Final

CONTRACT_VERSION: Final = 1
"""Incremented when older generated packages no longer run; `toolgen build` writes it into the package."""
