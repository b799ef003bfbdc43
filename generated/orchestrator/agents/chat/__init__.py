"""The package `orchestrator.agents.chat`."""
