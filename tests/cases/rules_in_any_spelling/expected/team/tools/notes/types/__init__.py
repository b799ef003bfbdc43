"""Types of `team.notes`."""
