"""Server data: typed data of a result, for timelines and evidence. It is validated, and never shown to a model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.issues.issues import issue
from toolgen.schema.json_values import is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping


class ServerData:
    """The server data that one tool declares, by name."""

    def __init__(self, ident: str, declared: Mapping[str, Any]) -> None:
        self._codecs = {name: Codec.of(schema, name=f"{ident} ({name})") for name, schema in declared.items()}

    def check(self, given: Any) -> dict[str, Any]:
        """Return the values as plain JSON. Raises `InvalidPayload` for one that is undeclared or invalid."""
        if not is_mapping(given):
            found = f"a value of {type(given).__name__}"
            raise InvalidPayload([issue("", "type", "values by name", found, "set `server_data` to values by name")])
        return {name: self._checked(name, value) for name, value in given.items()}

    def _checked(self, name: Any, value: Any) -> Any:
        codec = self._codecs.get(name)
        if codec is None:
            expected = f"one of {', '.join(self._codecs) or 'none'}"
            raise InvalidPayload([issue("", "server_data", expected, str(name), "declare it in the spec of the tool")])
        return json.loads(codec.normalize(value)[1])
