"""Surface: the tools that an agent has, why it has no others, and what a search finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.policy.effective import ROLES, ExclusionReason

if TYPE_CHECKING:
    from toolgen.explore.visit import Data, Visit
    from toolgen.runtime.policy.policy import PolicyDecision

PAGE: Final = 100
"""Tools on one page."""

_HITS: Final = 20

WHY_NOT: Final = {
    ExclusionReason.NOT_USED: "the agent does not use it",
    ExclusionReason.NOT_REQUESTED: "the dispatch did not request it",
    ExclusionReason.ROLE: "agents of this role may not hold it",
    ExclusionReason.EXCLUDED: "a policy excludes it",
    ExclusionReason.NOT_OFFERED: "models are not offered it",
    ExclusionReason.NO_EXECUTOR: "nothing is configured to run it",
}


async def surface(visit: Visit) -> Data:
    """Return one page of the tools that are there or missing, filtered by words of their names, or a search."""
    query = visit.fields.get("query", "")[:400].strip()
    missing = visit.fields.get("show") == "missing" and visit.visitor.sees_all
    effective = visit.run.effective
    every = sorted(effective.excluded if missing else {*effective.tools, *effective.discovery})
    hits = _hits(visit, query) if query and not missing else {}
    idents = list(hits) if query and not missing else [each for each in every if query.lower() in each.lower()]
    pages = max(1, -(-len(idents) // PAGE))
    page = min(visit.number("page", 1, pages), pages)
    shown = idents[(page - 1) * PAGE : page * PAGE]
    return {
        **choices_of(visit),
        "query": query,
        "show": "missing" if missing else "",
        "page": page,
        "pages": pages,
        "found": len(idents),
        "tools_count": len(effective.tools) + len(effective.discovery),
        "missing_count": len(effective.excluded),
        "tools": [_row(visit, ident, hits.get(ident)) for ident in shown],
    }


def choices_of(visit: Visit) -> Data:
    """Return as whom a person looks, and as whom they could."""
    catalog, view = visit.explorer.runtime.catalog, visit.view
    may_choose = visit.visitor.sees_all
    return {
        "agent": view.agent,
        "user": view.user,
        "role": visit.run.role,
        "mode": view.mode,
        "agents": sorted(catalog.section("agents")) if may_choose else [],
        "roles": list(ROLES) if may_choose else [],
        "modes": sorted(visit.explorer.runtime.policies.modes) if may_choose else [],
    }


def standing(visit: Visit, ident: str) -> Data:
    """Return whether a run has a tool: what policies decide, or why it is missing, with the rules."""
    effective = visit.run.effective
    if ident in effective:
        return {"missing": "", **_decided(effective.policy_decision(ident))}
    reason = effective.excluded.get(ident, ExclusionReason.NOT_USED)
    runtime = visit.explorer.runtime
    decision = runtime.policies.judge(runtime.catalog.entry(ident), visit.run.role, visit.run.mode)
    return {"missing": WHY_NOT[reason], **_decided(decision)}


def _decided(decision: PolicyDecision) -> Data:
    reasons = [{"answer": each.answer.value, "rule": each.source} for each in decision.reasons]
    return {"answer": decision.answer.value, "reasons": reasons}


def _row(visit: Visit, ident: str, hit: Data | None) -> Data:
    definition = visit.explorer.runtime.catalog.definition(ident)
    return {
        "tool": ident,
        "title": definition.title,
        "description": " ".join(definition.description.split())[:200],
        "permission": definition.permission,
        "kind": definition.kind,
        "origin": str(definition.metadata.get("source", "")),
        **standing(visit, ident),
        "hit": hit,
    }


def _hits(visit: Visit, query: str) -> dict[str, Any]:
    """Return the tools that a model would find, each with its score and what each word adds to it."""
    index, allowed = visit.explorer.index, frozenset(visit.run.effective.offered)
    return {
        hit.key: {
            "score": round(hit.score, 4),
            "words": {word: round(share, 4) for word, share in index.shares(query, hit.key, allowed).items()},
        }
        for hit in index.search(query, _HITS, allowed)
    }
