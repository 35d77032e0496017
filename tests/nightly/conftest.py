"""Tests that measure or repeat take longer than others before they count as hung."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIMIT_S = 3600


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE) and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(LIMIT_S))
