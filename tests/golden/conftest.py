"""Fixtures of the golden tests."""

import os
from pathlib import Path

import pytest
from support.programs import ENGINES, require


@pytest.fixture(scope="session")
def engine_program() -> Path:
    """The engine: the one that STRESSBENCH_MPI names, else that of the release build."""
    named = os.environ.get("STRESSBENCH_MPI")
    return Path(named) if named else require(ENGINES[0]).program
