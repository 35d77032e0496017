"""Tests that measure or repeat take longer than others before they count as hung.

Those that measure have the marker `measures`: nothing else may run beside them.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIMIT_S = 3600


@pytest.hookimpl(tryfirst=True)  # before -m selects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not item.path.is_relative_to(HERE):
            continue
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(LIMIT_S))
        if "measured" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.measures)
