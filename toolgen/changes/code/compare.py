"""Comparison of the APIs of two versions of a package: what breaks code that uses the old one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from toolgen.changes.change import Change, names
from toolgen.changes.code.api import Alias, Constant, Function, Model, Protocol
from toolgen.changes.code.functions import compare_functions, compare_methods
from toolgen.changes.code.subtypes import Subtypes
from toolgen.changes.code.types import Ref, type_text
from toolgen.changes.rules import HANDLER_ADDED
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from toolgen.changes.change import Path
    from toolgen.changes.code.api import Api, Attribute, Item


@dataclass(frozen=True, slots=True)
class Places:
    """Where the parts of an API are in its catalog: the types of tools, and the packages of toolsets and agents."""

    types: Mapping[Ref, Path]
    packages: Mapping[str, Path]

    def of(self, package: str, ref: Ref | None = None) -> Path:
        """Return the place of a definition, or of the package that offers it."""
        found = self.types.get(ref) if ref else None
        return found or self.packages.get(package, ())


@dataclass(frozen=True, slots=True)
class Renamed:
    """A tool with a new ident, as in both catalogs."""

    before: str
    after: str

    def name(self, name: str) -> str:
        """Return the Python name that one of the old tool became; empty if it is not of that tool."""
        old, new = (words(ident.rpartition(".")[2].lower()) for ident in (self.before, self.after))
        for join, spell in (("_", str.lower), ("", str.capitalize), ("_", str.upper)):
            was, now = (join.join(map(spell, each)) for each in (old, new))
            if re.search(rf"(?<![A-Za-z0-9]){re.escape(was)}(?![a-z0-9])", name) and was != now:
                return name.replace(was, now)
        return ""


def compare_apis(
    before: Api,
    after: Api,
    places: tuple[Places, Places],
    renamed: Collection[Renamed] = (),
    hosted: Callable[[str], bool] = lambda package: True,
) -> Iterator[Change]:
    """Yield the changes of an API. What several packages offer is compared once, for the one that defines it.

    What a renamed tool takes with it is at the places of that tool. `hosted` says whether hosts implement the handlers
    of a package.
    """
    yield from _Apis(before, after, places, renamed, hosted).changes()


class _Apis:
    def __init__(
        self,
        before: Api,
        after: Api,
        places: tuple[Places, Places],
        renamed: Collection[Renamed],
        hosted: Callable[[str], bool],
    ) -> None:
        self._before, self._after = before, after
        self._places = places
        self._renamed = renamed
        self._is_hosted = hosted
        common = [(name, offered) for name, offered in before.packages.items() if name in after.packages]
        same = {
            (ref, after.packages[name][each])
            for name, offered in common
            for each, ref in offered.items()
            if each in after.packages[name]
        }
        self._types = Subtypes(before, after, same)
        self._compared = set[tuple[Ref, Ref]]()
        self._gone, self._come = set[Ref](), set[Ref]()

    def changes(self) -> Iterator[Change]:
        for package in sorted(self._before.packages, key=lambda name: (not self._is_home(name), name)):
            yield from self._package(package)
        for package in sorted(self._after.packages.keys() - self._before.packages.keys()):
            yield Change(
                code="CODE103",
                subject=package,
                message="the package is new",
                after_path=self._places[1].of(package),
            )

    def _is_home(self, package: str) -> bool:
        """Return whether a package defines what it offers, rather than offering that of another."""
        return any(ref.module.startswith(package) for ref in self._before.packages[package].values())

    def _package(self, package: str) -> Iterator[Change]:
        old = self._before.packages[package]
        new = self._after.packages.get(package)
        if new is None:
            self._gone.update(old.values())
            yield self._change("CODE101", package, "the package is gone", package)
            return
        gone = {name: ref for name, ref in old.items() if name not in new and ref not in self._gone}
        come = {name: ref for name, ref in new.items() if name not in old and ref not in self._come}
        self._gone.update(gone.values())
        self._come.update(come.values())
        for tool in self._renamed:
            pairs = {name: tool.name(name) for name in gone if tool.name(name) in come}
            if pairs:
                message = f"{names(pairs)} {'are' if len(pairs) > 1 else 'is'} {names(pairs.values())} now"
                yield self._of_renamed("CODE102", package, message, tool)
                gone = {name: ref for name, ref in gone.items() if name not in pairs}
                come = {name: ref for name, ref in come.items() if name not in pairs.values()}
        if gone:
            yield self._change("CODE102", package, f"{names(gone)} {'are' if len(gone) > 1 else 'is'} gone", package)
        if come:
            yield self._change("CODE103", package, f"{names(come)} {'are' if len(come) > 1 else 'is'} new", package)
        common = [(name, ref, new[name]) for name, ref in old.items() if name in new]
        told = set[str]()
        for name, one, other in sorted(common, key=lambda each: self._is_function(each[1])):
            if (one, other) not in self._compared:
                self._compared.add((one, other))
                yield from self._pair(package, name, one, other, told)

    def _is_function(self, ref: Ref) -> bool:
        return isinstance(self._before.item(ref), Function)

    def _pair(self, package: str, name: str, one: Ref, other: Ref, told: set[str]) -> Iterator[Change]:
        """Yield the changes of a name; `told` are the attributes whose changes were told for the package.

        The parameters of a call builder are the attributes of its args, so their changes are told once.
        """
        old, new = self._before.item(one), self._after.item(other)
        subject = f"{package}.{name}".lstrip(".")
        if one.module != other.module:
            message = f"the module that defines it is `{other.module}` now"
            yield self._change("CODE105", subject, message, package, (one, other))
        if old is None or new is None:
            return
        if isinstance(old, Protocol) and isinstance(new, Protocol):
            if not self._is_hosted(package):
                return
            for tool in self._renamed:
                if added := [
                    each for each in old.methods if tool.name(each) in new.methods.keys() - old.methods.keys()
                ]:
                    methods = {each: tool.name(each) for each in added}
                    message = f"the method {names(methods)} is {names(methods.values())} now"
                    yield self._of_renamed(HANDLER_ADDED, subject, message, tool)
                    new = Protocol({name: each for name, each in new.methods.items() if name not in methods.values()})
        for code, message, attribute in self._of_items(old, new):
            if _is_builder(name) and attribute in told:
                continue
            if isinstance(old, Model) and isinstance(new, Model):
                told |= {attribute, *(each.name for each in new.attributes.values() if code == "CODE202")}
            yield self._change(code, subject, message, package, (one, other), attribute)

    def _of_items(self, old: Item, new: Item) -> Iterator[tuple[str, str, str]]:
        """Yield the changes of a definition: code, message, and the attribute or parameter that it is about."""
        match old:
            case Model() if isinstance(new, Model):
                yield from self._models(old, new)
            case Alias() if isinstance(new, Alias):
                if relation := self._relation(old.type, new.type):
                    yield "CODE301", f"it is {relation[1]}: {_now(old.type, new.type)}", ""
            case Constant() if isinstance(new, Constant):
                if not self._types.are_equal(old.type, new.type):
                    yield "CODE302", f"its type changed: {_now(old.type, new.type)}", ""
            case Function() if isinstance(new, Function):
                yield from compare_functions(old, new, self._types)
            case Protocol() if isinstance(new, Protocol):
                yield from compare_methods(old, new, self._types)
            case Model() | Alias() | Constant() | Function() | Protocol():
                yield "CODE104", f"it was {_kind(old)}, and is {_kind(new)} now", ""
            case _:
                assert_never(old)

    def _models(self, old: Model, new: Model) -> Iterator[tuple[str, str, str]]:
        by_wire = {each.wire: each for each in new.attributes.values()}
        renamed = {
            name: by_wire[each.wire].name
            for name, each in old.attributes.items()
            if name not in new.attributes and each.wire in by_wire
        }
        for name, each in old.attributes.items():
            if name in renamed:
                yield "CODE202", f"the attribute `{name}` is `{renamed[name]}` now", name
            elif name not in new.attributes:
                yield "CODE201", f"the attribute `{name}` is gone", name
            else:
                yield from self._attribute(each, new.attributes[name])
        for name, each in new.attributes.items():
            if name not in old.attributes and name not in renamed.values():
                code, what = ("CODE203", "must be given") if each.required else ("CODE204", "may be given")
                yield code, f"the new attribute `{name}` {what}", name

    def _attribute(self, old: Attribute, new: Attribute) -> Iterator[tuple[str, str, str]]:
        if relation := self._relation(old.type, new.type):
            code, word = relation
            yield code, f"the type of `{old.name}` is {word}: {_now(old.type, new.type)}", old.name
        if new.required and not old.required:
            yield "CODE203", f"the attribute `{old.name}` must be given now", old.name
        elif old.required and not new.required and not relation:
            yield "CODE208", f"the attribute `{old.name}` may be left out", old.name

    def _relation(self, old: Any, new: Any) -> tuple[str, str] | None:
        match self._types.accepts(old, new), self._types.gives(old, new):
            case True, True:
                return None
            case True, False:
                return "CODE205", "wider"
            case False, True:
                return "CODE206", "narrower"
            case _:
                return "CODE207", "another one"

    def _change(
        self,
        code: str,
        subject: str,
        message: str,
        package: str,
        refs: tuple[Ref, Ref] | tuple[None, None] = (None, None),
        attribute: str = "",
    ) -> Change:
        before = self._place(0, self._before, package, refs[0], attribute)
        after = self._place(1, self._after, package, refs[1], attribute)
        return Change(code=code, subject=subject, message=message, before_path=before, after_path=after)

    def _of_renamed(self, code: str, subject: str, message: str, tool: Renamed) -> Change:
        before, after = ("tools", tool.before), ("tools", tool.after)
        return Change(code=code, subject=subject, message=message, before_path=before, after_path=after)

    def _place(self, side: int, api: Api, package: str, ref: Ref | None, attribute: str) -> Path | None:
        path = self._places[side].of(package, ref)
        item = api.item(ref) if ref else None
        if attribute and isinstance(item, Model) and ref in self._places[side].types:
            if attribute not in item.attributes:
                return None
            return (*path, "properties", item.attributes[attribute].wire)
        return path or None


def _is_builder(name: str) -> bool:
    """Return whether a name is that of a function that builds a call, as the compiler names them."""
    return name.startswith("new_") and name.endswith("_call")


def _now(old: Any, new: Any) -> str:
    return f"`{type_text(old)}` before, `{type_text(new)}` now"


def _kind(item: Item) -> str:
    match item:
        case Model():
            return "a class"
        case Alias():
            return "an alias"
        case Constant():
            return "a constant"
        case Function():
            return "a function"
        case Protocol():
            return "a protocol"
        case _:
            assert_never(item)
