"""The package `lab.agents.researcher.agenttools`."""
