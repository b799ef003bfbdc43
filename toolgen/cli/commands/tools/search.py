"""`toolgen search`: tools that match a query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.names import STDIN, read_named
from toolgen.cli.output import echo, format_option, short
from toolgen.cli.packages import built_catalogs
from toolgen.cli.project import project
from toolgen.cli.vectors import ask_for_embedding, vectors_of
from toolgen.llm.search.embedding import EmbeddingError
from toolgen.llm.search.index import SearchIndex, search_documents_of, search_index_of
from toolgen.spec.builtin import DISCOVERY

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config
    from toolgen.llm.search.index import SearchHit
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.search.documents import SearchDocument

_LARGEST: Final = 10 * 1024 * 1024
"""Maximum size in bytes of queries read from stdin."""


@click.command("search")
@click.argument("words", nargs=-1, metavar="[QUERY]")
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Maximum number of tools per query."
)
@click.option("--stdin", "from_stdin", is_flag=True, help="Read queries from stdin, one per line.")
@click.option("--yes", is_flag=True, help="Use the embedding class of the configuration without asking.")
@format_option
def command(*, words: tuple[str, ...], limit: int, from_stdin: bool, yes: bool, output_format: str) -> int:
    """Search tools by QUERY, a question or keywords, in one argument or in several; best match first.

    An embedding class that sends a variable of the environment to a server, or runs code or a model, is shown first,
    and a person at the terminal is asked once for this project; without a terminal, --yes is needed.

    Scores are comparable within one query only. With `--format json`, print one JSON line per query.
    """
    queries = _queries(" ".join(words) if words else None, from_stdin=from_stdin)
    config = project()
    catalogs = built_catalogs(config)
    known = (tool for catalog in reversed(catalogs.values()) for tool in catalog.spelled_tools())
    source_names = {tool.ident: tool.source_name for tool in known if tool.ident not in DISCOVERY}
    ask_for_embedding(config, yes=yes)
    answers = _answers(config, catalogs, queries, limit, frozenset(source_names))
    for each, found in zip(queries, answers, strict=True):
        hits = [{"tool": hit.key, "source_name": source_names[hit.key], "score": round(hit.score, 6)} for hit in found]
        if output_format == "json":
            line = json.dumps({"query": each, "hits": hits}, ensure_ascii=False)
            echo(line.encode("utf-8", "backslashreplace"))
        else:
            _show(each, hits, catalogs, named=from_stdin)
    return 0


def _queries(query: str | None, *, from_stdin: bool) -> Sequence[str]:
    """The queries. Raises click.UsageError if none or both kinds are given, or if one is empty."""
    if from_stdin and query is not None:
        raise click.UsageError("Give a QUERY or --stdin, not both.")
    if from_stdin:
        return _lines()
    if query is None:
        raise click.UsageError("The QUERY is missing. Give a QUERY, or --stdin to read one query per line.")
    if not query.strip():
        raise click.UsageError('The QUERY is empty. Give keywords, such as `toolgen search "send a message"`.')
    return [query]


def _lines() -> list[str]:
    """All lines of stdin. An empty line gives no hits, so that results stay aligned with queries."""
    try:
        text = read_named(STDIN, _LARGEST).decode()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"stdin is not UTF-8 text: {error.reason} at byte {error.start}.") from None
    if not text.strip():
        raise click.UsageError("stdin is empty. Give one query per line.")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _answers(
    config: Config, catalogs: Mapping[str, Catalog], queries: Sequence[str], limit: int, idents: frozenset[str]
) -> list[Sequence[SearchHit]]:
    """The tools of all packages that match: by words, and by vectors if an embedding class is configured."""
    index = SearchIndex.build(())
    homes: dict[str, Catalog] = {}
    for catalog in catalogs.values():
        new = [ident for ident in catalog if ident not in homes]
        homes.update(dict.fromkeys(new, catalog))
        index = index.extended(search_documents_of(catalog, new)) if len(index) else search_index_of(catalog)
    if not config.tool_use.embedding_class:
        return [index.search(query, limit, idents) for query in queries]
    from toolgen.cli.ending import run_calls  # slow to import, as what follows
    from toolgen.llm.search.index import ToolSearch

    def read(idents: Sequence[str]) -> Iterable[SearchDocument]:
        return (document for ident in idents for document in search_documents_of(homes[ident], [ident]))

    async def found(search: ToolSearch) -> list[Sequence[SearchHit]]:
        return [await search.search(query, limit, idents) for query in queries]

    try:
        return run_calls(found(ToolSearch(index, vectors_of(config, index, read))))
    except EmbeddingError as error:
        raise click.UsageError(str(error)) from None


def _show(query: str, hits: list[dict[str, Any]], catalogs: Mapping[str, Catalog], *, named: bool) -> None:
    if named:
        echo(f"{query}:")
    width = max((len(hit["tool"]) for hit in hits), default=0)
    for hit in hits:
        home = next(catalog for catalog in catalogs.values() if hit["tool"] in catalog)
        description = short(home.definition(hit["tool"]).description)
        echo(f"{hit['tool']:{width}}  {hit['score']:6.2f}  {description}".rstrip())
    if not hits:
        echo("no matching tools: try other words, or see `toolgen list`", err=not named)
