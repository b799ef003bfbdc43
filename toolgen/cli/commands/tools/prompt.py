"""`toolgen prompt`: the tools section of a system prompt, as it is sent."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from toolgen.cli.output import echo, format_option, show_json
from toolgen.cli.packages import built_catalogs, check_known
from toolgen.cli.project import project
from toolgen.llm.tool_use import ToolUse, idle_runtime, presentations_in
from toolgen.providers.protocol import UnsupportedCapability
from toolgen.runtime.base.errors import CatalogError
from toolgen.spec.tool_use import DEFAULT_PRESENTATIONS, LAYERS

if TYPE_CHECKING:
    from toolgen.llm.presentations.protocol import Presentation

TAGS = "tags"


@click.command("prompt")
@click.argument("layer", type=click.Choice([*LAYERS, TAGS]), required=False)
@click.option("--agent", default="", help="The agent whose tools are listed. Default: all tools of the package.")
@click.option("--package", help="The output folder of a target. Default: the first target.")
@format_option
def command(*, layer: str | None, agent: str, package: str | None, output_format: str) -> int:
    """Print the tools section of the system prompt of a LAYER, exactly as it is sent. Default: all layers.

    `tags` is the section on tools that are called by lines of text.
    """
    config = project()
    if package is not None:
        check_known("package", package, {target.out for target in config.targets})
    packages = built_catalogs(config, agent)
    if package is not None and package not in packages:
        raise click.UsageError(f"The package `{package}` has no agent `{agent}`.")
    catalog = packages[package] if package is not None else next(iter(packages.values()))
    presentations: dict[str, str] = dict(presentations_in(catalog, config.tool_use)) | {TAGS: TAGS}
    tool_use = ToolUse(catalog, config.tool_use, searches=False)
    run = idle_runtime(catalog).start_run(agent)

    sections: dict[str, str] = {}
    problems: dict[str, str] = {}
    presented: dict[str, Callable[[], Presentation]] = {
        **{each: partial(tool_use.presentation, each, run) for each in LAYERS},
        TAGS: partial(tool_use.tags, run),
    }
    for name in [layer] if layer else presented:
        try:
            sections[name] = presented[name]().build_presentation().prompt
        except (CatalogError, UnsupportedCapability) as error:
            problems[name] = str(error)
    if layer in problems:
        raise click.UsageError(problems[layer])
    if output_format == "json":
        show_json(
            [{"layer": name, "presentation": presentations[name], "prompt": text} for name, text in sections.items()]
        )
    elif layer:
        echo(sections[layer], nl=not sections[layer].endswith("\n") and bool(sections[layer]))
    else:
        for name, text in sections.items():
            echo(f"--- {name} ({presentations[name]})" if name != TAGS else f"--- {name}")
            echo(text or "(nothing)")
    for name, problem in problems.items():
        echo(f"{name} has no prompt: {problem}", err=True)
    failed = (name not in LAYERS or presentations[name] != DEFAULT_PRESENTATIONS[name] for name in problems)
    return 1 if any(failed) else 0  # a default need not fit
