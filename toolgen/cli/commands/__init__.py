"""The commands, one module each: flags in, one function of a half, text or JSON out."""
