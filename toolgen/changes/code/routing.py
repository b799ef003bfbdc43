"""Routing: the expressions by which generated modules of action catalogs map args and decide what is visible."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.changes.code.api import Api

_RULES: Final = ("OPERATION_RULES", "RESOURCE_RULES")
_CATALOGS: Final = "catalogs."


def routing_of(api: Api) -> dict[str, dict[str, str]]:
    """Return the expressions of each action catalog: of its rules, and of its conditions."""
    return {
        name.removeprefix(_CATALOGS): dict(_expressions(module.tree))
        for name, module in api.modules.items()
        if name.startswith(_CATALOGS)
    }


def _expressions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=keys, values=values)) if name in _RULES:
                for key, value in zip(keys, values, strict=True):
                    # The first argument is the target, which the catalog has too.
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Call):
                        yield str(key.value), ast.unparse(value.args[-1])
            case ast.FunctionDef(name=name, body=[*_, last]):
                yield name, f"def {ast.unparse(node.args)}: {ast.unparse(last)}"
            case _:
                continue
