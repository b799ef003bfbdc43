"""Results of calls: of those that ran, that failed, and that never had a plan."""
