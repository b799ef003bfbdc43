"""`code`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.edit_file import EditFileArgs as EditFileArgs, EditFileResult as EditFileResult
    from .types.fetch import FetchArgs as FetchArgs, FetchResult as FetchResult
    from .types.read_file import ReadFileArgs as ReadFileArgs, ReadFileResult as ReadFileResult
    from .types.run import RunArgs as RunArgs, RunResult as RunResult
    from . import codecs as codecs
    from .calls import (
        new_edit_file_call as new_edit_file_call,
        new_fetch_call as new_fetch_call,
        new_read_file_call as new_read_file_call,
        new_run_call as new_run_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import EDIT_FILE as EDIT_FILE, FETCH as FETCH, READ_FILE as READ_FILE, RUN as RUN
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "EDIT_FILE": ".idents",
            "EditFileArgs": ".types.edit_file",
            "EditFileResult": ".types.edit_file",
            "FETCH": ".idents",
            "FetchArgs": ".types.fetch",
            "FetchResult": ".types.fetch",
            "Handlers": ".dispatch",
            "READ_FILE": ".idents",
            "RUN": ".idents",
            "ReadFileArgs": ".types.read_file",
            "ReadFileResult": ".types.read_file",
            "RunArgs": ".types.run",
            "RunResult": ".types.run",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_edit_file_call": ".calls",
            "new_fetch_call": ".calls",
            "new_read_file_call": ".calls",
            "new_registration": ".dispatch",
            "new_run_call": ".calls",
        },
    )
