"""The entry point: global options, command lookup with suggestions, exit codes."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from io import StringIO
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen import __version__
from toolgen.cli.commands import COMMANDS, GROUPS, ONE_SHOT, SERVING, module_of
from toolgen.cli.exit_codes import INTERNAL, STOPPED, USAGE
from toolgen.cli.output import UnknownCommand, echo
from toolgen.compiler.project.collector import paused
from toolgen.compiler.project.config import ConfigError
from toolgen.spec.text import cut, visible

if TYPE_CHECKING:
    from types import FrameType

_LONGEST = 1_000
"""Characters of a line of an error, which may quote what was given."""


# Signals that end a command: SIGTERM and SIGHUP do it as Ctrl-C does, with all that it started.

_SIGNALS: Final = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class _Stop:
    """Whether a command was stopped by a signal. `code` is the exit code then: 128 + its number, as shells have it."""

    def __init__(self) -> None:
        self.code: int | None = None

    @contextmanager
    def handled(self) -> Generator[None]:
        """Take the signals, in the main thread. One that the parent process ignores stays so, as `nohup` has it."""
        with ExitStack() as undo:
            for number in _SIGNALS if threading.current_thread() is threading.main_thread() else ():
                if signal.getsignal(number) is signal.SIG_DFL:
                    undo.callback(signal.signal, number, signal.signal(number, self._interrupt))
            yield

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Do what Ctrl-C does now, also where it is ignored, as in the background of a script."""
        self.code = 128 + number
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):  # an event loop has one of its own, that cancels its task
            interrupt(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt


# The commands.


class _PipeClosed(Exception):
    """A broken pipe, as its cause says, past click: it would end with 1, which stands for findings here."""


@contextmanager
def _pipes_told() -> Generator[None]:
    """Raise `_PipeClosed` for a pipe that nobody reads."""
    try:
        yield
    except BrokenPipeError as error:
        raise _PipeClosed from error


class _Commands(click.Group):
    """Commands from the table, imported on use."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the global options. Raises _PipeClosed where they print something."""
        with _pipes_told():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises _PipeClosed."""
        with _pipes_told():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command. Raises UnknownCommand."""
        if cmd_name not in COMMANDS:
            raise UnknownCommand(cmd_name, COMMANDS, ctx)
        module = import_module(module_of(cmd_name))
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run, which runs without garbage collection if it is a one-shot command.

        Signals end it as Ctrl-C does, unless it serves: then it takes them itself.
        """
        if args[0] in ONE_SHOT:
            ctx.with_resource(paused(freeze=True))
        if args[0] not in SERVING:
            ctx.with_resource(ctx.ensure_object(_Stop).handled())
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands of each group, without importing them. Their summaries are in one column."""
        width = max(map(len, COMMANDS))
        for group in GROUPS.values():
            with formatter.section(group.title):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in group.commands.items()])


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, subcommand_metavar="COMMAND [ARG ...]"
)
@click.option(
    "-C", "folder", metavar="DIR", type=click.Path(exists=True, file_okay=False), help="Change to this folder first."
)
@click.version_option(__version__, message="toolgen %(version)s")
def _front(folder: str | None) -> None:
    """Compile tool specs into typed Python packages."""
    if folder is not None:
        try:
            os.chdir(folder)
        except OSError as error:
            raise click.UsageError(f"{folder} cannot be entered: {error.strerror}.") from None
    try:
        os.getcwd()  # noqa: PTH109  # each command looks at it
    except OSError:
        raise click.UsageError("The current folder was deleted: change to another one.") from None


def _is_of_usage(error: click.UsageError) -> bool:
    """Return whether a command line is wrong, so that its usage helps: not what a command finds out when it runs."""
    if type(error) is not click.UsageError or error.__traceback__ is None:
        return True  # of an option or an argument
    *_, (frame, _) = walk_tb(error.__traceback__)
    module = str(frame.f_globals["__name__"])
    return module == __name__ or module.partition(".")[0] == "click"


FOR_ARGUMENT: Final = {
    "build": "It compiles the specs of all targets",
    "dev": "Give the version to compare with as `--against`",
    "diff": "Give the version to compare with as `--against`",
    "docs": "Give the folder as `--output`",
    "export": "Give the toolset as `--toolset`",
    "list": "Give the toolset as `--toolset`",
}
"""What to do instead of giving an argument to a command that takes none, or no more of them, by its name."""

