"""Error answers for actions that cannot be found or called: the error, the reason, and a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HINT: Final = "Use list_actions(category=[...]) to discover the correct name."
_SHOWN: Final = 200
"""Maximum characters of a name that are repeated."""

_NAMED: Final = 10
"""Maximum number of unknown categories that are repeated."""


def unknown_action(name: str, reason: str, suggestions: Sequence[str]) -> dict[str, Any]:
    """Return the error for an unknown action, with similar names."""
    return {
        "error": f"Unknown action '{_shown(name)}'",
        "reason": _shown(reason),
        "suggestions": list(suggestions),
        "hint": HINT,
    }


def missing(what: str, reason: str) -> dict[str, Any]:
    """Return the error for a missing or malformed argument of a wrapper."""
    return {"error": f"Missing or invalid `{what}`", "reason": reason, "suggestions": [], "hint": HINT}


def unmappable(name: str, reason: str) -> dict[str, Any]:
    """Return the error for args of an action that cannot be mapped to its target."""
    return {"error": f"Invalid args of '{_shown(name)}'", "reason": reason, "suggestions": [], "hint": HINT}


def unknown_categories(unknown: Sequence[str], valid: Sequence[str], successors: Mapping[str, str]) -> dict[str, Any]:
    """Return the error for unknown categories, with the new names of renamed ones."""
    named = unknown[:_NAMED]
    reasons = [
        f"'{_shown(name)}' → '{successors[name]}'" if name in successors else f"there is no category '{_shown(name)}'"
        for name in named
    ]
    if len(unknown) > _NAMED:
        reasons.append(f"and {len(unknown) - _NAMED} more")
    return {
        "error": f"Unknown categories: {', '.join(map(_shown, named))}",
        "reason": "; ".join(reasons),
        "hint": "Call list_actions again with categories from `valid`.",
        "unknown": [_shown(name) for name in named],
        "valid": list(valid),
    }


def _shown(text: str) -> str:
    plain = visible(text)
    return plain if len(plain) <= _SHOWN else f"{plain[: _SHOWN - 1]}…"
