"""Types that several tools share, in `yaml`."""

from __future__ import annotations

from typing import Literal, TypeAlias


Switch: TypeAlias = Literal["yes", "no", "on", "off", "2024-01-01", "1", "12:30", "1_000"]
