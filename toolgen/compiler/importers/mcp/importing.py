"""MCP: converts a server's answer to `tools/list`, saved as JSON, to a spec of kind `mcp`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.suspicions import OtherTools, Reviewed
from toolgen.compiler.importers.imported import imported, report_update
from toolgen.compiler.importers.mcp.review import Review
from toolgen.compiler.importers.mcp.tools import read_tools
from toolgen.compiler.importers.trial import Circumstances
from toolgen.compiler.importers.update import LATEST, new_spec, source_name, updated_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.source.nodes import Source
    from toolgen.compiler.source.read import SpecFile

_COMMENT: Final = "Written by `toolgen import mcp`. Review permissions and tags: the server only hinted at them."
_HEAD: Final = ("toolgen", "toolset", "kind", "description", "import", "dialect", "server")


def import_mcp(
    answer: Source,
    spec: str | SpecFile,
    toolset: str,
    sink: Diagnostics,
    *,
    dialect: str | None,
    profile: str,
    server: Mapping[str, Any] | None = None,
    file: str = "",
    others: OtherTools | None = None,
) -> Imported | None:
    """Create a spec from a server's answer, or update one: `spec` is the path of a new spec, or an existing one.

    `file` is the path of a saved answer, for the next import. `dialect` is the draft of schemas without `$schema`, by
    default that of the spec, or 2020-12. None if there are no valid tools; the reasons, and skipped tools, are
    reported.
    """
    if isinstance(spec, str):
        head = _with_head({"toolgen": 1, "toolset": toolset, "kind": "mcp"}, dialect, server, file)
        review = Review(None, others or OtherTools())
        offer = read_tools(answer, _circumstances(head, profile), {}, sink, review)
        if offer is None or not offer.tools:
            return None
        update = new_spec({**head, **_said(offer.instructions)}, offer.tools)
        return imported(update, _COMMENT, offer)
    present = _with_head(spec.root.to_data(), dialect, server, file)
    tools = {source_name(key, tool): tool for key, tool in present["tools"].items()}
    review = Review(Reviewed(present), others or OtherTools())
    offer = read_tools(answer, _circumstances(present, profile), tools, sink, review)
    if offer is None or not offer.tools:
        return None
    update = updated_spec(present, offer.tools, head=_said(offer.instructions))
    report_update(spec, update, "the server", sink)
    return imported(update, _COMMENT, offer)


def _with_head(
    data: dict[str, Any], dialect: str | None, server: Mapping[str, Any] | None, file: str
) -> dict[str, Any]:
    """Return the data of a spec with another draft or file if one is given, and with a server if it has none."""
    changed = dict(data)
    if dialect is not None and dialect != data.get("dialect", LATEST):
        changed["dialect"] = dialect
    if server is not None:
        changed.setdefault("server", dict(server))
        changed.pop("import", None)  # the server is asked from now on
    if file:
        changed["import"] = {"mcp": file}
    return _in_order(changed)


def _said(instructions: str) -> dict[str, Any]:
    """Return what the server says of the toolset."""
    return {"description": instructions} if instructions else {}


def _in_order(data: dict[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in _HEAD if key in data} | data


def _circumstances(head: Mapping[str, Any], profile: str) -> Circumstances:
    return Circumstances(head["toolset"], "mcp", head.get("dialect", LATEST), profile)
