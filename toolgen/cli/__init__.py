"""The command line: a table of commands, each imported when it is used."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Final

COMMANDS: Final = {
    "init": "Create a project: configuration, an example spec, and next steps.",
    "build": "Compile specs into packages; with `--check`, only compare.",
    "import": "Import tool definitions from other formats as specs.",
    "login": "Sign in to an MCP server that wants OAuth.",
    "list": "List the tools of the project.",
    "show": "Show one tool: its args, result and policy.",
    "search": "Search tools by a question or keywords.",
    "export": "Print the tools as a provider's request holds them.",
    "prompt": "Print the tools section of a system prompt.",
    "stats": "Print the token cost of each presentation.",
    "call": "Call one tool.",
    "replay": "Check recorded calls against the generated codecs.",
    "policy": "Explain what policies decide for a tool.",
    "log": "Show recorded runs and verify their integrity.",
    "ir": "Print the resolved intermediate representation of the specs.",
    "schema": "Print the JSON Schema of spec files for editors.",
    "explain": "Explain a diagnostic code.",
}
"""Every command and its summary. Command `x` is `toolgen/cli/commands/x.py`; `import` is `import_.py`."""

STOPPED: Final = 130
"""The exit code after Ctrl-C: 128 + SIGINT, the shells' convention."""


def main() -> None:
    """Run the command line.

    Exit codes: 0 success, 1 findings or drift, 2 usage or configuration, 3 internal error, 130 stopped by Ctrl-C.
    """
    if find_spec("click") is None:
        command = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        what = f"`toolgen {command}`" if command else "`toolgen`"
        print(f'{what} needs the compiler: pip install "toolgen[compiler]"', file=sys.stderr)
        sys.exit(2)
    try:
        from toolgen.cli.front import run
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(STOPPED)
    sys.exit(run(sys.argv[1:]))
