"""The package `agents.default_worker.toolsets`."""
