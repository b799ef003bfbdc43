"""The JSON Schemas of spec files, and of the evaluations of a project, for editors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from toolgen.compiler.documents.base import SCHEMA_MARK, SharedFile, TypeNamePattern
from toolgen.compiler.documents.evaluation import EvalFile
from toolgen.compiler.documents.selecting import AgentFile, CatalogFile, PolicyFile
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.resolve.keywords import DIALECTS, RAW
from toolgen.schema.compact import model_args_schema
from toolgen.schema.json_values import is_object
from toolgen.schema.keywords import subschemas, with_schemas

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog

# JSON Schema's keywords for editors: the schema and a description of each value, for all supported drafts.

_TYPES: Final = ["string", "integer", "number", "boolean", "object", "array", "null"]
_FORMATS: Final = [
    *("date", "date-time", "time", "duration", "uuid", "email", "hostname", "ipv4", "ipv6"),
    *("uri", "uri-reference", "uri-template", "iri", "json-pointer", "regex", "password"),
]

_PART: Final = {"$ref": "#/$defs/JsonSchema"}
_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_NUMBER: Final = {"type": "number"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_BOUND: Final = {"type": ["number", "boolean"]}
_PARTS: Final = {"type": "array", "items": _PART, "minItems": 1}
_NAMED_PARTS: Final = {"type": "object", "additionalProperties": _PART}
_NAMES: Final = {"type": "array", "items": _TEXT}
_ONE_TYPE: Final = {"enum": _TYPES}

_KEYWORDS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "type": ({"anyOf": [_ONE_TYPE, {"type": "array", "items": _ONE_TYPE}]}, "The JSON type, or a list of types."),
    "title": (_TEXT, "A short name of the value, for people."),
    "description": (_TEXT, "What the value is, written for models."),
    "enum": ({"type": "array"}, "The values that are allowed."),
    "const": ({}, "The only value that is allowed."),
    "default": ({}, "The value that stands for an absent one."),
    "examples": ({"type": "array"}, "Typical values."),
    "deprecated": (_FLAG, "Whether the value should no longer be used."),
    "readOnly": (_FLAG, "Whether only the owner of the data sets the value."),
    "writeOnly": (_FLAG, "Whether the value is a secret, which is redacted in records."),
    "properties": (_NAMED_PARTS, "The fields of an object, by name."),
    "required": (_NAMES, "The names of the fields that must be present."),
    "additionalProperties": (_PART, "The schema of fields that are not named; `false` forbids them."),
    "patternProperties": (_NAMED_PARTS, "The schemas of fields whose names match a regular expression."),
    "propertyNames": (_PART, "The schema of the names of fields."),
    "minProperties": (_COUNT, "The least number of fields."),
    "maxProperties": (_COUNT, "The greatest number of fields."),
    "dependentRequired": (
        {"type": "object", "additionalProperties": _NAMES},
        "The fields that must be present if a field is.",
    ),
    "dependentSchemas": (_NAMED_PARTS, "The schemas of the object if a field is present."),
    "dependencies": (
        {"type": "object", "additionalProperties": {"anyOf": [_NAMES, _PART]}},
        "The fields, or the schema of the object, that a field needs (draft-07 and older).",
    ),
    "unevaluatedProperties": (_PART, "The schema of fields that no other part of the schema describes."),
    "items": ({"anyOf": [_PART, _PARTS]}, "The schema of each item of an array, after those of `prefixItems`."),
    "prefixItems": (_PARTS, "The schemas of the first items, one for each place."),
    "additionalItems": (_PART, "The schema of the items after those of an `items` list (2019-09 and older)."),
    "contains": (_PART, "The schema that at least one item fits."),
    "minContains": (_COUNT, "The least number of items that fit `contains`."),
    "maxContains": (_COUNT, "The greatest number of items that fit `contains`."),
    "minItems": (_COUNT, "The least number of items."),
    "maxItems": (_COUNT, "The greatest number of items."),
    "uniqueItems": (_FLAG, "Whether no two items are equal."),
    "unevaluatedItems": (_PART, "The schema of items that no other part of the schema describes."),
    "minLength": (_COUNT, "The least number of characters."),
    "maxLength": (_COUNT, "The greatest number of characters."),
    "pattern": (_TEXT, "A regular expression that a part of the text matches; anchor it with `^` and `$`."),
    "format": ({**_TEXT, "examples": _FORMATS}, "What the text is, such as `date`; checked if the target asserts it."),
    "contentEncoding": ({**_TEXT, "examples": ["base64"]}, "How the text encodes binary data."),
    "contentMediaType": ({**_TEXT, "examples": ["application/json"]}, "The media type of the content of the text."),
    "contentSchema": (_PART, "The schema of the content of the text."),
    "minimum": (_NUMBER, "The least number."),
    "maximum": (_NUMBER, "The greatest number."),
    "exclusiveMinimum": (_BOUND, "The number must be greater than this. In draft-04: whether `minimum` is excluded."),
    "exclusiveMaximum": (_BOUND, "The number must be less than this. In draft-04: whether `maximum` is excluded."),
    "multipleOf": ({"type": "number", "exclusiveMinimum": 0}, "The number is a multiple of this."),
    "allOf": (_PARTS, "The value fits each of these schemas."),
    "anyOf": (_PARTS, "The value fits at least one of these schemas."),
    "oneOf": (_PARTS, "The value fits exactly one of these schemas."),
    "not": (_PART, "The value does not fit this schema."),
    "if": (_PART, "If the value fits this schema, `then` applies, else `else`."),
    "then": (_PART, "The schema of values that fit `if`."),
    "else": (_PART, "The schema of values that do not fit `if`."),
    "$ref": (
        {**_TEXT, "examples": ["#/types/Name", "shared.yaml#/types/Name", "#/$defs/Name"]},
        "A type of this file or another one, or a place in this schema.",
    ),
    "$defs": (_NAMED_PARTS, "Schemas for use in this one, by name."),
    "definitions": (_NAMED_PARTS, "Schemas for use in this one, by name (draft-07 and older)."),
    "$schema": ({"enum": list(DIALECTS.values())}, "The draft of this schema. Default: `dialect` of the file."),
    "$id": (_TEXT, "The URI of this schema, which references in it are relative to."),
    "id": (_TEXT, "The URI of this schema (draft-04)."),
    "$anchor": (_TEXT, "A name of this part, for references."),
    "$dynamicAnchor": (_TEXT, "A name of this part, for dynamic references."),
    "$dynamicRef": (_TEXT, "A reference to the outermost part with that dynamic anchor."),
    "$recursiveAnchor": (_FLAG, "Whether recursive references may lead here (2019-09)."),
    "$recursiveRef": (_TEXT, "A reference to the outermost part with a recursive anchor (2019-09)."),
    "$vocabulary": ({"type": "object", "additionalProperties": _FLAG}, "The vocabularies of a metaschema."),
    "$comment": (_TEXT, "A note for the authors of the schema."),
}


def json_schema_keywords() -> dict[str, dict[str, Any]]:
    """Return the schema of each keyword's value, with its description."""
    return {keyword: {"description": text, **schema} for keyword, (schema, text) in _KEYWORDS.items()}


