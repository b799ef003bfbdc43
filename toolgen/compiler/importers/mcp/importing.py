"""MCP: converts a server's answer to `tools/list`, saved as JSON, to a spec of kind `mcp`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.sources.offered import digest_of
from toolgen.changes.suspicions import OtherTools, Reviewed
from toolgen.compiler.importers.imported import imported
from toolgen.compiler.importers.mcp.review import Review
from toolgen.compiler.importers.mcp.tools import read_tools
from toolgen.compiler.importers.spec_text import new_text, updated_text
from toolgen.compiler.importers.trial import Circumstances
from toolgen.compiler.importers.update import LATEST, new_spec, source_name, updated_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.offer import Offer
    from toolgen.compiler.importers.update import Update
    from toolgen.compiler.source.nodes import Source
    from toolgen.compiler.source.read import SpecFile

_COMMENT: Final = "Written by `toolgen import mcp`. Review permissions and tags: the server only hinted at them."
_HEAD: Final = ("toolgen", "toolset", "kind", "description", "imported", "dialect", "server")


def import_mcp(
    answer: Source,
    spec: str | SpecFile,
    toolset: str,
    sink: Diagnostics,
    *,
    dialect: str | None,
    profile: str,
    server: Mapping[str, Any] | None = None,
    others: OtherTools | None = None,
) -> Imported | None:
    """Create a spec from a server's answer, or update one: `spec` is the path of a new spec, or an existing one.

    `dialect` is the draft of schemas without `$schema`, by default that of the spec, or 2020-12. None if there are no
    valid tools; the reasons, and skipped tools, are reported.
    """
    if isinstance(spec, str):
        head = _with_head({"toolgen": 1, "toolset": toolset, "kind": "mcp"}, dialect, server)
        review = Review(None, others or OtherTools())
        offer = read_tools(answer, _circumstances(head, profile), {}, sink, review)
        if offer is None or not offer.tools:
            return None
        update = new_spec(_with_instructions(head, offer.instructions), offer.tools)
        return imported(new_text(spec, update.data, _COMMENT), update, offer)
    present = _with_head(spec.root.to_data(), dialect, server)
    tools = {source_name(key, tool): tool for key, tool in present["tools"].items()}
    review = Review(Reviewed(present), others or OtherTools())
    offer = read_tools(answer, _circumstances(present, profile), tools, sink, review)
    if offer is None or not offer.tools:
        return None
    update = updated_spec(_with_instructions(present, offer.instructions), offer.tools)
    _report_gone(spec, present, update, offer, sink)
    _report_replaced(spec, update, sink)
    return imported(updated_text(spec, update), update, offer)


def _with_head(data: dict[str, Any], dialect: str | None, server: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the data of a spec with another draft if one is given, and with a server if it has none."""
    changed = dict(data)
    if dialect is not None and dialect != data.get("dialect", LATEST):
        changed["dialect"] = dialect
    if server is not None:
        changed.setdefault("server", dict(server))
    return _in_order(changed)


def _with_instructions(data: dict[str, Any], instructions: str) -> dict[str, Any]:
    """Return the data of a spec with the server's instructions as description, unless a person wrote or edited it."""
    present, imported = data.get("description", ""), data.get("imported", "")
    if not instructions or (imported != digest_of("", present) if imported else present):
        return data
    return _in_order({**data, "description": instructions, "imported": digest_of("", instructions)})


def _in_order(data: dict[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in _HEAD if key in data} | data


def _circumstances(head: Mapping[str, Any], profile: str) -> Circumstances:
    return Circumstances(head["toolset"], "mcp", head.get("dialect", LATEST), profile)


def _report_gone(spec: SpecFile, present: Mapping[str, Any], update: Update, offer: Offer, sink: Diagnostics) -> None:
    for key in update.gone:
        name = source_name(key, present["tools"][key])
        if name not in offer.left_out:
            place = spec.root.span_at(("tools", key), key=True)
            sink.report("TG807", place, f"the server no longer has `{name}`, so it is removed")


def _report_replaced(spec: SpecFile, update: Update, sink: Diagnostics) -> None:
    for key, text in update.replaced:
        message = f"the server has changed `{key}`, and its `{text}` replaces this one"
        sink.report(
            "TG808", spec.root.span_at(("tools", key, text)), message, fix="restore yours if it is still correct"
        )
