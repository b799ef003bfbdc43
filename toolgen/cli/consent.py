"""Consent: a person sees what a project would start, and where it would send variables, before any of it happens.

What they allow is remembered for the project, as exactly what they were shown.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.output import echo
from toolgen.execute.user_file import UserFile
from toolgen.runtime.base.errors import ExecutorError
from toolgen.schema.json_values import is_array
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.execute.reach import Reached

_FILE: Final = "consents.json"


TRUST_SPECS: Final = "--trust-specs"

trust_specs_option = click.option(
    TRUST_SPECS,
    is_flag=True,
    help="Start the programs, and send the variables of the environment, that specs name without asking.",
)


def ask_terminal(shown: str, question: str) -> bool | None:
    """Show lines on stderr, and ask a person there; None if nobody can be asked.

    What was typed before the question is no answer, and other programs of toolgen ask at that terminal when it is
    answered.
    """
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        _show(shown)
        return None
    from toolgen.runtime.policy.terminal import held_terminal  # slow to import

    with held_terminal(sys.stdin.fileno()):
        _show(shown)
        return click.confirm(question, err=True)


def _show(lines: str) -> None:
    if lines:
        echo(lines, err=True)


class Consent:
    """What may be reached for a project: what a person allows now, or has allowed before.

    With `yes` everything is only shown. `word` is the option that says so, for messages.
    """

    def __init__(self, root: Path, *, yes: bool = False, word: str = "--yes") -> None:
        self._project, self._yes, self._word = os.path.realpath(root), yes, word
        self._allowed: set[Reached] = set()

    def ask(self, found: Iterable[Reached]) -> None:
        """Show what would be reached, and ask once for all of it that was not allowed before.

        Raises click.UsageError without consent, and where nobody can be asked.
        """
        every = list(dict.fromkeys(found))
        new = every if self._yes else [each for each in every if not self._is_remembered(each)]
        if new:
            shown = "\n".join(visible(str(each)) for each in new)
            if self._yes:
                echo(shown, err=True)
            else:
                self._ask_person(shown, new)
        self._allowed.update(every)

    def allows(self, reached: Reached) -> bool:
        """Return whether this was allowed."""
        return reached in self._allowed

    def _ask_person(self, shown: str, new: Sequence[Reached]) -> None:
        agreed = ask_terminal(shown, "Go on?")
        if agreed is None:
            raise click.UsageError(
                f"There is no terminal to ask whether this may happen: read it, and pass {self._word}. "
                "Nothing was started."
            )
        if not agreed:
            raise click.UsageError("Nothing was started.")
        self._remember(new)

    def _is_remembered(self, reached: Reached) -> bool:
        try:
            return _entry(reached) in _entries(UserFile(_FILE).read(), self._project)
        except ExecutorError as error:
            raise click.UsageError(f"{error}.") from error

    def _remember(self, new: Sequence[Reached]) -> None:
        try:
            with UserFile(_FILE).changed() as kept:
                kept[self._project] = [*_entries(kept, self._project), *map(_entry, new)]
        except ExecutorError as error:
            echo(visible(f"{error}: you will be asked again"), err=True)


def _entry(reached: Reached) -> dict[str, Any]:
    """Return what was shown, as the file has it."""
    found: dict[str, Any] = json.loads(json.dumps(asdict(reached)))
    return found


def _entries(kept: dict[str, Any], project: str) -> list[Any]:
    found: Any = kept.get(project)
    return found if is_array(found) else []
