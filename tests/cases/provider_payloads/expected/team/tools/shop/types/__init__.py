"""Types of `team.shop`."""
