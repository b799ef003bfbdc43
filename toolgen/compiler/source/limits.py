"""How much a spec file may hold. Spec text is untrusted: every bound here is checked before memory is spent."""

from __future__ import annotations

from typing import Final

from toolgen.compiler.listing import LARGEST

MAX_BYTES: Final = LARGEST
"""The size of a file."""

MAX_DEPTH: Final = 200
"""How deep mappings and lists may nest, aliases followed. Within it, walking nodes by recursion is safe."""

MAX_VALUES: Final = 1_000_000
"""How many values a file may hold, with YAML aliases expanded. A real file of `MAX_BYTES` holds about half of that."""

TEXT_WEIGHT: Final = 100
"""In characters: in YAML, text counts as one value more for each so many, because aliases repeat it."""

MAX_DIGITS: Final = 4300
"""The digits of an integer: what Python itself converts from text by default."""

MAX_PROBLEMS: Final = 1000
"""How many problems of one file are reported: a hostile one could have as many as it has values."""
