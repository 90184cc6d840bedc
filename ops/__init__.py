"""The operator's commands: what talks to a deployed environment."""
