"""The catalog file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from toolgen.compiler.documents.base import DottedName, NonEmpty, Spec, SpecFileHead, Text, Word


class NotIn(Spec):
    """The setting is set, and its value is not in the list."""

    not_: Annotated[list[str], Field(alias="not")]


class In(Spec):
    """The setting's value is in the list."""

    in_: Annotated[list[str], Field(alias="in")]


Condition = NonEmpty | Annotated[dict[NonEmpty, NotIn | In], Field(min_length=1, max_length=1)]


class ActionSpec(Spec):
    """What invoking an entry does."""

    target: NonEmpty
    args: dict[NonEmpty, Any] = {}
    split: Annotated[dict[NonEmpty, NonEmpty], Field(max_length=1)] = {}


class CategorySpec(Spec):
    """Fixed entries (`actions`), or entries from the host (`target`)."""

    description: Text
    """Its line in the prompt, without tool names."""
    from_: Annotated[DottedName | None, Field(alias="from")] = None
    needs: Condition | None = None
    """The condition under which it is visible."""
    formerly: list[NonEmpty] = []
    """Former names of the category; a request for one returns this category."""
    actions: dict[NonEmpty, NonEmpty | ActionSpec | None] | None = None
    target: NonEmpty | None = None
    args: dict[NonEmpty, Any] = {}
    split: Annotated[dict[NonEmpty, NonEmpty], Field(max_length=1)] = {}
    invoke: str = ""
    """What invoking an entry does, written for models; required with `target`."""


class SearchSpec(Spec):
    """The condition under which search is offered."""

    needs: Condition = "embedding_class"


class MandateSpec(Spec):
    """A sentence of the system prompt for the given tiers."""

    text: Text
    tiers: list[Literal["light", "strong"]] = ["light"]
    repeat: Annotated[int, Field(ge=1, le=10)] = 3


class HotListSpec(Spec):
    """Recently used entries, shown first."""

    size: Annotated[int, Field(ge=0)] = 0
    seeds: list[NonEmpty] = []


class CatalogFile(SpecFileHead):
    """An action catalog: ordered categories of entries, backed by tools."""

    catalog: Word
    from_: Annotated[DottedName | None, Field(alias="from")] = None
    """The toolset in which tool names without a toolset are looked up."""
    prompt: str = ""
    """The first paragraph of the prompt section on categories."""
    categories: dict[NonEmpty, CategorySpec]
    search: SearchSpec = SearchSpec()
    mandates: list[MandateSpec] = []
    hot_list: HotListSpec = HotListSpec()
