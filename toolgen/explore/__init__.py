"""Explore: tools, calls, runs and their questions, and servers, in a browser. Needs the extra `explore`.

The modules below are private.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.extras import MissingExtra

try:
    import jinja2 as _jinja2
    import sse_starlette as _sse_starlette
except ImportError:
    raise MissingExtra("exploring tools in a browser needs a web framework and templates", "explore") from None

if TYPE_CHECKING:
    from toolgen.explore.app import Explorer as Explorer
    from toolgen.explore.app import explorer as explorer
    from toolgen.explore.asking import ask_in_page as ask_in_page
    from toolgen.explore.settings import ExploreSettings as ExploreSettings
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "explorer": ".app",
            "Explorer": ".app",
            "ExploreSettings": ".settings",
            "ask_in_page": ".asking",
        },
    )

del _jinja2, _sse_starlette
