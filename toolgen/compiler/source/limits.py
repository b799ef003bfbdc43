"""How much a spec file may hold. Spec text is untrusted: every bound here is checked before memory is spent."""

from __future__ import annotations

from typing import Final

MAX_BYTES: Final = 10 * 1024 * 1024
"""The size of a file."""

MAX_DEPTH: Final = 200
"""How deep mappings and lists may nest, aliases followed. Within it, walking nodes by recursion is safe."""

MAX_EXPANDED: Final = 1_000_000
"""What YAML aliases may add, in values. Long text weighs more: one value for each started `TEXT_WEIGHT` characters."""

TEXT_WEIGHT: Final = 100
"""In characters."""

MAX_DIGITS: Final = 4300
"""The digits of an integer: what Python itself converts from text by default."""


class GaveUp(Exception):
    """A problem after which a text cannot be read on. It has been reported; this only unwinds."""
