from __future__ import annotations

import toolgen.runtime


def test_at_most_15_names_are_public() -> None:
    names = dir(toolgen.runtime)
    assert len(names) <= 15
    assert {"Runtime", "ToolRequest", "allow_all", "deny_all", "load"} <= set(names)
    assert all(getattr(toolgen.runtime, name).__doc__ for name in names)
