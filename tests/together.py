"""Programs that do something at the same moment, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

READY: Final = """
import sys
print("ready", flush=True)
sys.stdin.readline()
"""
"""What a program does when it has imported what it needs, and before that which races."""


def together(program: str, *args: Sequence[str]) -> list[tuple[int, str]]:
    """Run a program, with `READY` in it, once for each of the arguments; return the exit codes and what was printed."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([sys.executable, "-c", program, *each], **pipes) for each in args]
    for each in processes:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in processes:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    return [(each.returncode, printed) for each in processes for printed in [each.communicate(timeout=60)[0].strip()]]
