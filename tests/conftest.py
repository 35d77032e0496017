"""For all tests in Python."""

from hypothesis import settings

pytest_plugins = ["support.fixtures", "support.mutations"]

# Other work may hold an example up for as long as it likes.
settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")
