"""Summary: the tools of a target in short, for commands that list them or show one, without compiling anything.

It is found by the digests of all inputs. A toolset whose shapes are asked for comes from its own entry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.cache.store import Cache
    from toolgen.compiler.ir.catalog import Catalog, Policy
    from toolgen.compiler.project.config import Target

_KIND: Final = "summary"


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One tool, as lists show it, with the names that it is found by."""

    ident: str
    toolset: str
    kind: str
    wire_name: str
    source_name: str
    title: str
    permission: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The tools of a target, sorted by ident, and its policies. `keys` are those of the toolsets in the cache."""

    tools: tuple[ListedTool, ...]
    policies: tuple[Policy, ...]
    keys: Mapping[str, str]


def summary_of(catalog: Catalog, keys: Mapping[str, str]) -> Summary:
    """Return the summary of a compiled target."""
    tools = [
        ListedTool(
            ident=tool.ident,
            toolset=toolset.name,
            kind=toolset.kind.value,
            wire_name=tool.wire_name or wire_name(tool.ident),
            source_name=tool.remote or tool.key,
            title=tool.title,
            permission=tool.permission.value,
            tags=tool.tags,
        )
        for toolset in catalog.toolsets
        for tool in toolset.tools
    ]
    return Summary(tuple(sorted(tools, key=lambda tool: tool.ident)), catalog.policies, keys)


def keep_summary(cache: Cache, key: str, summary: Summary) -> None:
    """Keep a summary, under the key that `summary_key` gives."""
    cache.put(_KIND, key, to_json(summary))


def recall_summary(cache: Cache, key: str) -> Summary | None:
    """Return the summary of a target that was compiled from equal inputs; None if there is none."""
    value = cache.get(_KIND, key)
    return None if value is None else from_json(Summary, value)


def summary_key(target: Target, settings: str, specs: Mapping[str, str]) -> str:
    """Return a digest of all inputs of a target; `specs` are the digests of its files, by path."""
    return sha256(json.dumps([settings, asdict(target), sorted(specs.items())]).encode()).hexdigest()
