"""The package `orchestrator.agents.researcher`."""
