"""Every position of a spec that accepts text, as minimal spec files with a text there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from tests.hostile.building import toolset
from toolgen.compiler.resolve.names import attribute
from toolgen.compiler.resolve.shapes.algebra import constraints

Files = Mapping[str, Any]


def _plain_text(number: int, text: str) -> str:
    """Return the text that replaces a hostile one in the spec that it is compared with."""
    return f"plain text {number:03}"


@dataclass(frozen=True)
class Position:
    """`files` puts a text into a separate toolset or file, identified by its name: `own3`.

    `kept` is how much of the text the package holds; `plain` returns another text that is allowed there.
    """

    files: Callable[[str, str], Files]
    kept: Callable[[str], str] = str
    plain: Callable[[int, str], str] = _plain_text


def _plain_name(number: int, text: str) -> str:
    return f"plainName{number:03}"


def _plain_wire(number: int, text: str) -> str:
    """Return a plain field name that needs an alias if the text does."""
    return _plain_name(number, text) if attribute(text) == text else _plain_text(number, text)


def _plain_pattern(number: int, text: str) -> str:
    """Return a plain pattern that pydantic checks if it checks the text."""
    is_checked = bool(constraints("string", {"pattern": text}))
    return _plain_text(number, text) if is_checked else f"{_plain_text(number, text)}é"


def _the_same(number: int, text: str) -> str:
    """For texts with a meaning at their position, which no other text can replace."""
    return text


def _tool(
    kind: str = "service", **keys: Any
) -> Callable[[Callable[[str], Mapping[str, Any]]], Callable[[str, str], Files]]:
    """Files with one tool, whose keys depend on the text."""
    return lambda tool: lambda own, text: {f"{own}.json": toolset(own, tool(text), kind=kind, **keys)}


def _schema(schema: Callable[[str], Any]) -> Callable[[str, str], Files]:
    """A text inside the schema of the args and inside that of a named type, which is used for the result."""
    return lambda own, text: {
        f"{own}.json": toolset(
            own,
            {"args": {"type": "object", "properties": {"text": schema(text)}}, "result": "Named"},
            types={"Named": {"type": "object", "properties": {"inner": schema(text)}}},
        )
    }


def _args() -> dict[str, Any]:
    return {"args": {"text": "string"}}


def _arg(name: str) -> dict[str, Any]:
    """Return an arg of any name, even if the short form would read it as more than a name."""
    return {"args": {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}}


def _pointer(text: str) -> str:
    """A step of a JSON pointer in a URI."""
    return quote(text.replace("~", "~0").replace("/", "~1"), safe="", errors="surrogatepass")


def _tag(tag: Callable[[str], Any]) -> Callable[[str, str], Files]:
    """A tag tool. Its key is unique, as required for tag tools."""
    return lambda own, text: {
        f"{own}.json": {
            "toolgen": 1,
            "toolset": own,
            "tools": {own: {"description": "Acts.", **_arg("text"), "tag": tag(text)}},
        }
    }


def _server(server: Callable[[str], Any]) -> Callable[[str, str], Files]:
    return lambda own, text: {f"{own}.json": toolset(f"mcp.{own}", {}, kind="mcp", server=server(text))}


def _command(command: Callable[[str], Any]) -> Callable[[str, str], Files]:
    return _tool("command")(lambda text: {**_args(), "command": command(text)})


def _agent(**keys: Callable[[str], Any]) -> Callable[[str, str], Files]:
    return lambda own, text: {
        f"{own}.json": {"toolgen": 1, "agent": own, **{key: value(text) for key, value in keys.items()}},
        "used.json": toolset("used", {}),
    }


def _child(**keys: Callable[[str], Any]) -> Callable[[str, str], Files]:
    """A tool of kind agent."""
    return lambda own, text: {
        f"{own}.json": toolset(own, {**_args(), **{key: value(text) for key, value in keys.items()}}, kind="agent"),
        f"{own}-agent.json": {"toolgen": 1, "agent": own, "export": [own]},
    }


def _catalog(
    catalog: Callable[[str], Mapping[str, Any]], tool: Callable[[str], Mapping[str, Any]] = lambda text: _args()
) -> Callable[[str, str], Files]:
    category = {"description": "One.", "actions": {"act": None}}
    return lambda own, text: {
        f"{own}.json": {"toolgen": 1, "catalog": own, "from": own, "categories": {"one": category}, **catalog(text)},
        f"{own}-tools.json": toolset(own, tool(text)),
    }


def _category(
    category: Callable[[str], Mapping[str, Any]], tool: Callable[[str], Mapping[str, Any]] = lambda text: _args()
) -> Callable[[str, str], Files]:
    return _catalog(lambda text: {"categories": {"one": {"description": "One.", **category(text)}}}, tool)


def _policy(policy: Callable[[str], Mapping[str, Any]]) -> Callable[[str, str], Files]:
    return lambda own, text: {f"{own}.json": {"toolgen": 1, "policy": own, **policy(text)}}


def _stripped(text: str) -> str:
    return text.strip()


_OBJECT: Final = {"type": "object", "properties": {"name": {"type": "string"}}}

POSITIONS: Final[Mapping[str, Position]] = {
    # names
    "toolset name": Position(lambda own, text: {f"{own}.json": toolset(text, {})}, plain=_plain_name),
    "part of a toolset name": Position(
        lambda own, text: {f"{own}.json": toolset(f"{own}.{text}", {})}, plain=_plain_name
    ),
    "tool key": Position(
        lambda own, text: {
            f"{own}.json": {
                "toolgen": 1,
                "toolset": own,
                "tools": {text: {"title": "Act", "description": "Acts.", "wire_name": own}},
            }
        },
        plain=_plain_name,
    ),
    "type name": Position(
        lambda own, text: {f"{own}.json": toolset(own, {"result": text}, types={text: {"field": "string"}})},
        plain=lambda number, text: f"PlainName{number:03}",
    ),
    "method name": Position(
        lambda own, text: {f"{own}.json": toolset(own, {"bind": text}, methods={text: {}})}, plain=_plain_name
    ),
    "server data name": Position(_tool()(lambda text: {"server_data": {text: "string"}}), plain=_plain_name),
    "tag word": Position(
        lambda own, text: {
            f"{own}.json": toolset(own, {"tags": [text]}),
            f"{own}-tags.json": {"toolgen": 1, "tags": {text: "A tag."}},
        },
        plain=_plain_name,
    ),
    "agent name": Position(lambda own, text: {f"{own}.json": {"toolgen": 1, "agent": text}}, plain=_plain_name),
    "catalog name": Position(
        lambda own, text: {f"{own}.json": {"toolgen": 1, "catalog": text, "categories": {}}}, plain=_plain_name
    ),
    "policy name": Position(lambda own, text: {f"{own}.json": {"toolgen": 1, "policy": text}}, plain=_plain_name),
    "mode": Position(_policy(lambda text: {"modes": {text: {}}}), plain=_plain_name),
    "wire name": Position(_tool()(lambda text: {"wire_name": text}), plain=_plain_name),
    "kind": Position(lambda own, text: {f"{own}.json": toolset(own, {}, kind=text)}),
    "permission": Position(_tool()(lambda text: {"permission": text})),
    "role": Position(_tool()(lambda text: {"roles": [text]})),
    "dialect": Position(lambda own, text: {f"{own}.json": toolset(own, {}, dialect=text)}),
    "unknown key": Position(_tool()(lambda text: {text: 1})),
    # schemas
    "type word": Position(_tool()(lambda text: {"result": text})),
    "type of a schema": Position(_schema(lambda text: {"type": text})),
    "property name": Position(
        _schema(lambda text: {"type": "object", "properties": {text: {"type": "string"}}}), plain=_plain_wire
    ),
    "required property name": Position(
        _schema(lambda text: {"type": "object", "properties": {text: {"enum": ["a"]}}, "required": [text]}),
        plain=_plain_wire,
    ),
    "required name of no property": Position(
        _schema(lambda text: {"type": "object", "required": [text]}), plain=_plain_wire
    ),
    "arg": Position(
        lambda own, text: {
            f"{own}.json": toolset(own, {"args": {"type": "object", "properties": {text: {"type": "string"}}}})
        },
        plain=_plain_wire,
    ),
    "arg in the short form": Position(_tool()(lambda text: {"args": {f"{text}?": "string"}}), plain=_plain_wire),
    "description of a property": Position(_schema(lambda text: {"type": "string", "description": text})),
    "description of an object": Position(_schema(lambda text: {**_OBJECT, "description": text})),
    "description of a type": Position(
        lambda own, text: {
            f"{own}.json": toolset(own, {"args": {"x": "X"}}, types={"X": {**_OBJECT, "description": text}})
        }
    ),
    "title of a schema": Position(_schema(lambda text: {"type": "string", "title": text})),
    "comment of a schema": Position(_schema(lambda text: {"type": "string", "$comment": text})),
    "note in a schema": Position(_schema(lambda text: {"type": "string", f"x-{text}": {text: [text]}})),
    "unknown keyword": Position(_schema(lambda text: {"type": "string", f"un{text}known": text})),
    "examples of a schema": Position(_schema(lambda text: {"type": "string", "examples": [text]})),
    "default": Position(_schema(lambda text: {"type": "string", "default": text})),
    "default of any type": Position(
        _schema(lambda text: {"title": "Any", "type": ["string", "integer"], "default": text})
    ),
    "default in a list": Position(
        _schema(lambda text: {"type": "array", "items": {"type": "string"}, "default": [text]})
    ),
    "default in an object": Position(
        _schema(lambda text: {**_OBJECT, "default": {"name": text, "more": {"x": [text]}}})
    ),
    "key of a default": Position(_schema(lambda text: {"type": "object", "default": {text: 1}})),
    "default of an enumeration": Position(_schema(lambda text: {"enum": [text, "other"], "default": text})),
    "enumeration": Position(_schema(lambda text: {"enum": [text, "other"]})),
    "enumeration in a list": Position(_schema(lambda text: {"type": "array", "items": {"enum": [text]}})),
    "enumeration beside null": Position(_schema(lambda text: {"enum": [None, text]})),
    "enumeration of a choice": Position(_schema(lambda text: {"anyOf": [{"const": text}, {"type": "integer"}]})),
    "constant": Position(_schema(lambda text: {"const": text})),
    "constant that is an object": Position(_schema(lambda text: {"const": {text: text}})),
    "description of a value": Position(_schema(lambda text: {"oneOf": [{"const": "a", "description": text}]})),
    "pattern": Position(_schema(lambda text: {"type": "string", "pattern": text}), plain=_plain_pattern),
    "pattern of properties": Position(
        _schema(lambda text: {"type": "object", "patternProperties": {text: {"type": "string"}}})
    ),
    "format": Position(_schema(lambda text: {"type": "string", "format": text})),
    "media type": Position(_schema(lambda text: {"type": "string", "contentMediaType": text})),
    "dependent property": Position(_schema(lambda text: {"type": "object", "dependentRequired": {text: [text]}})),
    "definition": Position(
        lambda own, text: {
            f"{own}.json": toolset(own, {"result": {"type": "object", "$defs": {text: {"const": text}}}})
        }
    ),
    "reference": Position(_schema(lambda text: {"$ref": text}), plain=_the_same),
    "reference to a definition": Position(
        _tool()(lambda text: {"result": {"$ref": f"#/$defs/{_pointer(text)}", "$defs": {text: {"const": text}}}}),
        plain=_the_same,
    ),
    "reference to a file": Position(_schema(lambda text: {"$ref": f"{text}#/types/Named"}), plain=_the_same),
    "anchor": Position(_schema(lambda text: {"$anchor": text}), plain=_plain_name),
    "id": Position(_schema(lambda text: {"$id": text}), plain=_plain_name),
    "schema URI": Position(_schema(lambda text: {"type": "string", "$schema": text}), plain=_plain_name),
    "title of an option": Position(
        _schema(
            lambda text: {
                "anyOf": [{**_OBJECT, "title": text}, {"type": "object", "properties": {"b": {"type": "null"}}}]
            }
        )
    ),
    # tools
    "description": Position(_tool()(lambda text: {"description": text}), kept=_stripped),
    "title": Position(_tool()(lambda text: {"title": text})),
    "confirm": Position(_tool()(lambda text: {**_args(), "confirm": text})),
    "reminder": Position(_tool()(lambda text: {"reminder": text})),
    "hint of a call": Position(_tool()(lambda text: {**_args(), "hints": {"call": text}})),
    "hint of a result": Position(_tool()(lambda text: {**_args(), "hints": {"result": text}})),
    "example": Position(_tool()(lambda text: {**_args(), "examples": [{"args": {"text": text}, "result": [text]}]})),
    "key of an example": Position(
        _tool()(lambda text: {"args": {"type": "object"}, "examples": [{"args": {text: 1}}]})
    ),
    "new name of an arg": Position(_tool()(lambda text: {**_args(), "rename": {"text": text}}), plain=_plain_name),
    "renamed arg": Position(_tool()(lambda text: {**_arg(text), "rename": {text: "other"}})),
    "host": Position(_tool()(lambda text: {"access": {"hosts": [text]}})),
    "arg in access": Position(_tool()(lambda text: {**_arg(text), "access": {"read": text}}), plain=_plain_wire),
    "arg in one_of": Position(
        _tool()(
            lambda text: {
                "args": {"type": "object", "properties": {text: {"type": "string"}, "other": {"type": "string"}}},
                "one_of": [text, "other"],
            }
        ),
        plain=_plain_wire,
    ),
    "arg in inject": Position(_tool()(lambda text: {**_arg(text), "inject": [text]}), plain=_plain_wire),
    "cursor": Position(_tool()(lambda text: {**_args(), "bounded": {"cursor": "text", "next": text}})),
    "tag prefix": Position(_tag(lambda text: {"prefix": text}), plain=_plain_name),
    "tag pattern": Position(_tag(lambda text: {"pattern": f"(.+){text}"})),
    "tag example": Position(_tag(lambda text: {"example": text})),
    "server data": Position(_tool()(lambda text: {"server_data": {"data": {"enum": [text]}}})),
    # kinds
    "remote": Position(
        lambda own, text: {f"{own}.json": toolset(f"mcp.{own}", {"title": "Act", "remote": text}, kind="mcp")},
    ),
    "server url": Position(_server(lambda text: {"http": f"http://x/{text}"})),
    "server events": Position(_server(lambda text: {"sse": f"http://x/{text}"})),
    "server argv": Position(_server(lambda text: {"stdio": [text, text]})),
    "server header": Position(_server(lambda text: {"http": "http://x", "headers": {"X": text}})),
    "name of a server header": Position(
        _server(lambda text: {"http": "http://x", "headers": {text: "x"}}), plain=_plain_name
    ),
    "server environment": Position(_server(lambda text: {"stdio": ["x"], "env": [text]})),
    "hint of an HTTP error": Position(
        _tool("http", api={"base_url": "http://x"})(
            lambda text: {"http": {"method": "GET", "path": "/", "errors": {"404": text}}}
        )
    ),
    "command argv": Position(_command(lambda text: {"exec": ["x", text]})),
    "optional command argv": Position(_command(lambda text: {"exec": ["x", [text, "{{args.text}}"]]})),
    "shell line": Position(_command(lambda text: {"shell": text})),
    "command folder": Position(_command(lambda text: {"exec": ["x"], "cwd": text})),
    "command environment": Position(_command(lambda text: {"exec": ["x"], "env": [text]})),
    "user message": Position(_child(user=str)),
    "system message": Position(_child(system=str)),
    # files
    "description of a toolset": Position(
        lambda own, text: {f"{own}.json": toolset(own, {}, description=text)}, kept=_stripped
    ),
    "meaning of a tag": Position(lambda own, text: {f"{own}.json": {"toolgen": 1, "tags": {own: text}}}),
    "description of an agent": Position(_agent(description=str), kept=_stripped),
    "system of an agent": Position(_agent(system=str)),
    "use": Position(_agent(use=lambda text: [text]), plain=_plain_name),
    "on request": Position(_agent(on_request=lambda text: [text]), plain=_plain_name),
    "suggest": Position(_agent(suggest=lambda text: [text]), plain=_plain_name),
    "export": Position(_agent(export=lambda text: [text])),
    "prompt of a catalog": Position(_catalog(lambda text: {"prompt": text}), kept=_stripped),
    "category": Position(
        _catalog(lambda text: {"categories": {text: {"description": "One.", "actions": {"act": None}}}}),
        plain=_plain_name,
    ),
    "description of a category": Position(_category(lambda text: {"description": text, "actions": {"act": None}})),
    "setting": Position(_category(lambda text: {"needs": text, "actions": {"act": None}})),
    "value of a setting": Position(_category(lambda text: {"needs": {"s": {"not": [text]}}, "actions": {"act": None}})),
    "former category": Position(_category(lambda text: {"formerly": [text], "actions": {"act": None}})),
    "entry": Position(_category(lambda text: {"actions": {text: "act"}})),
    "target of an entry": Position(_category(lambda text: {"actions": {"act": text}})),
    "literal of an action": Position(
        _category(lambda text: {"actions": {"a": {"target": "act", "args": {"text": text}}}})
    ),
    "parameter of an action": Position(
        _category(
            lambda text: {"actions": {"a": {"target": "act", "args": {text: "$args.x"}}}}, lambda text: _arg(text)
        ),
        plain=_plain_wire,
    ),
    "cut of an action": Position(
        _category(lambda text: {"actions": {"a": {"target": "act", "split": {"text": f"<a>{text}<b>"}}}})
    ),
    "invoke": Position(_category(lambda text: {"target": "act", "invoke": text})),
    "mandate": Position(_catalog(lambda text: {"mandates": [{"text": text, "tiers": ["light"]}]})),
    "seed": Position(_catalog(lambda text: {"hot_list": {"seeds": [text]}})),
    "selector of a rule": Position(_policy(lambda text: {"rules": {text: "ask"}}), plain=_plain_name),
    "network host": Position(_policy(lambda text: {"network": {text: "ask"}}), plain=_plain_name),
    "write root": Position(_policy(lambda text: {"paths": {"write_roots": [text]}})),
    "sensitive path": Position(_policy(lambda text: {"paths": {"sensitive": [text]}})),
    "environment of commands": Position(_policy(lambda text: {"env": [text]})),
}
