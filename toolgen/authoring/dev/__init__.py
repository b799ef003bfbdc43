"""The page of `toolgen dev`: what is broken, what changed, and what models see, after each change of a project."""
