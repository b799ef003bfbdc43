"""Commands: toolsets of kind `command`, run as programs of this machine."""

from toolgen.execute.command.executor import Command, CommandExecutor, CommandHost, command_executor

__all__ = ["Command", "CommandExecutor", "CommandHost", "command_executor"]
