"""Types that several tools share, in `shop`."""

from __future__ import annotations

from typing import TypeAlias


Code: TypeAlias = str
