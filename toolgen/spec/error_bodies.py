"""Bodies of errors that say which values are wrong: where these have their list, and the place of a value."""

from __future__ import annotations

from typing import Final

ERROR_LISTS: Final = ("detail", "errors", "invalid-params", "invalid_params", "issues", "violations")
"""Members of a body that have its errors.

`detail` is FastAPI's, `errors` that of RFC 9457 (section 3), JSON:API and others, `invalid-params` that of RFC 7807
(section 3), `issues` that of Zod, and so of many MCP servers.
"""

ERROR_PATHS: Final = ("loc", "pointer", "path", "field", "name", "param", "propertyPath")
"""Members of an error that have the place of the value."""
