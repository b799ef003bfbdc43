"""The packages of toolsets: idents, handlers, executors, transforms, and the names they offer, also to agents."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring, literal
from toolgen.compiler.emit.python.annotations import CONTRACT, FORMATS, RUNTIME, annotation, names_in
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.ir.catalog import ToolsetKind
from toolgen.compiler.ir.shapes import ClassType, accepts_null
from toolgen.spec.text import first_line

if TYPE_CHECKING:
    from toolgen.compiler.emit.python.types import ToolsetTypes
    from toolgen.compiler.ir.catalog import Agent, Catalog, Step, Tool, Toolset, Transform
    from toolgen.compiler.ir.shapes import Field

# `transforms.py`: tool args to method payload, method result to tool result, if the shapes fit.

_SOURCES: Final = {
    "JsonValue": "pydantic",
    "Literal": "typing",
    **dict.fromkeys(("keep_unset", "rebuilt", *FORMATS.values()), RUNTIME),
}


def transform_names(toolset: Toolset) -> list[str]:
    """Return the names of the functions in a toolset's `transforms.py`; empty if nothing fits."""
    return [made["function"] for tool in toolset.tools for made in _transforms(tool)]


def emit_transforms(types_of: ToolsetTypes) -> str:
    """Return the module `transforms.py` of a toolset."""
    toolset, homes = types_of.toolset, types_of.modules
    transforms = [made for tool in toolset.tools for made in _transforms(tool)]
    imports: dict[str, set[str]] = {}
    types: dict[str, set[str]] = {}
    for made in transforms:
        for name in made["made"] | made["typed"]:
            target = imports if name in made["made"] or name == "Literal" else types
            if name in homes:
                target.setdefault(homes[name], set()).add(name)
            elif name in _SOURCES:
                target.setdefault(_SOURCES[name], set()).add(name)
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


# Execution of a toolset by the methods that its tools are bound to, and what is missing for that.


def is_bound(toolset: Toolset) -> bool:
    """Whether every tool is bound to a method, with a transform for each side."""
    return bool(toolset.tools) and not any(_gap(tool) for tool in toolset.tools)


def gaps(toolset: Toolset) -> list[str]:
    """Return what is missing to run a toolset by its methods; empty if no tool is bound to one."""
    if not any(tool.binding for tool in toolset.tools):
        return []
    return [gap for tool in toolset.tools if (gap := _gap(tool))]


def _gap(tool: Tool) -> str:
    if tool.binding is None:
        return f"`{tool.key}` is not bound to a method"
    if tool.binding.to_payload is None:
        return f"`{tool.key}` has no transform from its args to the payload of `{tool.binding.method}`"
    if tool.binding.to_result is None:
        return f"`{tool.key}` has no transform from the result of `{tool.binding.method}` to its own"
    return ""


def injected_fields(toolset: Toolset) -> dict[str, Field]:
    """Return the injected fields by JSON name. If fields share a name, the type is that of the first."""
    classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
    return {
        field.wire: field
        for tool in reversed(toolset.tools)
        for name in _sides(tool)
        if name in classes
        for field in classes[name].fields
        if field.wire in tool.inject
    }


def _sides(tool: Tool) -> list[str]:
    payload = tool.binding.to_payload if tool.binding else None
    return [tool.names.args, *([payload.target_type] if payload else [])]


def methods(toolset: Toolset) -> list[dict[str, Any]]:
    """Return the methods that tools are bound to, for the template."""
    used = {tool.binding.method for tool in toolset.tools if tool.binding}
    return [
        {"function": method.function, "payload": method.payload.type_name, "result": method.result.type_name}
        for method in toolset.methods
        if method.name in used
    ]


def handlers(toolset: Toolset) -> list[dict[str, str]]:
    """Return the handler of each tool, for the template."""
    classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
    functions = {method.name: method.function for method in toolset.methods}
    made: list[dict[str, str]] = []
    for tool in toolset.tools:
        assert tool.binding is not None
        assert tool.binding.to_payload is not None
        keywords = {step.target for step in tool.binding.to_payload.steps if step.source is None}
        fields = classes[tool.binding.to_payload.target_type].fields if keywords else ()
        made.append(
            {
                "constant": tool.names.constant,
                "method": functions[tool.binding.method],
                "to_payload": payload_transform(tool),
                "to_result": result_transform(tool),
                "injected": literal({field.python: field.wire for field in fields if field.python in keywords}),
            }
        )
    return made


