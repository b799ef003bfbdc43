"""`toolgen import mcp`: where tools come from, and what becomes of them."""
