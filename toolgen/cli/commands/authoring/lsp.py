"""`toolgen lsp`: the language server. Needs the extra `lsp`."""

from __future__ import annotations

import click

from toolgen.contract.extras import MissingExtra


@click.command("lsp")
def command() -> int:
    """Serve an editor by the language server protocol, on standard input and output.

    Editors start this command themselves; the guide on editors has the settings for each.
    """
    try:
        from toolgen.authoring.language_server.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"lsprotocol", "pygls"}:
            raise
        raise click.UsageError(str(MissingExtra("the language server needs pygls", "lsp"))) from error
    serve()
    return 0
