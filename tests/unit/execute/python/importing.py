"""Importing: functions become a spec, a package that is compiled for real, and calls."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.case import write
from tests.unit.compiler.importers.importing import written
from tests.unit.compiler.specs import resolved
from toolgen.changes.tool_texts import Described
from toolgen.compiler.compile import generate
from toolgen.compiler.diagnostics import Diagnostics, Span
from toolgen.compiler.importers.python import PythonTool, import_python
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.execute.python import python_executor
from toolgen.execute.python.modules import HandlerModules
from toolgen.execute.python.sources import tools_of
from toolgen.runtime import Runtime, allow_all, load

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.contract.records import ToolError, ToolResult
    from toolgen.runtime import Catalog

CODE = "tests.unit.execute.python.shop"
MODULES = HandlerModules(named=("tests",))


@dataclass(frozen=True)
class Import:
    """What an import made. `faults` are what was left out, by the last part of the handler."""

    text: str
    messages: list[str]
    faults: dict[str, str]

    @property
    def data(self) -> dict[str, Any]:
        root = parse(self.text, "specs/shop.yaml", Diagnostics())
        assert root is not None, self.text
        data: dict[str, Any] = root.to_data()
        return data

    @property
    def tools(self) -> dict[str, Any]:
        tools: dict[str, Any] = self.data["tools"]
        return tools

    @property
    def codes(self) -> list[str]:
        return [message[:5] for message in self.messages]


def import_code(*sources: str, present: str = "", module: str = CODE, toolset: str = "shop") -> Import:
    """Import names of a module, or all of it (the empty name). `present` is the text of an existing spec."""
    sink = Diagnostics()
    references = [f"{module}:{source}" if source else module for source in sources]
    found = {each.reference: each for reference in references for each in tools_of(reference, MODULES)}
    tools = [
        PythonTool(each.reference, each.described, Span("shop.py", each.place.line))
        for each in found.values()
        if isinstance(each.described, Described)
    ]
    faults = {
        name.rpartition(":")[2]: str(each.described)
        for name, each in found.items()
        if isinstance(each.described, Exception)
    }
    root = parse(present, "specs/shop.yaml", Diagnostics()) if present else None
    spec = SpecFile("specs/shop.yaml", present, root) if root is not None else "specs/shop.yaml"
    broken = [name for name, each in found.items() if isinstance(each.described, Exception)]
    made = import_python(tools, references, spec, toolset, "", sink, profile="full", broken=broken)
    text = written(made, spec) if made is not None else ""
    if text:
        checked = resolved(text)
        assert not checked.has_errors, checked.messages
    return Import(text, [f"{each.code} {each.message}" for each in sink], faults)


def build(text: str, folder: Path, name: str) -> Catalog:
    """Compile a spec to a package that is importable, and load it."""
    found = resolved(text)
    assert not found.has_errors, found.messages
    write(folder / name, generate(found.catalog))
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return load(name)


@dataclass(frozen=True)
class Calls:
    """Calls of one toolset."""

    runtime: Runtime
    toolset: str = "shop"

    @classmethod
    def of(cls, catalog: Catalog, toolset: str = "shop") -> Calls:
        return cls(
            Runtime(catalog, executors=[python_executor(catalog, toolset, MODULES)], permission=allow_all), toolset
        )

    def invoke(self, tool: str, args: Any = None) -> ToolResult[Any]:
        request = ToolRequest(name=f"{self.toolset}.{tool}", payload=json.dumps(args or {}))
        return asyncio.run(self.runtime.invoke(request, meta=ToolCallMeta(user="ana")))

    def value(self, tool: str, args: Any = None) -> Any:
        result = self.invoke(tool, args)
        assert result.error is None, result.error
        return json.loads(result.payload)

    def error(self, tool: str, args: Any = None) -> ToolError:
        result = self.invoke(tool, args)
        assert result.error is not None, result.payload
        return result.error
