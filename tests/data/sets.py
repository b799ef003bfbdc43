"""Sets of tools, calls and descriptions that tests run on: small ones of our own, and published ones.

Published ones are read where they are, beside the checkout; a test of one that is not there is skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

OWN: Final = "harbour"
"""The set that is always there: tools with most features of JSON Schema, and an API of ten operations."""

_FOLDERS: Final = (Path(__file__).with_name("own"), ROOT.parent / "shared" / "data")
_MISSING: Final = "the published tools and calls (shared/data) are not beside the checkout"


def place(file: str) -> Path:
    """Return where a file of a set is; skips the test if it is not there."""
    found = next((folder / file for folder in _FOLDERS if (folder / file).is_file()), None)
    if found is None:
        pytest.skip(_MISSING)
    return found


def of_sets(*names: str, later: Sequence[str] = (), **values: tuple[Any, ...]) -> list[Any]:
    """Return the params of a test for sets, each with further values of its own; sets that are missing are skipped.

    Those of `later` are for the long suite.
    """
    return [
        pytest.param(
            *((name, *values[name]) if values else (name,)),
            id=name,
            marks=[
                *([] if any(folder.glob(f"{name}.*")) else [pytest.mark.skip(reason=_MISSING)]),
                *([pytest.mark.long] if name in later else []),
            ],
        )
        for name in (*names, *later)
        for folder in (_FOLDERS[0] if name == OWN else _FOLDERS[1],)
    ]


def tools_of(name: str) -> list[dict[str, Any]]:
    """Return the tools of a set, as a server lists them."""
    found: list[dict[str, Any]] = json.loads(place(f"{name}.tools.json").read_text(encoding="utf-8"))["tools"]
    return found


def calls_of(recording: str) -> list[dict[str, Any]]:
    """Return recorded calls: `tool`, `arguments`, and whether they are valid, `accept`."""
    lines = place(f"{recording}.calls.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
