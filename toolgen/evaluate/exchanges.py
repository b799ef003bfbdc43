"""Exchanges: requests to models with their replies, kept in a file, and answered from it.

A reply is found by the exact request: the model, its messages, its tools and all else that is sent. So a changed
description makes it stale, and a case whose reply is stale is never right.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from toolgen.llm.conversation import provider_named
from toolgen.providers.protocol import MalformedResponse
from toolgen.schema.json_values import canonical, compact_json, is_number, is_object
from toolgen.spec.files import read_file
from toolgen.spec.locks import held
from toolgen.spec.writing import (
    PRIVATE,
    Changed,
    append_lines_inside,
    is_torn,
    make_folder_inside,
    named_place,
    place_inside,
    replace_inside,
)

if TYPE_CHECKING:
    from toolgen.evaluate.models import EvaluatedModel

_MOST_BYTES: Final = 512 * 1024 * 1024
"""Bytes of a file."""

_MOST_SECONDS: Final = 1_000_000
"""Seconds that a reply can have taken."""

_MOST: Final = 1_000_000
"""Exchanges of a file."""


_PATIENCE: Final = 60.0
"""Seconds in which others can write the file."""

_BEGINNINGS: Final = (b'{"shared":"', b'{"key":"')
"""How the lines that `Exchanges` writes begin."""


class ExchangesError(ValueError):
    """A file of exchanges cannot be read or written. The message says where, and what to do."""


class StaleCase(Exception):
    """A case has no recorded reply to its exact request. The message says what has changed."""


class Exchanges:
    """The exchanges of a file of JSON Lines. With `asks`, missing ones are asked and added; else they are stale.

    A line has a reply with its request; members of requests that are alike, such as the tools, stand in a line of their
    own, once. A part of a line at the end, whose writer was stopped, is left out. Raises `ExchangesError`.
    """

    def __init__(self, path: str | Path, *, asks: bool) -> None:
        self._path: Final = Path(path)
        self._asks: Final = asks
        self._replies: dict[str, tuple[dict[str, Any], float | None]] = {}
        self._written: set[str] = set()
        self._of_case: dict[tuple[str, str, str, str], list[tuple[str, str]]] = {}
        self._digests: dict[int, tuple[Mapping[str, Any], str]] = {}
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.used: Final[set[str]] = set()
        if not os.path.lexists(self._path):
            if not asks:
                raise ExchangesError(f"{self._path} is missing: record it with `--record {self._path}`")
            with self._alone():
                self._create()
        self._read()
        if asks:
            self._append(b"")  # it ends with a line end, and nothing is asked, and paid for, that cannot be kept

    def __len__(self) -> int:
        return len(self._replies)

    @asynccontextmanager
    async def asking(
        self, model: EvaluatedModel, messages: Sequence[Mapping[str, Any]], fields: Mapping[str, Any]
    ) -> AsyncGenerator[None]:
        """Let one of equal requests be found or asked at a time, as a context, so that all get the reply that is kept.

        A model may reply otherwise each time, and is paid each time.
        """
        key = _key(model, _digest(list(messages)), self._digest(fields))
        lock = self._asking.setdefault(key, asyncio.Lock())  # it lasts as long as somebody waits for it
        async with lock:
            yield

    def find(
        self, case: str, model: EvaluatedModel, messages: Sequence[Mapping[str, Any]], fields: Mapping[str, Any]
    ) -> tuple[dict[str, Any], float | None] | None:
        """Return the reply to a request, and the seconds that it took; None if it is to be asked.

        A reply that the provider of the model cannot read, such as an error, is to be asked again. Raises `StaleCase`
        where nothing is asked.
        """
        shared, said = self._digest(fields), _digest(list(messages))
        key = _key(model, said, shared)
        found = self._replies.get(key)
        problem = "" if found is None else _unreadable(model, found[0])
        if found is not None and not problem:
            self.used.add(key)
            return found
        if self._asks:
            return None
        if problem:
            raise StaleCase(f"its recorded reply cannot be read, because {problem}: record it again")
        before = self._of_case.get((case, model.name, model.provider, model.presentation), [])
        if not before:
            raise StaleCase("it is not recorded for this model: record it")
        if any(other == said for other, _ in before):
            raise StaleCase("the tools that the model is shown have changed since it was recorded: record it again")
        raise StaleCase(
            "its messages, or the results of its calls, have changed since it was recorded: record it again"
        )

    def add(
        self,
        case: str,
        model: EvaluatedModel,
        messages: Sequence[Mapping[str, Any]],
        fields: Mapping[str, Any],
        reply: dict[str, Any],
        seconds: float,
    ) -> None:
        """Keep a reply; it is written at once, so that a stopped evaluation goes on from here."""
        shared, said = self._digest(fields), _digest(list(messages))
        key = _key(model, said, shared)
        lines: list[Mapping[str, Any]] = []
        if shared not in self._written:
            lines.append({"shared": shared, "request": dict(fields)})
        lines.append({
            "key": key,
            "case": case,
            "model": model.name,
            "provider": model.provider,
            "presentation": model.presentation,
            "shared": shared,
            "messages": list(messages),
            "reply": reply,
            "seconds": round(seconds, 6),
        })  # fmt: skip
        self._append("".join(f"{compact_json(line)}\n" for line in lines).encode())
        self._written.add(shared)
        self._take(key, case, (model.name, model.provider, model.presentation), said, shared, reply, seconds)
        self.used.add(key)

    def _append(self, text: bytes) -> None:
        with self._alone():
            self._create()
            append_lines_inside(*named_place(str(self._path)), text, beginnings=_BEGINNINGS)

    def _create(self) -> None:
        if not os.path.lexists(self._path):
            with suppress(Changed):  # somebody has created it meanwhile
                replace_inside(*named_place(str(self._path)), None, b"", mode=PRIVATE)

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Let one evaluation at a time write the file, as a context. Raises `ExchangesError`."""
        try:
            folder, name = named_place(str(self._path))
            place = Path(place_inside(folder, name))
            make_folder_inside(folder, Path(name).parent, mode=PRIVATE)
            with held(place.parent / f".{place.name}.lock", _PATIENCE, 0o666):
                yield
        except TimeoutError:
            raise ExchangesError(f"{self._path} has been written by others for {_PATIENCE:g} s: try again") from None
        except OSError as error:
            raise ExchangesError(f"{self._path} cannot be written: {error.strerror}") from error

    def _take(
        self,
        key: str,
        case: str,
        model: tuple[str, str, str],
        said: str,
        shared: str,
        reply: dict[str, Any],
        seconds: float | None,
    ) -> None:
        self._replies[key] = reply, seconds
        self._of_case.setdefault((case, *model), []).append((said, shared))

    def _digest(self, fields: Mapping[str, Any]) -> str:
        """Return the digest of members of a request, which conversations share."""
        known = self._digests.get(id(fields))
        if known is not None and known[0] is fields:
            return known[1]
        digest = _digest(dict(fields))
        if len(self._digests) > 64:
            self._digests.clear()
        self._digests[id(fields)] = fields, digest
        return digest

    def _read(self) -> None:
        content = self._content()
        if self._asks and not content.endswith(b"\n"):
            with self._alone():  # so the last line is not one that is written now
                content = self._content()
        *lines, last = content.split(b"\n")
        for number, line in enumerate([*lines, b"" if is_torn(last, _BEGINNINGS) else last], 1):
            if line.strip():
                self._read_line(number, line)

    def _content(self) -> bytes:
        try:
            return read_file(str(self._path), _MOST_BYTES)
        except OSError as error:
            raise ExchangesError(f"{self._path} cannot be read: {error.strerror}") from None

    def _read_line(self, number: int, line: bytes) -> None:
        place = f"{self._path} line {number}"
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError):
            raise ExchangesError(f"{place} is not JSON: remove it, or record again into a new file") from None
        if not is_object(row) or not isinstance(row.get("shared"), str):
            raise ExchangesError(f"{place} is no exchange with a model: it has no `shared`")
        if "key" not in row:
            self._written.add(row["shared"])
            return
        names = [row.get(name) for name in ("case", "model", "provider", "presentation")]
        if not is_object(row.get("reply")) or not all(isinstance(name, str) for name in names):
            raise ExchangesError(f"{place} is no exchange with a model: it needs `case`, `model`, `provider`, "
                                 "`presentation` and a `reply`")  # fmt: skip
        if len(self._replies) >= _MOST:
            raise ExchangesError(f"{self._path} has more than {_MOST:,} exchanges: split the evaluation")
        case, model, provider, presentation = map(str, names)
        seconds = row.get("seconds")
        taken = float(seconds) if is_number(seconds) and 0 <= seconds <= _MOST_SECONDS else None  # not NaN, not huge
        try:
            said = _digest(row.get("messages"))
        except (ValueError, RecursionError):
            raise ExchangesError(f"{place} has `messages` that are no JSON: remove it, or record it again") from None
        self._take(
            _key_of(model, provider, presentation, said, row["shared"]),
            case,
            (model, provider, presentation),
            said,
            row["shared"],
            row["reply"],
            taken,
        )


def _unreadable(model: EvaluatedModel, reply: Mapping[str, Any]) -> str:
    """Return why the provider of a model cannot read a reply; empty if it can."""
    try:
        provider_named(model.provider).read(reply)
    except MalformedResponse as error:
        return str(error)
    return ""


def _key(model: EvaluatedModel, said: str, shared: str) -> str:
    return _key_of(model.name, model.provider, model.presentation, said, shared)


def _key_of(name: str, provider: str, presentation: str, said: str, shared: str) -> str:
    return _digest([name, provider, presentation, said, shared])


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()[:32]
