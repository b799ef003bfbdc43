"""The package `lab.agents.researcher.toolsets`."""
