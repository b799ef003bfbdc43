"""Versions: other versions of the specs, named by a person, that the build of today is compared with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import ToolCallMeta
from toolgen.explore.project_process import json_of_process
from toolgen.explore.visit import Refused
from toolgen.runtime.base.errors import CatalogError, UnknownAgent
from toolgen.runtime.catalog.catalog import Catalog
from toolgen.runtime.policy.policy import Policies
from toolgen.runtime.runs.run import Agents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.explore.project_changes import ProjectChanges
    from toolgen.explore.visit import Visit
    from toolgen.runtime.runs.run import Run

_LONGEST: Final = 500


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """The tools of another version, and a run of the agent that is looked at with what its policies decide."""

    label: str
    catalog: Catalog
    run: Run


def named_version(visit: Visit) -> str:
    """Return the version that the specs, or calls, are compared with; empty for none. Raises `Refused`."""
    against = visit.fields.get("against", "").strip()
    if len(against) > _LONGEST or not against.isprintable():
        raise Refused(400, "this is no name of a commit, a folder or a package")
    return against


def project_of(visit: Visit) -> ProjectChanges:
    """Return the project. Raises `Refused` without one, and for whoever does not have it anyway."""
    project = visit.explorer.project
    if project is None or not visit.may_compare:
        raise Refused(404, "there is no project here")
    return project


async def other_version(visit: Visit, against: str) -> tuple[OtherVersion | None, str]:
    """Compile another version of the specs, and return it, or why there is none. Raises `Refused`."""
    project = project_of(visit)
    order = json.dumps({"against": against}).encode()
    async with visit.explorer.comparing:
        found, problem = await json_of_process(
            project.root, "the comparison", "toolgen.authoring.diff.catalogs", given=order
        )
    if found is None:
        return None, problem
    if found["problem"]:
        return None, str(found["problem"])
    return await visit.aside(_read, visit, found["label"], found["catalogs"])


def _read(visit: Visit, label: str, texts: Sequence[str]) -> tuple[OtherVersion | None, str]:
    """Read the package that has most of the tools of today."""
    today, view = set(visit.explorer.runtime.catalog), visit.view
    catalogs = [Catalog(text=text.encode()) for text in texts]
    if not catalogs:
        return None, f"{label} has no specs"
    catalog = max(catalogs, key=lambda each: len(today & set(each)))
    try:
        run = Agents(catalog, Policies(catalog.section("policies"), catalog.names)).new_run(
            view.agent, role=view.role, mode=view.mode, requested=None, session=None, meta=ToolCallMeta(user=view.user)
        )
    except (UnknownAgent, ValueError, CatalogError) as error:
        return None, f"{label}: {error}"
    return OtherVersion(label, catalog, run), ""
