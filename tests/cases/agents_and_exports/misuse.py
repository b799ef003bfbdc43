from __future__ import annotations

from cases.agents_and_exports.lab.agents.chat_agent.toolsets import lab
from cases.agents_and_exports.lab.agents.chat_agent.toolsets.lab import research

research.new_search_call(query=1)  # error
research.new_search_call(query="x", depth="deeper")  # error
lab.new_chat_agent_research_toolset_registration(object())  # error
