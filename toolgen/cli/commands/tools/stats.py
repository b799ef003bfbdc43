"""`toolgen stats`: what each presentation costs with each provider, in bytes and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Final

import click

from toolgen.cli.output import echo, format_option, show_json
from toolgen.cli.packages import built_catalogs
from toolgen.cli.project import project
from toolgen.llm.costs import ENCODING, Cost, costs, token_counter
from toolgen.providers.table import PROVIDERS


@click.command("stats")
@click.option("--agent", default="", help="The agent whose tools are measured. Default: all tools of the package.")
@click.option(
    "--provider", "providers", type=click.Choice(list(PROVIDERS)), multiple=True, help="Repeatable. Default: all."
)
@format_option
def command(*, agent: str, providers: Sequence[str], output_format: str) -> int:
    """Print the cost of each presentation with each provider: tools, bytes and tokens of the first request.

    The layers that use a presentation are listed with it. Tokens are those of o200k_base, the encoding of OpenAI, and
    are counted where the extra `tokens` is installed.
    """
    config = project()
    count_tokens, why_not = token_counter()
    found = [
        cost
        for out, catalog in built_catalogs(config, agent).items()
        for cost in costs(out, catalog, config.tool_use, agent, providers or tuple(PROVIDERS), count_tokens)
    ]
    if output_format == "json":
        encoding = {"encoding": ENCODING} if count_tokens else {"problem": why_not}
        show_json({"tokens": encoding, "costs": [asdict(cost) for cost in found]})
    else:
        _show(found, why_not)
    return 0


_COLUMNS: Final = ("presentation", "provider", "layers", "tools", "bytes", "tokens")
_EVERY: Final = "every provider"
_NUMBERS: Final = frozenset({"tools", "bytes", "tokens"})


def _show(found: Sequence[Cost], why_not: str) -> None:
    columns = _COLUMNS[:-1] if why_not else _COLUMNS
    for package in dict.fromkeys(cost.package for cost in found):
        merged = _merged([cost for cost in found if cost.package == package])
        rows = [_row(cost) for cost in merged]
        widths = {name: max(len(name), *(len(row[name]) for row in rows if name in row)) for name in columns}
        echo(f"{package}\n")
        for row in [{name: name for name in columns}, *rows]:
            cells = [
                f"{row[name]:>{widths[name]}}" if name in _NUMBERS else f"{row[name]:{widths[name]}}"
                for name in columns
                if name in row
            ]
            echo("  ".join(cells).rstrip())
        echo()
        for reason in dict.fromkeys(_reason(cost) for cost in merged if cost.problem):
            concerned = ", ".join(_concerned(cost) for cost in merged if _reason(cost) == reason)
            echo(f"{concerned}: {reason}\n")
    if why_not:
        echo(f"Tokens are not counted. {why_not}", err=True)


def _reason(cost: Cost) -> str:
    """The problem of a cost, without the presentation that it may begin with: others can have the same."""
    return cost.problem.removeprefix(f"the presentation {cost.presentation!r} ")


def _concerned(cost: Cost) -> str:
    return cost.presentation if cost.provider == _EVERY else f"{cost.presentation} with {cost.provider}"


def _merged(found: Sequence[Cost]) -> list[Cost]:
    """The costs, with a problem that a presentation has with every provider listed only once."""
    rows: list[Cost] = []
    for presentation in dict.fromkeys(cost.presentation for cost in found):
        same = [cost for cost in found if cost.presentation == presentation]
        shared = len(same) > 1 and same[0].problem and len({cost.problem for cost in same}) == 1
        rows += [replace(same[0], provider=_EVERY)] if shared else same
    return rows


def _row(cost: Cost) -> dict[str, str]:
    named = {"presentation": cost.presentation, "provider": cost.provider, "layers": ", ".join(cost.layers)}
    figures = {"tools": cost.tools, "bytes": cost.bytes, "tokens": cost.tokens}
    return (
        named
        if cost.problem
        else {**named, **{name: "not counted" if value is None else f"{value:,}" for name, value in figures.items()}}
    )