def injections(toolset: Toolset) -> list[dict[str, str]]:
    """Return the parameters of the function `injections`; empty if two would have the same name."""
    fields = injected_fields(toolset)
    if len({field.python for field in fields.values()}) < len(fields):
        return []
    return [
        {"parameter": field.python, "wire": literal(wire), "type": annotation(field.shape)}
        for wire, field in sorted(fields.items())
    ]


def names_used(toolset: Toolset) -> set[str]:
    """Return the types in the signatures of methods and of injected fields."""
    named = {name for method in methods(toolset) for name in (method["payload"], method["result"])}
    return named.union(*(names_in(each["type"]) for each in injections(toolset)))


_ORIGINS: Final = {"JsonValue": "pydantic", "Literal": "typing", **dict.fromkeys(FORMATS.values(), RUNTIME)}
_WIDTH: Final = 100
"""Maximum characters of a line of names."""

_REGISTRATION: Final = {
    ToolsetKind.AGENT: "inline=True",
    ToolsetKind.MCP: "decode_in_executor=True",
    ToolsetKind.HTTP: "decode_in_executor=True",
}


def emit_package(types: ToolsetTypes) -> dict[str, str]:
    """Return the files of a toolset's package that are no modules of types, by path below it.

    A toolset without tools and types has none.
    """
    toolset = types.toolset
    files = {"__init__.py": _package(types)} if toolset.tools or types.modules_without(()) else {}
    if transform_names(toolset):
        files["transforms.py"] = emit_transforms(types)
    return files


def _offered(types: ToolsetTypes) -> dict[str, list[str]]:
    """Return what a toolset's package offers of modules: relative module to names, including types of shared files."""
    offered: dict[str, list[str]] = {}
    for name, module in types.modules.items():
        offered.setdefault(module, []).append(name)
    for tool in types.toolset.tools:
        offered.setdefault(types.modules[tool.names.args], []).append(tool.names.call)
    if names := transform_names(types.toolset):
        offered[".transforms"] = names
    return dict(sorted(offered.items()))


def _package(types_of: ToolsetTypes) -> str:
    toolset, offered = types_of.toolset, _offered(types_of)
    summary = first_line(toolset.description)
    imports: dict[str, set[str]] = {"typing": {"TYPE_CHECKING"}}
    types: dict[str, set[str]] = {}
    bound: dict[str, Any] = {"methods": [], "bound": [], "injections": []}
    if toolset.tools:
        imports["typing"] |= {"Final", "Protocol"}
        imports[CONTRACT] = {"Ident"}
        types[CONTRACT] = {"Returns", "ToolCallMeta", "ToolExecutor", "ToolsetRegistration"}
        types[RUNTIME] = {"Codecs"}
    if is_bound(toolset):
        bound = {"methods": methods(toolset), "bound": handlers(toolset), "injections": injections(toolset)}
        types["collections.abc"] = {"Awaitable"}
        if bound["injections"]:
            types["collections.abc"].add("Callable")
            types["typing"] = {"Any"}
        for name in names_used(toolset) & _ORIGINS.keys():
            types.setdefault(_ORIGINS[name], set()).add(name)
    text = "Run the tools of this toolset with the methods of `handlers`."
    if missing := gaps(toolset):
        intro = "There is no `executor_from`, which runs tools with the methods that they are bound to:"
        text = "\n".join([text, "", intro, *(f"- {gap}" for gap in missing)])
    return render(
        "toolset.py.jinja",
        {
            **bound,
            "docstring": docstring(f"`{toolset.name}`: {summary}" if summary else f"`{toolset.name}`.", ""),
            "imports": import_lines(imports),
            "type_imports": "\n\n".join(filter(None, [import_lines(types), import_lines(offered, reexport=True)])),
            "root": literal("." * (len(toolset.package) + 1) if toolset.tools else ""),
            "modules": _table(offered),
            "executor_docstring": docstring(text, "    "),
            "handlers_docstring": docstring(f"One method for each tool of `{toolset.name}`, sync or async.", "    "),
            "toolset": literal(toolset.name),
            "tools": [
                {
                    "ident": literal(tool.ident),
                    "constant": tool.names.constant,
                    "function": tool.names.function,
                    "args": tool.names.args,
                    "result": tool.names.result,
                }
                for tool in toolset.tools
            ],
            "registration": _REGISTRATION.get(toolset.kind, ""),
        },
    )


