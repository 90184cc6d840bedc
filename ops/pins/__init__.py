"""The pins of an environment's file: shown, checked and changed."""
