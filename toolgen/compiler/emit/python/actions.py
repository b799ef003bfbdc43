"""`catalogs/<name>.py`: the routing tables of one action catalog, and the visibility of its categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring, literal
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.ir.catalog import ARG, ARGS, ENTRY, args_read, literal_of, references_in, takes_all
from toolgen.contract.ident import build
from toolgen.schema.keywords import required_of

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Action, ActionCatalog, Catalog, Condition

_HELPERS: Final = ("only", "passed_on", "renamed", "split_arg", "without")


def emit_actions(catalog: Catalog) -> dict[str, str]:
    """Return the module of every action catalog, by path."""
    return {f"catalogs/{each.module}.py": _module(each) for each in catalog.catalogs}


def _module(catalog: ActionCatalog) -> str:
    operations = [
        f"{literal(build(category.name, entry))}: {_rule(action)}"
        for category in catalog.categories
        for entry, action in category.actions.items()
    ]
    resources = [
        f"{literal(category.name)}: {_rule(category.resource)}"
        for category in catalog.categories
        if category.resource is not None
    ]
    conditions = {category.name: category.needs for category in catalog.categories if category.needs}
    rules = "\n".join((*operations, *resources))
    used = [helper for helper in _HELPERS if f"{helper}(" in rules or f", {helper})" in rules]
    return render(
        "actions.py.jinja",
        {
            "docstring": docstring(
                f"The action catalog `{catalog.name}`: the targets of its actions, and their visibility.", ""
            ),
            "imports": import_lines(
                {
                    "toolgen.contract": ["ActionRule", "ActionTables", "Visibility", *used],
                    "typing": ["TYPE_CHECKING", "Final"],
                }
            ),
            "categories": f"({''.join(f'{literal(category.name)}, ' for category in catalog.categories)})",
            "operations": operations,
            "resources": resources,
            "predicates": [
                _predicate(what, condition)
                for what, condition in [*conditions.items(), ("the search for actions", catalog.search_needs)]
            ],
            "visibility": [f"{literal(name)}: {_visibility(condition)}" for name, condition in conditions.items()],
            "search": _visibility(catalog.search_needs),
        },
    )


def _visibility(condition: Condition) -> str:
    return f"Visibility({literal(condition.setting)}, {condition.function})"


def _predicate(what: str, condition: Condition) -> dict[str, str]:
    value = condition.parameter
    tests = [f"bool({value})"]
    if condition.among:
        tests.append(f"{value} in {literal(list(condition.among))}")
    if condition.except_:
        tests.append(f"{value} not in {literal(list(condition.except_))}")
    return {
        "function": condition.function,
        "parameter": value,
        "docstring": docstring(f"Whether `{what}` is visible, by the setting `{condition.setting}`.", "    "),
        "test": " and ".join(tests),
    }


def _rule(action: Action) -> str:
    return f"ActionRule({literal(action.target)}, {_transform(action)})"


def _transform(action: Action) -> str:
    """Return the transform of an action, as an expression."""
    if not action.is_mapped:
        return "passed_on"
    entry = "entry" if any(ENTRY in references_in(value) for value in action.args.values()) else "_entry"
    return f"lambda {entry}, args: {{{', '.join(_pieces(action))}}}"


def _pieces(action: Action) -> Iterator[str]:
    """Return the parts that the args of the target are merged from; later ones take precedence."""
    if any(takes_all(value) for value in action.args.values()):
        if action.passed:
            yield f"**only(args, {_names(action.passed)})"
    else:
        filled = [*action.args, *(parameter for pair in action.split.values() for parameter in pair)]
        read = [*(name for value in action.args.values() for name in args_read(value)), *action.split]
        gone = dict.fromkeys([*filled, *(name for name in read if name not in action.passed)])
        yield f"**without(args, {_names(gone)})"
    required = required_of(action.schema)
    for arg, pair in action.split.items():
        pieces = f"split_arg(args, {_names((arg, *pair))})"
        yield f"**{pieces}" if arg in required else f"**({pieces} if {literal(arg)} in args else {{}})"
    for parameter, value in action.args.items():
        name = literal(parameter)
        if value == ARGS:
            yield f"{name}: args[{name}] if {name} in args else dict(args)"
        elif isinstance(value, str) and value.startswith(ARG):
            yield f"**renamed(args, {literal(value.removeprefix(ARG))}, {name})"
        elif args_read(value):
            present = " and ".join(f"{literal(arg)} in args" for arg in args_read(value))
            yield f"**({{{name}: {_value(value)}}} if {present} else {{}})"
        else:
            yield f"{name}: {_value(value)}"


def _value(value: Any) -> str:
    match value:
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case str() if value == ENTRY:
            return "entry"
        case str() if value == ARGS:
            return "dict(args)"
        case str() if value.startswith(ARG):
            return f"args[{literal(value.removeprefix(ARG))}]"
        case str():
            return literal(literal_of(value))
        case _:
            return literal(value)


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(literal, names))
