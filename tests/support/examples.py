"""Number of examples of property tests: few and deterministic, or many random ones with --thorough."""

from typing import Any

import pytest
from hypothesis import settings

FAST = 100
TIMES = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("stressbench").addoption(
        "--thorough", action="store_true",
        help=f"try each property with {TIMES} times as many examples, other ones in each run; left out, examples are "
        "the same in each run",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    # No deadline, because other processes may delay an example.
    settings.register_profile("fast", deadline=None, max_examples=FAST, derandomize=True)
    settings.register_profile("thorough", deadline=None, max_examples=TIMES * FAST, print_blob=True)
    settings.load_profile("thorough" if config.getoption("--thorough") else "fast")


def examples(number: int, **more: Any) -> settings:
    """Decorator that replaces Hypothesis's settings, with this number of examples in the fast lane."""
    return settings(max_examples=number * settings.default.max_examples // FAST, **more)
