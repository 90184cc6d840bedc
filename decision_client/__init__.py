"""What an application imports to ask the decision endpoint and to act on its answers."""
