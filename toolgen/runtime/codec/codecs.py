"""`Codecs`: the codecs of all tools of a generated package, by their idents."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.contract.ident import ArgsT, Ident, ResultT
    from toolgen.contract.records import ToolRequest
    from toolgen.runtime.codec.codec import Codec

# What codecs need is imported on first use of one: models of tools import this module.


class Codecs:
    """The codecs of the tools of one package, typed by the idents: `codecs.args(FIND).decode(payload)`."""

    __slots__ = ("_package",)

    def __init__(self, package: str) -> None:
        """Create them for the package with this import name, which is not read yet."""
        self._package = package

    def args(self, ident: Ident[ArgsT, Any]) -> Codec[ArgsT]:
        """Return the codec of the args of a tool. Nothing is read before its first use."""
        from toolgen.runtime.codec.codec import Codec

        return Codec.of_package(self._package, ident, "args")

    def result(self, ident: Ident[Any, ResultT]) -> Codec[ResultT]:
        """Return the codec of the result of a tool, like `args`."""
        from toolgen.runtime.codec.codec import Codec

        return Codec.of_package(self._package, ident, "result")

    def call(
        self, ident: str, args: Mapping[str, Any], defaults: Mapping[str, Any] = MappingProxyType({})
    ) -> ToolRequest:
        """Build a request from args by their wire names: what the call builders of generated packages do.

        Left out are args that are `ABSENT`, that equal their entry in `defaults`, or that are optional and None where
        null is not allowed. Raises `InvalidPayload`.
        """
        from toolgen.contract.records import ABSENT, ToolRequest
        from toolgen.runtime.codec.codec import Codec

        given = {
            name: value
            for name, value in args.items()
            if value is not ABSENT
            and not (name in defaults and type(value) is type(defaults[name]) and value == defaults[name])
        }
        codec = Codec.of_package(self._package, ident, "args")
        return ToolRequest(name=ident, payload=codec.encode_fields(given))
