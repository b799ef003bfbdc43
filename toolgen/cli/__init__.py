"""The command line: a table of commands, each imported when it is used."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Final

COMMANDS: Final = {
    "init": "Start a project: configuration, an example spec, and how to go on.",
    "build": "Compile specs into packages; `--check` only compares.",
    "import": "Turn tools that others describe into specs.",
    "list": "List the tools of the project.",
    "show": "Show one tool: its args, its result, its policy.",
    "search": "Find the tools that fit a question or some words.",
    "export": "Print what a request to a provider says of the tools.",
    "prompt": "Print what a system prompt says of the tools.",
    "stats": "Print what telling a model of the tools costs.",
    "call": "Call one tool.",
    "replay": "Say which recorded calls the generated codecs accept.",
    "policy": "Say what policies decide about a tool, and why.",
    "log": "Show recorded runs, and verify their records.",
    "ir": "Print what the specs mean, after all is resolved.",
    "schema": "Print the JSON Schema of spec files, for editors.",
    "explain": "Explain a diagnostic.",
}
"""Every command and its summary. Command `x` is `toolgen/cli/commands/x.py`; `import` is `import_.py`."""

STOPPED: Final = 130
"""The exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """Run the command line.

    Exit codes: 0 fine, 1 findings or drift, 2 usage or configuration, 3 internal error, 130 stopped by Ctrl-C.
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
