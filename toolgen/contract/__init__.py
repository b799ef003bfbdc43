"""What generated code and the runtime share. Uses only the standard library, so that importing idents stays cheap."""
