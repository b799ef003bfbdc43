"""Types of the tool `whole`, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from .shared import Draft


WholeArgs: TypeAlias = Draft

WholeResult: TypeAlias = Draft
