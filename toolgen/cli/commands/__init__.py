"""The commands, one module each: flags in, one compiler or runtime function, text or JSON out."""
