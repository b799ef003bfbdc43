"""Args: what specs change in the schema of a tool's args, and which fields of it are secret."""
