"""Types that several tools share, in `drafts.nineteen`."""

from __future__ import annotations

from typing import TypeAlias


Tag: TypeAlias = str
