"""The reference of the command line, from its own help."""

from __future__ import annotations

from typing import Any

from toolgen.cli.commands import GROUPS, module_of


def commands_page() -> str:
    """Return the page of all commands and their options, from their help texts."""
    from importlib import import_module

    import click

    parts = [
        (
            "# Commands\n\n`toolgen -C DIR COMMAND` changes to another folder first. Exit codes:\n"
            "0 fine, 1 findings or drift, 2 usage, configuration or output that cannot be written, 3 an\n"
            "internal error, 130 stopped by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP.\n\n"
            "A terminal is sent colour, unless `NO_COLOR` is set or `TERM` is `dumb`; a dumb one is sent no progress\n"
            "either. A FILE is a regular file: pipes and devices are not opened, and `-` is stdin."
        )
    ]
    for group in GROUPS.values():
        parts.append(f"## {group.title}")
        for name in group.commands:
            command: click.Command = import_module(module_of(name)).command
            for words, each in _commands(command, f"toolgen {name}"):
                shown = click.Context(each, info_name=words, terminal_width=100, help_option_names=["-h", "--help"])
                text = each.get_help(shown)
                parts.append(f"### `{words}`\n\n```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def _commands(command: Any, words: str) -> list[tuple[str, Any]]:
    import click

    if not isinstance(command, click.Group):
        return [(words, command)]
    context = click.Context(command)
    names = command.list_commands(context)
    return [each for name in names for each in _commands(command.get_command(context, name), f"{words} {name}")]
