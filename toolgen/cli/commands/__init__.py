"""The table of commands, by what one is doing; each is imported when it is used."""

from __future__ import annotations

from typing import Final, NamedTuple


class Group(NamedTuple):
    """Commands for one kind of work: its title, and each command with its summary."""

    title: str
    commands: dict[str, str]


GROUPS: Final = {
    "specs": Group(
        "Create and import specs",
        {
            "init": "Create a project: configuration, an example spec, and next steps.",
            "import": "Import tool definitions from other formats as specs.",
            "login": "Sign in to an MCP server that wants OAuth.",
        },
    ),
    "authoring": Group(
        "Write, check and build specs",
        {
            "build": "Compile specs into packages; with `--check`, only compare.",
            "dev": "Build after each change, and show problems, changes and what models see.",
            "lint": "Report what is bad for models and for people in specs that compile.",
            "fmt": "Format specs, with their comments.",
            "diff": "Compare the specs with another version: what changed, and whom it breaks.",
            "explain": "Explain a diagnostic or a rule.",
            "lsp": "Serve an editor by the language server protocol.",
            "schema": "Print the JSON Schema of spec files for editors.",
            "ir": "Print the resolved intermediate representation of the specs.",
        },
    ),
    "tools": Group(
        "Look at tools, and at what models see of them",
        {
            "list": "List the tools of the project.",
            "show": "Show one tool: its args, result and policy.",
            "search": "Search tools by a question or keywords.",
            "docs": "Write a static site of the tools, for people.",
            "policy": "Explain what policies decide for a tool.",
            "export": "Print the tools as a provider's request holds them.",
            "prompt": "Print the tools section of a system prompt.",
            "stats": "Print what each presentation costs, in bytes and tokens.",
        },
    ),
    "calls": Group(
        "Call and serve tools",
        {
            "call": "Call one tool.",
            "explore": "Show tools, calls, runs and their questions in a browser.",
            "serve": "Serve the tools to other programs by MCP.",
            "log": "Show recorded runs and verify their integrity.",
            "eval": "Ask models, and report how well they choose and call tools.",
            "replay": "Check recorded calls against the generated codecs.",
        },
    ),
    "runs": Group(
        "Run agents durably",
        {
            "worker": "Execute durable runs of agents.",
            "runs": "Look at durable runs, answer what they ask, cancel and resume them.",
        },
    ),
}
"""The groups, as `toolgen --help` has them. Command `x` of one is `commands/GROUP/x.py`; `import` is `import_.py`."""

COMMANDS: Final = {name: summary for group in GROUPS.values() for name, summary in group.commands.items()}
"""Every command and its summary."""


ONE_SHOT: Final = frozenset({
    *("import", "lint", "fmt", "diff", "schema", "ir"),
    *("list", "show", "search", "docs", "policy", "export", "prompt", "stats"),
})  # fmt: skip
"""Commands that end when they have read the project and printed. They run without garbage collection."""


SERVING: Final = frozenset({"dev", "explore", "lsp", "serve", "worker"})
"""Commands that run until they are told to end, and do what SIGTERM asks in their own way."""


def module_of(command: str) -> str:
    """The name of the module that has a command of the table."""
    folder = next(folder for folder, group in GROUPS.items() if command in group.commands)
    return f"{__name__}.{folder}.{'import_' if command == 'import' else command}"
