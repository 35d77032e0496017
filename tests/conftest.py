"""For all tests in Python."""

pytest_plugins = [
    "support.figures", "support.examples", "support.fixtures", "support.golden", "support.mutations",
    "support.recognising", "support.simulator",
]  # fmt: skip
