"""`toolgen lsp`: the language server."""

from __future__ import annotations

import click


@click.command("lsp")
def command() -> int:
    """Serve an editor by the language server protocol, on standard input and output.

    Editors start this command themselves; the guide on editors has the settings for each.
    """
    try:
        from toolgen.authoring.language_server.server import serve
    except ImportError as error:
        raise click.UsageError(f'The language server needs `pip install "toolgen[lsp]"`: {error}.') from None
    serve()
    return 0
