"""What generated code and the runtime share. Standard library only, so that importing idents stays cheap."""
