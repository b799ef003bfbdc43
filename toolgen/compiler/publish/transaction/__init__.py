"""Changes of a package on the disk, all or none: one writer at a time, a journal, and completing or undoing it."""
