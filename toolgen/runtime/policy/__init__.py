"""What a run may call, who is asked, which paths and how often."""
