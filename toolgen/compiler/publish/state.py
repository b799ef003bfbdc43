"""State: what the last build on this machine started from, so that the next one sees that there is nothing to do.

It lies with the derived data of a package and is not committed: digests of inputs would differ in every branch. Where
it is missing, or is of another lock than the one that is there, specs are compiled and compared.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.publish.inputs import Inputs, digest
from toolgen.compiler.publish.tree import LOCK
from toolgen.spec.derived import DERIVED, write_derived

if TYPE_CHECKING:
    from toolgen.compiler.publish.tree import Tree

_FILE: Final = "build.json"


def note_state(tree: Tree, inputs: Inputs) -> None:
    """Note that the package, as its lock describes it, was made from these inputs."""
    state = {"lock": digest(tree.read(LOCK)), "inputs": asdict(inputs)}
    write_derived(Path(tree.folder), _FILE, json.dumps(state, indent=1, sort_keys=True).encode() + b"\n")


def noted_inputs(tree: Tree, lock: bytes) -> Inputs | None:
    """Return what the package with this lock was made from; None where nobody noted it here."""
    try:
        state: Any = json.loads(tree.read(f"{DERIVED}/{_FILE}"))
        noted = Inputs(**state["inputs"])
        return noted if state["lock"] == digest(lock) and isinstance(noted.specs, dict) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
