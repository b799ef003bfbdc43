"""Actions: the entries of a catalog, and how one becomes a call of its target. Pure: nothing is looked up or run.

A generated module holds the tables of one catalog: a rule for every fixed entry by its qualified name, and one for
every category whose entries the host names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgen.contract.qualified import SEPARATOR, split

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Args: TypeAlias = Mapping[str, Any]
"""The args of an action as its caller gives them: JSON values by name."""

Transform: TypeAlias = Callable[[str, Args], dict[str, Any]]
"""Makes the args of the target of an entry's name and its caller's args. Raises `ArgsNotMapped`."""

Predicate: TypeAlias = Callable[[str | None], bool]
"""Whether something is to be seen, by the value of one setting."""


@dataclass(frozen=True, slots=True)
class ActionRule:
    """Where an action leads: the ident of its target, and what makes the target's args."""

    target: str
    transform: Transform


@dataclass(frozen=True, slots=True)
class Visibility:
    """Something that is only seen where a setting allows it."""

    setting: str
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class ResolvedAction:
    """What an action comes to: a call of a tool, by its ident."""

    target_tool_name: str
    target_args: dict[str, Any]


class UnknownActionError(LookupError):
    """No action has that name. `reason` says what is wrong with it, `suggestions` are near misses, best first."""

    def __init__(self, name: str, reason: str, suggestions: tuple[str, ...] = ()) -> None:
        self.name = name
        self.reason = reason
        self.suggestions = suggestions
        super().__init__(f"Unknown action {name!r}: {reason}")

    def __reduce__(self) -> tuple[type[UnknownActionError], tuple[str, str, tuple[str, ...]]]:
        return (type(self), (self.name, self.reason, self.suggestions))


class ArgsNotMapped(ValueError):
    """The args of an action cannot become those of its target. The message is for the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionTables:
    """All that routing one catalog takes. Of two rules for a name, that of the entry is before that of its category."""

    categories: tuple[str, ...]
    operations: Mapping[str, ActionRule]
    resources: Mapping[str, ActionRule]

    def find(self, name: str) -> tuple[ActionRule, str, str]:
        """Return the rule for a name, its category and its entry. Raises `UnknownActionError`, without suggestions."""
        try:
            category, entry = split(name, self.categories)
        except ValueError as error:
            raise UnknownActionError(name, str(error)) from None
        rule = self.operations.get(name) or self.resources.get(category)
        if rule is None:
            raise UnknownActionError(name, f"the category {category!r} has no entry {entry!r}")
        return rule, category, entry

    def resolve(self, name: str, args: Args, names: Iterable[str] = ()) -> ResolvedAction:
        """Make the call that an action means: split, look up, transform.

        `names` are those of entries that the host has now; they are only suggested, for a name is resolved whether it
        is listed or not. Raises `UnknownActionError` and `ArgsNotMapped`.
        """
        try:
            rule, _, entry = self.find(name)
        except UnknownActionError as error:
            known = sorted({*self.operations, *names})
            raise UnknownActionError(name, error.reason, suggested(name, known)) from None
        return ResolvedAction(rule.target, rule.transform(entry, args))


def suggested(name: str, known: Collection[str]) -> tuple[str, ...]:
    """Return up to three known names that resemble a name, best first, by difflib's own measure and cutoff."""
    return tuple(get_close_matches(name[:200], known))


def passed_on(_entry: str, args: Args) -> dict[str, Any]:
    """The transform of an action whose args are its target's."""
    return dict(args)


def renamed(args: Args, name: str, parameter: str) -> dict[str, Any]:
    """Return one arg as the parameter that it fills; nothing where it is absent."""
    return {parameter: args[name]} if name in args else {}


def without(args: Args, *names: str) -> dict[str, Any]:
    """Return args that pass on as they are: all but those that something else is made of, or stands in the place of."""
    return {name: value for name, value in args.items() if name not in names}


def only(args: Args, *names: str) -> dict[str, Any]:
    """Return those of the args that the target knows by their own names."""
    return {name: args[name] for name in names if name in args}


def cut(args: Args, name: str, first: str, second: str, /) -> dict[str, Any]:
    """Cut an arg `<first>__<second>` at its first `__`. Raises `ArgsNotMapped` where it does not have both parts."""
    value = args.get(name)
    before, _, after = value.partition(SEPARATOR) if isinstance(value, str) else ("", "", "")
    if not before or not after:
        raise ArgsNotMapped(f"`{name}` must be text of the form `<{first}>{SEPARATOR}<{second}>`")
    return {first: before, second: after}
