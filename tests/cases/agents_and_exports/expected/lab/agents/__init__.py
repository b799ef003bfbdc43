"""The package `lab.agents`."""
