"""Types of `orchestrator.profiles`."""
