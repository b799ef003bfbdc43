"""Types that several tools share, in `truth`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue


Anything: TypeAlias = JsonValue

Never: TypeAlias = JsonValue
