"""Search over tools: one index for the retrieval presentation, `search_actions`, and `toolgen search`."""
