"""The package `orchestrator.agents.researcher.toolsets`."""
