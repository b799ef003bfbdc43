"""The package `orchestrator.agents.chat.toolsets.orchestrator`."""
