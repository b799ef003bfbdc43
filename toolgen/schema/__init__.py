"""JSON and JSON Schema: the words of its drafts, references, pointers, canonical text. Pure, used by both halves."""
