"""The package `orchestrator.tools`."""
