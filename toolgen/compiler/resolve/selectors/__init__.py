"""Selectors, and the names of tools, toolsets and catalogs in settings: what they mean in the resolved specs."""
