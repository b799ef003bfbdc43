from __future__ import annotations

from typing import TYPE_CHECKING

from cases.agents_and_exports.lab.agents.chat_agent.toolsets import lab
from cases.agents_and_exports.lab.agents.chat_agent.toolsets.lab import files as used_files
from cases.agents_and_exports.lab.agents.chat_agent.toolsets.lab import research as used
from cases.agents_and_exports.lab.agents.researcher.agenttools import research as exported
from cases.agents_and_exports.lab.tools import files, research
from toolgen.contract.records import ToolRequest, ToolResult

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta

# One object, wherever it is imported from.
assert used.SEARCH is exported.SEARCH is research.SEARCH
assert used.SearchArgs is research.SearchArgs
assert used.codecs is research.codecs
assert used_files.READ is files.READ

request = used.new_search_call(query="x", depth="deep")
assert (request.name, request.payload) == ("lab.research.search", b'{"depth":"deep","query":"x"}')


class Answers:
    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[object]:
        return ToolResult(tool_name=request.name, payload=b"{}")


registration = lab.new_chat_agent_research_toolset_registration(Answers())
assert (registration.toolset, registration.inline) == ("lab.research", True)
assert not lab.new_chat_agent_files_toolset_registration(Answers()).inline
