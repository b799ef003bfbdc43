"""`toolgen export`: the tools as a provider's request holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolgen.cli.names import check_toolset
from toolgen.cli.output import echo, show_json
from toolgen.cli.packages import built_catalogs
from toolgen.cli.project import project
from toolgen.llm.tool_use import ToolUse, idle_runtime
from toolgen.providers.table import PROVIDERS, provider_payload
from toolgen.runtime.issues.issue_text import counted

if TYPE_CHECKING:
    from toolgen.providers.protocol import OfferedTool, SchemaDifference


@click.command("export")
@click.argument("provider", type=click.Choice(list(PROVIDERS)))
@click.option("--toolset", help="Only the tools of this toolset.")
@click.option("--differences", is_flag=True, help="List on stderr where the payload differs from the schemas.")
def command(*, provider: str, toolset: str | None, differences: bool) -> int:
    """Print the tools of the project as a request to PROVIDER holds them: members of the request, as JSON.

    Tools that PROVIDER cannot represent are omitted and listed on stderr with the reason; the exit code is then 1.
    """
    catalogs = built_catalogs(project())
    check_toolset(toolset, {name for catalog in catalogs.values() for name in catalog.toolsets})
    found: dict[str, OfferedTool] = {}
    for catalog in reversed(catalogs.values()):  # a tool of several targets is taken from the first
        run = idle_runtime(catalog).start_run()
        candidates = ToolUse(catalog).candidates(run, provider)
        idents = [ident for ident in candidates if toolset is None or catalog.toolset_of(ident) == toolset]
        found.update({ident: candidates[ident] for ident in idents})
    payload = provider_payload(provider, [found[ident] for ident in sorted(found)])
    show_json(dict(payload.fields))
    for each in payload.differences if differences else ():
        echo(f"{each.tool}{each.pointer and f' at {each.pointer}'}: {_words(each)}", err=True)
    for problem in payload.problems:
        echo(str(problem), err=True)
    if payload.problems:
        refused = len({problem.tool for problem in payload.problems})
        echo(f"{provider} cannot represent {counted(refused, 'tool')} of {len(found)}", err=True)
    return 1 if payload.problems else 0


def _words(difference: SchemaDifference) -> str:
    if difference.effect == "looser":
        what = f"`{difference.keyword}`" if difference.keyword else "this part"
        return f"{what} is given in the description only, not enforced"
    return "null cannot be sent" if difference.keyword == "type" else "undeclared fields cannot be sent"
