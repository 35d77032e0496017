"""How many examples a property is tried with: few, the same in each run, or with --thorough many new ones."""

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
    # Other work may hold an example up for as long as it likes: no deadline.
    settings.register_profile("fast", deadline=None, max_examples=FAST, derandomize=True)
    settings.register_profile("thorough", deadline=None, max_examples=TIMES * FAST, print_blob=True)
    settings.load_profile("thorough" if config.getoption("--thorough") else "fast")


def examples(number: int, **more: Any) -> settings:
    """Decorates a property, in place of Hypothesis's settings: so many examples in the fast lane."""
    return settings(max_examples=number * settings.default.max_examples // FAST, **more)
