"""Sets: what the runs of each agent may call, computed by the runtime's own function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.changes.route import Sets
from toolgen.runtime.policy.effective import effective_set, named_by_ident
from toolgen.runtime.policy.policy import Policies

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog


def effective_sets(catalog: Catalog) -> dict[str, Sets]:
    """Return the effective sets of every agent, by mode, with all policies of a catalog applied."""
    applied = Policies(catalog.section("policies"), catalog.names)
    found: dict[str, Sets] = {}
    for name, agent in catalog.section("agents").items():
        named = named_by_ident(agent, catalog.names)
        modes: dict[str, dict[str, str]] = {}
        for mode in ("", *sorted(applied.modes)):
            tools = effective_set(catalog.entries, named, applied, name=name, mode=mode).tools
            modes[mode] = {ident: decision.answer.value for ident, decision in tools.items()}
        found[name] = Sets(modes)
    return found
