"""Results of the built-in toolsets, in a form that is valid for every package a toolset is compiled into.

A host compiles built-in toolsets into its package, with separate classes, and results of another package's classes are
rejected. So handlers return JSON values, from which `Runtime` builds the class that callers expect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel


def json_value(result: BaseModel) -> dict[str, Any]:
    """Convert a result of a class of `toolgen.toolsets.generated` to a JSON object.

    Fields that are None are omitted: no field of a built-in toolset may be null.
    """
    return result.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)
