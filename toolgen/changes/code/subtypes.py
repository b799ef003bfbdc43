"""Subtypes: whether every value of an old type is one of a new type, as type checkers decide it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.changes.code.api import Alias
from toolgen.changes.code.types import NONE, Named, Ref, Type, Union, Value, union

if TYPE_CHECKING:
    from collections.abc import Set

    from toolgen.changes.code.api import Api

_JSON: Final = Named("JsonValue")
_JSON_VALUES: Final = union((
    *map(Named, ("str", "int", "float", "bool", "None")),
    Named("list", (_JSON,)),
    Named("dict", (Named("str"), _JSON)),
))  # fmt: skip
"""What `JsonValue` of pydantic is."""

_BASES: Final = {
    "bool": "int",
    "FormattedDateTime": "FormattedDate",
}
"""Classes whose values are also values of another: a datetime is a date."""

_COVARIANT: Final = frozenset({"tuple", "Awaitable", "Returns", "Mapping", "Sequence"})
_BOTH: Final = union((Value("bool", value=True), Value("bool", value=False)))


@dataclass(frozen=True, slots=True)
class Subtypes:
    """Compares types of two versions of a package. `same` are the definitions that a public name has in both."""

    before: Api
    after: Api
    same: Set[tuple[Ref, Ref]]

    def are_equal(self, old: Type, new: Type) -> bool:
        """Return whether a value of either type can be used as one of the other."""
        return self.accepts(old, new) and self.gives(old, new)

    def accepts(self, old: Type, new: Type) -> bool:
        """Return whether code may pass a value of the old type where the new one is declared."""
        return self._is_subtype(old, new, is_old_first=True)

    def gives(self, old: Type, new: Type) -> bool:
        """Return whether code may read a value of the new type as one of the old type."""
        return self._is_subtype(new, old, is_old_first=False)

    def _is_subtype(self, one: Type, other: Type, *, is_old_first: bool) -> bool:
        if self._are_same(one, other, is_old_first=is_old_first):
            return True
        one, other = self._expanded(one, is_old=is_old_first), self._expanded(other, is_old=not is_old_first)
        if isinstance(one, Union):
            return all(self._is_subtype(each, other, is_old_first=is_old_first) for each in one.members)
        if one == _JSON and other != _JSON:
            return self._is_subtype(_JSON_VALUES, other, is_old_first=is_old_first)
        if other == _JSON and one != _JSON:
            return self._is_subtype(one, _JSON_VALUES, is_old_first=is_old_first)
        if isinstance(other, Union):
            return any(self._is_subtype(one, each, is_old_first=is_old_first) for each in other.members) or (
                one == Named("bool") and isinstance(_BOTH, Union) and _BOTH.members <= other.members
            )
        match one, other:
            case Value(kind, _), Named(name):
                return self._is_subtype(Named(kind), Named(name), is_old_first=is_old_first)
            case Named("Any"), _:
                return True
            case _, Named("Any" | "object"):
                return True
            case Named(name, first), Named(other_name, second) if name == other_name and len(first) == len(second):
                return self._are_arguments(name, first, second, is_old_first=is_old_first)
            case Named(name, ()), Named(other_name, ()) if name in _BASES:
                return self._is_subtype(Named(_BASES[name]), Named(other_name), is_old_first=is_old_first)
            case _:
                return bool(one == other and not isinstance(one, Ref))

    def _are_arguments(
        self, name: str, first: tuple[Type, ...], second: tuple[Type, ...], *, is_old_first: bool
    ) -> bool:
        pairs = list(zip(first, second, strict=True))
        if name in _COVARIANT:
            return all(self._is_subtype(one, other, is_old_first=is_old_first) for one, other in pairs)
        return all(
            self._is_subtype(one, other, is_old_first=is_old_first)
            and self._is_subtype(other, one, is_old_first=not is_old_first)
            for one, other in pairs
        )

    def _are_same(self, one: Type, other: Type, *, is_old_first: bool) -> bool:
        if isinstance(one, Ref) and isinstance(other, Ref):
            return ((one, other) if is_old_first else (other, one)) in self.same
        return one == other and isinstance(one, Value | Named) and (one == NONE or not getattr(one, "args", ()))

    def _expanded(self, kind: Type, *, is_old: bool) -> Type:
        """Return the type that an alias stands for."""
        api = self.before if is_old else self.after
        for _ in range(_LONGEST_CHAIN):
            item = api.item(kind) if isinstance(kind, Ref) else None
            if not isinstance(item, Alias):
                break
            kind = item.type
        if isinstance(kind, Union):
            return union(
                self._expanded(each, is_old=is_old) if isinstance(each, Ref) else each for each in kind.members
            )
        return kind


_LONGEST_CHAIN: Final = 100
