"""The table of commands; each is imported when it is used."""

from __future__ import annotations

from typing import Final

_SPECS: Final = {
    "init": "Create a project: configuration, an example spec, and next steps.",
    "import": "Import tool definitions from other formats as specs.",
    "login": "Sign in to an MCP server that wants OAuth.",
    "ir": "Print the resolved intermediate representation of the specs.",
    "schema": "Print the JSON Schema of spec files for editors.",
    "explain": "Explain a diagnostic or a rule.",
}
_AUTHORING: Final = {
    "dev": "Build after each change, and show problems, changes and what models see.",
    "diff": "Compare the specs with another version: what changed, and whom it breaks.",
    "lint": "Report what is bad for models and for people in specs that compile.",
    "fmt": "Format specs, with their comments.",
    "docs": "Write a static site of the tools, for people.",
    "lsp": "Serve an editor by the language server protocol.",
}
_BUILDS: Final = {
    "build": "Compile specs into packages; with `--check`, only compare.",
}
_TOOLS: Final = {
    "list": "List the tools of the project.",
    "show": "Show one tool: its args, result and policy.",
    "search": "Search tools by a question or keywords.",
    "export": "Print the tools as a provider's request holds them.",
    "prompt": "Print the tools section of a system prompt.",
    "stats": "Print what each presentation costs, in bytes and tokens.",
    "policy": "Explain what policies decide for a tool.",
}
_CALLS: Final = {
    "call": "Call one tool.",
    "serve": "Serve the tools to other programs by MCP.",
    "replay": "Check recorded calls against the generated codecs.",
    "log": "Show recorded runs and verify their integrity.",
}
_RUNS: Final = {
    "worker": "Execute durable runs of agents.",
    "runs": "Look at durable runs, answer what they ask, cancel and resume them.",
}
_GROUPS: Final = {
    "builds": _BUILDS,
    "specs": _SPECS,
    "authoring": _AUTHORING,
    "tools": _TOOLS,
    "calls": _CALLS,
    "runs": _RUNS,
}

COMMANDS: Final = {"init": _SPECS["init"], **_BUILDS, **_SPECS, **_AUTHORING, **_TOOLS, **_CALLS, **_RUNS}
"""Every command and its summary. Command `x` of a group is `commands/GROUP/x.py`; `import` is `import_.py`."""


def module_of(command: str) -> str:
    """The name of the module that has a command of the table."""
    group = next(group for group, commands in _GROUPS.items() if command in commands)
    return f"{__name__}.{group}.{'import_' if command == 'import' else command}"
