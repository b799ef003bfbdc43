"""Report: the changes between two sides as text, JSON, SARIF, annotations of GitHub, and Markdown."""
