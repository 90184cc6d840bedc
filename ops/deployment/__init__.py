"""A deployment: what is asked before it, and why it failed."""
