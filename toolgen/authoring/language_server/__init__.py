"""The language server for spec files, from diagnostics to rename and fixes. Needs the extra `lsp`."""
