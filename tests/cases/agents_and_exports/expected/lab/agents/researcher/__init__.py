"""The package `lab.agents.researcher`."""
