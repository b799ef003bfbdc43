"""The JSON Schema of spec files for editors."""
