"""`lab.files`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.read import ReadArgs as ReadArgs, ReadResult as ReadResult
    from .types.write import WriteArgs as WriteArgs, WriteResult as WriteResult
    from . import codecs as codecs
    from .calls import new_read_call as new_read_call, new_write_call as new_write_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import READ as READ, WRITE as WRITE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "READ": ".idents",
            "ReadArgs": ".types.read",
            "ReadResult": ".types.read",
            "WRITE": ".idents",
            "WriteArgs": ".types.write",
            "WriteResult": ".types.write",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_read_call": ".calls",
            "new_registration": ".dispatch",
            "new_write_call": ".calls",
        },
    )
