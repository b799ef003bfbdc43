"""Actions: the entries of a catalog, as a model that is not shown all tools at once finds and calls them."""
