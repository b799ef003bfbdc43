"""Tool search: documents, their words, and the index that a build writes."""
