"""Types of `tickets`."""
