"""State: the inputs of the last build on this machine, so that the next one can detect that nothing has changed.

It is stored with the derived data of a package and is not committed: digests of inputs differ in every branch. If it is
missing, or belongs to another lock, specs are compiled and compared.
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
    """Store the inputs of the package with its lock."""
    state = {"lock": digest(tree.read(LOCK)), "inputs": asdict(inputs)}
    write_derived(Path(tree.folder), _FILE, json.dumps(state, indent=1, sort_keys=True).encode() + b"\n")


def noted_inputs(tree: Tree, lock: bytes) -> Inputs | None:
    """Return the inputs of the package with this lock; None if they are not stored here."""
    try:
        state: Any = json.loads(tree.read(f"{DERIVED}/{_FILE}"))
        noted = Inputs(**state["inputs"])
        return noted if state["lock"] == digest(lock) and isinstance(noted.specs, dict) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
