"""The small language of templates that specs hold, `{{args.name}}`, as the compiler checks it and executors read it."""

from __future__ import annotations

import re
from typing import Final

BRACES: Final = re.compile(r"\{\{((?:(?!\{\{|\}\}).)*)\}\}", re.DOTALL)
"""A template; its group is what stands in the braces."""

BEYOND_A_NAME: Final = re.compile(r"[\s|.(\[]")
"""What begins a filter or leads into a value, which templates do not have."""
