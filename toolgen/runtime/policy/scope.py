"""Scope: the resources that a call accesses, by the args that its spec names in `access`. A session grant covers it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from toolgen.runtime.policy.hosts import shown_hosts
from toolgen.runtime.policy.path_starts import IN_PROJECT, PathStarts
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.spec.hosts import UNCLEAR, host_of

if TYPE_CHECKING:
    from toolgen.runtime.policy.paths import PathAnswer, PathPolicy

Scope: TypeAlias = tuple[tuple[str, str], ...]
"""The resources of a call: pairs of a kind and a value, sorted."""

PATH_KEYS: Final = ("cwd", "read", "search", "write")
"""The keys of `access` whose args are paths; those of `cwd` are folders in which others may start."""


@dataclass(frozen=True, slots=True)
class AccessedResources:
    """The resources that one call accesses. Hosts are in lower case; `scope` is None if there are none.

    `cwd` is the resolved folder that it runs in, if an arg sets it; one that `is_cwd_outside` of the roots cannot be
    allowed. `concerns` describe the concerns about its paths, and `concerning` are those paths, resolved. `problem` is
    why a path cannot be judged. With an unknown host, which is `*` among the hosts, there is no scope. `login` is the
    id of the stored login that a call which asks would use.
    """

    hosts: tuple[str, ...] = ()
    scope: Scope | None = None
    cwd: str = ""
    concerns: tuple[str, ...] = ()
    concerning: tuple[str, ...] = ()
    problem: str = ""
    has_unknown_host: bool = False
    is_cwd_outside: bool = False
    login: str | None = None

    def by_login(self, login: str) -> AccessedResources:
        """Return the resources that are accessed by a stored login, which is a part of the scope."""
        return replace(self, login=login, scope=self.scope and (*self.scope, *([("login", login)] if login else [])))


class _Value(NamedTuple):
    """The value of an arg under a key of `access`, as text. `arg` is `.name` if the key names several args."""

    key: str
    arg: str
    text: str
    is_text: bool = True


def accessed_resources(
    access: Mapping[str, Any], args: Any, paths: Callable[[], PathPolicy], starts: PathStarts = IN_PROJECT
) -> AccessedResources:
    """Return the resources of a call by its args, as JSON. `access` is that of a compiled tool.

    A path counts as each file that it may lead to, by where it `starts`. The scope has the path itself if there is a
    concern about it, else its folder. Raises what `paths` raises, for a call with paths.
    """
    values = [value for key, names in access.items() if key != "hosts" for value in _values(args, key, names)]
    urls = [(value, host_of(value.text)) for value in values if value.key == "url"]
    with_paths = [value for key in PATH_KEYS for value in values if value.key == key]
    judged = _judged_paths(with_paths, paths(), starts) if with_paths else []
    problems = [each.answer.problem for each in judged if each.answer.problem]
    if any(value.key in PATH_KEYS and not value.is_text for value in values):
        from toolgen.runtime.policy.paths import PathProblem  # most tools have no paths

        problems = [PathProblem.NOT_A_STRING]
    scope = [("host", host) for host in access.get("hosts", ())]
    scope += [(f"host{value.arg}", host) for value, host in urls]
    scope += [(f"{value.key}{value.arg}", value.text) for value in values if value.key in ("exec", "scope")]
    scope += [each.in_scope for each in judged]
    hosts = (*access.get("hosts", ()), *(host for _, host in urls))
    concerning = [each for each in judged if each.concern]
    return AccessedResources(
        hosts=shown_hosts(hosts),
        scope=None if UNCLEAR in hosts else tuple(sorted(dict.fromkeys(scope), key=itemgetter(0))) or None,
        cwd=next((each.answer.resolved for each in judged if each.value.key == "cwd"), ""),
        concerns=tuple(dict.fromkeys(f"paths: {each.answer.given} is {each.concern}" for each in concerning)),
        concerning=tuple(dict.fromkeys(each.answer.resolved for each in concerning)),
        problem=problems[0].value if problems else "",
        has_unknown_host=UNCLEAR in hosts,
        is_cwd_outside=any(each.value.key == "cwd" and each.answer.root is None for each in judged),
    )


def _judged_paths(values: Sequence[_Value], paths: PathPolicy, starts: PathStarts) -> list[_Judged]:
    """Judge the paths of a call. Those that are its working directory come first: others may start there, too."""
    folders, judged = starts.resolved(paths), list[_Judged]()
    for value in values:
        from_cwd = [each.answer.resolved for each in judged if each.value.key == "cwd" and value.key != "cwd"]
        at = tuple(dict.fromkeys((*folders, *filter(None, from_cwd))))
        judged += [_Judged.of(value, answer) for answer in starts.judge(value.text, paths, at)]
    return judged


class _Judged(NamedTuple):
    """A path of a call, the policy's answer, and the concern about the intended access."""

    value: _Value
    answer: PathAnswer
    concern: str

    @classmethod
    def of(cls, value: _Value, answer: PathAnswer) -> _Judged:
        reading = {"read": answer.read_concern, "search": answer.search_concern}
        concern = reading.get(value.key, answer.write_concern)
        return cls(value, answer, concern.value.replace("_", " ") if concern else "")

    @property
    def in_scope(self) -> tuple[str, str]:
        what = f"{self.value.key}{self.value.arg}"
        if self.concern:
            return f"{self.concern} {what}", self.answer.resolved
        return what, _folder(self.answer)


def _values(args: Any, key: str, names: str | list[str]) -> Iterable[_Value]:
    """Return the values of the args that a key names: each path or URL of a list, a program, or the value as JSON.

    A path or URL that is not text becomes its JSON, which cannot be resolved.
    """
    several = [names] if isinstance(names, str) else names
    for name in several:
        value = args.get(name) if is_object(args) else None
        arg = f".{name}" if len(several) > 1 else ""
        if value is None:
            continue
        if key == "exec":
            yield _Value(key, arg, _program(value))
        elif key == "scope":
            yield _Value(key, arg, spelled_value(value))
        else:
            for item in value if is_array(value) else [value]:
                yield _Value(key, arg, item if isinstance(item, str) else _json(item), is_text=isinstance(item, str))


def _program(value: Any) -> str:
    """Return the program of an argv. Anything else becomes its JSON, so that it cannot equal a program."""
    if is_array(value) and value and isinstance(value[0], str):
        return spelled_value(value[0])
    return _json(value)


def spelled_value(value: Any) -> str:
    """Return a text that is the same for equal JSON values only: `1` and `1.0` are equal, `1` and `"1"` are not.

    It is the canonical JSON, without quotes for text that cannot be confused with other JSON.
    """
    if not isinstance(value, str):
        return _json(value)
    try:
        json.loads(value)
    except ValueError:
        return value
    except RecursionError:  # it may be JSON
        pass
    return _json(value)


def _json(value: Any) -> str:
    return canonical(_integral(value)).decode("utf-8", "surrogatepass")


def _integral(value: Any) -> Any:
    """Return a JSON value with integral numbers as integers: JSON Schema does not distinguish them."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_array(value):
        return [_integral(each) for each in value]
    if is_object(value):
        return {name: _integral(each) for name, each in value.items()}
    return value


def _folder(answer: PathAnswer) -> str:
    """Return the resolved folder that contains a path, or the path if it is a folder."""
    return answer.resolved if answer.kind == "folder" else str(PurePath(answer.resolved).parent)
