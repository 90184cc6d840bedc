"""What holds for every test."""

from hypothesis import settings

# A test that fails because the machine is busy says nothing about the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
