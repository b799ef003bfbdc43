"""Small random schemas, whose bounds often touch: of one kind of value, with most of its keywords."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from random import Random

LEAVES: Final[tuple[Any, ...]] = (
    *(True, False, {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": ["integer", "null"]}),
    *({"const": 1}, {"const": 1.0}, {"enum": ["a", "b", 2]}, {"enum": [0, 1, True, None]}, {"const": "a"}),
    *({"type": "integer", "minimum": 1}, {"type": "integer", "maximum": 1}, {"type": "string", "minLength": 1}),
    *({"$ref": "#/$defs/no"}, {"$ref": "#/$defs/yes"}, {"$ref": "#/$defs/one"}),
)
_DEFINITIONS: Final = {"no": False, "yes": True, "one": {"const": 1}}
_PATTERNS: Final = ("^a", "b$", "^[ab]+$", "^.$", "^(a|b)$", "^x-", ".")


def small_schema(random: Random) -> Any:
    """Return a random schema, with definitions that some of its parts refer to."""
    return {**_schema(random, 2), "$defs": _DEFINITIONS}


def _schema(random: Random, depth: int) -> Any:
    if depth == 0:
        return random.choice(LEAVES)
    return random.choice((_number, _string, _array, _array, _object, _object, _object, _combined))(random, depth)


def _some(random: Random, keywords: dict[str, Any], share: float = 0.3) -> dict[str, Any]:
    return {keyword: value for keyword, value in keywords.items() if random.random() < share}


def _number(random: Random, _depth: int) -> Any:
    number = [0, 1, 2, 3, 1.5, 2.0, -1]
    return {
        "type": random.choice(["integer", "number"]),
        **_some(random, {
            "minimum": random.choice(number), "maximum": random.choice(number),
            "exclusiveMinimum": random.choice(number), "exclusiveMaximum": random.choice(number),
            "multipleOf": random.choice([1, 2, 3, 4, 0.5, 1.5, 0.1]), "not": {"multipleOf": random.choice([2, 0.5, 1])},
        }),
    }  # fmt: skip


def _string(random: Random, _depth: int) -> Any:
    size = [0, 1, 2, 3]
    return {
        "type": "string",
        **_some(random, {
            "minLength": random.choice(size), "maxLength": random.choice(size), "pattern": random.choice(_PATTERNS),
            "not": random.choice([{"pattern": random.choice(_PATTERNS)}, {"const": "a"}, {"enum": ["", "b"]}]),
        }),
    }  # fmt: skip


def _array(random: Random, depth: int) -> Any:
    size = [0, 1, 2, 3]
    inner = [_schema(random, depth - 1) for _ in range(6)]
    return {
        "type": "array",
        **_some(random, {
            "items": inner[0], "prefixItems": inner[1 : random.choice([2, 3])], "contains": inner[3],
            "minItems": random.choice(size), "maxItems": random.choice(size), "uniqueItems": True,
            "not": random.choice([{"items": inner[4]}, {"contains": inner[4]}, {"uniqueItems": True}]),
            "allOf": [{"not": {"items": inner[5]}}],
        }),
        **_some(random, {"minContains": random.choice([0, 1, 2]), "maxContains": random.choice([0, 1, 2])}, 0.2),
    }  # fmt: skip


def _object(random: Random, depth: int) -> Any:
    size = [0, 1, 2, 3]
    inner = [_schema(random, depth - 1) for _ in range(6)]
    names = ["a", "b", "x-1"]
    return {
        "type": "object",
        **_some(random, {
            "properties": dict(zip(random.sample(names, 2), inner, strict=False)), "required": random.sample(names, 1),
            "additionalProperties": random.choice([False, False, True, inner[2]]),
            "patternProperties": {random.choice(_PATTERNS): inner[3]},
        }, 0.5),
        **_some(random, {
            "propertyNames": random.choice([{"maxLength": 1}, {"enum": ["a", "b"]}, {"pattern": "^a"}]),
            "minProperties": random.choice(size), "maxProperties": random.choice(size),
            "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"b": inner[4]},
            "not": random.choice([{"required": ["b"]}, {"additionalProperties": inner[5]}, {"minProperties": 2}]),
        }, 0.2),
        **_some(random, {"unevaluatedProperties": False}, 0.1),
    }  # fmt: skip


def _combined(random: Random, depth: int) -> Any:
    inner = [_schema(random, depth - 1) for _ in range(3)]
    match random.choice(["anyOf", "oneOf", "oneOf", "allOf", "not", "if", "recursive"]):
        case "not":
            return {"not": inner[0]}
        case "if":
            return {"if": inner[0], "then": inner[1], "else": inner[2]}
        case "recursive":
            return {"properties": {"a": {"$ref": "#"}, "b": inner[0]}, **_some(random, {"required": ["b"]}, 0.5)}
        case keyword:
            return {keyword: inner[: random.choice([1, 2, 3])]}
