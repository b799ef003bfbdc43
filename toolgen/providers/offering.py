"""Offering: from tools to the members of a request, with problems, as shared by all providers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolgen.providers.lenient import convert_schema
from toolgen.providers.protocol import OfferProblem, ToolPayload
from toolgen.providers.schema_dialects import StrictDialect
from toolgen.providers.strict import project, request_problems
from toolgen.spec.wire_names import fits

if TYPE_CHECKING:
    from toolgen.providers.protocol import OfferedTool, Provider, SchemaDifference
    from toolgen.providers.schema_dialects import Dialect
    from toolgen.spec.wire_names import Grammar


def payload_of(
    provider: Provider,
    offered: Sequence[OfferedTool],
    tool: Callable[[OfferedTool, dict[str, Any]], dict[str, Any]],
    members: Callable[[list[dict[str, Any]]], dict[str, Any]],
) -> ToolPayload:
    """Offer tools, with schemas of a provider's dialect. `tool` converts one, `members` returns those of the request.

    A strict dialect has a restorer and a projector for the args of each tool.
    """
    dialect = provider.dialect
    if isinstance(dialect, StrictDialect):
        return _strict_payload(provider.grammar, offered, dialect, tool, members)
    return _lenient_payload(provider.grammar, offered, dialect, tool, members)


def members_of(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the members of a request with `tools`, which must not be empty for most APIs."""
    return {"tools": tools} if tools else {}


def _lenient_payload(
    grammar: Grammar,
    offered: Sequence[OfferedTool],
    dialect: Dialect,
    tool: Callable[[OfferedTool, dict[str, Any]], dict[str, Any]],
    members: Callable[[list[dict[str, Any]]], dict[str, Any]],
) -> ToolPayload:
    problems = list(_name_problems(grammar, offered))
    differences: list[SchemaDifference] = []
    converted: list[dict[str, Any]] = []
    bad = {problem.tool for problem in problems}
    for each in offered:
        args, found, changed = convert_schema(each.name, each.args, dialect)
        problems += found
        if not found and each.name not in bad:
            differences += changed
            converted.append(tool(each, args))
    return ToolPayload(fields=members(converted), problems=tuple(problems), differences=tuple(differences))


def _strict_payload(
    grammar: Grammar,
    offered: Sequence[OfferedTool],
    dialect: StrictDialect,
    tool: Callable[[OfferedTool, dict[str, Any]], dict[str, Any]],
    members: Callable[[list[dict[str, Any]]], dict[str, Any]],
) -> ToolPayload:
    projections = [project(each.name, each.args, dialect) for each in offered]
    problems = list(_name_problems(grammar, offered))
    problems += [problem for projection in projections for problem in projection.problems]
    bad = {problem.tool for problem in problems}
    sizes = [(each.name, found.size) for each, found in zip(offered, projections, strict=True) if each.name not in bad]
    problems += request_problems(sizes, dialect.bounds)
    bad = {problem.tool for problem in problems}
    fine = [(each, found) for each, found in zip(offered, projections, strict=True) if each.name not in bad]
    return ToolPayload(
        fields=members([tool(each, dict(found.schema)) for each, found in fine]),
        problems=tuple(problems),
        differences=tuple(difference for _, found in fine for difference in found.differences),
        restorers={each.name: found.restore for each, found in fine},
        projectors={each.name: found.project for each, found in fine},
    )


def takes_args(args: Mapping[str, Any]) -> bool:
    """Whether anything but an empty object can be sent for args."""
    named = args.get("properties") or args.get("patternProperties")
    return bool(named) or args.get("additionalProperties") is not False


def _name_problems(grammar: Grammar, offered: Sequence[OfferedTool]) -> Iterator[OfferProblem]:
    seen = set[str]()
    for each in offered:
        if not fits(each.name, grammar):
            most = f" of at most {grammar.max_length} characters"
            yield OfferProblem(each.name, f"its name is not {grammar.pattern.pattern}{most}")
        elif each.name in seen:
            yield OfferProblem(each.name, "another tool of the request has its name")
        seen.add(each.name)
