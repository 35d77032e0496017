"""Whatever a file holds, its reader ends with a documented status and one message, in bounded memory and time.

`--mutations N` says how many changed files each reader is fed; they are the same in every run (support.mutations).
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.mutations import READERS, unchanged

TESTS = Path(__file__).parents[1]
AT_ONCE = 2500
"""Files of a test. Some readers take ten times longer than others: smaller tests let the cores finish together."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each reader and part of its files."""
    if "first" not in metafunc.fixturenames:
        return
    count = metafunc.config.getoption("--mutations")
    starts = range(0, count, AT_ONCE)
    parts = [(reader, first, min(first + AT_ONCE, count)) for reader in READERS for first in starts]
    metafunc.parametrize(("reader", "first", "end"), parts, ids=[f"{reader}-{first}" for reader, first, _ in parts])


def test_a_reader_survives_changed_files(reader: str, first: int, end: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "support.mutations", reader, str(first), str(end)], cwd=TESTS, capture_output=True,
        text=True, check=False,
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr[-2000:]
    found = json.loads(ended.stdout.splitlines()[-1])
    assert found == [], "\n".join(f"{one['number']} {one['command']}: {one['reported']}" for one in found[:5])


@pytest.mark.parametrize("reader", READERS)
def test_the_unchanged_files_are_right(reader: str) -> None:
    assert unchanged(reader) == []
