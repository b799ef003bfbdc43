"""Limits of spec files. Spec text is untrusted: every limit is checked before memory is allocated."""

from __future__ import annotations

from typing import Final

from toolgen.compiler.project.listing import LARGEST

MAX_BYTES: Final = LARGEST
"""Maximum size of a file."""

MAX_DEPTH: Final = 200
"""Maximum nesting depth of mappings and lists, aliases followed. Recursion over nodes is safe within it."""

MAX_VALUES: Final = 1_000_000
"""Maximum number of values in a file, with YAML aliases expanded. A typical file of `MAX_BYTES` has half as many."""

TEXT_WEIGHT: Final = 100
"""Characters: YAML text counts as one more value per this many, because aliases can repeat it."""

MAX_DIGITS: Final = 4300
"""Maximum digits of an integer: Python's own default limit for conversion from text."""

MAX_PROBLEMS: Final = 1000
"""Maximum number of reported problems per file: a hostile file could have one per value."""
