"""Types of the tool `list_dir`, in `code`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class ListDirArgs(ClosedModel):
    """Args of `list_dir`: List a directory."""

    path: str = "."
    recursive: bool = False
    limit: Annotated[int, Field(ge=1, le=10000)] = 1000


class ListDirResultEntriesItem(ClosedModel):
    path: str
    kind: Literal["file", "dir", "link", "other"]


class ListDirResult(ClosedModel):
    """Result of `list_dir`: List a directory."""

    entries: list[ListDirResultEntriesItem]
    truncated: bool
