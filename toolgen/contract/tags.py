"""Words that tools are tagged with, where both halves look for them."""

from __future__ import annotations

from typing import Final

DISCOVERY: Final = "discovery"
"""Tells what other tools there are. Every run may call such a tool, and no model is shown it as one of the others."""
