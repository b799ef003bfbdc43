"""Results of the built-in toolsets, in the one form that fits every package a toolset was compiled into.

A host compiles built-in toolsets into a package of its own, with classes of its own, and results of another package's
classes are refused. So handlers give JSON values: `Runtime` builds of them the class that callers expect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel


def json_value(result: BaseModel) -> dict[str, Any]:
    """Return a result of a class of `toolgen.toolsets.generated` as the JSON object that it stands for.

    Fields that are None are left out: no built-in toolset has one that may be null.
    """
    return result.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)
