"""The package `orchestrator.agents.chat.toolsets.mcp`."""
