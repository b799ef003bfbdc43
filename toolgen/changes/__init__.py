"""Changes: tools as their sources offer them, how two versions of a tool differ, and what in them is suspicious."""
