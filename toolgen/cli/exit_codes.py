"""Exit codes of the command line, beside 0 for success and 1 for findings or drift, which commands return."""

from __future__ import annotations

from typing import Final

USAGE: Final = 2
"""Usage, configuration, or output that cannot be written."""

INTERNAL: Final = 3
"""An internal error: a bug in toolgen."""

STOPPED: Final = 130
"""After Ctrl-C: 128 + SIGINT, the shells' convention. After SIGTERM and SIGHUP it is 143 and 129."""
