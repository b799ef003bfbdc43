"""`transforms.py`: tool args to method payload, method result to tool result, if the shapes fit."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring
from toolgen.compiler.emit.python.annotations import FORMATS, RUNTIME, annotation, names_in
from toolgen.compiler.emit.python.types import module_of
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.ir.shapes import accepts_null

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Step, Tool, Toolset, Transform

_ORIGINS: Final = {
    "JsonValue": "pydantic",
    "Literal": "typing",
    **dict.fromkeys(("keep_unset", "rebuilt", *FORMATS.values()), RUNTIME),
}


def transform_names(toolset: Toolset) -> list[str]:
    """Return the names of the functions in a toolset's `transforms.py`; empty if nothing fits."""
    return [made["function"] for tool in toolset.tools for made in _transforms(tool)]


def emit_transforms(toolset: Toolset) -> str:
    """Return the module `transforms.py` of a toolset."""
    transforms = [made for tool in toolset.tools for made in _transforms(tool)]
    homes = module_of(toolset)
    imports: dict[str, set[str]] = {}
    types: dict[str, set[str]] = {}
    for made in transforms:
        for name in made["made"] | made["typed"]:
            target = imports if name in made["made"] or name == "Literal" else types
            if name in homes:
                target.setdefault(homes[name], set()).add(name)
            elif name in _ORIGINS:
                target.setdefault(_ORIGINS[name], set()).add(name)
    for module in list(types):
        types[module] -= imports.get(module, set())
    types = {module: names for module, names in types.items() if names}
    if types:
        imports.setdefault("typing", set()).add("TYPE_CHECKING")
    return render(
        "transforms.py.jinja",
        {
            "docstring": docstring(
                f"Transforms of `{toolset.name}`: between the shapes of tools and of the methods they are bound to.", ""
            ),
            "imports": import_lines(imports),
            "type_imports": import_lines(types),
            "transforms": transforms,
        },
    )


def payload_transform(tool: Tool) -> str:
    """Return the name of the function from the args of a tool to the payload of its method."""
    return f"to_method_payload_{tool.names.stem}"


def result_transform(tool: Tool) -> str:
    """Return the name of the function from the result of a method to the result of the tool."""
    return f"to_tool_return_{tool.names.stem}"


def _transforms(tool: Tool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if tool.binding is None:
        return found
    method = tool.binding.method
    if tool.binding.to_payload is not None:
        text = f"Convert the args of `{tool.ident}` to the payload of the method `{method}`."
        found.append(_function(payload_transform(tool), "args", tool.binding.to_payload, text))
    if tool.binding.to_result is not None:
        text = f"Convert the result of the method `{method}` to the result of `{tool.ident}`."
        found.append(_function(result_transform(tool), "result", tool.binding.to_result, text))
    return found


def _function(name: str, argument: str, transform: Transform, text: str) -> dict[str, Any]:
    """Return the values for the template: `made` are names used at run time, `typed` those in the signature."""
    injected = {step.target: annotation(step.shape) for step in transform.steps if step.source is None}
    argument, local = (_unused(wanted, injected) for wanted in (argument, "made"))
    parameters = [f"{parameter}: {kind}" for parameter, kind in injected.items()]
    rebuilt = [annotation(step.shape) for step in transform.steps if step.rebuilt]
    return {
        "function": name,
        "target": transform.target_type,
        "parameters": [f"{argument}: {transform.source_type}", *(["/", "*", *parameters] if parameters else [])],
        "docstring": docstring(text, "    "),
        "body": _body(argument, local, transform),
        "made": {
            *([] if _passes(transform) else [transform.target_type]),
            *(["rebuilt"] if rebuilt else []),
            *(["keep_unset"] if any(step.optional for step in transform.steps) else []),
            *names_in(" ".join(rebuilt)),
        },
        "typed": {transform.source_type, transform.target_type, *names_in(" ".join(injected.values()))},
    }


def _passes(transform: Transform) -> bool:
    """Whether the value is unchanged."""
    return not transform.steps and not transform.extra


def _unused(name: str, taken: Container[str]) -> str:
    """Return a name for the argument or the local variable that is none of the keywords."""
    while name in taken:
        name = f"{name}_"
    return name


def _body(argument: str, local: str, transform: Transform) -> list[str]:
    if _passes(transform):
        return [f"return {argument}"]
    given = ", ".join(f"{step.target}={_value(argument, step)}" for step in transform.steps)
    made = f"{transform.target_type}({given})"
    may_be_absent = [f'{step.target}="{step.source}"' for step in transform.steps if step.optional]
    if may_be_absent:
        made = f"keep_unset({made}, {argument}, {', '.join(may_be_absent)})"
    if not transform.extra:
        return [f"return {made}"]
    extra = f"{local}.__pydantic_extra__ = dict({argument}.model_extra or {{}})"
    return [f"{local} = {made}", extra, f"return {local}"]


def _value(argument: str, step: Step) -> str:
    if step.source is None:
        return step.target
    value = f"{argument}.{step.source}"
    return f"rebuilt({_kind(step)}, {value})" if step.rebuilt else value


def _kind(step: Step) -> str:
    """Return the type of a step's value, including None for an absent one."""
    absent = " | None" if step.optional and not accepts_null(step.shape) else ""
    return f"{annotation(step.shape)}{absent}"
