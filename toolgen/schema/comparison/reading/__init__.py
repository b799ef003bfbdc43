"""Reading of schemas for a comparison: constraints that mean the same in all drafts, and which schemas are equal."""
