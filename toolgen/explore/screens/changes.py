"""Changes: what differs from another version of the specs, and what lint finds, each with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.explore.visit import Refused

if TYPE_CHECKING:
    from toolgen.explore.project_changes import ProjectChanges
    from toolgen.explore.visit import Data, Visit

_LONGEST: Final = 500


async def changes(visit: Visit) -> Data:
    """Return the empty page: nothing is compared before someone asks for it."""
    project_of(visit)
    return {"against": "", "is_compared": False, "drift": visit.explorer.checks.drift()}


async def compared(visit: Visit) -> Data:
    """Compare the specs with another version, and lint them."""
    against = named_version(visit)
    found = await project_of(visit).since(against)
    return {"against": against, "is_compared": True, "drift": visit.explorer.checks.drift(), **found}


def named_version(visit: Visit) -> str:
    """Return the version that the specs, or calls, are compared with; empty for none. Raises `Refused`."""
    against = visit.fields.get("against", "").strip()
    if len(against) > _LONGEST or not against.isprintable():
        raise Refused(400, "this is no name of a commit, a folder or a package")
    return against


def project_of(visit: Visit) -> ProjectChanges:
    """Return the project. Raises `Refused` without one, and for whoever does not have it anyway."""
    project = visit.explorer.project
    if project is None or not visit.visitor.sees_all:
        raise Refused(404, "there is no project here")
    return project
