"""A command loads itself and nothing else: to load all of them takes longer than most of them."""

import subprocess
import sys

import pytest
from typer.main import get_command

from stressbench.cli.console.app import build

NAMES = sorted(get_command(build()).commands)  # type: ignore[attr-defined]
ONE = """\
import sys
from stressbench.cli.console.app import build
build(requested="run")
print(*sorted(sys.modules))
"""


@pytest.mark.parametrize("name", NAMES)
def test_a_command_that_is_asked_for_is_there_alone(name: str) -> None:
    assert list(get_command(build(requested=name)).commands) == [name]  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", ["nonsense", "--help", "errands", "", None])
def test_all_commands_are_there_where_none_is_asked_for(word: str | None) -> None:
    assert sorted(get_command(build(requested=word)).commands) == NAMES  # type: ignore[attr-defined]


def test_other_commands_and_scipy_are_not_loaded() -> None:
    loaded = subprocess.run([sys.executable, "-c", ONE], capture_output=True, text=True, check=True).stdout.split()

    assert "stressbench.cli.run" in loaded
    assert {"scipy", "matplotlib", "stressbench.cli.compress", "stressbench.cli.study"}.isdisjoint(loaded)
