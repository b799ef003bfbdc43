"""Written schemas to JSON Schema: named types, short forms, references, keywords of each draft."""