_FOR_OPTION: Final = {"--host": "--http", "--port": "--http"}
"""Options that servers of others have, and those of ours."""


def _with_hint(error: click.UsageError) -> click.UsageError:
    """Return an error of usage with what was probably meant: another option, or one in place of an argument."""
    command = error.ctx.command if error.ctx else None
    if command is None:
        return error
    if isinstance(error, click.NoSuchOption):
        meant = _option_meant(error.option_name, command)
        return click.UsageError(f"{error.message} Did you mean '{meant}'?", error.ctx) if meant else error
    if error.message.startswith("Got unexpected extra argument") and command.name in FOR_ARGUMENT:
        return click.UsageError(f"{error.message}. {FOR_ARGUMENT[command.name]}.", error.ctx)
    return error


def _option_meant(name: str, command: click.Command) -> str:
    """Return the option that has another name elsewhere, or of which a name is a value, as in `--json`."""
    options = [each for each in command.params if isinstance(each, click.Option)]
    if any(_FOR_OPTION.get(name) in each.opts for each in options):
        return _FOR_OPTION[name]
    value = name.lstrip("-")
    choices = (each for each in options if isinstance(each.type, click.Choice) and value in each.type.choices)
    return next((f"{each.opts[0]} {value}" for each in choices), "")


def _is_of_output(error: OSError) -> bool:
    """Return whether what a command prints cannot be written, as on a full disk."""
    return any(frame.f_code is click.echo.__code__ for frame, _ in walk_tb(error.__traceback__))


def _give_up_output() -> None:
    """Send what cannot be written nowhere, so that the interpreter does not fail at it again when it ends."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _tell(text: str, *, nl: bool = True) -> None:
    """Print why a command ends on stderr, if that can be written: the exit code says it too."""
    try:
        echo(text, err=True, nl=nl)
    except OSError:
        _give_up_output()


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Only an internal error shows a traceback."""
    stop = _Stop()
    code = _reported(arguments, stop)
    return code if stop.code is None else stop.code


def _reported(arguments: Sequence[str], stop: _Stop) -> int:
    """Run a command line, print why it ends if it fails, and return its exit code."""
    try:
        return _run(arguments, stop)
    except click.ClickException as error:
        if isinstance(error, click.UsageError):
            if _is_of_usage(error):
                error = _with_hint(error)
            else:
                error.ctx = None
        shown = StringIO()
        error.show(shown)  # which may quote what a server or a file says
        lines = (re.sub("^\t", "  ", line) for line in shown.getvalue().split("\n"))  # click indents choices
        _tell("\n".join(cut(visible(_without_secrets(line)), _LONGEST) for line in lines), nl=False)
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        _tell("stopped")
        return STOPPED
    except Exception as error:  # noqa: BLE001  # the last resort: what else reaches it is a defect of toolgen
        cause = error.__cause__ if isinstance(error, _PipeClosed) else error
        if isinstance(cause, OSError) and _is_of_output(cause):
            _give_up_output()
            if isinstance(cause, BrokenPipeError):  # whoever reads has enough
                return 0
            _tell(f"Error: The output cannot be written: {cause.strerror or cause}.")
            return USAGE
        _tell(_without_secrets(traceback.format_exc()))
        _tell("internal error: this is a bug in toolgen; please report the lines above")
        return INTERNAL


def _without_secrets(text: str) -> str:
    """Redact what looks like a credential: it may be in what a library or a program of the project raised."""
    from toolgen.runtime.redact.credentials import redact_shown  # many patterns, and few commands fail

    return redact_shown(text)  # less than `redact_text`, which takes words after an option for its secret


def _run(arguments: Sequence[str], stop: _Stop) -> int:
    try:
        result = _front.main(list(arguments), prog_name="toolgen", standalone_mode=False, obj=stop)
    except click.exceptions.NoArgsIsHelpError as help_text:
        echo(help_text.format_message())
        return USAGE
    except ConfigError as error:
        from toolgen.cli.output import show_diagnostics

        show_diagnostics(error.diagnostics, error.sources)
        return USAGE
    return result if isinstance(result, int) else 0
