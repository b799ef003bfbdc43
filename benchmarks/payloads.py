"""The size of the tools in one request to a model, by presentation: bytes, and the time of an unchanged request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from benchmarks.processes import ROOT, report_of

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale

FOLDER: Final = ROOT.parent / "shared" / "bench"
"""The peers' benchmark, whose tools are used."""

FLAT: Final = (67, 1_000)
ACTIONS: Final = (20, 200, 20_000)


def measure(scale: Scale, _projects: Projects) -> dict[str, Any]:
    if not FOLDER.is_dir():
        return {"skipped": "shared/bench, whose tools are shown, does not stand beside the checkout"}
    most = 100 * max(scale.loads)  # leaves the large ones out at a tiny scale
    flat, actions = ([count for count in counts if count <= most] for counts in (FLAT, ACTIONS))
    arguments = json.dumps([flat, actions, scale.repeats])
    return report_of(ROOT, "-m", "benchmarks.measured.payloads", str(FOLDER), arguments)
