"""The package `orchestrator`."""
