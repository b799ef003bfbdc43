"""References in the text of specs, as the compiler checks and executors read them: `{{args.name}}`, `$env.NAME`."""

from __future__ import annotations

import re
from typing import Final

BRACES: Final = re.compile(r"\{\{((?:(?!\{\{|\}\}).)*)\}\}", re.DOTALL)
"""A template; its group is what stands in the braces."""

BEYOND_A_NAME: Final = re.compile(r"[\s|.(\[]")
"""What begins a filter or leads into a value, which templates do not have."""

VARIABLE: Final = re.compile(r"\$env\.([A-Za-z_][A-Za-z0-9_]*)")
"""A reference to an environment variable, alone or as a part of a value; its group is the name."""


def has_nameless_variable(text: str) -> bool:
    """Return whether a text has `$env.` without a name behind it."""
    return text.count("$env.") != len(VARIABLE.findall(text))
