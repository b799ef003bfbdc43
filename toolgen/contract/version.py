"""The version of the contract between a generated package and the runtime that loads it."""

from __future__ import annotations

from typing import Final

CONTRACT_VERSION: Final = 1
"""Raised when a generated package of before no longer runs; `toolgen build` writes it into the package."""
