"""Changes: what differs from another version of the specs, and what lint finds, each with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.explore.versions import named_version, project_of

if TYPE_CHECKING:
    from toolgen.explore.visit import Data, Visit


async def changes(visit: Visit) -> Data:
    """Return the empty page: nothing is compared before someone asks for it."""
    project_of(visit)
    return {"against": "", "is_compared": False, "drift": visit.explorer.checks.drift()}


async def compared(visit: Visit) -> Data:
    """Compare the specs with another version, and lint them."""
    against = named_version(visit)
    found = await project_of(visit).since(against)
    return {"against": against, "is_compared": True, "drift": visit.explorer.checks.drift(), **found}
