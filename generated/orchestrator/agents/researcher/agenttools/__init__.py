"""The package `orchestrator.agents.researcher.agenttools`."""
