"""The package `orchestrator.agents`."""
