"""Types that several tools share, in `nullable`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class Person(ClosedModel):
    name: str
    nickname: str | None


MaybePerson: TypeAlias = Person | None
