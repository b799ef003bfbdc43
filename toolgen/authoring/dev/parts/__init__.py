"""Parts: what the page is computed from, each in a process of its own."""
