"""The catalog file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from toolgen.compiler.documents.base import DottedName, NonEmpty, Spec, SpecFileHead, Text, Word


class NotIn(Spec):
    """The setting is set, and its value is not in the list."""

    not_: Annotated[list[str], Field(alias="not")]
    """Values with which it does not hold."""


class In(Spec):
    """The setting's value is in the list."""

    in_: Annotated[list[str], Field(alias="in")]
    """Values with which it holds."""


Condition = NonEmpty | Annotated[dict[NonEmpty, NotIn | In], Field(min_length=1, max_length=1)]


class ActionSpec(Spec):
    """What invoking an entry does."""

    target: NonEmpty
    """The tool that is called: an ident, or a name in the toolset of `from`."""
    args: dict[NonEmpty, Any] = {}
    """Maps args of the target to values: `$entry`, `$args`, `$args.name`, or a literal. Default: the caller's args."""
    split: Annotated[dict[NonEmpty, NonEmpty], Field(max_length=1)] = {}
    """Maps an arg of the caller to the two args of the target that it is split into, such as `<server>__<tool>`."""


class CategorySpec(Spec):
    """Fixed entries (`actions`), or entries from the host (`target`)."""

    description: Text
    """Its line in the prompt, without tool names."""
    from_: Annotated[DottedName | None, Field(alias="from")] = None
    """The toolset in which tool names without a toolset are looked up. Default: that of the catalog."""
    needs: Condition | None = None
    """The setting that must be set for it to be visible, or the setting with the values that it may have."""
    formerly: list[NonEmpty] = []
    """Former names of the category; a request for one returns this category."""
    actions: dict[NonEmpty, NonEmpty | ActionSpec | None] | None = None
    """Maps fixed entries to the tools that they call. Default of an entry: the tool of the same name."""
    target: NonEmpty | None = None
    """The tool that is called for each entry of the host."""
    args: dict[NonEmpty, Any] = {}
    """Maps args of `target` to values: `$entry`, `$args`, `$args.name`, or a literal."""
    split: Annotated[dict[NonEmpty, NonEmpty], Field(max_length=1)] = {}
    """Maps an arg of the caller to the two args of `target` that it is split into, such as `<server>__<tool>`."""
    invoke: str = ""
    """What invoking an entry does, written for models; required with `target`."""


class SearchSpec(Spec):
    """The condition under which search is offered."""

    needs: Condition = "embedding_class"
    """The setting that must be set, or the setting with the values that it may have."""


class MandateSpec(Spec):
    """A sentence of the system prompt for the given tiers."""

    text: Text
    """The sentence; an entry is named as `category__entry`."""
    tiers: list[Literal["light", "strong"]] = ["light"]
    """The tiers of models that are told: small models (`light`), large ones (`strong`)."""
    repeat: Annotated[int, Field(ge=1, le=10)] = 3
    """How often the prompt repeats it."""


class HotListSpec(Spec):
    """Recently used entries, shown first."""

    size: Annotated[int, Field(ge=0)] = 0
    """Maximum number of entries; 0 means no list."""
    seeds: list[NonEmpty] = []
    """The initial entries, as `category__entry`."""


class CatalogFile(SpecFileHead):
    """An action catalog: ordered categories of entries, backed by tools."""

    catalog: Word
    """The name of the catalog."""
    from_: Annotated[DottedName | None, Field(alias="from")] = None
    """The toolset in which tool names without a toolset are looked up."""
    prompt: str = ""
    """The first paragraph of the prompt section on categories."""
    categories: dict[NonEmpty, CategorySpec]
    """The categories by name, in the order in which models see them."""
    search: SearchSpec = SearchSpec()
    """When search is offered."""
    mandates: list[MandateSpec] = []
    """Sentences that tell models to use entries."""
    hot_list: HotListSpec = HotListSpec()
    """The list of recently used entries."""
