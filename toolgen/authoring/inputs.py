"""Inputs: the files, and the folders of specs, that a build and lint of a project read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.compiler.project.config import OWN_FILE, PROJECT_FILE
from toolgen.compiler.project.listing import EVALUATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.project.config import Config

BASELINE: Final = "toolgen-lint-baseline.json"
"""The path of the baseline of lint, in the folder of the configuration."""


def settings(root: Path) -> list[Path]:
    """Return the files that a configuration is read from; some may not be there."""
    return [root / OWN_FILE, root / PROJECT_FILE]


def inputs(root: Path, config: Config | None = None) -> list[Path]:
    """Return all that is read, also if it is not there; without a configuration its folders of specs are not known."""
    specs = () if config is None else [root / target.specs for target in config.targets]
    return [*settings(root), root / BASELINE, root / EVALUATIONS, *specs]
