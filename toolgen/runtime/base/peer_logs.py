"""Logs of libraries that talk to peers: what a peer says there controls no terminal and forges no line."""

from __future__ import annotations

import logging
import traceback
from typing import Final

from toolgen.spec.text import lines_of, visible

_LONGEST: Final = 1_000
"""Characters of a message, and of a line of a traceback."""


class _Escaped(logging.Filter):
    """Makes each record one line of visible characters, with a traceback of such lines."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = visible(record.getMessage())[:_LONGEST], None
        if record.exc_info and record.exc_info[0] is not None:
            lines = lines_of("".join(traceback.format_exception(*record.exc_info)))
            record.exc_text = "\n".join(visible(line)[:_LONGEST] for line in lines)
            record.exc_info = None
        return True


_ESCAPED: Final = _Escaped()


def escape_logs(*names: str, shown: bool) -> None:
    """Escape what loggers say, and those below them that there are.

    Unless they are `shown`, a host without handlers for them sees nothing of them: Python would print their warnings.
    """
    known = list(logging.root.manager.loggerDict)
    for name in names:
        for each in {name, *(other for other in known if other.startswith(f"{name}."))}:
            logging.getLogger(each).addFilter(_ESCAPED)
        if not shown:
            logging.getLogger(name).addHandler(logging.NullHandler())
