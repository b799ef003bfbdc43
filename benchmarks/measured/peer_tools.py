"""The tools that the peers' benchmark gives every library, as toolgen is given them: schemas are what pydantic makes.

That benchmark is read where it lies, and not copied; its functions have a signature and a docstring, and no body.
"""

from __future__ import annotations

import inspect
import re
import runpy
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from toolgen.runtime import ToolDefinition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

TOOLSET = "peer"


def peer_tools(folder: Path, count: int) -> list[ToolDefinition]:
    """Return so many tools; as there, they differ in name alone."""
    common, load = (runpy.run_path(str(folder / name)) for name in ("common.py", "peer_load.py"))
    source = compile(load["fn_source"](0), "peer_load", "exec", dont_inherit=True)
    exec(source, common)  # noqa: S102 - how that benchmark makes its functions
    description, schema = _described(common[load["name"](0)])
    return [
        ToolDefinition(
            name=f"{TOOLSET}.{load['name'](number)}",
            description=description,
            input_schema=schema,
            permission="readonly",
        )
        for number in range(count)
    ]


def _described(function: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    """The summary of a docstring, and the schema of a signature, whose fields are described under `Args:`."""
    summary, _, args = (inspect.getdoc(function) or "").partition("\n\nArgs:\n")
    described = dict(re.findall(r"^ +(\w+): (.+)$", args, re.MULTILINE))
    fields = {name: _field(parameter, described) for name, parameter in inspect.signature(function).parameters.items()}
    made: dict[str, Any] = create_model("Args", **fields).model_json_schema()
    return summary, made


def _field(parameter: inspect.Parameter, described: Mapping[str, str]) -> Any:
    default = ... if parameter.default is inspect.Parameter.empty else parameter.default
    return parameter.annotation, Field(default, description=described[parameter.name])
