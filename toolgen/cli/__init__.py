"""The command line: what starts it. Its commands stand in a table, in `commands`."""

from __future__ import annotations

import gc
import os
import sys
import threading
from importlib.util import find_spec

from toolgen.cli.exit_codes import STOPPED, USAGE
from toolgen.contract.extras import MissingExtra


def main() -> None:
    """Run the command line.

    Exit codes: 0 success, 1 findings or drift, 2 usage, configuration or output that cannot be written, 3 internal
    error, 130 stopped by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP.
    """
    _open_closed_streams()
    if find_spec("click") is None:
        command = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        what = f"`toolgen {command}`" if command else "`toolgen`"
        print(MissingExtra(f"{what} needs the compiler", "compiler"), file=sys.stderr)
        sys.exit(USAGE)
    try:
        from toolgen.cli.front import run
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(STOPPED)
    code = run(sys.argv[1:])
    if threading.active_count() > 1:
        from toolgen.cli.ending import end_in_time  # slow to import

        end_in_time(code)
    gc.freeze()  # the process ends: a search for garbage in all that it has loaded takes a fifth of a short command
    sys.exit(code)


def _open_closed_streams() -> None:
    """Open the standard streams that the process was started without, so that no file takes their place.

    What is said on stderr is lost then, and stdout is one that cannot be written: what a command prints is its result.
    `sys.stdin` stays None.
    """
    for name, access in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, access)  # the lowest one that is free, which is that of the stream
            os.set_inheritable(descriptor, True)
            if name != "stdin":
                setattr(sys, name, os.fdopen(descriptor, "w", encoding="utf-8", closefd=False))
