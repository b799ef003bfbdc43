"""What a model is told where an action cannot be found or called: what was wrong, why, and how to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HINT: Final = "Use list_actions(category=[...]) to discover the correct name."
_SHOWN: Final = 200
"""Characters of a name that are said back."""

_NAMED: Final = 10
"""Unknown categories that are said back."""


def unknown_action(name: str, reason: str, suggestions: Sequence[str]) -> dict[str, Any]:
    """Say that there is no such action, and which ones resemble it."""
    return {
        "error": f"Unknown action '{_shown(name)}'",
        "reason": _shown(reason),
        "suggestions": list(suggestions),
        "hint": HINT,
    }


def missing(what: str, reason: str) -> dict[str, Any]:
    """Say that a call of a wrapper lacks something, or has it in the wrong form."""
    return {"error": f"Missing or invalid `{what}`", "reason": reason, "suggestions": [], "hint": HINT}


def unmappable(name: str, reason: str) -> dict[str, Any]:
    """Say that the args of an action do not fit together."""
    return {"error": f"Invalid args of '{_shown(name)}'", "reason": reason, "suggestions": [], "hint": HINT}


def unknown_categories(unknown: Sequence[str], valid: Sequence[str], successors: Mapping[str, str]) -> dict[str, Any]:
    """Say which categories there are not, and what those that are gone are called now."""
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
