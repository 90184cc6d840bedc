"""The emulator process, in an environment of its own (`.cache/emulator`): nothing here is imported outside it."""
