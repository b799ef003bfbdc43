"""`lab.files`, as the agent `lab.chat-agent` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from ......tools.files import (
        READ as READ,
        WRITE as WRITE,
        Handlers as Handlers,
        ReadArgs as ReadArgs,
        ReadResult as ReadResult,
        WriteArgs as WriteArgs,
        WriteResult as WriteResult,
        codecs as codecs,
        executor as executor,
        new_read_call as new_read_call,
        new_write_call as new_write_call,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": "......tools.files",
            "READ": "......tools.files",
            "ReadArgs": "......tools.files",
            "ReadResult": "......tools.files",
            "WRITE": "......tools.files",
            "WriteArgs": "......tools.files",
            "WriteResult": "......tools.files",
            "codecs": "......tools.files",
            "executor": "......tools.files",
            "new_read_call": "......tools.files",
            "new_write_call": "......tools.files",
        },
    )


def new_chat_agent_files_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `lab.files` for `lab.chat-agent` with one executor."""
    from ......tools.files import new_registration

    return new_registration(executor)
