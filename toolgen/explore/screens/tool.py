"""Tool: what a tool takes and returns, and args that are edited as a form and as JSON."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from toolgen.explore.args_editor import EditedArgs, edited, example_args
from toolgen.explore.screens.surface import choices_of, standing

if TYPE_CHECKING:
    from toolgen.explore.args_form import FormField
    from toolgen.explore.visit import Data, Visit


async def tool(visit: Visit) -> Data:
    """Return a tool: its texts, schemas, rules and examples, and an empty form."""
    catalog, ident = visit.explorer.runtime.catalog, visit.tool
    definition = catalog.definition(ident)
    settings = definition.settings
    examples = [example_args(catalog, ident, each.args) for each in settings.examples]
    approvers = visit.explorer.runtime.policies.approvers(catalog.entry(ident))
    return {
        **choices_of(visit),
        "tool": ident,
        "title": definition.title,
        "description": definition.description,
        "permission": definition.permission,
        "kind": definition.kind,
        "toolset": catalog.toolset_of(ident),
        "origin": str(definition.metadata.get("source", "")),
        "wire_name": catalog.wire_name(ident),
        "tags": sorted(definition.tags),
        "confirm": settings.confirm,
        "injected": sorted(settings.inject),
        "approvers": "" if approvers is None else str(approvers),
        "schema": definition.input_schema,
        "result_schema": definition.result_schema,
        "examples": [each.text for each in examples],
        "examples_left_out": [each.left_out for each in examples],
        **standing(visit, ident),
        "editor": editor_data(edited(catalog, ident, {})),
    }


async def tool_args(visit: Visit) -> Data:
    """Return args after an edit: checked by the codec of the tool. Nothing is called."""
    catalog = visit.explorer.runtime.catalog
    args = await visit.aside(edited, catalog, visit.tool, visit.fields)
    return {"tool": visit.tool, "editor": editor_data(args)}


def editor_data(args: EditedArgs) -> Data:
    """Return edited args as JSON."""
    return {
        "text": args.text,
        "base": args.base,
        "is_valid": not args.issues,
        "issues": [{"pointer": each.pointer, "keyword": each.keyword, "hint": each.hint} for each in args.issues],
        "errors": args.by_field,
        "told": args.told,
        "link": args.link,
        "link_left_out": args.link_left_out,
        "form": _form(args.form),
    }


def _form(field: FormField) -> Data:
    own = {each.name: getattr(field, each.name) for each in fields(field)}
    return {**own, "id": field.id, "address": field.address, "fields": [_form(each) for each in field.fields]}
