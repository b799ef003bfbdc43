"""JSON and JSON Schema: keywords of its drafts, references, pointers, canonical text. Pure, used by both halves."""
