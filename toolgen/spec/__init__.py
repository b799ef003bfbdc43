"""The spec language for both halves: names, selectors, tag patterns, settings; and how files are read."""
