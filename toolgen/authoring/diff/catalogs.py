"""Catalogs of another version of a project, for `toolgen explore`, which starts this in a process of its own.

On stdin is JSON with the version, `against`, as `toolgen diff` names it; on stdout its label and its catalogs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from toolgen.authoring.diff.git import DiffError, SpecsError
from toolgen.authoring.diff.sides import other_side
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.config import ConfigError, load_config
from toolgen.spec.text import visible


def catalogs_of(root: Path, against: str) -> dict[str, Any]:
    """Return the `label` of a version, and the `catalogs` of its packages; `problem` says why there are none."""
    try:
        config = load_config(root)
        with other_side(config, against, open_cache(root)) as side:
            catalogs = [each.text.decode() for each in side.packages.values()]
            return {"label": visible(side.label), "catalogs": catalogs, "problem": ""}
    except SpecsError as error:
        first = next(iter(error.diagnostics))
        problem = f"{error}: {first.span}: {first.message}"
    except (DiffError, ConfigError) as error:
        problem = str(error)
    return {"label": "", "catalogs": [], "problem": visible(problem)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(catalogs_of(Path.cwd(), json.load(sys.stdin)["against"])))
