"""Format: specs in one order and style, with their comments; the text compiles to the same IR."""
