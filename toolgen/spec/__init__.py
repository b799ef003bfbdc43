"""What the spec language means, for both halves: names, selectors, tag patterns, settings; and how files are read."""
