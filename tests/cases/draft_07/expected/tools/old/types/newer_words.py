"""Types of the tool `newer_words`, in `old`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class NewerWordsArgs(OpenModel):
    """Args of `newer_words`: Keywords of a later draft are unknown here, and check nothing."""

    x: list[JsonValue] | None = None


NewerWordsResult: TypeAlias = JsonValue
