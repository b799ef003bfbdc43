"""Small process: where a test forks many times. A worker of pytest, with all tests in its memory, forks slowly."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final

from tests.project.checkout import ROOT
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from collections.abc import Callable

_CALL: Final = """
import sys
from importlib import import_module
_, module, name, *texts = sys.argv
getattr(import_module(module), name)(*texts)
"""


def assert_holds(function: Callable[..., object], *texts: str) -> None:
    """Call a function of a module in a small process: what it asserts must hold there."""
    command = [forked_python(), "-c", _CALL, function.__module__, function.__name__, *texts]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