# Examples of keys that are free text, which editors offer: the models of spec files, their keys, and values.

_HEADERS: Final[list[Any]] = [{"Authorization": "Bearer $env.API_TOKEN"}]

EXAMPLES: Final[dict[str, dict[str, list[Any]]]] = {
    "ToolsetFile": {
        "toolgen": [1],
        "toolset": ["shop.orders"],
        "description": ["Orders of the shop, and their refunds."],
        "types": [{"Order": {"id": "string", "total": "number"}}],
        "methods": [{"Add": {"payload": {"sku": "string"}, "result": "boolean"}}],
        "tags": [{"billing": "Reads or changes invoices."}],
        "tools": [{"refund": {"description": "Refund an order.", "args": {"order_id": "string"}}}],
    },
    "ToolSpec": {
        "title": ["Refund an order"],
        "description": ["Refund an order, or a part of it."],
        "args": [{"order_id": "string", "amount?": "number"}],
        "result": [{"refunded": "number"}],
        "one_of": [["order_id", "invoice_id"]],
        "inject": [["user"]],
        "confirm": ["Refund {{args.order_id}}?"],
        "examples": [[{"args": {"order_id": "o-1"}, "result": {"refunded": 25}}]],
        "rename": [{"a-b": "a_minus_b"}],
        "handler": ["app.tools:search"],
        "bind": ["Add"],
        "user": ["Research {{args.topic}}."],
        "system": ["You find sources, and quote them."],
        "remote": ["createIssue"],
        "wire_name": ["refund_order"],
        "server_data": [{"order": {"id": "string"}}],
        "reminder": ["Tell the user the number of the refund."],
    },
    "ToolDefaultsSpec": {"inject": [["user"]]},
    "AccessSpec": {
        "read": ["path"],
        "search": ["folder"],
        "write": ["path"],
        "exec": ["argv"],
        "cwd": ["folder"],
        "url": ["url"],
        "hosts": [["api.example.com"]],
        "scope": ["order_id"],
    },
    "LimitsSpec": {"cooldown_seconds": [2], "daily_limit": [100], "timeout_ms": [30_000], "result_bytes": [65_536]},
    "ExampleSpec": {"args": [{"order_id": "o-1"}], "result": [{"refunded": 25}]},
    "TagSpec": {"prefix": ["SEARCH"], "pattern": [r"\s+(.+)"], "example": ["SEARCH: open invoices"]},
    "CommandSpec": {
        "exec": [["rg", "--json", ["--glob", "{{args.glob}}"], "{{args.pattern}}"]],
        "shell": ["git log --oneline -n {{args.count}}"],
        "env": [["LANG"]],
    },
    "HintsSpec": {"call": ["Refund {{args.order_id}}"], "result": ["Refunded {{result.refunded}}"]},
    "BoundedSpec": {"cursor": ["cursor"], "next": ["next_cursor"]},
    "MethodSpec": {"payload": [{"sku": "string"}], "result": ["boolean"]},
    "MethodReference": {"$ref": ["other.yaml#/methods/Add"]},
    "ServerSpec": {
        "http": ["https://example.com/mcp"],
        "sse": ["https://example.com/sse"],
        "stdio": [["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]],
        "headers": _HEADERS,
        "env": [["API_TOKEN"]],
    },
    "ApiSpec": {
        "base_url": ["https://api.example.com/v1"],
        "app": ["app.main:app"],
        "headers": [{"Accept-Language": "en"}],
        "auth": [{"token": {"type": "bearer", "token": "$env.API_TOKEN"}}],
        "security": [[["token"]]],
        "idempotency_header": ["Idempotency-Key"],
    },
    "AgentFile": {
        "agent": ["researcher"],
        "description": ["Finds sources, and summarizes them."],
        "system": ["You find sources, and quote them."],
        "use": [["shop.orders", "mcp.*+network"]],
        "on_request": [["shop.admin"]],
        "suggest": [["shop.orders.refund"]],
        "export": [["research.agents"]],
    },
    "CatalogFile": {
        "catalog": ["universal"],
        "from": ["shop.orders"],
        "prompt": ["Everything that you can do is an action of a category."],
        "categories": [{"orders": {"description": "Orders.", "actions": {"refund": "refund"}}}],
    },
    "CategorySpec": {
        "description": ["Orders and refunds."],
        "needs": ["embedding_class", {"sandbox_backend": {"not": ["noop"]}}],
        "formerly": [["purchases"]],
        "actions": [{"refund": "shop.orders.refund"}],
        "target": ["shop.orders.get"],
        "args": [{"order_id": "$entry"}],
        "invoke": ["Get the order."],
    },
    "ActionSpec": {"target": ["shop.orders.refund"], "args": [{"order_id": "$args.id"}]},
    "MandateSpec": {"text": ["Refund with orders__refund."]},
    "HotListSpec": {"size": [5], "seeds": [["orders__refund"]]},
    "PolicyFile": {
        "policy": ["default"],
        "rules": [{"+dangerous": "ask", "shop.orders": "allow"}],
        "roles": [{"sub": {"+dangerous": "deny"}}],
        "modes": [{"plan": {"*": "ask"}}],
        "registered": [["plugin.*"]],
        "network": [{"*.example.com": "allow", "*": "ask"}],
    },
    "EvalFile": {
        "toolgen": [1],
        "eval": ["orders"],
        "agent": ["researcher"],
        "system": ["You answer questions of customers."],
        "tags": [["smoke"]],
        "cases": [{"refund": {"question": "Please refund o-12.", "expect": [{"call": "shop.orders.refund"}]}}],
    },
    "CaseSpec": {
        "question": ["Please refund o-12."],
        "messages": [[{"user": "Please refund o-12."}]],
        "expect": [[{"call": "shop.orders.refund", "args": {"order_id": "o-12"}}], []],
        "allow": [["shop.orders+readonly"]],
        "avoid": [["*+write"]],
        "results": [[{"call": "shop.orders.find", "result": ["o-12"]}]],
        "check": ["app.checks:is_polite"],
        "tags": [["smoke"]],
    },
    "CallSpec": {
        "call": ["shop.orders.refund"],
        "args": [{"order_id": "o-12"}],
        "fields": [{"amount": False, "reason": {"minLength": 1}}],
    },
    "AlternativesSpec": {"one_of": [[{"call": "shop.orders.refund"}, {"call": "shop.orders.cancel"}]]},
    "UserSpec": {"user": ["Please refund o-12."]},
    "AssistantSpec": {"assistant": ["Which order do you mean?"]},
    "ResultSpec": {
        "call": ["shop.orders.find"],
        "args": [{"customer": "ann"}],
        "result": [["o-12"]],
        "error": ["there is no such order"],
    },
    "SharedFile": {
        "toolgen": [1],
        "types": [{"Address": {"street": "string", "city": "string"}}],
        "tags": [{"billing": "Reads or changes invoices."}],
    },
}


# The published JSON Schema of spec files, used by editors for completion and checks. It needs no other document.

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_SCHEMA: Final = {"$ref": "#/$defs/Schema"}
_ARGS: Final = "args:"
_RESOURCES: Final = frozenset({"$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "definitions"})
"""Keywords because of which a schema does not mean the same as a part of another one."""

_SPEC: Final = "toolgen spec"
_EVALUATION: Final = "toolgen evaluation"
SCHEMA_TITLES: Final = frozenset({_SPEC, _EVALUATION})
"""The titles of both schemas, by which a file that has one is known."""


def spec_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of all kinds of spec files."""
    files = TypeAdapter[Any](ToolsetFile | AgentFile | CatalogFile | PolicyFile | EvalFile | SharedFile)
    schema = _for_editors(files.json_schema(by_alias=True))
    _add_examples(schema["$defs"])
    schema["$defs"] |= _schemas()
    return {"$schema": _DIALECT, "title": _SPEC, **schema}


def _add_examples(models: Mapping[str, dict[str, Any]]) -> None:
    for model, examples in EXAMPLES.items():
        for key, values in examples.items() if model in models else ():
            models[model]["properties"][key]["examples"] = values


def evaluation_json_schema(catalogs: Sequence[Catalog]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the evaluations of a project: it knows its tools, and what args they take.

    Args are checked one by one, because a case may leave some out. Of a tool whose schema is of another draft, or has
    resources of its own, only the names of the args are checked.
    """
    schema = _for_editors(TypeAdapter(EvalFile).json_schema(by_alias=True))
    definitions: dict[str, Any] = schema["$defs"]
    _add_examples({"EvalFile": schema, **definitions})
    tools = {ident: catalog for catalog in reversed(catalogs) for ident in catalog}
    calls = [
        {"const": ident, "description": catalog.definition(ident).description.partition("\n")[0]}
        for ident, catalog in sorted(tools.items())
    ]
    for name in ("CallSpec", "ResultSpec"):
        definition = definitions[name]
        definition["properties"]["call"] = {
            "description": definition["properties"]["call"]["description"],
            "anyOf": calls,
        }
        definition["allOf"] = [
            {"if": {"properties": {"call": {"const": ident}}}, "then": {"$ref": f"#/$defs/{_ARGS}{ident}"}}
            for ident in sorted(tools)
        ]
    for ident, catalog in sorted(tools.items()):
        definition = catalog.definition(ident)
        args = model_args_schema(definition.input_schema, definition.settings.inject)
        definitions[f"{_ARGS}{ident}"] = _args_of_case(f"{_ARGS}{ident}", args)
    return {"$schema": _DIALECT, "title": _EVALUATION, **schema}


def _args_of_case(name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the part of a case that has args of a tool. Its definitions move to where it is."""
    properties = args.get("properties", {})
    parts = [part for _, part in subschemas(args)]
    is_plain = "$schema" not in args and not any(_RESOURCES & part.keys() for part in parts)
    closed = {"additionalProperties": False} if args.get("additionalProperties") is False else {}
    shown = {key: _moved(part, f"#/$defs/{name}") if is_plain else {} for key, part in properties.items()}
    made: dict[str, Any] = {
        "properties": {
            "args": {"properties": shown, **closed},
            "fields": {"properties": {key: {} for key in properties}, **closed},
        }
    }
    if is_plain and "$defs" in args:
        made["$defs"] = {key: _moved(part, f"#/$defs/{name}") for key, part in args["$defs"].items()}
    return made


def _moved(schema: Any, place: str) -> Any:
    """Return a schema whose references start from a place of another one."""
    if not is_object(schema):
        return schema
    made = {key: with_schemas(key, value, lambda part: _moved(part, place)) for key, value in schema.items()}
    if isinstance(reference := schema.get("$ref"), str):
        made["$ref"] = f"{place}{reference.removeprefix('#')}"
    return made


def _schemas() -> dict[str, Any]:
    """Return the definitions of a schema as a spec has it, and of JSON Schema."""
    words = {
        "string": "Text.",
        "integer": "A whole number.",
        "number": "A number.",
        "boolean": "`true` or `false`.",
        "object": "An object with any fields.",
        "null": "Only null.",
        "any": "Any JSON.",
    }
    keywords = json_schema_keywords()
    raw = [{"required": [keyword]} for keyword in sorted(RAW)]
    return {
        "Schema": {
            "description": "A type word, the name of a type, `[X]` for an array, fields of an object, or JSON Schema.",
            "anyOf": [
                *({"const": word, "description": text} for word, text in words.items()),
                {"type": "string", "pattern": TypeNamePattern, "description": "The name of a type of this file."},
                {"type": "null"},
                {"type": "array", "items": _SCHEMA, "minItems": 1, "maxItems": 1, "description": "An array of this."},
                {
                    "$ref": "#/$defs/JsonSchema",
                    "anyOf": [{"type": "boolean"}, *({"required": [key]} for key in sorted(RAW))],
                },
                {
                    "description": "The fields of an object; `name?` is optional, `name!` is taken literally.",
                    "type": "object",
                    "properties": {keyword: keywords[keyword] for keyword in sorted(RAW)},  # so that editors offer them
                    "additionalProperties": _SCHEMA,
                    "not": {"anyOf": raw},
                },
            ],
        },
        "JsonSchema": {"description": "JSON Schema.", "type": ["object", "boolean"], "properties": keywords},
    }


def _with_names(schema: dict[str, Any]) -> dict[str, Any]:
    """Write a pattern of names in another way: editors offer no values below `patternProperties`."""
    rest = {key: inner for key, inner in schema.items() if key != "patternProperties"}
    ((pattern, values),) = schema["patternProperties"].items()
    return {
        **rest,
        "propertyNames": {"pattern": pattern, **schema.get("propertyNames", {})},
        "additionalProperties": values,
    }


def _for_editors(value: Any) -> Any:
    """Put the reference in place of each mark for a schema, and leave out what editors would insert or show in vain.

    That is titles, which repeat the keys, and defaults of null or an empty collection, which say that a key is absent.
    """
    match value:
        case dict():
            if SCHEMA_MARK.items() <= value.items():
                return _SCHEMA | {key: inner for key, inner in value.items() if key == "description"}
            if "patternProperties" in value:
                value = _with_names(value)
            return {
                key: {name: _for_editors(part) for name, part in inner.items()}
                if key in ("properties", "$defs")
                else _for_editors(inner)
                for key, inner in value.items()
                if key != "title" and not (key == "default" and inner in (None, "", [], {}))
            }
        case list():
            return [_for_editors(inner) for inner in value]
        case _:
            return value