def _table(offered: Mapping[str, Iterable[str]]) -> str:
    """Return the table of `offer`, a line for each module, so that tools that change do not change others' lines."""
    rows = []
    for module, names in offered.items():
        lines = wrap(" ".join(sorted(names)), _WIDTH, break_long_words=False, break_on_hyphens=False)
        rows.append(f"{literal(module)}: {_together(lines)}, ")
    return f"{{{''.join(rows)}}}"


def _together(lines: Sequence[str]) -> str:
    """Return lines of names as one literal."""
    *first, last = lines
    parts = [*(literal(f"{line} ") for line in first), literal(last)]
    return f"({' '.join(parts)})" if first else parts[0]


# The packages of agents: the toolsets that each exports or uses. Both pass on the package of the toolset.


def emit_agents(catalog: Catalog) -> dict[str, str]:
    """Return the files of all agents, by path below the generated root."""
    toolsets = {toolset.name: toolset for toolset in catalog.toolsets if toolset.tools}
    agents = {agent.name: agent for agent in catalog.agents}
    files: dict[str, str] = {}
    for agent in catalog.agents:
        exported = [toolsets[name] for name in agent.export if name in toolsets]
        if exported:
            package = (*agent.package, "agenttools")
            files[f"{'/'.join(package)}/__init__.py"] = _exported(agent, exported, package)
        used: dict[tuple[str, ...], list[Toolset]] = {}
        for toolset in (toolsets[name] for name in agent.uses if name in toolsets):
            used.setdefault((*agent.package, "toolsets", *toolset.package[:-2]), []).append(toolset)
        for package, members in used.items():
            files[f"{'/'.join(package)}/__init__.py"] = _used(agent, members, package, agents)
    return files


def _exported(agent: Agent, toolsets: Sequence[Toolset], package: tuple[str, ...]) -> str:
    origins = [(_relative(package, toolset.package[:-1]), toolset) for toolset in toolsets]
    return _module(f"The toolsets that the agent `{agent.name}` exports.", origins, [])


def _used(agent: Agent, toolsets: Sequence[Toolset], package: tuple[str, ...], agents: dict[str, Agent]) -> str:
    """Return the module of the toolsets of one service. What an agent exports is taken from that agent."""
    origins: list[tuple[str, Toolset]] = []
    for toolset in toolsets:
        exporter = agents.get(toolset.exported_by)
        provider = (*exporter.package, "agenttools") if exporter else toolset.package[:-1]
        origins.append((_relative(package, provider), toolset))
    constructors = [
        {
            "function": f"new_{agent.package[-1]}_{toolset.package[-1].rstrip('_')}_toolset_registration",
            "docstring": docstring(f"Run `{toolset.name}` for `{agent.name}` with one executor.", "    "),
            "module": _attribute(toolset),
        }
        for toolset in toolsets
    ]
    service = ".".join(toolsets[0].name.split(".")[:-1])
    of = f" of `{service}`" if service else ""
    return _module(f"The toolsets{of} that the agent `{agent.name}` uses.", origins, constructors)


def _module(title: str, origins: Sequence[tuple[str, Toolset]], constructors: Sequence[dict[str, Any]]) -> str:
    imports: dict[str, list[str]] = {}
    for module, toolset in origins:
        imports.setdefault(module, []).append(f"{toolset.package[-1]} as {_attribute(toolset)}")
    values = {"docstring": docstring(title, ""), "imports": import_lines(imports), "constructors": constructors}
    return render("agent.py.jinja", values)


def _attribute(toolset: Toolset) -> str:
    """Return the name of a toolset in the package of an agent, which no parameter of a constructor may hide."""
    name = toolset.package[-1]
    return f"{name}_" if name == "executor" else name


def _relative(package: tuple[str, ...], target: tuple[str, ...]) -> str:
    """Return the relative import of one generated package from another's `__init__`."""
    shared = next((index for index, (one, other) in enumerate(zip(package, target, strict=False)) if one != other), 0)
    return "." * (len(package) - shared + 1) + ".".join(target[shared:])
