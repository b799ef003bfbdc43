"""Written specs: data of toolsets that lint reports much of, with keys in any order."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from tests.unit.authoring.format.written import Writer

TEXTS = st.sampled_from(
    ["Search  the orders.", "Does it.", "TODO", "It is: odd", "Text\nwith  lines\n", "word " * 30 + "end"]
)
LEAVES = st.sampled_from(["string", "boolean"])
FIELD_NAMES = st.sampled_from(["no_archive", "not_found?", "city", "x"])


def shuffled(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw mappings with keys in any order."""
    whole = st.fixed_dictionaries(required, optional=optional)
    return whole.flatmap(lambda made: st.permutations(list(made.items())).map(dict))


SCHEMAS: Final = st.recursive(
    LEAVES
    | shuffled({"type": LEAVES}, {"description": TEXTS})
    | shuffled({"type": st.just("string")}, {"enum": st.sampled_from([["a", "b"], ["a", "a"], ["true", "false"]])}),
    lambda inner: st.dictionaries(FIELD_NAMES, inner, min_size=1, max_size=3),
    max_leaves=4,
)
FIELDS = st.dictionaries(FIELD_NAMES, SCHEMAS, min_size=1, max_size=3)
TOOLS = shuffled(
    {"description": TEXTS},
    {
        "args": FIELDS,
        "result": SCHEMAS,
        "permission": st.just("readonly"),
        "tags": st.just(["network"]),
        "limits": shuffled({"timeout_ms": st.just(50)}, {"daily_limit": st.just(3)}),
    },
)
SPECS = shuffled(
    {
        "toolgen": st.just(1),
        "toolset": st.just("shop"),
        "tools": st.dictionaries(st.sampled_from(["find", "no_find", "add"]), TOOLS, min_size=1, max_size=2),
    },
    {
        "description": TEXTS,
        "types": st.fixed_dictionaries({"Order": SCHEMAS}),
        "defaults": st.just({"roles": ["main"]}),
    },
)

SUPPRESSIONS = st.sampled_from(
    [f"# toolgen: ignore {rules} -- why" for rules in ("TL206", "TL111", "TL101, TL111", "TL201 TL202 TL203", "TL301")]
)


class SpecWriter(Writer):
    """Writes specs in which most comments silence rules."""

    def _comment(self) -> str:
        return str(self._draw(SUPPRESSIONS)) if self._draw(st.booleans()) else super()._comment()
