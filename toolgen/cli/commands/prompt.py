"""`toolgen prompt`: what a system prompt says of the tools, as it would be sent."""

from __future__ import annotations

import click

from toolgen.cli.output import format_option, show_json
from toolgen.cli.packages import built_catalogs, check_known
from toolgen.cli.project import project
from toolgen.contract.tool_use import LAYERS
from toolgen.runtime import Runtime, deny_all
from toolgen.runtime.errors import CatalogError
from toolgen.runtime.tool_use import ToolUse

TAGS = "tags"


@click.command("prompt")
@click.argument("layer", type=click.Choice([*LAYERS, TAGS]), required=False)
@click.option("--agent", default="", help="Whose tools are told of; all of the package, if left out.")
@click.option("--package", help="The output folder of a target; the first, if left out.")
@format_option
def command(*, layer: str | None, agent: str, package: str | None, style: str) -> int:
    """Print the section on tools of the system prompt of a LAYER, exactly as it is sent; all layers, if left out.

    `tags` is the block that tells of tools that are called by lines of text.
    """
    config = project()
    schemes: dict[str, str] = dict(config.tool_use.schemes) | {TAGS: TAGS}
    packages = built_catalogs(config, agent)
    if package is not None:
        check_known("package", package, packages)
    catalog = packages[package] if package is not None else next(iter(packages.values()))
    tool_use = ToolUse(catalog, config.tool_use)
    runtime = Runtime(catalog, permission=deny_all)
    run = runtime.start_run(agent)

    try:
        sections: dict[str, str] = {
            each: tool_use.presentation(each, run).build_presentation().prompt
            for each in LAYERS
            if layer in (each, None)
        }
        if layer in (TAGS, None):
            sections[TAGS] = tool_use.tagged(runtime, run).prompt
    except CatalogError as error:
        raise click.UsageError(str(error)) from None
    if style == "json":
        show_json([{"layer": name, "presentation": schemes[name], "prompt": text} for name, text in sections.items()])
    elif layer:
        click.echo(sections[layer], nl=not sections[layer].endswith("\n") and bool(sections[layer]))
    else:
        for name, text in sections.items():
            click.echo(f"--- {name} ({schemes[name]})" if name != TAGS else f"--- {name}")
            click.echo(text or "(nothing)")
    return 0
