"""Files of the user: what toolgen keeps for them beside all projects, readable by nobody else."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.runtime.base.errors import ExecutorError
from toolgen.spec.files import open_file
from toolgen.spec.locks import held
from toolgen.spec.sensitive import config_folder, note_private
from toolgen.spec.writing import PRIVATE, make_private_folder, write_inside

if TYPE_CHECKING:
    from pathlib import Path

_ALL_BUT_USER: Final = stat.S_IRWXG | stat.S_IRWXO
_PATIENCE: Final = 60.0
"""Seconds to wait for another process that changes the file."""


def user_folder() -> Path:
    """Return the folder for what toolgen keeps for a user. Raises `ExecutorError` for a user without a home."""
    try:
        return config_folder()
    except RuntimeError as error:
        raise ExecutorError(f"there is no folder for files of the user: {error}") from error


class UserFile:
    """A JSON object in a file of the user's: its name in the folder of `user_folder`, or an absolute path."""

    def __init__(self, name: str | Path) -> None:
        self.path = user_folder() / name
        note_private(self.path)

    def read(self) -> dict[str, Any]:
        """Return the object. Raises `ExecutorError` for a file that others can read, or is broken."""
        try:
            with open_file(self.path) as opened:
                if sys.platform != "win32" and os.fstat(opened.fileno()).st_mode & _ALL_BUT_USER:
                    raise ExecutorError(f"{self.path} can be read by others than its user: run chmod 600 {self.path}")
                found = json.load(opened)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise ExecutorError(f"{self.path} cannot be read: {error}") from error
        if not isinstance(found, dict):
            raise ExecutorError(f"{self.path} has no JSON object: remove it")
        return cast("dict[str, Any]", found)

    @contextmanager
    def changed(self) -> Generator[dict[str, Any]]:
        """Yield the object, and write it back if it was changed. Only one does this at a time.

        Raises what `read` raises, and `ExecutorError` for a file that cannot be written.
        """
        with ExitStack() as locked:
            try:
                make_private_folder(self.path.parent)
                locked.enter_context(held(self.path.with_name(f".{self.path.name}.lock"), _PATIENCE))
            except OSError as error:
                raise self._not_written(error) from error
            found = self.read()
            before = json.dumps(found)
            yield found
            if json.dumps(found) != before:
                self._write(found)

    def _write(self, found: dict[str, Any]) -> None:
        try:
            write_inside(self.path.parent, self.path.name, json.dumps(found, indent=1).encode(), mode=PRIVATE)
        except OSError as error:
            raise self._not_written(error) from error

    def _not_written(self, error: OSError) -> ExecutorError:
        return ExecutorError(f"{self.path} cannot be written: {error.strerror}")
