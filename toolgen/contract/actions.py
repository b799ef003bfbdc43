"""Actions: the entries of a catalog, and how they become calls of their targets. Pure: nothing is looked up or run.

A generated module contains the tables of one catalog: a rule for every fixed entry, by its qualified name, and one for
every category whose entries the host lists.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from toolgen.contract.ident import SEPARATOR, split
from toolgen.contract.picklable import Picklable

Args: TypeAlias = Mapping[str, Any]
"""The args of an action as passed by its caller: JSON values by name."""

Transform: TypeAlias = Callable[[str, Args], dict[str, Any]]
"""Builds the args of the target from an entry's name and its caller's args. Raises `ArgsNotMapped`."""

Predicate: TypeAlias = Callable[[str | None], bool]
"""Whether something is visible, by the value of one setting."""


@dataclass(frozen=True, slots=True)
class ActionRule:
    """The ident of an action's target, and the function that builds the target's args."""

    target: str
    transform: Transform


@dataclass(frozen=True, slots=True)
class Visibility:
    """Something that is visible only if a setting allows it."""

    setting: str
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class ResolvedAction:
    """A resolved action: a call of a tool, by its ident."""

    target_tool_name: str
    target_args: dict[str, Any]


class UnknownActionError(Picklable, LookupError):
    """No action has that name. `reason` explains why, `suggestions` are the closest names, best first."""

    def __init__(self, name: str, reason: str, suggestions: tuple[str, ...] = ()) -> None:
        self.name = name
        self.reason = reason
        self.suggestions = suggestions
        super().__init__(f"Unknown action {name!r}: {reason}")


class ArgsNotMapped(ValueError):
    """The args of an action cannot become those of its target. The message is for the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionTables:
    """The routing tables of one catalog. The rule of an entry takes precedence over that of its category."""

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
        """Return the call of an action: split the name, look up the rule, transform the args.

        `names` are the entries that the host currently lists. They are only used for suggestions: a name is resolved
        even if it is not listed. Raises `UnknownActionError` and `ArgsNotMapped`.
        """
        try:
            rule, _, entry = self.find(name)
        except UnknownActionError as error:
            known = sorted({*self.operations, *names})
            raise UnknownActionError(name, error.reason, suggested(name, known)) from None
        return ResolvedAction(rule.target, rule.transform(entry, args))


def suggested(name: str, known: Collection[str]) -> tuple[str, ...]:
    """Return up to three known names similar to a name, best first, by difflib's ratio and default cutoff."""
    return tuple(get_close_matches(name[:200], known))


def passed_on(_entry: str, args: Args) -> dict[str, Any]:
    """Return the args unchanged: the transform of an action whose args are those of its target."""
    return dict(args)


def renamed(args: Args, name: str, parameter: str) -> dict[str, Any]:
    """Return one arg under the name of its parameter; an empty dict if it is absent."""
    return {parameter: args[name]} if name in args else {}


def without(args: Args, *names: str) -> dict[str, Any]:
    """Return the args without the named ones, which are transformed or replaced."""
    return {name: value for name, value in args.items() if name not in names}


def only(args: Args, *names: str) -> dict[str, Any]:
    """Return the named args, which the target has too."""
    return {name: args[name] for name in names if name in args}


def split_arg(args: Args, name: str, first: str, second: str, /) -> dict[str, Any]:
    """Split an arg `<first>__<second>` at its first `__`. Raises `ArgsNotMapped` if it does not have both parts."""
    value = args.get(name)
    before, _, after = value.partition(SEPARATOR) if isinstance(value, str) else ("", "", "")
    if not before or not after:
        raise ArgsNotMapped(f"`{name}` must be text of the form `<{first}>{SEPARATOR}<{second}>`")
    return {first: before, second: after}
