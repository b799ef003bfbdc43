"""Types of `orchestrator.research`."""
