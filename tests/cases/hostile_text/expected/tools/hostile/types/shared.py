"""Types that several tools share, in `hostile`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.runtime.codec.models import OpenModel


class Quoted(OpenModel):
    """ "quoted" at both ends, and Literal["a"] in the middle, says "JsonValue" """

    x8a331fdd: Annotated[str, Field(alias='"')] = "\"\"\"'''\\\n\x00\u2028{x}%s"
    """\"\"\" """
    xbe24f5ee: Annotated[Literal['"""', "'", "\\", "{{ x }}", "\n", "\x00", "a\u202eb"], Field(alias="'''")]
    """ends in a backslash \\ """
    x4236ea7a: Annotated[int | None, Field(alias="\n#")] = None
    """TypeAlias: Annotated[Field]

        indented
    \x09tab
    """
