"""Extra keys of open objects that equal the Python name of a field with another JSON name.

pydantic keeps the names of the given fields and the extra keys in one set. If a field `a_b`, in JSON `a-b`, is absent
and there is an extra key `a_b`, that set says that the field was given. So the generated classes reject such a key,
which takes no time if there is none; the code that builds the value then accepts it, and corrects the sets.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import CoreSchema

_ARE_TAKEN: Final = ContextVar("_ARE_TAKEN", default=False)


def checked_extra_keys(model: type[BaseModel]) -> CoreSchema | None:
    """Return a schema that rejects extra keys equal to Python names of optional fields; None if there are none."""
    fields = model.model_fields.items()
    wires = {name: str(_alias(name, field)) for name, field in fields if _may_be_confused(name, field)}
    return no_info_plain_validator_function(_checked_by(wires)) if wires else None


@contextmanager
def python_names_taken() -> Generator[None]:
    """Make the classes accept such keys. Pass the values built so to `correct_given_fields`."""
    token = _ARE_TAKEN.set(True)
    try:
        yield
    finally:
        _ARE_TAKEN.reset(token)


def correct_given_fields(typed: Any, value: Any) -> None:
    """Correct which fields count as given in the models of a typed value, from the JSON value it was built from."""
    if isinstance(typed, BaseModel) and is_object(value):
        extra = typed.__pydantic_extra__ or {}
        for name, field in type(typed).model_fields.items():
            wire = _alias(name, field)
            if wire in value:
                correct_given_fields(getattr(typed, name), value[wire])
            elif wire is not None and name in extra:
                typed.model_fields_set.discard(name)
    elif is_array(typed) and is_array(value):
        for item, inner in zip(typed, value, strict=False):
            correct_given_fields(item, inner)
    elif is_object(typed) and is_object(value):
        for key in typed.keys() & value.keys():
            correct_given_fields(typed[key], value[key])


def confuses_extra_keys(model: type[BaseModel]) -> bool:
    """Whether a class keeps extra keys and has optional fields with another JSON name."""
    return model.model_config.get("extra") == "allow" and any(
        _may_be_confused(name, field) for name, field in model.model_fields.items()
    )


def _may_be_confused(name: str, field: FieldInfo) -> bool:
    return not field.is_required() and _alias(name, field) not in (name, None)


def _alias(name: str, field: FieldInfo) -> str | None:
    """Return the JSON name of a field; None if a class of the host accepts several."""
    alias = field.validation_alias
    return alias if isinstance(alias, str) else name if alias is None else None


def _checked_by(wires: Mapping[str, str]) -> Callable[[str], str]:
    def check(key: str) -> str:
        if key in wires and not _ARE_TAKEN.get():
            message = (
                "`{name}` is the Python name of the field `{wire}`: put an extra key of that name in `model_extra`"
            )
            raise PydanticCustomError("extra_key", message, {"name": key, "wire": wires[key]})
        return key

    return check
