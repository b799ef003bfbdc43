"""What the writers of stores share: pending writes, the thread that commits them, and the ends of runs."""
