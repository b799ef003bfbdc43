"""Types of `agent`."""
