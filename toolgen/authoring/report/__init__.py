"""Reports of findings for other programs: SARIF, and annotations of GitHub."""
