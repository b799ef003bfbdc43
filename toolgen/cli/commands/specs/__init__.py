"""Commands that create specs: a new project, and imports of tools that exist."""
